"""Stored API keys, found by key id."""

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, select

from chainteller.storage.clock import with_time
from chainteller.storage.columns import Record
from chainteller.storage.rows import Finder, Writer
from chainteller.storage.tables import Tables

_T = Tables.api_key
_ONE = _T.c.key_id == bindparam("b_key_id")
find = Finder(_T, "key_id")
_FOUND = select(_T).where(_ONE)
_FIND_WITH_TIME = with_time(_FOUND, server_clock=False)
_FIND_WITH_SERVER_CLOCK = with_time(_FOUND, server_clock=True)
_ALL = select(_T).order_by(_T.c.created.desc(), _T.c.key_id)


def find_with_time(
    connection: Connection, key_id: str, *, server_clock: bool = False
) -> Record | None:
    """Find a key, with what the clock's row says about time and PostgreSQL's clock if
    requested."""
    statement = _FIND_WITH_SERVER_CLOCK if server_clock else _FIND_WITH_TIME
    return connection.execute(statement, {"b_key_id": key_id}).first()


def everything(connection: Connection) -> Sequence[Record]:
    """All keys, newest first."""
    return connection.execute(_ALL).all()


def update(rows: Writer, key_id: str, **values: object) -> None:
    rows.update(_T, {"key_id": key_id}, values)

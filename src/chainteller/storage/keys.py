"""Stored API keys, found by key id."""

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, func, select

from chainteller.storage.chain import SERVER_CLOCK
from chainteller.storage.database import Record
from chainteller.storage.rows import Finder, Writer
from chainteller.storage.schema import HEAD
from chainteller.storage.tables import Tables

_T = Tables.api_key
_ONE = _T.c.key_id == bindparam("b_key_id")
find = Finder(_T, "key_id")
_NEWEST_AT = select(Tables.head.c.last_at).where(Tables.head.c.name == HEAD).scalar_subquery()
_FIND_WITH_TIME = select(_T, _NEWEST_AT.label("newest_at")).where(_ONE)
_FIND_WITH_SERVER_TIME = select(
    _T, func.greatest(_NEWEST_AT, SERVER_CLOCK).label("newest_at")
).where(_ONE)
_ALL = select(_T).order_by(_T.c.created.desc(), _T.c.key_id)


def find_with_time(
    connection: Connection, key_id: str, *, server_clock: bool = False
) -> Record | None:
    """Find a key, with ``newest_at``: the newest instant of any write or, if requested and later,
    PostgreSQL's clock."""
    statement = _FIND_WITH_SERVER_TIME if server_clock else _FIND_WITH_TIME
    return connection.execute(statement, {"b_key_id": key_id}).first()


def everything(connection: Connection) -> Sequence[Record]:
    """All keys, newest first."""
    return connection.execute(_ALL).all()


def update(rows: Writer, key_id: str, **values: object) -> None:
    rows.update(_T, {"key_id": key_id}, values)

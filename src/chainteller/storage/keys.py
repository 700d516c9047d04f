"""Stored API keys, found by key id."""

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, bindparam, func, insert, select, update

from chainteller.storage.chain import SERVER_CLOCK
from chainteller.storage.database import Record
from chainteller.storage.schema import HEAD
from chainteller.storage.tables import Tables

_T = Tables.api_key
_ONE = _T.c.key_id == bindparam("b_key_id")
_FIND = select(_T).where(_ONE)
_FIND_LOCKED = _FIND.with_for_update()
_NEWEST_AT = select(Tables.head.c.last_at).where(Tables.head.c.name == HEAD).scalar_subquery()
_FIND_WITH_TIME = select(_T, _NEWEST_AT.label("newest_at")).where(_ONE)
_FIND_WITH_SERVER_TIME = select(
    _T, func.greatest(_NEWEST_AT, SERVER_CLOCK).label("newest_at")
).where(_ONE)
_ALL = select(_T).order_by(_T.c.created.desc(), _T.c.key_id)
_REVOKE = update(_T).where(_ONE).values(revoked_at=bindparam("b_at"))
_REPLACE = (
    update(_T)
    .where(_ONE)
    .values(revoked_at=bindparam("b_at"), replaced_by=bindparam("b_replaced_by"))
)
_USED = update(_T).where(_ONE).values(last_used_at=bindparam("b_at"))
_INSERT = insert(_T)


def find(connection: Connection, key_id: str, *, lock: bool = False) -> Record | None:
    return connection.execute(_FIND_LOCKED if lock else _FIND, {"b_key_id": key_id}).first()


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


def insert_key(connection: Connection, row: Mapping[str, object]) -> None:
    connection.execute(_INSERT, row)


def revoke(connection: Connection, key_id: str, at: int) -> None:
    connection.execute(_REVOKE, {"b_key_id": key_id, "b_at": at})


def replace(connection: Connection, key_id: str, by: str, at: int) -> None:
    connection.execute(_REPLACE, {"b_key_id": key_id, "b_replaced_by": by, "b_at": at})


def mark_used(connection: Connection, key_id: str, at: int) -> None:
    connection.execute(_USED, {"b_key_id": key_id, "b_at": at})

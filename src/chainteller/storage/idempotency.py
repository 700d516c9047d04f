"""Store the outcomes of writes under their idempotency keys."""

from sqlalchemy import Connection, bindparam, delete, select, update
from sqlalchemy.dialects import postgresql, sqlite

from chainteller.storage.database import Record
from chainteller.storage.tables import Tables

_T = Tables.idempotency
_ONE = (
    (_T.c.organisation_id == bindparam("b_organisation"))
    & (_T.c.operation == bindparam("b_operation"))
    & (_T.c.key == bindparam("b_key"))
)
_FIND = select(_T).where(_ONE)
_FINISH = (
    update(_T)
    .where(_ONE)
    .values(body=bindparam("b_body"), created_record=bindparam("b_created"), at=bindparam("b_at"))
)
_INSERT_SQLITE = sqlite.insert(_T).on_conflict_do_nothing().returning(_T.c.key)
_INSERT_POSTGRES = postgresql.insert(_T).on_conflict_do_nothing().returning(_T.c.key)


def claim(connection: Connection, row: dict[str, object]) -> bool:
    """Claim a key for this transaction; False if it is taken.

    On PostgreSQL, waits for another transaction that holds the key.
    """
    is_sqlite = connection.dialect.name == "sqlite"
    statement = _INSERT_SQLITE if is_sqlite else _INSERT_POSTGRES
    return connection.execute(statement, row).first() is not None


def find(connection: Connection, organisation_id: str, operation: str, key: str) -> Record | None:
    return connection.execute(
        _FIND, {"b_organisation": organisation_id, "b_operation": operation, "b_key": key}
    ).first()


def finish(connection: Connection, row: dict[str, object], body: str, *, created: bool) -> None:
    """Store the outcome of the write that claimed the key, at the row's ``at``."""
    connection.execute(
        _FINISH,
        {
            "b_organisation": row["organisation_id"],
            "b_operation": row["operation"],
            "b_key": row["key"],
            "b_body": body,
            "b_created": created,
            "b_at": row["at"],
        },
    )


def purge(connection: Connection, before: int) -> int:
    return connection.execute(delete(_T).where(_T.c.at < before)).rowcount

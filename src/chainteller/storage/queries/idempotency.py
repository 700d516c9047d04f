"""Store the outcomes of writes under their idempotency keys."""

from chainteller.storage.db import records
from chainteller.storage.db.query import POSTGRESQL, Query, Record, Session, Value
from chainteller.storage.db.records import Tables
from chainteller.storage.db.sources import Finder
from chainteller.storage.log.rows import Writer

_T = Tables.idempotency
_SEED = 0x43544C4B
find = Finder(records.Idempotency, "organisation_id", "operation", "key")
_KEY = "organisation_id, operation, key"
_OLD = f"({_KEY}) IN (SELECT {_KEY} FROM idempotency WHERE at < :before ORDER BY at LIMIT :most)"
_TURN = Query(
    f"SELECT 1 AS value FROM pg_advisory_xact_lock(hashtextextended(:turn, {_SEED}))",
    Value,
    only=POSTGRESQL,
)


def find_alone(
    connection: Session, organisation_id: str, operation: str, key: str
) -> Record | None:
    """The outcome of a key. On PostgreSQL, waits for another transaction that uses it, and keeps
    others waiting until this one ends."""
    if connection.dialect.name == POSTGRESQL:
        connection.later(_TURN, {"turn": f"{organisation_id} {operation} {key}"})
    return find(connection, organisation_id, operation, key)


def purge(rows: Writer, before: int, most: int) -> list[str]:
    """Remove at most ``most`` keys that were used before an instant; what was removed."""
    return rows.delete(_T, _OLD, {"before": before, "most": most})

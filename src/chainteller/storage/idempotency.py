"""Store the outcomes of writes under their idempotency keys."""

from sqlalchemy import tuple_

from chainteller.storage import sealing
from chainteller.storage.db import records
from chainteller.storage.db.query import POSTGRESQL, Query, Record, Session, Value, later, row_of
from chainteller.storage.db.sources import Finder
from chainteller.storage.rows import Writer
from chainteller.storage.tables import Tables

_T = Tables.idempotency
_SEED = 0x43544C4B
find = Finder(records.Idempotency, "organisation_id", "operation", "key")
_OLD = Query(
    "SELECT organisation_id, operation, key FROM idempotency "
    "WHERE at < :before ORDER BY at LIMIT :most",
    row_of("organisation_id", "operation", "key"),
)
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
        later(connection, _TURN, {"turn": f"{organisation_id} {operation} {key}"})
    return find(connection, organisation_id, operation, key)


def purge(rows: Writer, before: int, most: int) -> list[str]:
    """Remove at most ``most`` keys that were used before an instant; what was removed."""
    form = sealing.form(_T)
    columns = [_T.c[name] for name in form.key_names]
    found = rows.connection.execute(_OLD, {"before": before, "most": most}).mappings().all()
    if not found:
        return []
    rows.delete(_T, tuple_(*columns).in_([tuple(row.values()) for row in found]))
    return [form.key(dict(row)) for row in found]

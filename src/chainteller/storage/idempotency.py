"""Store the outcomes of writes under their idempotency keys."""

from sqlalchemy import tuple_

from chainteller.storage import sealing
from chainteller.storage.db import records
from chainteller.storage.db.query import Query, row_of
from chainteller.storage.db.sources import Finder
from chainteller.storage.rows import Writer
from chainteller.storage.tables import Tables

_T = Tables.idempotency
find = Finder(records.Idempotency, "organisation_id", "operation", "key")
_OLD = Query(
    "SELECT organisation_id, operation, key FROM idempotency "
    "WHERE at < :before ORDER BY at LIMIT :most",
    row_of("organisation_id", "operation", "key"),
)


def claim(rows: Writer, row: dict[str, object]) -> bool:
    """Claim a key for this transaction; False if it is taken.

    On PostgreSQL, waits for another transaction that holds the key.
    """
    return rows.insert_if_new(_T, row)


def finish(rows: Writer, row: dict[str, object], body: str, *, created: bool) -> None:
    """Store the outcome of the write that claimed the key, at the row's ``at``."""
    key = {name: row[name] for name in ("organisation_id", "operation", "key")}
    outcome = {"body": body, "created_record": created, "at": row["at"]}
    rows.update(_T, key, outcome)


def purge(rows: Writer, before: int, most: int) -> list[str]:
    """Remove at most ``most`` keys that were used before an instant; what was removed."""
    form = sealing.form(_T)
    columns = [_T.c[name] for name in form.key_names]
    found = rows.connection.execute(_OLD, {"before": before, "most": most}).mappings().all()
    if not found:
        return []
    rows.delete(_T, tuple_(*columns).in_([tuple(row.values()) for row in found]))
    return [form.key(dict(row)) for row in found]

"""Store the outcomes of writes under their idempotency keys."""

from sqlalchemy import bindparam

from chainteller.storage.rows import Finder, Writer
from chainteller.storage.tables import Tables

_T = Tables.idempotency
find = Finder(_T, "organisation_id", "operation", "key")
_OLD = _T.c.at < bindparam("b_before")


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


def purge(rows: Writer, before: int) -> int:
    return rows.delete(_T, _OLD, {"b_before": before})

"""Store the outcomes of writes under their idempotency keys."""

from sqlalchemy import Connection, delete

from chainteller.storage.rows import Finder, insert_if_new, update_row
from chainteller.storage.tables import Tables

_T = Tables.idempotency
find = Finder(_T, "organisation_id", "operation", "key")


def claim(connection: Connection, row: dict[str, object]) -> bool:
    """Claim a key for this transaction; False if it is taken.

    On PostgreSQL, waits for another transaction that holds the key.
    """
    return insert_if_new(connection, _T, row)


def finish(connection: Connection, row: dict[str, object], body: str, *, created: bool) -> None:
    """Store the outcome of the write that claimed the key, at the row's ``at``."""
    key = {name: row[name] for name in ("organisation_id", "operation", "key")}
    outcome = {"body": body, "created_record": created, "at": row["at"]}
    update_row(connection, _T, key, outcome, {})


def purge(connection: Connection, before: int) -> int:
    return connection.execute(delete(_T).where(_T.c.at < before)).rowcount

"""Store the outcomes of writes under their idempotency keys."""

from sqlalchemy import Connection, bindparam, func, select, tuple_

from chainteller.storage import sealing
from chainteller.storage.columns import Record
from chainteller.storage.plain import later
from chainteller.storage.rows import Finder, Writer
from chainteller.storage.tables import Tables

_T = Tables.idempotency
_SEED = 0x43544C4B
find = Finder(_T, "organisation_id", "operation", "key")


_TURN = select(
    func.pg_advisory_xact_lock(func.hashtextextended(bindparam("b_turn"), _SEED)).label("turn")
)


def find_alone(
    connection: Connection, organisation_id: str, operation: str, key: str
) -> Record | None:
    """The outcome of a key. On PostgreSQL, waits for another transaction that uses it, and keeps
    others waiting until this one ends."""
    if connection.dialect.name == "postgresql":
        later(connection, _TURN, {"b_turn": f"{organisation_id} {operation} {key}"})
    return find(connection, organisation_id, operation, key)


def purge(rows: Writer, before: int, most: int) -> list[str]:
    """Remove at most ``most`` keys that were used before an instant; what was removed."""
    form = sealing.form(_T)
    columns = [_T.c[name] for name in form.key_names]
    old = select(*columns).where(_T.c.at < before).order_by(_T.c.at).limit(most)
    found = rows.connection.execute(old).mappings().all()
    if not found:
        return []
    rows.delete(_T, tuple_(*columns).in_([tuple(row.values()) for row in found]))
    return [form.key(dict(row)) for row in found]

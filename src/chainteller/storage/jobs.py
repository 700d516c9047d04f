"""Scheduled jobs, each done under the lock of its row."""

from sqlalchemy import Connection, and_, bindparam, func, select

from chainteller.storage.columns import Record
from chainteller.storage.rows import Writer
from chainteller.storage.tables import Tables

_T = Tables.job
_ONE = and_(_T.c.kind == bindparam("b_kind"), _T.c.reference == bindparam("b_reference"))
_DUE = (
    select(_T)
    .where(_T.c.run_at <= bindparam("b_now"))
    .order_by(_T.c.run_at, _T.c.reference)
    .limit(1)
    .with_for_update(skip_locked=True)
)
_NEXT = select(func.min(_T.c.run_at))


def schedule(rows: Writer, kind: str, reference: str, run_at: int) -> None:
    rows.insert(_T, [{"kind": kind, "reference": reference, "run_at": run_at}])


def take_due(connection: Connection, now: int) -> Record | None:
    """Lock the next due job until this transaction ends; skips jobs locked by other workers."""
    return connection.execute(_DUE, {"b_now": now}).first()


def postpone(rows: Writer, kind: str, reference: str, run_at: int) -> None:
    """Let a job of a record that is locked wait longer."""
    rows.update(_T, {"kind": kind, "reference": reference}, {"run_at": run_at})


def remove(rows: Writer, kind: str, reference: str) -> None:
    rows.delete(_T, _ONE, {"b_kind": kind, "b_reference": reference})


def next_due(connection: Connection) -> int | None:
    found = connection.execute(_NEXT).scalar()
    return None if found is None else int(found)

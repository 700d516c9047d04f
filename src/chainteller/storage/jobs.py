"""Work that is due at an instant, and the leases under which it is done."""

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from chainteller.storage.database import Record
from chainteller.storage.tables import Tables

_T = Tables.job
_INSERT = insert(_T)
_DELETE = delete(_T).where(
    _T.c.kind == bindparam("b_kind"), _T.c.reference == bindparam("b_reference")
)
_DUE = (
    select(_T)
    .where(_T.c.run_at <= bindparam("b_now"), _T.c.lease_until <= bindparam("b_now"))
    .order_by(_T.c.run_at, _T.c.reference)
    .limit(1)
    .with_for_update(skip_locked=True)
)
_NEXT = select(func.min(_T.c.run_at))
_POSTPONE = (
    update(_T)
    .where(_T.c.kind == bindparam("b_kind"), _T.c.reference == bindparam("b_reference"))
    .values(run_at=bindparam("b_run_at"), attempts=_T.c.attempts + 1)
)


def schedule(connection: Connection, kind: str, reference: str, run_at: int) -> None:
    connection.execute(
        _INSERT,
        {"kind": kind, "reference": reference, "run_at": run_at, "lease_until": 0, "attempts": 0},
    )


def take_due(connection: Connection, now: int) -> Record | None:
    """The next due job, locked until this transaction ends; jobs of other workers are skipped."""
    return connection.execute(_DUE, {"b_now": now}).first()


def postpone(connection: Connection, kind: str, reference: str, run_at: int) -> None:
    connection.execute(_POSTPONE, {"b_kind": kind, "b_reference": reference, "b_run_at": run_at})


def remove(connection: Connection, kind: str, reference: str) -> None:
    connection.execute(_DELETE, {"b_kind": kind, "b_reference": reference})


def next_due(connection: Connection) -> int | None:
    found = connection.execute(_NEXT).scalar()
    return None if found is None else int(found)

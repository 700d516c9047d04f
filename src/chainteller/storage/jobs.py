"""Scheduled jobs, each done under the lock of its row."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, and_, bindparam, func, select, union_all, update

from chainteller.storage import owners
from chainteller.storage.database import Record
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
_ORGANISATION = union_all(
    *(
        select(table.c.organisation_id).where(table.c.id == bindparam("b_reference"))
        for table in owners.owner(_T).parents
    )
)
_PUT_OFF = 2**61
"""Later than any instant: work of an organisation that is closed here."""
_NEXT = select(func.min(_T.c.run_at)).where(_T.c.run_at < _PUT_OFF)


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


def organisation_of(connection: Connection, reference: str) -> str | None:
    """The organisation of the trade, transfer or small transfer that a job is about; None without
    a record."""
    found: str | None = connection.execute(_ORGANISATION, {"b_reference": reference}).scalar()
    return found


def next_due(connection: Connection) -> int | None:
    found = connection.execute(_NEXT).scalar()
    return None if found is None else int(found)


def put_off(connection: Connection, organisation_id: str) -> None:
    """Let an organisation's work wait until ``go_on``."""
    mine = owners.rows_of(_T, organisation_id)
    later = update(_T).where(mine, _T.c.run_at < _PUT_OFF)
    connection.execute(later.values(run_at=_T.c.run_at + _PUT_OFF))


def go_on(connection: Connection, organisation_id: str) -> None:
    """Take back ``put_off``."""
    mine = owners.rows_of(_T, organisation_id)
    waiting = update(_T).where(mine, _T.c.run_at >= _PUT_OFF)
    connection.execute(waiting.values(run_at=_T.c.run_at - _PUT_OFF))


def as_planned(row: Mapping[str, Any]) -> dict[str, Any]:
    """A job as it was before it was put off."""
    at = row["run_at"]
    return {**row, "run_at": at - _PUT_OFF if at >= _PUT_OFF else at}

"""Scheduled jobs, each done under the lock of its row."""

from chainteller.storage.db import records
from chainteller.storage.db.query import Query, Session, Value
from chainteller.storage.db.records import Tables
from chainteller.storage.db.sources import Source
from chainteller.storage.log.rows import DEPLOYMENT, Writer

_T = Tables.job
_ONE = "kind = :kind AND reference = :reference"
_NEXT = Query("SELECT min(run_at) AS value FROM job", Value)


def schedule(rows: Writer, kind: str, reference: str, run_at: int) -> None:
    rows.insert(_T, [{"kind": kind, "reference": reference, "run_at": run_at}])


take_due = (
    Source(records.Job)
    .where(
        "run_at <= :now AND NOT (kind = :payout AND EXISTS (SELECT 1 FROM dispute JOIN transfer "
        f"ON dispute.organisation_id IN (transfer.organisation_id, '{DEPLOYMENT}') "
        "WHERE transfer.id = job.reference AND dispute.cleared_at IS NULL)) "
        "ORDER BY run_at, reference LIMIT 1 FOR UPDATE OF job SKIP LOCKED"
    )
    .first
)
"""Lock the next due job until this transaction ends; skips jobs locked by other workers, and
those of the kind ``payout`` while the books of their organisation are in dispute."""


def postpone(rows: Writer, kind: str, reference: str, run_at: int) -> None:
    """Let a job of a record that is locked wait longer."""
    rows.update(_T, {"kind": kind, "reference": reference}, {"run_at": run_at})


def remove(rows: Writer, kind: str, reference: str) -> None:
    rows.delete(_T, _ONE, {"kind": kind, "reference": reference})


def next_due(connection: Session) -> int | None:
    found = connection.execute(_NEXT).scalar()
    return None if found is None else int(found)

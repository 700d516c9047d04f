"""Work that is due: which function does each kind, and doing it one transaction at a time."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

from chainteller.domain.actors import WORKER, Actor
from chainteller.domain.clock import MINUTE, format_instant
from chainteller.domain.second_method import WATCH
from chainteller.engine.core.breaches import Breach
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.kept_heads import HEADS_NOT_KEPT
from chainteller.engine.core.unit_of_work import UnitOfWork, work_unit
from chainteller.engine.operations import (
    due_times,
    logged_rows,
    outside_steps,
    provider_requests,
    trades,
    transfers,
)
from chainteller.engine.operations.due_times import WORK
from chainteller.service import operations
from chainteller.service.errors import ServiceUnavailable
from chainteller.storage.db.query import Record
from chainteller.storage.log.verified_state import LOG_UNREAD
from chainteller.storage.queries import jobs
from chainteller.telemetry import tracing

ORPHANED = "work.orphaned"
"""The action of the audit entry for work on a record that doesn't exist; it isn't done."""
_log = logging.getLogger(__name__)


def run(context: EngineContext, limit: int) -> int:
    """Do what is due now, at most ``limit`` pieces; how many were done."""
    done = 0
    while done < limit:
        told = _Told()
        with tracing.span("due work") as span:
            is_done = _is_next_done(context, told)
            if told.job is not None:
                span.rename(told.job.kind)
        if is_done:
            done += 1
        elif not told.wrong:
            break
    return done


def _is_next_done(context: EngineContext, told: "_Told") -> bool:
    """Do the next piece; False if none is due, or it has to wait."""
    try:
        return _is_done(context, told)
    except logged_rows.Altered as fault:
        if fault.wrong:  # the payout stays due, and waits for somebody to clear the dispute
            told.wrong = fault.wrong
            _operation("disputes.open_for")(context, told.wrong)
            return False
    except ServiceUnavailable as fault:
        if fault.details.get("reason") not in (HEADS_NOT_KEPT, LOG_UNREAD):
            raise
    work_unit(context, WORKER, partial(_keep_back, job=told.job))
    return True


def _is_done(context: EngineContext, told: "_Told") -> bool:
    """As ``_is_next_done``. Raises Altered, and ServiceUnavailable: also for a payout that waits a
    minute, because the head of its log can't be kept, or it isn't read to its end."""
    is_done = work_unit(context, Actor(name="worker"), partial(_one, told))
    if told.wrong:
        _operation("disputes.open_for")(context, told.wrong)
    if is_done:
        if told.is_paid and context.kept is not None:
            context.kept.follow(context.database)
    elif told.watched:
        _operation("small_transfers.watch")(context, told.watched)
    elif told.forwarded is not None:
        _forward(context, told.forwarded)
    else:
        return False
    return True


@dataclass(slots=True)
class _Told:
    """What a look for due work leaves to be done outside of its transaction."""

    job: Record | None = None
    """The work that was found."""
    watched: str = ""
    """A small transfer whose chain must be asked, for which no transaction waits."""
    forwarded: Record | None = None
    """Work of a gateway, or of another system of the bank, for which no transaction waits."""
    is_paid: bool = False
    """Whether a payout left."""
    wrong: tuple[Breach, ...] = ()
    """Work that somebody put off, which is done all the same; or what is wrong with the logs, for
    which a payout waits until somebody clears it."""

    def forget(self) -> None:
        self.job, self.watched, self.forwarded = None, "", None
        self.is_paid = False
        self.wrong = ()


def _one(told: _Told, tx: UnitOfWork) -> bool:
    """The next due job, in the name of the organisation whose record it is.

    One that comes before the time that its record says is put back to that time. A payout stays due
    while the books of its organisation are in dispute.
    """
    told.forget()
    job = jobs.take_due(tx.connection, tx.now, transfers.SEND)
    if job is None:
        return False
    told.job = job
    record = due_times.record_of(tx.connection, job.kind, job.reference)
    if record is not None:
        tx.actor, tx.audited_account = Actor(record.organisation_id, "worker"), record.account_id
        due_at = due_times.due_at(tx, job.kind, record)
        if due_at > tx.now:
            _put_back(tx, job, due_at)
            return True
        told.wrong = _put_off_by_others(tx, job, due_at)
        if job.kind == trades.FILL and _operation("settlement.waits")(tx, job.reference):
            return True
        if _is_done_outside(told, tx, job, record.organisation_id):
            return False
    jobs.remove(tx.rows, job.kind, job.reference)
    if record is None:
        _log.error("%s: %s is due on a record that doesn't exist", ORPHANED, job.kind)
        tx.audit(ORPHANED, job.reference, {"kind": job.kind}, error="NOT_FOUND")
        return True
    _do(tx, job)
    told.is_paid = job.kind == transfers.SEND
    return True


def _is_done_outside(told: _Told, tx: UnitOfWork, job: Record, organisation_id: str) -> bool:
    """Whether no transaction waits for a piece of work."""
    if job.kind == WATCH:
        told.watched = job.reference
    elif job.kind == provider_requests.SETTLE or tx.context.provider is not None:
        told.forwarded = job if job.kind in (provider_requests.SETTLE, transfers.SEND) else None
    else:
        told.forwarded = _asks(tx, job, organisation_id)
    return bool(told.watched or told.forwarded)


def _asks(tx: UnitOfWork, job: Record, organisation_id: str) -> Record | None:
    """The job, if another system of the bank carries it out."""
    step = outside_steps.step_of(tx.context, tx.connection, job, organisation_id)
    return None if step is None else job


def _forward(context: EngineContext, job: Record) -> None:
    """Send what is due to whoever carries it out, or look for the outcome of a request."""
    if context.provider is None:
        from chainteller.engine.forwarding import outside_requests  # noqa: PLC0415 - as below

        outside_requests.carry_out(context, job)
        return
    from chainteller.engine.forwarding import (  # noqa: PLC0415 - few are gateways
        calls,
        reviews,
        settling,
    )

    if job.kind == transfers.SEND:
        plan = calls.PLANS[operations.WITHDRAW.name]
        reviews.send_approved(context, job.reference, plan)
    else:
        settling.settle(context, job.reference, calls.PLANS)


def _put_off_by_others(tx: UnitOfWork, job: Record, due_at: int) -> tuple[Breach, ...]:
    """Why work is done later than its record says, unless the log says so."""
    if job.run_at <= due_at:
        return ()
    from chainteller.engine.verification import work  # noqa: PLC0415 - seldom late

    return tuple(work.job_is_on_time(tx.connection, job))


def _do(tx: UnitOfWork, job: Record) -> None:
    _operation(WORK[job.kind].step)(tx, job.reference)
    if not tx.is_told:
        tx.audit(trades.DROPPED, job.reference, {"kind": job.kind})


def _operation(name: str) -> Callable[..., Any]:
    module, _, function = name.partition(".")
    found: Callable[..., Any] = getattr(
        import_module(f"chainteller.engine.operations.{module}"), function
    )
    return found


def _put_back(tx: UnitOfWork, job: Record, due_at: int) -> None:
    """Let a job wait until its record's own time: its row was altered, or a delay was raised."""
    _log.warning("%s: %s of %s came too early", trades.PUT_BACK, job.kind, job.reference)
    tx.under_rule()
    _postpone(tx, job, due_at)


def _postpone(tx: UnitOfWork, job: Record, until: int) -> None:
    jobs.postpone(tx.rows, job.kind, job.reference, until)
    tx.audit(trades.PUT_BACK, job.reference, {"kind": job.kind, "dueAt": format_instant(until)})


def _keep_back(tx: UnitOfWork, job: Record) -> bool:
    """Look in a minute whether what wasn't done is as the log says, or its head can be kept."""
    record = due_times.record_of(tx.connection, job.kind, job.reference)
    if record is not None:
        tx.actor = Actor(record.organisation_id, WORKER.name)
    _postpone(tx, job, tx.now + MINUTE)
    return True


def put_off(context: EngineContext) -> None:
    """Let the first due job wait a minute: it failed, and the others must not wait for it."""

    def later(tx: UnitOfWork) -> bool:
        job = jobs.take_due(tx.connection, tx.now, transfers.SEND)
        if job is None:
            return False
        record = due_times.record_of(tx.connection, job.kind, job.reference)
        if record is not None:
            tx.actor = Actor(record.organisation_id, "worker")
        jobs.remove(tx.rows, job.kind, job.reference)
        tx.schedule(job.kind, job.reference, tx.now + MINUTE)
        told = {"kind": job.kind, "dueAt": format_instant(tx.now + MINUTE)}
        tx.audit(trades.PUT_BACK, job.reference, told)
        return True

    work_unit(context, Actor(name="worker"), later)

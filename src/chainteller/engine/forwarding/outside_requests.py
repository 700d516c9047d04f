"""Sending requests to the bank's other systems, and looking for the outcome of unanswered ones."""

import json
import logging
from contextlib import suppress
from functools import partial

from chainteller.domain.actors import WORKER, Actor
from chainteller.domain.clock import HOUR
from chainteller.domain.outside import (
    Answer,
    AnswerUnusable,
    NotCarriedOut,
    State,
    Step,
    Unanswered,
)
from chainteller.domain.provider_requests import LOOKED_FOR, NO_ANSWER
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.outcome import Job
from chainteller.engine.core.unit_of_work import UnitOfWork, act, now
from chainteller.engine.operations import (
    deposits,
    due_times,
    logged_rows,
    outside,
    provider_requests,
)
from chainteller.engine.operations.provider_requests import SETTLE
from chainteller.service.errors import ServiceUnavailable
from chainteller.service.models.base import Written
from chainteller.service.models.funding import Transfer
from chainteller.storage.db.query import Record

OTHER_ANSWER = "OTHER_ANSWER"
STILL_PENDING = "STILL_PENDING"
NEVER_ACCEPTED = "NEVER_ACCEPTED"
_PENDING_FOR = 24 * HOUR
"""How long what a system has accepted may take, and what none accepts is tried."""
_log = logging.getLogger(__name__)


def carry_out(context: EngineContext, job: Record | Job) -> None:
    """Due work: send a record's request, or ask again what became of one. Raises Altered."""
    found: list[Record] = []
    is_first = job.kind != SETTLE

    def work(tx: UnitOfWork) -> None:
        found[:] = _first(tx, job) if is_first else _again(tx, job.reference)

    act(context, WORKER, work)
    if not found:
        return
    try:
        _send(context, found[0], is_first=is_first)
    except logged_rows.Altered as fault:
        if not is_first:
            raise
        put_back = partial(outside.put_back, request_id=found[0].id, why=fault.message)
        act(context, WORKER, put_back)


def debit_at_once(context: EngineContext, made: Written[Transfer]) -> None:
    """Send a new deposit's debit without waiting for the worker: somebody is on the phone. What
    fails here is due work all the same."""
    if made.replayed or context.options.deposit_delay_s > 0:
        return
    with suppress(ServiceUnavailable, logged_rows.Altered):
        carry_out(context, Job(deposits.COMPLETE, made.value.id, 0))


def _first(tx: UnitOfWork, job: Record | Job) -> list[Record]:
    record = due_times.record_of(tx.connection, job.kind, job.reference)
    if record is None:
        raise AssertionError(f"{job.reference} vanished")
    tx.actor = Actor(record.organisation_id, WORKER.name)
    request = outside.begin(tx, job.kind, job.reference)
    return [] if request is None else [request]


def _again(tx: UnitOfWork, request_id: str) -> list[Record]:
    request = outside.sent_before(tx, request_id)
    if request is not None:
        return [request]
    provider_requests.drop(tx, request_id)
    return []


def _send(context: EngineContext, request: Record, *, is_first: bool) -> None:
    step = Step(request.operation)
    try:
        answer = _answer(context, step, request)
    except NotCarriedOut as fault:
        why = str(fault)
        _log.warning("%s: %s: %s", step.part, request.key, why)
        if not is_first:
            _wait(context, request, why)
        elif request.updated - request.created >= _PENDING_FOR:
            _give_up(context, request, NEVER_ACCEPTED, f"nothing was carried out for a day: {why}")
        else:
            act(context, WORKER, lambda tx: outside.put_back(tx, request.id, why))
    except AnswerUnusable as fault:
        _give_up(context, request, OTHER_ANSWER, str(fault))
    except Unanswered as fault:
        _log.warning("%s: %s: %s", step.part, request.key, fault)
        _wait(context, request, str(fault))
    else:
        act(context, WORKER, lambda tx: outside.answered(tx, request.id, answer))
        if answer.state is State.PENDING:
            _end_of_patience(context, request)


def _answer(context: EngineContext, step: Step, request: Record) -> Answer:
    """Raises as a port's ``carry_out``, and Altered."""
    port = context.ports.of(step.part)
    if port is None:
        raise NotCarriedOut(f"the settings of this program connect no {step.part}")
    try:
        logged_rows.require_heads(context, request.organisation_id)
    except ServiceUnavailable as fault:
        raise NotCarriedOut(fault.message) from None
    return port.carry_out(step, request.key, json.loads(request.call))


def _wait(context: EngineContext, request: Record, why: str) -> None:
    if request.answer is None and _age(context, request) >= LOOKED_FOR:
        _give_up(context, request, NO_ANSWER, why)
    elif not _end_of_patience(context, request):
        act(context, WORKER, lambda tx: outside.look_again(tx, request.id))


def _end_of_patience(context: EngineContext, request: Record) -> bool:
    """Whether a request has been pending for so long that a person decides."""
    if _age(context, request) < _PENDING_FOR:
        return False
    _give_up(context, request, STILL_PENDING, "it was accepted, and isn't done after a day")
    return True


def _give_up(context: EngineContext, request: Record, reason: str, why: str) -> None:
    act(context, WORKER, lambda tx: outside.make_unknown(tx, request.id, reason, why))


def _age(context: EngineContext, request: Record) -> int:
    with context.database.read() as connection:
        return now(context, connection) - int(request.updated)

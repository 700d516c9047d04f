"""Sending a write to the provider: once, with a record of it before it leaves.

The record is committed first (``begin``), then the request is sent, then its outcome is committed
with what it made (``finish``). Whatever ends this program in between, the record says that the
request may have been carried out, and the work ``SETTLE`` looks for its outcome.
"""

from functools import partial
from typing import Any

from chainteller.domain.actors import Actor
from chainteller.domain.provider_requests import RequestStatus
from chainteller.engine.core import unit_of_work
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.engine.forwarding import requests, settling
from chainteller.engine.forwarding.requests import Keep, Plan
from chainteller.engine.operations import logged_rows
from chainteller.service import operations
from chainteller.service.errors import (
    OutcomeUnknown,
    ProviderUnanswered,
    RateLimited,
    ReplyUnusable,
    ServiceError,
    ServiceUnavailable,
    TellerError,
)
from chainteller.service.models.base import WireModel, Written
from chainteller.service.operations import Call
from chainteller.service.told import passed
from chainteller.storage.db.query import Record
from chainteller.storage.queries import provider_requests as rows


def send(context: EngineContext, actor: Actor, call: Call[Any], plan: Plan) -> Written[Any]:
    """Forward a write with a key, which moves something.

    Raises:
        ServiceError: the gateway or the provider refused.
        ProviderUnanswered: it was sent, and what became of it isn't known.
    """
    account_id = _account_of(call)
    before = _before(context, plan, account_id)
    try:
        request = requests.begin(context, actor, call, plan, account_id, before)
    except ServiceUnavailable:
        raise
    except ServiceError as error:
        return requests.refused(context, actor, call, error)
    return deliver(context, actor, call, plan, request)


def send_at_once(
    context: EngineContext,
    actor: Actor,
    call: Call[Any],
    keep: Keep,
    sent: Call[Any] | None = None,
) -> Written[Any]:
    """Forward what may be done twice without harm, as ``sent`` if the provider gets less than all
    of it, and keep its answer."""
    try:
        told = requests.ask(context, actor.organisation, sent or call)
    except ServiceError as refusal:
        return requests.refused(context, actor, call, refusal)

    def work(tx: UnitOfWork) -> WireModel:
        tx.created = told.created
        value = requests.keep_answer(keep, tx, call, told, None)
        tx.audited_object = str(getattr(value, "id", ""))
        return passed(value, told.body)

    return unit_of_work.write(context, actor, call, work)


def _account_of(call: Call[Any]) -> str | None:
    """The trading account that a write names, in its body or first in its path."""
    named: str | None = getattr(call.request, "trading_account_id", None)
    is_first = call.operation.path_names[:1] == (operations.ACCOUNT_ID,)
    return named or (call.ids[0] if is_first else None)


def _before(context: EngineContext, plan: Plan, account_id: str | None) -> dict[str, str]:
    """The balances before a write, where they are its evidence, or something of them waits here."""
    if account_id is None:
        return {}
    if not plan.evidenced:
        with context.database.read() as connection:
            waits = plan.prepare is not None and rows.held(connection, account_id)
        if not waits:
            return {}
    return requests.balances(context, account_id)


def deliver(
    context: EngineContext, actor: Actor, call: Call[Any], plan: Plan, request: Record
) -> Written[Any]:
    """Send a request whose record is committed, and commit its outcome. Raises as ``send``."""
    told, words = None, ""
    try:
        told = requests.ask(context, request.organisation_id, call)
    except (logged_rows.Altered, ServiceUnavailable, RateLimited) as error:
        requests.end(context, actor, call, request, RequestStatus.NOT_DONE, error)
        raise
    except ServiceError as error:
        return _refuse(context, actor, call, request, error)
    except TellerError as error:
        words = error.message if isinstance(error, OutcomeUnknown) else f"{error.code}: {error}"
    try:
        if told is not None:
            return requests.finish(context, actor, call, plan, request, told)
    except ReplyUnusable as error:
        words = error.message
    except ServiceUnavailable as error:
        raise _unrecorded(request, error) from None
    try:
        return settling.unanswered(context, actor, call, plan, request, words)
    except ServiceUnavailable as error:
        raise _unrecorded(request, error) from None


def _unrecorded(request: Record, error: ServiceUnavailable) -> ProviderUnanswered:
    """The error for a request that was sent, and what came of it isn't on record yet."""
    said = f"It was sent to the provider, and the outcome couldn't be recorded: {error.message}"
    return ProviderUnanswered(said, {"id": request.id, "key": request.key})


def _refuse(
    context: EngineContext, actor: Actor, call: Call[Any], request: Record, error: ServiceError
) -> Written[Any]:
    def work(tx: UnitOfWork) -> WireModel:
        tx.audited_account = request.trading_account_id
        refused = partial(requests.ended, request_id=request.id, status=RequestStatus.REFUSED)
        tx.when_refused(partial(refused, error=error), request.id)
        raise error

    return unit_of_work.write(context, actor, call, work)

"""Sending a write to the provider: once, with a record of it before it leaves.

The record is committed first (``begin``), then the request is sent, then its outcome is committed
with what it made (``finish``). Whatever ends this program in between, the record says that the
request may have been carried out, and the work ``SETTLE`` looks for its outcome.
"""

from typing import Any

from chainteller.domain.actors import Actor
from chainteller.domain.provider_requests import RequestStatus
from chainteller.engine.core import unit_of_work
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.engine.forwarding import requests, settling
from chainteller.engine.forwarding.requests import Plan, provider_of
from chainteller.service.errors import (
    OutcomeUnknown,
    ServiceError,
    ServiceUnavailable,
    TellerError,
)
from chainteller.service.models.base import WireModel, Written
from chainteller.service.operations import Call
from chainteller.storage.db.query import Record


def send(context: EngineContext, actor: Actor, call: Call[Any], plan: Plan) -> Written[Any]:
    """Forward a write that moves something.

    Raises:
        ServiceError: the gateway or the provider refused.
        ProviderUnanswered: it was sent, and what became of it isn't known.
    """
    call = requests.keyed(context, call)
    if requests.is_known(context, actor, call):
        return requests.replayed(context, actor, call)
    account_id = call.ids[0] if call.ids and call.ids[0].startswith("TDA_") else None
    account_id = getattr(call.request, "trading_account_id", None) or account_id
    before = requests.balances(context, account_id) if plan.evidenced and account_id else {}
    try:
        request = requests.begin(context, actor, call, plan, account_id, before)
    except ServiceUnavailable:
        raise
    except ServiceError as error:
        return requests.refused(context, actor, call, error)
    return deliver(context, actor, call, plan, request)


def deliver(
    context: EngineContext, actor: Actor, call: Call[Any], plan: Plan, request: Record
) -> Written[Any]:
    """Send a request whose record is committed, and commit its outcome. Raises as ``send``."""
    try:
        told = provider_of(context).ask(call)
    except ServiceUnavailable as error:
        requests.end(context, actor, call, request, RequestStatus.NOT_DONE, error)
        raise
    except ServiceError as error:
        return _refuse(context, actor, call, request, error)
    except TellerError as error:
        words = error.message if isinstance(error, OutcomeUnknown) else f"{error.code}: {error}"
        return settling.unanswered(context, actor, call, plan, request, words)
    return requests.finish(context, actor, call, plan, request, told)


def _refuse(
    context: EngineContext, actor: Actor, call: Call[Any], request: Record, error: ServiceError
) -> Written[Any]:
    def work(tx: UnitOfWork) -> WireModel:
        tx.audited_account = request.trading_account_id
        tx.when_refused(lambda last: requests.ended(last, request.id, RequestStatus.REFUSED, error))
        raise error

    return unit_of_work.write(context, actor, call, work)

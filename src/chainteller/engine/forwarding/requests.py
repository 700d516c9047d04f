"""The gateway's records of requests to its provider: begun, answered, refused."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any, NamedTuple

from chainteller.domain.actors import WORKER, Actor
from chainteller.domain.clock import MINUTE, SECOND, format_instant
from chainteller.domain.decisions import DecisionStatus
from chainteller.domain.ids import Prefix, id_of
from chainteller.domain.preconditions import Act
from chainteller.domain.provider_requests import MAY_BE_SENT, RequestStatus
from chainteller.domain.transfers import TransferStatus
from chainteller.engine.core import outcome, preconditions, unit_of_work
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.outcome import AuditEntry, Job, Outcome
from chainteller.engine.core.ports import Provider
from chainteller.engine.core.unit_of_work import (
    UnitOfWork,
    check_case,
    checked_key,
    fingerprint,
    in_progress,
)
from chainteller.engine.forwarding import kept
from chainteller.engine.operations import (
    decision_records,
    logged_rows,
    provider_requests,
    transfers,
)
from chainteller.engine.operations.provider_requests import GATEWAY, SETTLE, changed
from chainteller.engine.operations.trades import PUT_BACK
from chainteller.engine.operations.transfers import SEND
from chainteller.service import operations
from chainteller.service.errors import (
    Conflict,
    IdempotencyKeyReused,
    ProviderUnanswered,
    ReplyUnusable,
    ServiceError,
)
from chainteller.service.models.base import WireModel, Written
from chainteller.service.models.counterparties import LinkRequest
from chainteller.service.models.pages import BalancesQuery
from chainteller.service.operations import Call
from chainteller.service.ownership import named_by
from chainteller.service.told import Told, passed
from chainteller.storage.db.query import Record, Session
from chainteller.storage.db.records import Tables
from chainteller.storage.db.table import Table
from chainteller.storage.log.last_writes import Kept
from chainteller.storage.queries import decisions, idempotency, jobs
from chainteller.storage.queries import provider_requests as rows
from chainteller.storage.queries import transfers as transfer_rows

FORWARDED = ".forwarded"
"""What the action of the entry ends with that says that a request is about to leave."""
Keep = Callable[[UnitOfWork, Call[Any], Told, Record | None], WireModel]
"""Keeps what a provider answered; the record that the caller is answered with."""
_SIGNATURE = "completedChallenge"


class Plan(NamedTuple):
    """How a write is forwarded.

    ``act`` is what an account's control may forbid. One that is ``evidenced`` moves money that no
    list shows: the balances before it are kept. ``prepare`` decides in the transaction before it's
    sent, and raises what refuses it.
    """

    keep: Keep
    act: Act | None = None
    evidenced: bool = False
    prepare: Callable[[UnitOfWork, Call[Any], Record | None, dict[str, str]], None] | None = None


def provider_of(context: EngineContext) -> Provider:
    if context.provider is None:
        raise AssertionError("a gateway's work without a provider")
    return context.provider


def keyed(context: EngineContext, actor: Actor, call: Call[Any]) -> Call[Any]:
    """The call with an idempotency key, which the provider gets, too.

    Raises:
        CaseRequired, ValidationFailed: nothing is sent.
    """
    check_case(context.options.policy.case, actor, call)
    return replace(call, key=checked_key(call.key) or context.randomness.bytes(16).hex())


def is_known(context: EngineContext, actor: Actor, call: Call[Any]) -> bool:
    """Whether the key was answered before."""
    with context.database.read() as connection:
        names = actor.organisation, call.operation.name, str(call.key)
        return idempotency.find(connection, *names) is not None


def refused(
    context: EngineContext, actor: Actor, call: Call[Any], error: ServiceError
) -> Written[Any]:
    """Put a refusal on record and raise it; a key that was answered before is answered again."""

    def work(_tx: UnitOfWork) -> WireModel:
        raise error

    return unit_of_work.write(context, actor, call, work)


def replayed(context: EngineContext, actor: Actor, call: Call[Any]) -> Written[Any]:
    """What the key was answered first."""
    return refused(context, actor, call, in_progress(str(call.key)))


def begin(
    context: EngineContext,
    actor: Actor,
    call: Call[Any],
    plan: Plan,
    account_id: str | None,
    before: dict[str, str],
) -> Record:
    """Commit the record of a request that is about to be sent. Raises ServiceError."""
    found: list[Record] = []

    def work(tx: UnitOfWork) -> None:
        tx.case_id = call.case_id
        account = kept.find_account(tx, account_id)
        if account is not None and plan.act is not None:
            preconditions.require_uncontrolled(account.control, account.control_reason, plan.act)
        if plan.prepare is not None:
            plan.prepare(tx, call, account, before)
        own_id = tx.new_id(Prefix.TRANSACTION) if plan.evidenced else ""
        found[:] = [record(tx, call, RequestStatus.SENDING, account_id, before, own_id)]

    unit_of_work.act(context, actor, work)
    return found[0]


_TABLES: Mapping[str, Table] = {
    operations.ACCOUNT_ID: Tables.trading_account,
    "quoteId": Tables.quote,
    "tradeId": Tables.trade,
    "counterpartyId": Tables.counterparty,
    "challengeId": Tables.provider_challenge,
}
"""Where a gateway keeps the records that calls name."""


def _require_as_logged(tx: UnitOfWork, call: Call[Any], account_id: str | None) -> None:
    """Every record that a call names is as the log says. One that isn't found may be known here,
    too: an account that was frozen. Raises Altered."""
    named = [Kept(_TABLES[each.name], each.id) for each in named_by(call) if each.name in _TABLES]
    rows = tuple(each for each in named if logged_rows.is_or_was_kept(tx, each, account_id))
    if rows:
        logged_rows.require_as_logged(tx, rows, account_id)


def ask(context: EngineContext, organisation_id: str, call: Call[Any]) -> Told:
    """Have the provider carry out a write: each one is asked for here, and nowhere else.

    Raises:
        Altered: the log doesn't go on from its kept head. Nothing was sent.
        TellerError: as the provider does; ServiceUnavailable also where the head can't be kept.
    """
    logged_rows.require_heads(context, organisation_id)
    return provider_of(context).ask(call)


def record(
    tx: UnitOfWork,
    call: Call[Any],
    status: RequestStatus,
    account_id: str | None,
    before: dict[str, str],
    own_id: str = "",
) -> Record:
    """A new request, or an earlier one that may be sent now: with its key, or a link that was
    approved. Raises ServiceError."""
    name, key = call.operation.name, str(call.key)
    mark = fingerprint(call)
    is_sent = status is RequestStatus.SENDING
    if is_sent:
        _require_as_logged(tx, call, account_id)
    earlier = rows.find_by_key(tx.connection, tx.organisation_id, name, key, lock=True)
    if earlier is None and name == operations.LINK_COUNTERPARTY.name:
        alike = rows.newest_like(tx.connection, tx.organisation_id, mark)
        if alike is not None and alike.status == RequestStatus.APPROVED:
            earlier = provider_requests.locked(tx, alike.id)
    due = tx.after(tx.context.options.settle_after_s) if is_sent else None
    evidence = json.dumps(before, sort_keys=True) if before else None
    if earlier is not None:
        _require_sendable(tx, earlier, mark)
        provider_requests.require_request_as_logged(tx, earlier)
        update = changed(earlier, status, tx.now, key=key, due=due, before=evidence)
        decided = Outcome(earlier.id, rows=(update,))
    else:
        decided = provider_requests.decide_new(
            tx,
            own_id or tx.new_id(Prefix.REQUEST),
            account_id,
            status,
            operation=name,
            key=key,
            fingerprint=mark,
            call=json.dumps({"ids": list(call.ids), "request": _body(call)}),
            case_id=call.case_id,
            due=due,
            before=evidence,
            subject=subject_of(call),
        )
    made = decided.record(Tables.provider_request, earlier)
    work = (Job(SETTLE, made.id, due),) if due is not None else ()
    said = (AuditEntry(f"{name}{FORWARDED}", made.id, _inputs(call)),) if is_sent else ()
    tx.audited_account = account_id
    outcome.apply(tx, decided._replace(jobs=work, audit=said))
    return made


def _require_sendable(tx: UnitOfWork, earlier: Record, mark: str) -> None:
    """Raises ServiceError: the key's first request was another one, may still be answered by
    whoever sent it, or was or may have been done."""
    if earlier.fingerprint != mark:
        raise IdempotencyKeyReused(
            "This idempotency key was used for another request.",
            {"key": earlier.key, "firstUsedAt": format_instant(earlier.created)},
        )
    if earlier.status == RequestStatus.DONE:
        told = "The provider has carried out the request that had this idempotency key."
        step = "Don't send it again. Use a new key for a new request."
        raise Conflict.over("request", earlier.subject or earlier.id, "CARRIED_OUT", told, step)
    if earlier.status in MAY_BE_SENT:
        return
    patience = round(tx.context.options.settle_after_s * SECOND)
    if earlier.status == RequestStatus.SENDING and tx.now < earlier.updated + patience:
        raise in_progress(earlier.key)
    raise unanswered(tx.connection, earlier)


def require_unsent(tx: UnitOfWork, call: Call[Any]) -> None:
    """Raises ServiceError: a request with the call's key was sent, unless it wasn't carried out."""
    names = tx.organisation_id, call.operation.name, str(call.key)
    earlier = rows.find_by_key(tx.connection, *names)
    if earlier is not None:
        _require_sendable(tx, earlier, fingerprint(call))


def subject_of(call: Call[Any]) -> str | None:
    """What identifies the wallet of a link, made of its network and address; other requests have
    their record once it's made."""
    if not isinstance(call.request, LinkRequest):
        return None
    text = f"{call.request.network.casefold()} {call.request.address.casefold()}"
    return id_of(Prefix.WALLET, sha256(text.encode()).digest())


def unanswered(connection: Session, request: Record) -> ProviderUnanswered:
    """The error for a request without an outcome, with the decision about it if there is one."""
    decision = decisions.find_open(connection, request.organisation_id, request.id)
    details = {
        "id": request.id,
        "key": request.key,
        "decisionId": None if decision is None else decision.id,
        "suggestion": ProviderUnanswered.next_step,
    }
    said = "The provider was sent this and gave no usable answer, so its outcome isn't known."
    return ProviderUnanswered(said, details)


def finish(
    context: EngineContext,
    actor: Actor,
    call: Call[Any],
    plan: Plan,
    request: Record,
    told: Told,
) -> Written[Any]:
    """Commit what the provider answered, with what it made.

    Raises:
        ReplyUnusable: the answer can't be that of this request.
    """

    def work(tx: UnitOfWork) -> WireModel:
        if request.trading_account_id is not None:
            kept.account(tx, request.trading_account_id)
        row = provider_requests.locked(tx, request.id)
        if row.status == RequestStatus.DONE:
            raise in_progress(row.key)
        value = keep_answer(plan.keep, tx, call, told, row)
        subject = str(getattr(value, "id", "")) or row.id
        tx.created = told.created and call.key != row.id  # one in review was created before
        outcome.apply(tx, _answered(tx, row, told, subject))
        jobs.remove(tx.rows, SETTLE, row.id)
        tx.audited_object, tx.audited_account = subject, request.trading_account_id
        is_ours = (getattr(told.value, "id", None) or subject) != subject  # it has our id here
        return value if is_ours else passed(value, told.body)

    return unit_of_work.write(context, actor, call, work, is_begun=True)


def keep_answer(
    keep: Keep, tx: UnitOfWork, call: Call[Any], told: Told, row: Record | None
) -> WireModel:
    """Keep what a write was answered. Raises ReplyUnusable."""
    if not kept.has_form(told.value):
        raise ReplyUnusable("The answer has an id or a status that can't be read.")
    return keep(tx, call, told, row)


def _answered(tx: UnitOfWork, row: Record, told: Told, subject: str) -> Outcome:
    """A request has its answer. One that comes after a person has said that the request wasn't
    carried out is a person's to look at."""
    values = {"answer": told.body, "subject": row.subject or subject, "due": None}
    if row.status in (RequestStatus.NOT_DONE, RequestStatus.REFUSED):
        words = "The provider has carried it out after all: it answered after it was settled here."
        moment = outcome.moment(tx)
        return provider_requests.decide_unknown(
            row, "ANSWERED_LATE", words, moment, GATEWAY, **values
        )
    done = provider_requests.decide_done(row, tx.now, **values)._replace(subject=subject)
    decision = decisions.find_open(tx.connection, tx.organisation_id, row.id, lock=True)
    if decision is None:
        return done
    status = DecisionStatus.WITHDRAWN
    return done.joined(decision_records.ended(decision, status, WORKER.name, tx.now, "ANSWERED"))


def end(
    context: EngineContext,
    actor: Actor,
    call: Call[Any],
    request: Record,
    status: RequestStatus,
    error: ServiceError,
) -> None:
    """Commit that a request wasn't carried out, and why."""

    def work(tx: UnitOfWork) -> None:
        tx.case_id = call.case_id
        ended(tx, request.id, status, error)
        tx.audited_account = request.trading_account_id
        tx.audit(call.operation.name, request.id, error=error.code)

    unit_of_work.act(context, actor, work)


def ended(tx: UnitOfWork, request_id: str, status: RequestStatus, error: ServiceError) -> None:
    row = provider_requests.locked(tx, request_id)
    if row.status != RequestStatus.SENDING:
        return
    answer = json.dumps(error.to_wire())
    outcome.apply(
        tx, Outcome(row.id, rows=(changed(row, status, tx.now, answer=answer, due=None),))
    )
    jobs.remove(tx.rows, SETTLE, row.id)
    transfer = transfer_rows.find_any(tx.connection, row.id, lock=True)
    if transfer is None or transfer.status != TransferStatus.SENT:
        return
    if status is RequestStatus.REFUSED:  # what was held can be used again
        failure = {"failure_code": error.code[:64], "failure_message": error.message[:255]}
        decided = transfers.moved(transfer, TransferStatus.FAILED, tx.now, **failure)
        outcome.apply(tx, decided)
    else:
        decided = transfers.moved(transfer, TransferStatus.PROCESSING, tx.now)
        outcome.apply(tx, decided)
        put_back(tx, row.id)


def put_back(tx: UnitOfWork, withdrawal_id: str) -> None:
    """The provider can't be reached and was sent nothing: an approved withdrawal waits a minute."""
    due = tx.now + MINUTE
    tx.schedule(SEND, withdrawal_id, due)
    tx.audit(PUT_BACK, withdrawal_id, {"kind": SEND, "dueAt": format_instant(due)})


def balances(context: EngineContext, account_id: str | None) -> dict[str, str]:
    """What the provider says that an account has, by ``SYMBOL@network``.

    Raises:
        TellerError: it can't be asked.
    """
    asked: Call[Any] = Call(operations.TOKEN_BALANCES, (str(account_id),), query=BalancesQuery())
    found = provider_of(context).ask(asked).value
    return {
        f"{each.token.symbol.upper()}@{each.token.network.lower()}": each.amount
        for each in found.data
    }


def _body(call: Call[Any]) -> dict[str, Any] | None:
    """A request without its signature, which isn't kept."""
    if call.request is None:
        return None
    found = call.request.model_dump(by_alias=True, exclude_none=True)
    found.pop(_SIGNATURE, None)
    return found


def _inputs(call: Call[Any]) -> dict[str, Any]:
    return {} if call.request is None else unit_of_work.audited_inputs(call.request)

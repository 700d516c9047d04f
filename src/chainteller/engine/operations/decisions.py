"""What people decide: withdrawals in review, controls of accounts, closed markets, statements."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from chainteller.domain.actors import WORKER
from chainteller.domain.clock import format_instant, parse_instant
from chainteller.domain.decisions import (
    HELD_FOR,
    MAXIMUM_WORDS,
    NEVER,
    REFUSALS,
    REFUSED_REVIEW,
    AtDeadline,
    DecisionKind,
    DecisionStatus,
    RefusalReason,
)
from chainteller.domain.preconditions import SETTABLE, Control
from chainteller.domain.second_method import StatementStatus
from chainteller.engine.core import outcome, reading
from chainteller.engine.core.outcome import AuditEntry, Job, Outcome
from chainteller.engine.core.table import reads, writes
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.engine.operations import (
    accounts,
    controls,
    decision_records,
    logged_rows,
    outside,
    ownership_statements,
    payouts,
    provider_requests,
    second_persons,
    transfers,
)
from chainteller.engine.operations.transfers import REVIEW
from chainteller.service import operations
from chainteller.service.errors import Conflict, Forbidden, RoleRequired, ValidationFailed
from chainteller.service.models.decisions import (
    Approval,
    Decision,
    DecisionNote,
    OpenDecision,
    Refusal,
)
from chainteller.service.models.pages import ListQuery, Page
from chainteller.storage.db.query import Record, Session
from chainteller.storage.db.records import Tables
from chainteller.storage.log.last_writes import Kept
from chainteller.storage.queries import decisions, jobs, markets

RESOURCE = "decision"
EXTENDED = "withdrawal.held_longer"
"""The action of the audit entry for a withdrawal whose customer was asked for something."""
_REASON = "capital letters, digits and underscores, for example COMPLIANCE_REVIEW"
_MAXIMUM_REASON = 40


# Reading


@reads(operations.DECISIONS)
def page(connection: Session, organisation_id: str, query: ListQuery) -> Page[Decision]:
    """The earliest deadline first. Raises ValidationFailed."""
    by_due = query.model_copy(update={"sort": query.sort or operations.DUE_SORTS[0]})
    checked = reading.checked_query(by_due, operations.DUE_SORTS)
    if checked.type is not None and checked.type not in set(DecisionKind):
        raise ValidationFailed.of("filter[kind]", f"one of {', '.join(DecisionKind)}")
    found, total = decisions.page(connection, organisation_id, checked)
    return reading.page(found, total, checked)


@reads(operations.DECISION)
def show(connection: Session, organisation_id: str, decision_id: str) -> Decision:
    row = reading.row_by_id(decisions.shown, connection, RESOURCE, organisation_id, decision_id)
    return decisions.to_model(row)


# Opening


@writes(operations.OPEN_DECISION)
def open_(tx: UnitOfWork, request: OpenDecision) -> Decision:
    """Put a control on an account, or close a market: until a person ends it, or until a time.

    Raises:
        ValidationFailed, NotFound, UnsupportedMarket, Forbidden.
        Conflict: the account is under that control, the market is closed, or the account is closed
            for good.
    """
    reason = _checked_reason(request.reason)
    words = _words("words", request.words)
    asked = _Asked(reason, words, request.until)
    if request.kind == DecisionKind.CONTROL:
        decided = _control(tx, request, asked)
    elif request.kind == DecisionKind.MARKET:
        decided = _closure(tx, request, asked)
    else:
        raise ValidationFailed.of("kind", f"{DecisionKind.CONTROL} or {DecisionKind.MARKET}")
    outcome.apply(tx, decided)
    tx.audited_object = decided.inserted(Tables.decision)["id"]
    return show(tx.connection, tx.organisation_id, tx.audited_object)


class _Asked(NamedTuple):
    """Why something is closed, and until when, as a request says it."""

    reason: str
    words: str | None
    until: str | None

    def due(self, tx: UnitOfWork, kind: DecisionKind) -> int:
        return _due(tx, kind, self.until)


def _control(tx: UnitOfWork, request: OpenDecision, asked: _Asked) -> Outcome:
    if request.control not in SETTABLE:
        raise ValidationFailed.of("control", f"one of {', '.join(SETTABLE)}")
    account = accounts.locked(tx, request.subject)
    standing = decisions.find_open(tx.connection, tx.organisation_id, account.id, lock=True)
    if account.control == Control.CLOSED:
        raise Conflict.over(
            RESOURCE,
            account.id,
            "ACCOUNT_CLOSED",
            "The account is closed.",
            "A closed account needs no control.",
        )
    if standing is not None and account.control == request.control:
        told = f"The account is {account.control} already."
        raise Conflict.over(
            RESOURCE, standing.id, "ALREADY_SET", told, "Lift it, or decide to keep it."
        )
    if standing is not None and standing.needs_two and request.control != Control.FROZEN:
        told = f"Two persons lift {account.control}, so that nothing weaker replaces it."
        raise Conflict.over(
            RESOURCE, standing.id, "SECOND_PERSON", told, "Lift it first, with a colleague."
        )
    return controls.decide(
        account,
        standing,
        Control(request.control),
        asked.reason,
        tx.name,
        outcome.moment(tx),
        words=asked.words,
        until=asked.due(tx, DecisionKind.CONTROL),
    )


def _closure(tx: UnitOfWork, request: OpenDecision, asked: _Asked) -> Outcome:
    """A market is closed for every organisation, so that the scope ``admin`` is needed."""
    if request.control is not None:
        raise ValidationFailed.of("control", "none: it's set on accounts")
    _require(tx, "admin")
    market = reading.market(request.subject)
    due = asked.due(tx, DecisionKind.MARKET)
    until = None if due == NEVER else due
    if not markets.close_if_open(tx.rows, market.name, asked.reason, until):
        told = f"{market.name} is closed already."
        raise Conflict.over(RESOURCE, market.name, "ALREADY_CLOSED", told, "Open it first.")
    return decision_records.opened(
        outcome.moment(tx),
        DecisionKind.MARKET,
        market.name,
        asked.reason,
        tx.name,
        words=asked.words,
        due=due,
    )


def _require_for(tx: UnitOfWork, found: Record) -> None:
    """What deciding needs beside its scope. Raises Forbidden, RoleRequired, Altered."""
    _require_as_logged(tx, found)
    if found.escalated_at is not None and not tx.actor.has_role(found.to_role):
        raise RoleRequired(found.to_role, found.id)
    if found.kind == DecisionKind.CONTROL:
        _require(tx, "controls:write")
    elif found.kind == DecisionKind.MARKET:
        _require(tx, "admin")


def _require_as_logged(tx: UnitOfWork, found: Record) -> None:
    """A decision, and the request that it's about, are as the log says. Raises Altered."""
    rows = [Kept(Tables.decision, found.id)]
    if found.kind in (DecisionKind.LINK, DecisionKind.UNANSWERED):
        rows.append(Kept(Tables.provider_request, found.subject))
    logged_rows.require_as_logged(tx, tuple(rows), found.trading_account_id)


def _require(tx: UnitOfWork, scope: str) -> None:
    """Raises Forbidden."""
    if not tx.actor.may(scope):
        raise Forbidden(scope, tx.actor.key_id)


# Deciding


@writes(operations.TAKE_DECISION)
def take(tx: UnitOfWork, decision_id: str) -> Decision:
    """Raises Conflict: it was decided before, or somebody else has taken it."""
    found = _locked(tx, decision_id)
    name = tx.name
    if found.holder not in (None, name) and found.held_until > tx.now:
        told = f"{found.holder} has taken the decision until {format_instant(found.held_until)}."
        raise Conflict.over(RESOURCE, found.id, "TAKEN", told, "Ask them, or wait until then.")
    values = {"holder": name, "held_until": tx.now + HELD_FOR}
    return _changed(tx, found, Outcome(found.id), "taken", **values)


@writes(operations.NOTE_DECISION)
def note(tx: UnitOfWork, decision_id: str, request: DecisionNote) -> Decision:
    """Note what the customer is asked for. The first note moves a withdrawal's deadline by as much
    time as there was at first."""
    text = reading.words("note", request.note, MAXIMUM_WORDS)
    found = _locked(tx, decision_id)
    values: dict[str, object] = {"asked": text, "asked_at": tx.now}
    also = Outcome(found.id)
    if found.kind == DecisionKind.WITHDRAWAL and found.asked is None:
        due = found.due + found.due - (found.escalated_at or found.created)
        values["due"] = due
        also = _held_longer(tx, found.subject, due)
    return _changed(tx, found, also, "asked", **values)


def _held_longer(tx: UnitOfWork, withdrawal_id: str, until: int) -> Outcome:
    """A withdrawal waits longer for its decision."""
    row = transfers.reviewing(tx, withdrawal_id)
    jobs.postpone(tx.rows, REVIEW, row.id, until)
    told = {"until": format_instant(until)}
    update = transfers.held_until(row, until)
    return Outcome(row.id, rows=(update,), audit=(AuditEntry(EXTENDED, row.id, told),))


@writes(operations.APPROVE_DECISION)
def approve(tx: UnitOfWork, decision_id: str, request: Approval) -> Decision:
    """What needs two persons stays open after the first approval.

    Raises:
        Conflict: it was decided before, or whoever approves was the first.
        Forbidden.
        RoleRequired: a role decides since the first deadline.
    """
    answer = _words("answer", request.answer)
    found = _locked(tx, decision_id)
    _require_for(tx, found)
    if found.needs_two:
        current = second_persons.digest(tx, found)
        if not second_persons.counts(tx, found, current):
            first = {"first_by": tx.name, "first_at": tx.now, "digest": current}
            return _changed(tx, found, Outcome(found.id), "firstApproved", **first)
        if found.first_by == tx.name:
            told = "Another person has to approve what you have asked for or approved."
            raise Conflict.over(
                RESOURCE, found.id, "SAME_PERSON", told, "Ask a colleague who may decide."
            )
    approved = _EFFECTS[DecisionKind(found.kind)].approve(tx, found)
    return _end(tx, found, approved, DecisionStatus.APPROVED, None, answer)


@writes(operations.REFUSE_DECISION)
def refuse(tx: UnitOfWork, decision_id: str, request: Refusal) -> Decision:
    """What stays closed or under a control gets another decision.

    Raises:
        Conflict: it was decided before.
        Forbidden.
        RoleRequired: as for an approval.
    """
    answer = _words("answer", request.answer)
    found = _locked(tx, decision_id)
    _require_for(tx, found)
    refused = _EFFECTS[DecisionKind(found.kind)].refuse(tx, found, request)
    return _end(tx, found, refused, DecisionStatus.REFUSED, request.reason, answer)


def end(tx: UnitOfWork, decision_id: str) -> None:
    """Due work: nobody has decided by the deadline. A control ends, a market opens; what the policy
    refuses then is refused, and what it gives to a role is the role's. Raises Altered."""
    found = _locked_at_all(tx, decision_id)
    if found.status != DecisionStatus.OPEN:
        return
    _require_as_logged(tx, found)
    if found.at_deadline == AtDeadline.ESCALATE:
        escalated = decision_records.escalated(found, tx.now)
        due = escalated.record(Tables.decision, found).due
        work = Job(decision_records.DUE, found.id, due)
        outcome.apply(tx, escalated._replace(jobs=(work,)))
        return
    effect = _EFFECTS[DecisionKind(found.kind)]
    if found.at_deadline == AtDeadline.REFUSE:
        status = DecisionStatus.LAPSED
        approved = effect.refuse(tx, found, Refusal(reason=RefusalReason.OTHER))
    else:
        status = DecisionStatus.APPROVED
        approved = effect.approve(tx, found)
    ended = decision_records.ended(found, status, WORKER.name, tx.now)
    audit = (AuditEntry(decision_records.DUE, found.id),)
    outcome.apply(tx, ended.joined(approved)._replace(audit=audit))


def _locked(tx: UnitOfWork, decision_id: str) -> Record:
    """An open decision, locked after the account that it's about.

    Raises:
        NotFound: there is no such decision.
        Conflict: it was decided before.
    """
    found = _locked_at_all(tx, decision_id)
    tx.audited_object = found.id
    if found.status != DecisionStatus.OPEN:
        by, at = found.decided_by, format_instant(found.decided_at)
        told = f"The decision was {found.status} by {by} at {at}."
        raise Conflict.over(
            RESOURCE, found.id, "ALREADY_DECIDED", told, "Look at the decision again."
        )
    return found


def _locked_at_all(tx: UnitOfWork, decision_id: str) -> Record:
    """As ``_locked``, in any status. Raises NotFound."""
    find, of = decisions.find, tx.organisation_id
    seen = reading.row_by_id(find, tx.connection, RESOURCE, of, decision_id)
    if seen.trading_account_id is not None:
        accounts.locked_by_id(tx, seen.trading_account_id)
    return reading.row_by_id(find, tx.connection, RESOURCE, of, decision_id, lock=True)


def _end(
    tx: UnitOfWork,
    found: Record,
    effect: Outcome,
    status: DecisionStatus,
    reason: str | None,
    answer: str | None,
) -> Decision:
    by = tx.name
    ended = decision_records.ended(found, status, by, tx.now, reason, answer).joined(effect)
    outcome.apply(tx, ended)
    return show(tx.connection, tx.organisation_id, found.id)


def _changed(tx: UnitOfWork, found: Record, also: Outcome, what: str, **values: object) -> Decision:
    update, event = decision_records.changed(found, **values), decision_records.told(found, what)
    decided = Outcome(found.id, rows=(update,), events=(event,)).joined(also)
    outcome.apply(tx, decided)
    return show(tx.connection, tx.organisation_id, found.id)


# Effects of each kind


def _pass_withdrawal(tx: UnitOfWork, found: Record) -> Outcome:
    row = transfers.reviewing(tx, found.subject)
    jobs.remove(tx.rows, REVIEW, row.id)
    return payouts.decide_passed_review(row, outcome.moment(tx))


def _reject_withdrawal(tx: UnitOfWork, found: Record, request: Refusal) -> Outcome:
    reason = _refusal_reason(request)
    row = transfers.reviewing(tx, found.subject)
    jobs.remove(tx.rows, REVIEW, row.id)
    return payouts.decide_rejection(row, REFUSED_REVIEW, REFUSALS[reason], tx.now)


def _refusal_reason(request: Refusal) -> RefusalReason:
    if request.reason not in set(RefusalReason):
        raise ValidationFailed.of("reason", f"one of {', '.join(RefusalReason)}")
    if request.until is not None:
        raise ValidationFailed.of("until", "none: only a control and a closed market stay")
    return RefusalReason(request.reason)


def _lift_control(tx: UnitOfWork, found: Record) -> Outcome:
    return controls.decide_lifting(accounts.locked_by_id(tx, found.subject))


def _open_market(tx: UnitOfWork, found: Record) -> Outcome:
    markets.reopen(tx.rows, found.subject)
    return Outcome(found.subject)


def _keep_closed(tx: UnitOfWork, found: Record, request: Refusal) -> Outcome:
    kept = _opened_again(tx, found, request)
    reason, due = (kept.inserted(Tables.decision)[name] for name in ("reason", "due"))
    markets.close(tx.rows, found.subject, reason, None if due == NEVER else due)
    return kept


def _opened_again(tx: UnitOfWork, found: Record, request: Refusal) -> Outcome:
    """What stays closed or under a control gets another decision."""
    kind = DecisionKind(found.kind)
    due = _due(tx, kind, request.until)
    return decision_records.opened(
        outcome.moment(tx),
        kind,
        found.subject,
        _checked_reason(request.reason),
        tx.name,
        account_id=found.trading_account_id,
        control=found.control,
        words=_words("answer", request.answer),
        due=due,
    )


def _accept_statement(_tx: UnitOfWork, found: Record) -> Outcome:
    return ownership_statements.decide_judgement(found.subject, StatementStatus.ACCEPTED)


def _refuse_statement(_tx: UnitOfWork, found: Record, request: Refusal) -> Outcome:
    _refusal_reason(request)
    return ownership_statements.decide_judgement(found.subject, StatementStatus.REFUSED)


def _allow_link(tx: UnitOfWork, found: Record) -> Outcome:
    request = provider_requests.locked(tx, found.subject)
    return provider_requests.decide_link(request, tx.now, approved=True)


def _refuse_link(tx: UnitOfWork, found: Record, request: Refusal) -> Outcome:
    _refusal_reason(request)
    return provider_requests.decide_link(
        provider_requests.locked(tx, found.subject), tx.now, approved=False
    )


def _was_done(tx: UnitOfWork, found: Record) -> Outcome:
    return _fate(tx, found, is_done=True)


def _was_not_done(tx: UnitOfWork, found: Record, _request: Refusal) -> Outcome:
    return _fate(tx, found, is_done=False)


def _fate(tx: UnitOfWork, found: Record, *, is_done: bool) -> Outcome:
    request = provider_requests.locked(tx, found.subject)
    if outside.is_about(request):
        return outside.decide_fate(tx, request, is_done=is_done)
    return provider_requests.decide_fate(tx, request, is_done=is_done)


class _Effect(NamedTuple):
    """What an approval and a refusal do to the subject."""

    approve: Callable[[UnitOfWork, Record], Outcome]
    refuse: Callable[[UnitOfWork, Record, Refusal], Outcome]


_EFFECTS: Mapping[DecisionKind, _Effect] = {
    DecisionKind.WITHDRAWAL: _Effect(_pass_withdrawal, _reject_withdrawal),
    DecisionKind.CONTROL: _Effect(_lift_control, _opened_again),
    DecisionKind.MARKET: _Effect(_open_market, _keep_closed),
    DecisionKind.OWNERSHIP_STATEMENT: _Effect(_accept_statement, _refuse_statement),
    DecisionKind.LINK: _Effect(_allow_link, _refuse_link),
    DecisionKind.UNANSWERED: _Effect(_was_done, _was_not_done),
}


# Requests


def _checked_reason(text: str) -> str:
    """Raises ValidationFailed."""
    plain = text.replace("_", "")
    is_code = plain.isascii() and plain.isalnum() and plain.isupper()
    if not is_code or len(text) > _MAXIMUM_REASON:
        raise ValidationFailed.of("reason", _REASON)
    return text


def _words(field: str, text: str | None) -> str | None:
    """Raises ValidationFailed."""
    return None if text is None else reading.words(field, text, MAXIMUM_WORDS)


def _due(tx: UnitOfWork, kind: DecisionKind, until: str | None) -> int:
    """When a control or a closed market ends by itself. Raises ValidationFailed."""
    if until is None:
        return NEVER
    if tx.context.options.policy.two.wants(kind):
        raise ValidationFailed.of("until", "none: the policy wants two persons to end it")
    return _checked_until(until, tx.now)


def _checked_until(text: str, now: int) -> int:
    """Raises ValidationFailed."""
    try:
        until = parse_instant(text)
    except ValueError as error:
        raise ValidationFailed.of("until", str(error)) from None
    if until <= now:
        raise ValidationFailed.of("until", "a time that is still to come")
    if until >= NEVER:
        raise ValidationFailed.of("until", "a time before the end of 9999; left out, it never ends")
    return until

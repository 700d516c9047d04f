"""Rows of decisions: how they are opened with what waits, and how they end."""

from typing import NamedTuple

from chainteller.domain.clock import format_instant
from chainteller.domain.decisions import NEVER, AtDeadline, DecisionKind, DecisionStatus
from chainteller.domain.ids import Prefix
from chainteller.engine.core.outcome import (
    AuditEntry,
    Event,
    Insert,
    Job,
    Moment,
    Outcome,
    Row,
    Update,
)
from chainteller.storage.db.query import Record
from chainteller.storage.db.records import Tables

DUE = "decision.due"
"""The work at the deadline of a control or a closed market; a withdrawal has its own."""
OPENED = "decision.opened"
ESCALATED = "decision.escalated"
POLICY = "policy"
"""Who opened what the bank's policy asks for."""


class Second(NamedTuple):
    """Whether a decision needs two persons, and who has asked for what the digest is of."""

    needed: bool = False
    asked_by: str | None = None
    digest: str | None = None


def opened(  # noqa: PLR0913 - what a decision is, declared by name
    moment: Moment,
    kind: DecisionKind,
    subject: str,
    reason: str,
    by: str,
    *,
    account_id: str | None = None,
    control: str | None = None,
    words: str | None = None,
    due: int = NEVER,
    at_deadline: AtDeadline | None = None,
    rule_id: str | None = None,
    second: Second | None = None,
    to_role: str = "",
) -> Outcome:
    """A new decision, told, with work at its deadline where the subject has none of its own.

    Unless ``at_deadline`` says otherwise, what has a deadline ends with it: a control is lifted, a
    market opens. Nothing that needs two persons happens by itself.
    """
    if second is None:
        second = Second(needed=moment.options.policy.two.wants(kind))
    if at_deadline is None:
        at_deadline = AtDeadline.REFUSE if due == NEVER else AtDeadline.APPROVE
    row: Row = {
        "id": moment.new_id(Prefix.DECISION),
        "organisation_id": moment.organisation_id,
        "kind": kind.value,
        "subject": subject,
        "trading_account_id": account_id,
        "control": control,
        "reason": reason,
        "words": words,
        "created": moment.now,
        "opened_by": by,
        "due": due,
        "at_deadline": at_deadline.value,
        "status": DecisionStatus.OPEN.value,
        "rule_id": rule_id,
        "version": 1,
        "needs_two": second.needed or None,
        "first_by": second.asked_by,
        "first_at": None if second.asked_by is None else moment.now,
        "digest": second.digest,
        "to_role": to_role or None,
    }
    told = {"kind": kind.value, "subject": subject, "reason": reason}
    if account_id is not None:
        told["tradingAccountId"] = account_id
    has_job = kind is not DecisionKind.WITHDRAWAL and due != NEVER
    jobs = (Job(DUE, row["id"], due),) if has_job else ()
    event = Event(OPENED, row["id"], told)
    return Outcome(row["id"], (Insert(Tables.decision, (row,)),), events=(event,), jobs=jobs)


def ended(
    decision: Record,
    status: DecisionStatus,
    by: str,
    now: int,
    outcome: str | None = None,
    answer: str | None = None,
) -> Outcome:
    """The end of a locked decision: who decided, when, and why."""
    values = {
        "status": status.value,
        "decided_at": now,
        "decided_by": by,
        "outcome": outcome,
        "answer": answer,
        "holder": None,
        "held_until": None,
    }
    return Outcome(
        decision.id, rows=(changed(decision, **values),), events=(told(decision, status),)
    )


def escalated(decision: Record, now: int) -> Outcome:
    """A locked decision that goes to its role, which has as much time as there was at first: half
    of what it took where a note has moved a withdrawal's deadline."""
    span = decision.due - decision.created
    is_moved = decision.kind == DecisionKind.WITHDRAWAL and decision.asked is not None
    within = span // 2 if is_moved else span
    values = {
        "due": now + within,
        "at_deadline": AtDeadline.REFUSE.value,
        "escalated_at": now,
        "holder": None,
        "held_until": None,
    }
    event = told(decision, "escalated")
    event = event._replace(data={**event.data, "role": decision.to_role})
    inputs = {"role": decision.to_role, "until": format_instant(now + within)}
    return Outcome(
        decision.id,
        rows=(changed(decision, **values),),
        events=(event,),
        audit=(AuditEntry(ESCALATED, decision.id, inputs),),
    )


def changed(decision: Record, **values: object) -> Update:
    """New values of a locked decision."""
    version = decision.version
    return Update(
        Tables.decision,
        {"id": decision.id},
        {"version": version + 1, **values},
        {"version": version},
    )


def told(decision: Record, what: str) -> Event:
    """The event that something happened to a decision."""
    data = {"kind": decision.kind, "subject": decision.subject}
    if decision.trading_account_id is not None:
        data["tradingAccountId"] = decision.trading_account_id
    return Event(f"decision.{what}", decision.id, data)

"""What a policy says of withdrawals that were made: why one waited, and what another policy would
have asked for.

Whether a wallet was shared or paid before is judged as it was at the request. That no chain
confirmed it is only known of withdrawals that waited for it.
"""

import json
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from chainteller.domain.clock import DAY
from chainteller.domain.decisions import (
    UNCONFIRMED_HELD,
    AtDeadline,
    Payment,
    ReviewCondition,
    ReviewLine,
    is_by_person,
    line_for,
)
from chainteller.domain.evidence import EvidenceLevel
from chainteller.domain.limits import DestinationClass
from chainteller.domain.policy import Policy
from chainteller.domain.rules import policy_of
from chainteller.engine.core import reading
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.unit_of_work import now
from chainteller.engine.operations.withdrawals import waits_for_person
from chainteller.service.errors import NotFound
from chainteller.storage.db import records
from chainteller.storage.db.query import Record, Session
from chainteller.storage.db.sources import Finder
from chainteller.storage.queries import decisions, judged_withdrawals, organisations

_RULE = Finder(records.Rule, "id")
_DECISION = Finder(records.Decision, "id")
_UNCONFIRMED = frozenset({UNCONFIRMED_HELD, ReviewCondition.CHAIN_UNCONFIRMED.code})


class Verdict(StrEnum):
    """What a line of a policy says of a withdrawal."""

    COUNTS = "counts"
    FITS_TOO = "fitsToo"
    TOO_SMALL = "tooSmall"
    NOT_MET = "notMet"


class Explained(NamedTuple):
    """Why a withdrawal waited. ``lines`` are those of the policy that it was requested under, the
    one that counts with what is done at the decision's deadline; ``reason`` is the code that it
    has, None if it was sent at once."""

    withdrawal: Record
    policy: Policy
    lines: tuple[tuple[ReviewLine, Verdict], ...]
    needs_two: bool
    reason: str | None


class Change(NamedTuple):
    """A withdrawal that waits under one policy alone; ``before`` and ``after`` are why it waits for
    a person, empty if it doesn't."""

    withdrawal: Record
    before: str
    after: str


class Trial(NamedTuple):
    """How many withdrawals there were, waited, and would have waited."""

    withdrawals: int
    waited: int
    would_wait: int
    changes: tuple[Change, ...]


def explain(context: EngineContext, identifier: str) -> Explained:
    """Why a withdrawal waited, by its id or by that of its decision.

    Raises:
        NotFound: there is no such withdrawal.
        ValueError: its version of the rules can't be read.
    """
    reading.checked_id("withdrawal", identifier)
    with context.database.read() as connection:
        decision = _DECISION(connection, identifier)
        subject = identifier if decision is None else decision.subject
        found = judged_withdrawals.find(connection, subject)
        if found is None:
            raise NotFound("withdrawal", identifier)
        rule = _RULE(connection, found.rule_id or "")
        decided = decisions.newest(connection, found.organisation_id, found.id)
    policy = Policy() if rule is None else policy_of(json.loads(rule.body))
    payment = payment_of(found)
    counts = line_for(policy.review, payment)
    is_refused = decided is not None and decided.at_deadline == AtDeadline.REFUSE
    lines = tuple(
        (_in_force(line) if is_refused and line is counts else line, verdict)
        for line in policy.review
        for verdict in (_verdict(line, counts, payment),)
    )
    needs_two = policy.two.wants_for(payment.notional_cents)
    return Explained(found, policy, lines, needs_two, found.review_reason)


def _in_force(line: ReviewLine) -> ReviewLine:
    """A line whose decision ends refused: a deadline approves nothing that needs two persons or is
    on a list."""
    approves = line.then is AtDeadline.APPROVE
    return line._replace(then=AtDeadline.REFUSE) if approves else line


def _verdict(line: ReviewLine, counts: ReviewLine | None, payment: Payment) -> Verdict:
    if not payment.fits(line.condition):
        return Verdict.NOT_MET
    if payment.notional_cents <= line.over_cents:
        return Verdict.TOO_SMALL
    return Verdict.COUNTS if line is counts else Verdict.FITS_TOO


def tried(context: EngineContext, policy: Policy, days: int) -> Trial:
    """What a policy would have asked for of the withdrawals of the last ``days``."""
    count, waited, would_wait = 0, 0, 0
    changes = []
    with context.database.read() as connection:
        for found in _withdrawals(connection, now(context, connection) - days * DAY):
            reason = found.review_reason or ""
            before = reason if is_by_person(reason) else ""
            waits = waits_for_person(payment_of(found), policy, found.created)
            after = "" if waits is None else waits.reason
            count, waited = count + 1, waited + bool(before)
            would_wait += bool(after)
            if bool(before) is not bool(after):
                changes.append(Change(found, before, after))
    return Trial(count, waited, would_wait, tuple(changes))


def _withdrawals(connection: Session, since: int) -> Iterator[Record]:
    for organisation_id in organisations.everything(connection):
        yield from judged_withdrawals.since(connection, organisation_id, since)


def payment_of(found: Record) -> Payment:
    """What a policy judges of a withdrawal, as it was when it was requested."""
    level = found.evidence_level
    to_wallet = found.counterparty_id is not None
    return Payment(
        DestinationClass(found.destination_class),
        found.notional_cents,
        None if level is None else EvidenceLevel(level),
        is_first_use=to_wallet and not found.times_paid,
        is_shared=to_wallet and found.other_owners > 0,
        is_unconfirmed=found.review_reason in _UNCONFIRMED,
    )

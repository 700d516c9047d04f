"""Decisions: what waits for a person, until when, and what happens if nobody decides.

A withdrawal that the bank's policy gives to a person, a control that a person has put on an
account, a market that a person has closed and a customer's statement about a wallet each have a
decision, which is open as long as they wait or hold.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from chainteller.domain.clock import DAY, MINUTE, SECOND
from chainteller.domain.evidence import EvidenceLevel
from chainteller.domain.limits import DestinationClass

NEVER = 253_402_300_799_000_000
"""The deadline of a decision that has none: the end of the year 9999, so that it's listed last."""
HELD_FOR = 15 * MINUTE
"""How long a decision is somebody's who took it."""
MAXIMUM_WORDS = 500
UNVERIFIED_HELD = "UNVERIFIED_DESTINATION"
"""Why a withdrawal is held for a time that needs no person, and then passes by itself."""
UNCONFIRMED_HELD = "CHAIN_UNCONFIRMED"
"""Why a withdrawal is held and then refused: no chain said again that its wallet's claim stands."""
_BY_PERSON = "REVIEW_"
SECOND_PERSON = f"{_BY_PERSON}SECOND_PERSON"
"""Why a withdrawal waits that fits no line and needs two persons."""
SCREENING_HIT = f"{_BY_PERSON}SCREENING_HIT"
"""Why a withdrawal waits that fits no line, and whose wallet is on a list."""
SCREENED_WITHIN = DAY
"""How long a person has for it."""
SECOND_WITHIN = 15 * MINUTE
"""How long the first of two approvals holds."""
REFUSED_REVIEW = "REVIEW_REJECTED"
"""The code of a withdrawal that a review refused."""


class DecisionKind(StrEnum):
    """What a decision is about: its subject's kind of record."""

    WITHDRAWAL = "withdrawal"
    CONTROL = "control"
    MARKET = "market"
    OWNERSHIP_STATEMENT = "ownershipStatement"
    LINK = "sharedWallet"
    UNANSWERED = "unanswered"


class DecisionStatus(StrEnum):
    """``lapsed`` is what nobody decided by the deadline; ``withdrawn`` is what was cancelled."""

    OPEN = "open"
    APPROVED = "approved"
    REFUSED = "refused"
    WITHDRAWN = "withdrawn"
    LAPSED = "lapsed"


ENDED = tuple(status for status in DecisionStatus if status is not DecisionStatus.OPEN)


class AtDeadline(StrEnum):
    """What happens if nobody has decided by the deadline. ``escalate``: a role of the policy has as
    much time again, and at the second deadline it's refused."""

    REFUSE = "refuse"
    APPROVE = "approve"
    ESCALATE = "escalate"


AT_DESK = "AGENT_REQUEST"
"""The reason of a control or a closed market that is set or kept on the console."""


class RefusalReason(StrEnum):
    """Why a withdrawal or a statement is refused."""

    NOT_CONFIRMED = "NOT_CONFIRMED"
    DESTINATION = "DESTINATION"
    SUSPECTED_FRAUD = "SUSPECTED_FRAUD"
    DOCUMENTS_MISSING = "DOCUMENTS_MISSING"
    OTHER = "OTHER"


REFUSALS: Mapping[RefusalReason, str] = {
    RefusalReason.NOT_CONFIRMED: "The customer did not confirm the withdrawal.",
    RefusalReason.DESTINATION: "The review did not approve this destination.",
    RefusalReason.SUSPECTED_FRAUD: "The review did not approve this withdrawal.",
    RefusalReason.DOCUMENTS_MISSING: "The documents that the review needs were not provided.",
    RefusalReason.OTHER: "The review did not approve this withdrawal.",
}
"""What a refused withdrawal says of its reason. It's shown to the customer, so that a suspicion
isn't told."""
LAPSED_TEXT = "The review was not finished in time."


class ReviewCondition(StrEnum):
    """What the lines of a policy's section ``review`` are about, by their names in the file."""

    UNVERIFIED_WALLET = "unverified_wallet"
    FIRST_USE = "first_use"
    EVIDENCE_MEDIUM = "evidence_medium"
    SHARED_WALLET = "shared_wallet"
    CHAIN_UNCONFIRMED = "chain_unconfirmed"

    @property
    def code(self) -> str:
        """The reason that a withdrawal and its decision give."""
        return _BY_PERSON + self.value.upper()


def is_by_person(reason: str) -> bool:
    """Whether a withdrawal with this reason waits for a person, and not only for a time."""
    return reason.startswith(_BY_PERSON)


class ReviewLine(NamedTuple):
    """A withdrawal worth more than ``over_cents`` that fits the condition waits for a person.
    ``to`` is the role that it goes to at the deadline, where it goes to one."""

    condition: ReviewCondition
    over_cents: int
    within_s: int
    then: AtDeadline
    to: str = ""

    @property
    def within(self) -> int:
        """How long a person has, in microseconds."""
        return self.within_s * SECOND


Review = tuple[ReviewLine, ...]
"""The lines of a policy in their order: the first one that fits counts."""


class Payment(NamedTuple):
    """What a policy judges of a withdrawal; ``notional_cents`` is its worth in USD."""

    destination: DestinationClass
    notional_cents: int
    level: EvidenceLevel | None = None
    is_first_use: bool = False
    is_shared: bool = False
    is_unconfirmed: bool = False

    def fits(self, condition: ReviewCondition) -> bool:
        return {
            ReviewCondition.UNVERIFIED_WALLET: self.destination is DestinationClass.UNVERIFIED,
            ReviewCondition.FIRST_USE: self.is_first_use,
            ReviewCondition.EVIDENCE_MEDIUM: self.level is EvidenceLevel.MEDIUM,
            ReviewCondition.SHARED_WALLET: self.is_shared,
            ReviewCondition.CHAIN_UNCONFIRMED: self.is_unconfirmed,
        }[condition]


def line_for(review: Review, payment: Payment) -> ReviewLine | None:
    """The first line that fits a payment; None where no person is needed."""
    for line in review:
        if payment.notional_cents > line.over_cents and payment.fits(line.condition):
            return line
    return None


def needs(review: Review, condition: ReviewCondition) -> bool:
    """Whether a policy asks for a condition, so that it has to be looked up."""
    return any(line.condition is condition for line in review)

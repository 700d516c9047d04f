"""Decisions: what waits for a person."""

from typing import Annotated

from chainteller.domain.decisions import AtDeadline, DecisionKind, DecisionStatus
from chainteller.domain.preconditions import SETTABLE, Control
from chainteller.service.models.base import (
    AccountRecord,
    Amount,
    OneOf,
    RequestModel,
    Timestamp,
)


class Decision(AccountRecord):
    """What a person decides about the record ``subject``.

    ``reason`` is a code: the line of the policy, or why a ``control`` was set or a market closed.
    ``due`` is left out where there is no deadline; ``at_deadline`` is what is done then if nobody
    has decided. ``outcome`` is the code and ``answer`` the words of who decided. ``asked`` is what
    the customer was asked for last. Somebody has taken it where there is a ``holder``, until
    ``held_until``. A withdrawal has an ``amount`` of the asset ``symbol``. What ``needs_two``
    persons has a ``first_by`` once one of them has approved or asked for it; ``digest`` is of what
    that was. One with a ``to_role`` goes to that role of the policy at its first deadline; since
    ``escalated_at`` only agents of that role decide it.
    """

    type: str = "decision"
    id: str
    kind: Annotated[str, OneOf("DecisionKind", DecisionKind)]
    subject: str
    trading_account_id: str | None = None
    customer_name: str | None = None
    amount: Amount | None = None
    symbol: str | None = None
    status: Annotated[str, OneOf("DecisionStatus", DecisionStatus)]
    control: Annotated[str, OneOf("Control", Control)] | None = None
    reason: str
    words: str | None = None
    created: Timestamp
    opened_by: str
    due: Timestamp | None = None
    at_deadline: Annotated[str, OneOf("AtDeadline", AtDeadline)]
    decided_at: Timestamp | None = None
    decided_by: str | None = None
    outcome: str | None = None
    answer: str | None = None
    asked: str | None = None
    asked_at: Timestamp | None = None
    holder: str | None = None
    held_until: Timestamp | None = None
    rule_id: str | None = None
    needs_two: bool | None = None
    first_by: str | None = None
    first_at: Timestamp | None = None
    digest: str | None = None
    to_role: str | None = None
    escalated_at: Timestamp | None = None


class OpenDecision(RequestModel):
    """A control on a trading account, or a closed market, by a person.

    ``kind`` is ``control`` or ``market``, ``subject`` the id of the account or the market's name.
    ``control`` is FROZEN, SELL_ONLY or DORMANT, of an account only. ``reason`` is a code such as
    COMPLIANCE_REVIEW or MAINTENANCE, ``words`` say more. At ``until`` the control is lifted or the
    market opens; without it, a person does that.
    """

    kind: Annotated[str, OneOf("OpenedKind", (DecisionKind.CONTROL, DecisionKind.MARKET))]
    subject: str
    control: Annotated[str, OneOf("SetControl", SETTABLE)] | None = None
    reason: str
    words: str | None = None
    until: str | None = None


class Approval(RequestModel):
    """Let a withdrawal pass, accept a statement, lift a control or open a market; ``answer`` says
    why."""

    answer: str | None = None


class Refusal(RequestModel):
    """Refuse a withdrawal or a statement; ``reason`` is one of RefusalReason, ``answer`` says more
    and isn't shown to the customer. A control or a closed market stays, ``until`` a new time if one
    is given."""

    reason: str
    answer: str | None = None
    until: str | None = None


class DecisionNote(RequestModel):
    """What the customer is asked for. The first time, they and the reviewer get as much time again
    as the decision had at first."""

    note: str

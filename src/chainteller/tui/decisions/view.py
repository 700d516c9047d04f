"""Decisions view: rows and detail of what waits for a person, as lines."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from chainteller.domain.assets import spoken_symbol
from chainteller.domain.clock import from_datetime
from chainteller.domain.decisions import AtDeadline, DecisionKind, DecisionStatus
from chainteller.domain.simulated import Part
from chainteller.records.blocks import Next
from chainteller.records.decisions import DECISION
from chainteller.records.formats import (
    Piece,
    age,
    countdown,
    money,
    reason_words,
    seconds_between,
    short_id,
    status,
)
from chainteller.tui import answer
from chainteller.tui.widgets.lines import Line, line
from chainteller.tui.widgets.paged_list import Column, Row
from chainteller.tui.widgets.record_lines import fact_lines

if TYPE_CHECKING:
    from chainteller.service.models.decisions import Decision

COLUMNS = (
    Column("LEFT", 8, "right"),
    Column("KIND", 10),
    Column("CUSTOMER", 14, grows=True, most=26),
    Column("ABOUT", 14, grows=True, most=24),
    Column("TAKEN BY", 10, rank=2, most=20, tone="muted"),
    Column("AGE", 6, "right", rank=1, tone="muted"),
)
_KINDS: Mapping[str, str] = {
    DecisionKind.WITHDRAWAL: "withdrawal",
    DecisionKind.CONTROL: "control",
    DecisionKind.MARKET: "market",
    DecisionKind.OWNERSHIP_STATEMENT: "statement",
    DecisionKind.LINK: "link",
    DecisionKind.UNANSWERED: "unanswered",
}
SHOWN: tuple[tuple[str, str | None], ...] = (
    ("", None),
    *(
        (word if kind == DecisionKind.UNANSWERED else f"{word}s", str(kind))
        for kind, word in _KINDS.items()
    ),
)
"""What ``f`` shows, one after the other."""
_HOUR_S = 3_600
_SOON_S = 900
"""Seconds before a deadline from which on it's shown as urgent."""
_EFFECTS: Mapping[str, tuple[str, str]] = {
    DecisionKind.WITHDRAWAL: ("pays it", "gives the money back to the account"),
    DecisionKind.CONTROL: ("lifts the control", "keeps the control"),
    DecisionKind.MARKET: ("opens the market", "keeps it closed"),
    DecisionKind.OWNERSHIP_STATEMENT: ("accepts the statement", "refuses the statement"),
    DecisionKind.LINK: ("allows the link", "refuses the link"),
    DecisionKind.UNANSWERED: (
        "says that the {who} has carried it out",
        "says that it hasn't: what is held can be used again",
    ),
}
"""What approving and refusing do, by kind."""
_OF_OTHERS = ("approves it", "refuses it")
"""Of a kind that only a newer deployment knows."""


def _effects(decision: "Decision") -> tuple[str, str]:
    approves, refuses = _EFFECTS.get(decision.kind, _OF_OTHERS)
    return approves.format(who=asked_of(decision)), refuses


def asked_of(decision: "Decision") -> str:
    """Who was sent what a decision of the kind ``unanswered`` is about."""
    is_system = decision.opened_by in set(Part)
    return str(decision.opened_by) if is_system else "provider"


def is_open(decision: "Decision") -> bool:
    return decision.status == DecisionStatus.OPEN


def empty_text(narrowed: str) -> tuple[Piece, ...]:
    if narrowed:
        return ("No matches   ", "muted"), ("f", "key"), (" another kind", "muted")
    return ("Nothing waits for a decision.  ", ""), ("0", "key"), (" decided ones", "muted")


def decision_row(decision: "Decision", now: int) -> Row:
    kind = _KINDS.get(decision.kind, decision.kind)
    cells: tuple[Piece, ...] = (
        _left(decision, now),
        (kind, ""),
        (decision.customer_name or "-", ""),
        (about(decision), ""),
        (decision.holder or "", ""),
        (age(decision.created, now), ""),
    )
    return Row(decision.id, cells)


def about(decision: "Decision") -> str:
    """The amount of a withdrawal, the control of an account, or the subject."""
    if decision.amount is not None:
        return money(decision.amount, spoken_symbol(decision.symbol or ""))
    return decision.control or short_id(decision.subject)


def _left(decision: "Decision", now: int) -> Piece:
    if not is_open(decision):
        return status(decision.status)
    if decision.due is None:
        return "-", "muted"
    seconds = seconds_between(now, from_datetime(decision.due))
    tone = "expiring" if seconds < _SOON_S else ""
    if seconds >= _HOUR_S:
        return f"{seconds // _HOUR_S} h {seconds % _HOUR_S // 60:02} m", tone
    return countdown(seconds), tone


def now_lines(decision: "Decision", whys: tuple[str, str], width: int) -> list[Line]:
    """What is decided about, how long there is, and what each key does; ``whys`` says why the
    agent can't approve and can't refuse, empty where they can.
    """
    what, amount = _KINDS.get(decision.kind, decision.kind).upper(), about(decision)
    if not is_open(decision):
        when = f" {decision.decided_at:%d %b %H:%M:%S} UTC" if decision.decided_at else ""
        words = f"{decision.status.capitalize()} by {decision.decided_by or '-'}{when}."
        over = Next(words, "", "muted")
        return answer.now_lines(what, amount, status(decision.status), over, width)
    approves, refuses = _effects(decision)
    if decision.needs_two and decision.first_by is None:
        approves = "is the first of two approvals"
    keys = zip(whys, (f"A {approves}.", f"R {refuses}."), strict=True)
    can = " ".join(words for why, words in keys if not why) or f"You can't decide it: {whys[1]}."
    words = f"{can} {_at_deadline(decision)}"
    if decision.escalated_at is not None:
        words = f"Only the role {decision.to_role} decides it now. {words}"
    if decision.first_by is not None:
        words = f"{decision.first_by} asks for it; another person approves. {words}"
    taken = f", taken by {decision.holder}" if decision.holder else ""
    waits = f"waits for a {'second ' if decision.first_by else ''}person{taken}", "warn"
    return answer.now_lines(what, amount, waits, Next(words), width)


def _at_deadline(decision: "Decision") -> str:
    if decision.due is None:
        return "There is no deadline."
    if decision.at_deadline == AtDeadline.ESCALATE:
        return f"At {decision.due:%d %b %H:%M:%S} UTC it goes to the role {decision.to_role}."
    approves, refuses = _effects(decision)
    then = approves if decision.at_deadline == AtDeadline.APPROVE else refuses
    return f"At {decision.due:%d %b %H:%M:%S} UTC the service {then} by itself."


def detail(decision: "Decision", now: int, width: int) -> list[Line]:  # noqa: ARG001 - as all details
    """The facts of a decision, its id last."""
    is_said = decision.subject in (decision.trading_account_id, about(decision))
    said_above = _SAID_ABOVE | ({"subject"} if is_said else frozenset())
    said_above |= {"holder"} if is_open(decision) else frozenset()
    came = [("opened", decision.created, decision.opened_by)]
    if decision.first_at is not None and decision.first_by is not None:
        came.append(("first approval", decision.first_at, decision.first_by))
    return [
        line(("reason", "muted"), right=(reason_words(decision.reason),)),
        *(
            line((what, "muted"), right=(f"{at:%d %b %H:%M} UTC by {who}",))
            for what, at, who in came
        ),
        *fact_lines(DECISION, decision, now, said_above),
        line(("decision", "muted"), right=(decision.id,)),
    ]


_SAID_ABOVE = frozenset(
    {"id", "kind", "status", "amount", "symbol", "control", "reason", "created", "opened_by", "due",
     "at_deadline", "first_by", "first_at", "decided_at", "decided_by"}
)  # fmt: skip

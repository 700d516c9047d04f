"""Commands of the decisions screen."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from chainteller.domain.decisions import DecisionKind
from chainteller.tui.commands import Command, always
from chainteller.tui.decisions import flow
from chainteller.tui.decisions.view import is_open
from chainteller.tui.found import Found
from chainteller.tui.list_screen import chosen, narrows, opens
from chainteller.tui.steps import Step, Write, take

if TYPE_CHECKING:
    from chainteller.service.models.decisions import Decision
    from chainteller.tui.decisions.screen import DecisionsScreen

FEATURE = "decisions"
_ALSO_NEEDED: Mapping[str, str] = {
    DecisionKind.CONTROL: "controls:write",
    DecisionKind.MARKET: "admin",
}
"""Scopes that deciding needs beside that of decisions, by kind."""


def _decided(screen: "DecisionsScreen") -> str:
    decision = screen.selected
    if decision is None:
        return "nothing is selected"
    return "" if is_open(decision) else f"it was {decision.status} already"


def _may_decide(screen: "DecisionsScreen") -> str:
    decision, desk = screen.selected, screen.desk
    why = _decided(screen)
    if decision is None or why:
        return why
    if decision.escalated_at is not None and not desk.has_role(decision.to_role or ""):
        return f"only the role {decision.to_role} decides it now"
    needed = _ALSO_NEEDED.get(decision.kind, "")
    return "" if desk.may(needed) else f"your role doesn't have {needed}"


def _may_approve(screen: "DecisionsScreen") -> str:
    """Two persons approve what one of them has asked for."""
    decision = screen.selected
    first = decision.first_by if decision is not None else None
    is_own = first is not None and first == screen.desk.colleagues.own_name
    own = "it needs two persons, and you are the first" if is_own else ""
    return _may_decide(screen) or own


def _no_account(screen: "DecisionsScreen") -> str:
    decision = screen.selected
    if decision is None:
        return "nothing is selected"
    return "" if decision.trading_account_id else "it's about no account"


def _begin(step: "Callable[[Decision], Step]", screen: "DecisionsScreen") -> None:
    take(screen, Write("decision", step(chosen(screen))))


def _open_customer(screen: "DecisionsScreen") -> None:
    account_id = chosen(screen).trading_account_id or ""
    screen.desk.shell.open_found(Found("accounts", account_id))


# fmt: off
COMMANDS: tuple[Command["DecisionsScreen"], ...] = (
    opens("decisions", "decision"),
    Command("decisions.approve", "A", "Approve: pay, lift, open or accept",
        partial(_begin, flow.approve), _may_approve, footer="approve", rank=1,
        scope="decisions:write", feature=FEATURE),
    Command("decisions.refuse", "R", "Refuse: give the money back, keep the control",
        partial(_begin, flow.refuse), _may_decide, footer="refuse", rank=1,
        scope="decisions:write", feature=FEATURE),
    Command("decisions.take", "T", "Take it, so that others see who works on it",
        partial(_begin, flow.take), _decided, footer="take", rank=2,
        scope="decisions:write", feature=FEATURE),
    Command("decisions.ask", "m", "Note what the customer is asked for",
        partial(_begin, flow.ask_for_more), _decided, footer="ask for more", rank=2,
        scope="decisions:write", feature=FEATURE),
    Command("decisions.customer", "v", "Go to the customer's account",
        _open_customer, _no_account, footer="account", rank=3),
    narrows("decisions.kind", "Show one kind only"),
    Command("decisions.decided", "0", "Show decided ones too, or only what waits",
        lambda screen: screen.toggle_decided(), always, footer="all", rank=4, of_list=True),
)
# fmt: on

"""Commands of the decisions screen."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from chainteller.tui.commands import Command, always
from chainteller.tui.decisions import flow
from chainteller.tui.decisions.view import is_open
from chainteller.tui.found import Found
from chainteller.tui.list_screen import narrows, opens
from chainteller.tui.steps import Step, Write, take

if TYPE_CHECKING:
    from chainteller.service.models.decisions import Decision
    from chainteller.tui.decisions.screen import DecisionsScreen

FEATURE = "decisions"


def _decided(screen: "DecisionsScreen") -> str:
    decision = screen.selected
    if decision is None:
        return "nothing is selected"
    return "" if is_open(decision) else f"it was {decision.status} already"


def _no_account(screen: "DecisionsScreen") -> str:
    decision = screen.selected
    if decision is None:
        return "nothing is selected"
    return "" if decision.trading_account_id else "it's about no account"


def _begin(step: "Callable[[Decision], Step]", screen: "DecisionsScreen") -> None:
    decision, why = screen.selected, _decided(screen)
    if decision is None or why:
        screen.desk.notify(why, "warn")
    else:
        take(screen, Write("decision", step(decision)))


def _open_customer(screen: "DecisionsScreen") -> None:
    decision = screen.selected
    if decision is not None and decision.trading_account_id:
        screen.desk.shell.open_found(Found("accounts", decision.trading_account_id))


# fmt: off
COMMANDS: tuple[Command["DecisionsScreen"], ...] = (
    opens("decisions", "decision"),
    Command("decisions.approve", "A", "Approve: pay, lift, open or accept",
        partial(_begin, flow.approve), _decided, footer="approve", rank=1, scope="decisions:write",
        feature=FEATURE),
    Command("decisions.refuse", "R", "Refuse: give the money back, keep the control",
        partial(_begin, flow.refuse), _decided, footer="refuse", rank=1, scope="decisions:write",
        feature=FEATURE),
    Command("decisions.take", "T", "Take it, so that others see who works on it",
        partial(_begin, flow.take), _decided, footer="take", rank=2, scope="decisions:write",
        feature=FEATURE),
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

"""Commands of a customer's page."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from chainteller.domain.preconditions import Act
from chainteller.tui.commands import Command, control_against
from chainteller.tui.decisions.flow import freeze_or_lift
from chainteller.tui.dialogs.choice import Choice
from chainteller.tui.found import Found
from chainteller.tui.list_screen import filters, narrows, nothing_selected
from chainteller.tui.statements import write_statement
from chainteller.tui.steps import take

if TYPE_CHECKING:
    from chainteller.service.models.accounts import TradingAccount
    from chainteller.tui.customers.screen import CustomerPage

    Begin = Callable[[str, CustomerPage], Awaitable[None]]


def _no_account(screen: "CustomerPage") -> str:
    return "" if screen.sheet is not None else "the accounts haven't loaded yet"


async def _chosen_account(screen: "CustomerPage") -> "TradingAccount | None":
    """The customer's account, or the one that the agent chooses."""
    accounts = [each.sheet.account for each in screen.sheet.accounts] if screen.sheet else []
    if len(accounts) <= 1:
        return next(iter(accounts), None)
    rows = {f"{each.id}  {each.bank_account_id}": each for each in accounts}
    choice = Choice("ACCOUNTS", "of this customer", tuple(rows))
    chosen = await screen.app.push_screen_wait(choice)
    return rows.get(chosen or "")


async def _open_account(screen: "CustomerPage") -> None:
    account = await _chosen_account(screen)
    if account is not None:
        screen.desk.shell.open_found(Found("accounts", account.id))


async def _write_statement(screen: "CustomerPage") -> None:
    account = await _chosen_account(screen)
    if account is not None:
        await write_statement(screen, account)


async def _trade(side: str, screen: "CustomerPage") -> None:
    if await _serve_chosen(screen):
        screen.desk.shell.start_trade(side)


async def _transfer(purpose: str, screen: "CustomerPage") -> None:
    if await _serve_chosen(screen):
        screen.desk.shell.start_transfer(purpose)


async def _serve_chosen(screen: "CustomerPage") -> bool:
    """Select the customer's account, or the one that the agent chooses; whether there is one."""
    account = await _chosen_account(screen)
    if account is not None:
        screen.desk.customer.serve(account)
    return account is not None


def _not_allowed(act: Act, screen: "CustomerPage") -> str:
    """With several accounts, the one that is chosen may allow it."""
    accounts = [row.sheet.account for row in screen.sheet.accounts] if screen.sheet else []
    against = [control_against(account, act) for account in accounts]
    return _no_account(screen) or ("" if "" in against else against[0])


def _control(screen: "CustomerPage") -> None:
    if screen.sheet is not None:
        take(screen, freeze_or_lift([row.sheet.account for row in screen.sheet.accounts]))


def _control_word(screen: "CustomerPage") -> str:
    """Of several accounts, some may be under a control."""
    accounts = [row.sheet.account for row in screen.sheet.accounts] if screen.sheet else []
    return "lift" if accounts and all(account.controls for account in accounts) else ""


def _started(begin: "Begin", what: str, screen: "CustomerPage") -> None:
    screen.read("ask-account", partial(begin, what, screen), opens=True)


# fmt: off
COMMANDS: tuple[Command["CustomerPage"], ...] = (
    Command("customers.open", "enter", "Open the record of the line",
        lambda screen: screen.action_open(), partial(nothing_selected, "line"), footer="open",
        rank=1),
    Command("customers.buy", "b", "Buy for the customer",
        partial(_started, _trade, "buy"), partial(_not_allowed, Act.BUY), footer="buy", rank=2),
    Command("customers.sell", "s", "Sell for the customer",
        partial(_started, _trade, "sell"), partial(_not_allowed, Act.SELL), footer="sell", rank=2),
    Command("customers.deposit", "d", "Deposit from the bank account",
        partial(_started, _transfer, "deposit"), partial(_not_allowed, Act.DEPOSIT),
        footer="deposit", rank=2, scope="transfers:write"),
    Command("customers.withdraw", "w", "Withdraw to the bank account",
        partial(_started, _transfer, "withdraw"), partial(_not_allowed, Act.WITHDRAW),
        footer="withdraw", rank=2, scope="transfers:write"),
    Command("customers.control", "F", "Freeze an account, let it only sell, or lift that",
        _control, _no_account, footer_now=_control_word, footer="freeze", rank=3,
        scope="controls:write", feature="decisions"),
    Command("customers.account", "v", "Go to the customer's account, or one of them",
        lambda screen: screen.read("ask-account", partial(_open_account, screen), opens=True),
        _no_account, footer="account", rank=4),
    narrows("customers.kind", "Show one kind of entry only"),
    Command("customers.statement", "S", "Write a statement of one of the accounts to a file",
        lambda screen: screen.read("ask-statement", partial(_write_statement, screen), opens=True),
        _no_account, footer="statement", rank=4),
    filters("customers", "Filter the timeline: kind, days, words",
        "trades, audit, yesterday, 2026-11, words   esc: all", rank=3),
)
# fmt: on

"""Commands of the accounts screen."""

from functools import partial
from typing import TYPE_CHECKING

from chainteller.domain.assets import USD
from chainteller.domain.preconditions import Act
from chainteller.records.formats import short_id
from chainteller.service.errors import ReadOnlyProfile
from chainteller.tui.accounts.screen import serve_selected
from chainteller.tui.commands import Command, always, control_against
from chainteller.tui.desk_screen import say
from chainteller.tui.list_screen import chosen, nothing_selected, nothing_to_filter, opens, orders

if TYPE_CHECKING:
    from chainteller.tui.accounts.screen import AccountsScreen

_ROOM_FOR_ID = 96
"""Columns at which the whole id fits beside an amount; below it is in the summary."""


_no_account = partial(nothing_selected, "account")


def _not_allowed(act: Act, screen: "AccountsScreen") -> str:
    return _no_account(screen) or control_against(screen.selected, act)


def _nothing_to_order(screen: "AccountsScreen") -> str:
    return "there is nothing to sort" if screen.paged.total in {0, 1} else ""


def _filter(screen: "AccountsScreen") -> None:
    note = (("id, customer, bank account   esc: all", "muted"),)
    screen.field_bar.open("filter", (("/ ", "key"),), value=screen.typed, note=note)


def _trade(side: str, screen: "AccountsScreen") -> None:
    serve_selected(screen)
    screen.desk.shell.start_trade(side)


def _control(screen: "AccountsScreen") -> None:
    from chainteller.tui.decisions.flow import freeze_or_lift
    from chainteller.tui.steps import take

    take(screen, freeze_or_lift((chosen(screen),)))


def _control_word(screen: "AccountsScreen") -> str:
    return "lift" if screen.selected is not None and screen.selected.controls else ""


def _open_amount(purpose: str, note: str, screen: "AccountsScreen") -> None:
    if screen.desk.read_only:
        screen.fail(ReadOnlyProfile("This console is read-only."))
        return
    if purpose == "deposit" and screen.desk.holding.held is not None:
        say(screen, "one deposit at a time   esc takes the waiting one back")
        return
    screen.desk.holding.leave()
    screen.clear_failure()
    serve_selected(screen)
    screen.transfer_account = account = chosen(screen)
    way, bank = ("into", "from") if purpose == "deposit" else ("from", "to")
    whose = f"{way} {account.id}" if screen.size.width >= _ROOM_FOR_ID else short_id(account.id)
    screen.field_bar.open(
        purpose,
        ((f"{purpose} ", "strong"), (whose, ""), ("  USD ", "muted")),
        note=((f"{bank} {account.bank_account_id}   {note}", "muted"),),
        asset=USD,
    )


def _new_account(screen: "AccountsScreen") -> None:
    if screen.desk.offers("customers"):
        screen.read("new", partial(_open_for_customer, screen), opens=True)
        return
    note = (("TDA_... to add, or a bank account (DDA-1) to open one", "muted"),)
    screen.field_bar.open("known", (("account ", "strong"),), note=note)


async def _open_for_customer(screen: "AccountsScreen") -> None:
    from chainteller.tui.accounts.new_account import CustomersScreen

    opened = await screen.app.push_screen_wait(CustomersScreen(screen.desk))
    if opened is not None:
        screen.find("", opened)


def _no_activity(screen: "AccountsScreen") -> str:
    sheet = screen.sheet
    if sheet is None:
        return "no account is selected"
    from chainteller.tui.accounts.detail import activity_choices

    return "" if activity_choices(sheet, screen.desk.now) else "no activity is known"


async def _open_activity(screen: "AccountsScreen") -> None:
    from chainteller.tui.accounts.detail import activity_choices
    from chainteller.tui.dialogs.choice import Choice

    sheet = screen.sheet
    if sheet is None:
        return
    choices = activity_choices(sheet, screen.desk.now)
    name = sheet.account.customer_name or sheet.account.id
    dialog = Choice("ACTIVITY", f"{name}, newest first", tuple(choices))
    chosen = await screen.app.push_screen_wait(dialog)
    if chosen is not None:
        screen.desk.shell.find(choices[chosen])


# fmt: off
COMMANDS: tuple[Command["AccountsScreen"], ...] = (
    opens("accounts", "account"),
    Command("accounts.deposit", "d", "Deposit from the bank account",
        partial(_open_amount, "deposit", "enter: send"), partial(_not_allowed, Act.DEPOSIT),
        footer="deposit", rank=1, scope="transfers:write"),
    Command("accounts.withdraw", "w", "Withdraw to the bank account",
        partial(_open_amount, "withdraw", "right: wallet"), partial(_not_allowed, Act.WITHDRAW),
        footer="withdraw", rank=1, scope="transfers:write"),
    Command("accounts.buy", "b", "Buy for the selected account",
        partial(_trade, "buy"), partial(_not_allowed, Act.BUY), footer="buy", rank=1),
    Command("accounts.sell", "s", "Sell for the selected account",
        partial(_trade, "sell"), partial(_not_allowed, Act.SELL), footer="sell", rank=1),
    Command("accounts.activity", "v", "Open a trade, deposit or withdrawal of the account",
        lambda screen: screen.read("ask-activity", partial(_open_activity, screen), opens=True),
        _no_activity),
    Command("accounts.control", "F", "Freeze the account, let it only sell, or lift that",
        _control, _no_account, footer_now=_control_word, footer="freeze", rank=3,
        scope="controls:write", feature="decisions"),
    Command("accounts.new", "plus", "Open an account for a customer",
        _new_account, always, footer="new", rank=2, scope="accounts:write"),
    Command("accounts.filter", "slash,ctrl+f", "Filter the list",
        _filter, nothing_to_filter, footer="filter", rank=2, works_at_once=True, of_list=True),
    orders("accounts", unavailable=_nothing_to_order, feature="trading-accounts"),
)
# fmt: on

"""Commands of the accounts screen."""

from typing import TYPE_CHECKING

from chainteller.tui.commands import Command, always
from chainteller.tui.list_screen import why_not_opened

if TYPE_CHECKING:
    from chainteller.tui.accounts.screen import AccountsScreen


def _no_account(screen: "AccountsScreen") -> str:
    return "" if screen.selected is not None else "no account is selected"


# fmt: off
COMMANDS: tuple[Command["AccountsScreen"], ...] = (
    Command("accounts.open", "enter", "Open the account's detail",
        lambda screen: screen.action_open(),
        lambda screen: _no_account(screen) or why_not_opened(screen), footer="open", rank=3),
    Command("accounts.deposit", "d", "Deposit from the bank account",
        lambda screen: screen.action_deposit(), _no_account, footer="deposit", rank=1,
        writes=True),
    Command("accounts.withdraw", "w", "Withdraw to the bank account",
        lambda screen: screen.action_withdraw(), _no_account, footer="withdraw", rank=1,
        writes=True),
    Command("accounts.buy", "b", "Buy for the selected account",
        lambda screen: screen.action_trade("buy"), _no_account, footer="buy", rank=1),
    Command("accounts.sell", "s", "Sell for the selected account",
        lambda screen: screen.action_trade("sell"), _no_account, footer="sell", rank=1),
    Command("accounts.new", "plus", "Open an account for a customer",
        lambda screen: screen.action_new_account(), always, footer="new", rank=2, writes=True,
        feature="customers"),
    Command("accounts.filter", "slash,ctrl+f", "Filter the list",
        lambda screen: screen.action_filter(), always, footer="filter", rank=2),
    Command("accounts.sort", "o", "Change the order of the list",
        lambda screen: screen.next_order(), always, footer="order", rank=4),
)
# fmt: on

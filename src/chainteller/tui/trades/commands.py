"""Commands of the trades screen."""

from typing import TYPE_CHECKING

from chainteller.tui import lazy
from chainteller.tui.commands import Command, always
from chainteller.tui.list_screen import why_not_opened

if TYPE_CHECKING:
    from chainteller.tui.trades.screen import TradesScreen


def _no_trade(screen: "TradesScreen") -> str:
    return "" if screen.selected is not None else "no trade is selected"


def _why_final(screen: "TradesScreen") -> str:
    trade = screen.selected or screen.newest_open
    return lazy.trades_view.why_it_stands(trade) if trade else "no trade is selected"


def _nothing_to_wait_for(screen: "TradesScreen") -> str:
    trade = screen.selected
    over = trade is None or lazy.is_over(trade)
    return "there is nothing to wait for" if over else ""


def _no_single_account(screen: "TradesScreen") -> str:
    return "" if screen.desk.customer.account_id else "no account is selected: all are shown"


# fmt: off
COMMANDS: tuple[Command["TradesScreen"], ...] = (
    Command("trades.open", "enter", "Open the trade's detail",
        lambda screen: screen.action_open(),
        lambda screen: _no_trade(screen) or why_not_opened(screen), footer="open", rank=3),
    Command("trades.cancel", "C", "Cancel the trade before it executes",
        lambda screen: screen.action_cancel(), _why_final, footer="cancel", rank=1, writes=True),
    Command("trades.all", "0", "All accounts, or the selected one",
        lambda screen: screen.action_all_accounts(), _no_single_account, footer="all", rank=2,
        feature="all-trades"),
    Command("trades.status", "f", "Show one status only",
        lambda screen: screen.action_next_status(), always, footer="status", rank=2),
    Command("trades.sort", "o", "Change the order of the list",
        lambda screen: screen.next_order(), always, footer="order", rank=4),
    Command("trades.watch", "m", "Tell me when it ends or is slow",
        lambda screen: screen.action_watch(), _nothing_to_wait_for),
    Command("trades.filter", "slash,ctrl+f", "Filter the trades",
        lambda screen: screen.action_filter(), always, footer="filter", rank=2),
    Command("trades.buy", "b", "Buy for the selected account",
        lambda screen: screen.action_trade("buy"), always),
    Command("trades.sell", "s", "Sell for the selected account",
        lambda screen: screen.action_trade("sell"), always),
)
# fmt: on

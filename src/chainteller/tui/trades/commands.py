"""Commands of the trades screen."""

from functools import partial
from typing import TYPE_CHECKING

from chainteller.records.formats import short_id
from chainteller.records.trades import is_over, why_not_cancelled
from chainteller.tui.commands import Command, always
from chainteller.tui.customer_list import cancels, lists_all
from chainteller.tui.list_screen import chosen, filters, narrows, nothing_selected, opens, orders
from chainteller.tui.service_calls import call_service
from chainteller.tui.trades import flow as trades_flow

if TYPE_CHECKING:
    from chainteller.tui.trades.screen import TradesScreen


_no_trade = partial(nothing_selected, "trade")


def _why_final(screen: "TradesScreen") -> str:
    trade = screen.selected
    return why_not_cancelled(trade) if trade else "no trade is selected"


_cancel = cancels(trades_flow.cancel)


def _nothing_to_wait_for(screen: "TradesScreen") -> str:
    trade = screen.selected
    over = trade is None or is_over(trade)
    return "there is nothing to wait for" if over else ""


def _watch(screen: "TradesScreen") -> None:
    trade = chosen(screen)
    screen.desk.watched_trades[trade.id] = screen.owner_of(trade)
    screen.desk.notify(
        f"watching {short_id(trade.id)}: a bell rings when it ends or is slow", "warn"
    )


async def _go_to_transfers(screen: "TradesScreen") -> None:
    """Show the transfers of the selected trade's account, whose customer is served from then on."""
    trade, desk = screen.selected, screen.desk
    owner = screen.owner_of(trade) if trade is not None else ""
    if owner and owner != desk.customer.account_id:
        desk.customer.serve(await call_service(desk.service.trading_account, owner))
    desk.customer.lists_all.discard("transfers")
    desk.shell.go("transfers", closes_page=True)


# fmt: off
COMMANDS: tuple[Command["TradesScreen"], ...] = (
    opens("trades", "trade"),
    Command("trades.cancel", "C", "Cancel a trade that hasn't executed",
        _cancel, _why_final, footer="cancel", rank=1, scope="trading:execute"),
    lists_all("trades", "all-trades"),
    narrows("trades.status", "Show one status only", "status", rank=2),
    orders("trades", "order"),
    Command("trades.watch", "m", "Notify me when it ends or is slow",
        _watch, _nothing_to_wait_for),
    filters("trades", "Filter the trades", "side, market, status, id   esc: all"),
    Command("trades.transfers", "v", "Deposits and withdrawals of its account",
        lambda screen: screen.read("go", partial(_go_to_transfers, screen), opens=True), _no_trade),
    Command("trades.buy", "b", "Buy for the selected account",
        lambda screen: screen.desk.shell.start_trade("buy"), always),
    Command("trades.sell", "s", "Sell for the selected account",
        lambda screen: screen.desk.shell.start_trade("sell"), always),
)
# fmt: on

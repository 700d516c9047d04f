"""Commands of the markets screen."""

from typing import TYPE_CHECKING

from chainteller.tui.commands import Command, always

if TYPE_CHECKING:
    from chainteller.tui.markets.screen import MarketsScreen


def _no_market(screen: "MarketsScreen") -> str:
    return "" if screen.market is not None else "no market is selected"


def _not_closed(screen: "MarketsScreen") -> str:
    market = screen.market
    if market is None:
        return "no market is selected"
    return f"{market.market_name} is open" if market.status in {None, "open"} else ""


# fmt: off
COMMANDS: tuple[Command["MarketsScreen"], ...] = (
    Command("markets.open", "enter", "Open the market's detail",
        lambda screen: screen.action_open(), _no_market),
    Command("markets.buy", "b", "Buy in this market", lambda screen: screen.action_trade("buy"),
        _no_market, footer="buy", rank=1),
    Command("markets.sell", "s", "Sell in this market",
        lambda screen: screen.action_trade("sell"), _no_market, footer="sell", rank=1),
    Command("markets.filter", "slash,ctrl+f", "Filter the markets",
        lambda screen: screen.action_filter(), lambda _: "all of them are on the screen"),
    Command("markets.sort", "o", "Change the order of the list",
        lambda screen: screen.action_sort(), always),
    Command("markets.watch", "m", "Tell me when it reopens", lambda screen: screen.action_watch(),
        _not_closed, footer="watch", rank=2),
    Command("markets.pause", "p", "Hold the prices still", lambda screen: screen.action_pause(),
        always, footer="pause", rank=2),
)
# fmt: on

"""Commands of the markets screen."""

from functools import partial
from typing import TYPE_CHECKING

from chainteller.domain.preconditions import Act
from chainteller.records.markets import is_open
from chainteller.tui.commands import Command, always, control_against
from chainteller.tui.decisions.flow import close_or_open
from chainteller.tui.markets import view as markets_view
from chainteller.tui.markets.screen import KEPT_ORDER, open_market
from chainteller.tui.notifications import watch_market
from chainteller.tui.steps import take

if TYPE_CHECKING:
    from chainteller.tui.markets.screen import MarketsScreen


def _no_market(screen: "MarketsScreen") -> str:
    return "" if screen.market is not None else "no market is selected"


def _not_tradable(act: Act, screen: "MarketsScreen") -> str:
    account, market = screen.desk.customer.account, screen.market
    if market is None or account is None:
        return "no account is selected" if market is not None else "no market is selected"
    if not is_open(market):
        return f"{market.market_name} is closed"
    return control_against(account, act)


def _not_closed(screen: "MarketsScreen") -> str:
    market = screen.market
    if market is None:
        return "no market is selected"
    return f"{market.market_name} is open" if is_open(market) else ""


def _trade(side: str, screen: "MarketsScreen") -> None:
    if screen.paged.cursor_key is not None:
        screen.desk.customer.market = screen.paged.cursor_key
    screen.desk.shell.start_trade(side)


def _next_order(screen: "MarketsScreen") -> None:
    screen.order = (screen.order + 1) % len(markets_view.ORDERS)
    screen.desk.remember(KEPT_ORDER, screen.order)
    screen.draw()


def _one_range(screen: "MarketsScreen") -> str:
    return _no_market(screen) or ("" if screen.has_ranges else "there are too few prices yet")


def _close_or_open(screen: "MarketsScreen") -> None:
    if screen.market is not None:
        take(screen, close_or_open(screen.market, screen.desk.now))


def _close_word(screen: "MarketsScreen") -> str:
    return "" if screen.market is None or is_open(screen.market) else "open"


def _watch(screen: "MarketsScreen") -> None:
    watch_market(screen.desk, screen.market)


def _toggle_pause(screen: "MarketsScreen") -> None:
    screen.is_paused = not screen.is_paused
    screen.draw_title()
    if not screen.is_paused:
        screen.reload()


# fmt: off
COMMANDS: tuple[Command["MarketsScreen"], ...] = (
    Command("markets.open", "enter", "Open the market's detail", open_market, _no_market),
    Command("markets.buy", "b", "Buy in this market", partial(_trade, "buy"),
        partial(_not_tradable, Act.BUY), footer="buy", rank=1),
    Command("markets.sell", "s", "Sell in this market", partial(_trade, "sell"),
        partial(_not_tradable, Act.SELL), footer="sell", rank=1),
    Command("markets.filter", "slash,ctrl+f", "Find anything: all markets are already shown",
        lambda screen: screen.app.action_command_palette(), always),
    Command("markets.sort", "o", "Change the order of the list", _next_order, always, of_list=True),
    Command("markets.watch", "m", "Notify me when it reopens",
        _watch, _not_closed, footer="watch", rank=2),
    Command("markets.close", "F", "Close the market until a time, or open it",
        _close_or_open, _no_market, footer_now=_close_word, footer="close", rank=3,
        scope="admin", feature="decisions"),
    Command("markets.range", "v", "Change the time range of the chart: an hour, 30 or 10 minutes",
        lambda screen: screen.next_range(), _one_range, footer="range", rank=3),
    Command("markets.pause", "p", "Pause the prices", _toggle_pause, _no_market,
        footer="pause", rank=2),
)
# fmt: on

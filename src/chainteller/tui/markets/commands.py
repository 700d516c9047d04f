"""Commands of the markets screen."""

from functools import partial
from typing import TYPE_CHECKING

from chainteller.domain.preconditions import Act
from chainteller.records.markets import is_open
from chainteller.tui.commands import Command, always, control_against
from chainteller.tui.decisions.flow import close_or_open
from chainteller.tui.markets.screen import open_market
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


def _close_or_open(screen: "MarketsScreen") -> None:
    if screen.market is not None:
        take(screen, close_or_open(screen.market, screen.desk.now))


def _close_word(screen: "MarketsScreen") -> str:
    return "" if screen.market is None or is_open(screen.market) else "open"


def _watch(screen: "MarketsScreen") -> None:
    watch_market(screen.desk, screen.market)


# fmt: off
COMMANDS: tuple[Command["MarketsScreen"], ...] = (
    Command("markets.open", "enter", "Open the market's detail", open_market, _no_market),
    Command("markets.buy", "b", "Buy in this market", partial(_trade, "buy"),
        partial(_not_tradable, Act.BUY), footer="buy", rank=1),
    Command("markets.sell", "s", "Sell in this market", partial(_trade, "sell"),
        partial(_not_tradable, Act.SELL), footer="sell", rank=1),
    Command("markets.filter", "slash,ctrl+f", "Find anything: all markets are already shown",
        lambda screen: screen.app.action_command_palette(), always),
    Command("markets.watch", "m", "Notify me when it reopens",
        _watch, _not_closed, footer="watch", rank=2),
    Command("markets.close", "F", "Close the market until a time, or open it",
        _close_or_open, _no_market, footer_now=_close_word, footer="close", rank=3,
        scope="admin", feature="decisions"),
)
# fmt: on

"""Commands of the quote screen."""

from functools import partial
from typing import TYPE_CHECKING

from chainteller.records.markets import is_open
from chainteller.tui.commands import Command, always
from chainteller.tui.notifications import watch_market
from chainteller.tui.quote import view as quote_view
from chainteller.tui.quote.screen import forbidden_by, step_market
from chainteller.tui.quote.state import UNANSWERED

if TYPE_CHECKING:
    from chainteller.service.models.markets import Market
    from chainteller.tui.quote.screen import QuoteScreen


def _why_no_quote(screen: "QuoteScreen") -> str:
    if screen.state.phase in UNANSWERED:
        return "the last request has no answer yet"
    return forbidden_by(screen) if screen.desk.customer.account_id else "no account is selected"


def _enter_label(screen: "QuoteScreen") -> str:
    """What enter does outside the field."""
    if screen.field_bar.is_open:
        return ""
    return quote_view.word_of_enter(screen.state, screen.desk.now)


def _why_no_execution(screen: "QuoteScreen") -> str:
    if screen.is_loading:
        return ""
    return quote_view.why_not_executed(screen.state, screen.desk.now, forbidden_by(screen))


def _no_markets(screen: "QuoteScreen") -> str:
    known = screen.state.sheet and screen.state.market
    return "" if known else "the markets are still loading"


def _market(screen: "QuoteScreen") -> "Market | None":
    sheet = screen.state.sheet
    return sheet.market(screen.state.market) if sheet else None


def _not_closed(screen: "QuoteScreen") -> str:
    market = _market(screen)
    if market is None:
        return "the markets are still loading"
    return f"{market.market_name} is open" if is_open(market) else ""


def _submit(screen: "QuoteScreen") -> None:
    """Enter outside the field."""
    if screen.state.amount:
        screen.ask_for_quote(screen.state)
    else:
        screen.open_form(screen.state.side)


def _change_amount(screen: "QuoteScreen") -> None:
    if screen.state.amount:
        screen.open_amount(screen.state.amount)
    else:
        screen.open_form(screen.state.side)


def _watch(screen: "QuoteScreen") -> None:
    watch_market(screen.desk, _market(screen))


# fmt: off
COMMANDS: tuple[Command["QuoteScreen"], ...] = (
    Command("quote.submit", "enter", "Get or renew the quote", _submit, _why_no_quote,
        footer="get quote", footer_now=_enter_label, rank=1, scope="trading:quote",
        works_in_field=True),
    Command("quote.execute", "X", "Execute the quote", lambda screen: screen.execute(),
        _why_no_execution, footer="execute", rank=1, scope="trading:execute"),
    Command("quote.market_left", "left", "Market to the left", partial(step_market, -1),
        _no_markets, footer="/right market", rank=2, works_in_field=True),
    Command("quote.market_right", "right", "Market to the right", partial(step_market, 1),
        _no_markets),
    Command("quote.side", "tab", "Switch between buy and sell",
        lambda screen: screen.turn_to(side="sell" if screen.state.side == "buy" else "buy"), always,
        footer="side", rank=2, works_in_field=True),
    Command("quote.buy", "b", "Buy: change the amount", lambda screen: screen.open_form("buy"),
        always),
    Command("quote.sell", "s", "Sell: change the amount", lambda screen: screen.open_form("sell"),
        always),
    Command("quote.amount", "backspace", "Change the amount", _change_amount, always),
    Command("quote.watch", "m", "Notify me when the market reopens", _watch, _not_closed),
)
# fmt: on

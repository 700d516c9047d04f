"""Commands of the quote screen."""

from typing import TYPE_CHECKING

from chainteller.tui import lazy
from chainteller.tui.commands import Command, always

if TYPE_CHECKING:
    from chainteller.tui.quote.screen import QuoteScreen


def _why_no_quote(screen: "QuoteScreen") -> str:
    if screen.state.phase in lazy.UNANSWERED:
        return "the last request is not answered yet"
    return "" if screen.desk.customer.account_id else "no account is selected"


def _enter_label(screen: "QuoteScreen") -> str:
    """What enter does outside the field."""
    if screen.field_bar.is_open:
        return ""
    return lazy.quote_view.word_of_enter(screen.state, screen.desk.now)


def _why_no_execution(screen: "QuoteScreen") -> str:
    if screen.is_loading:
        return ""
    return lazy.quote_view.why_not_executed(screen.state, screen.desk.now)


def _no_markets(screen: "QuoteScreen") -> str:
    known = screen.state.sheet and screen.state.market
    return "" if known else "the markets are not known yet"


def _not_closed(screen: "QuoteScreen") -> str:
    sheet = screen.state.sheet
    market = sheet.market(screen.state.market) if sheet else None
    if market is None:
        return "the markets are not known yet"
    return f"{market.market_name} is open" if market.status in {None, "open"} else ""


# fmt: off
COMMANDS: tuple[Command["QuoteScreen"], ...] = (
    Command("quote.submit", "enter", "Get or renew the quote",
        lambda screen: screen.action_submit(), _why_no_quote, footer="get quote",
        footer_now=_enter_label, rank=1, writes=True, works_in_field=True),
    Command("quote.execute", "X", "Execute the quote", lambda screen: screen.action_execute(),
        _why_no_execution, footer="execute", rank=1, writes=True),
    Command("quote.market_left", "left", "Market to the left",
        lambda screen: screen.action_step_market(-1), _no_markets, footer="/right market", rank=2,
        works_in_field=True),
    Command("quote.market_right", "right", "Market to the right",
        lambda screen: screen.action_step_market(1), _no_markets),
    Command("quote.side", "tab", "The other side", lambda screen: screen.action_other_side(),
        always, footer="side", rank=2, works_in_field=True),
    Command("quote.buy", "b", "Buy: the amount again", lambda screen: screen.action_trade("buy"),
        always),
    Command("quote.sell", "s", "Sell: the amount again",
        lambda screen: screen.action_trade("sell"), always),
    Command("quote.amount", "backspace", "Change the amount",
        lambda screen: screen.action_amount(), always),
    Command("quote.watch", "m", "Tell me when the market reopens",
        lambda screen: screen.action_watch(), _not_closed),
)
# fmt: on

"""Market view: the list, one market's chart and its indicative price as lines."""

from decimal import Decimal
from typing import TYPE_CHECKING

from textual.geometry import Size

from chainteller.domain.assets import base_symbol
from chainteller.domain.clock import from_datetime
from chainteller.records.formats import (
    Piece,
    change,
    clock_time,
    countdown,
    grouped,
    seconds_since,
    short_id,
    sparkline,
)
from chainteller.records.markets import MARKET
from chainteller.tui.charts import AXIS_ROWS, price_chart
from chainteller.tui.widgets.lines import Line, line
from chainteller.tui.widgets.paged_list import Column, Row
from chainteller.tui.widgets.record_lines import RecordColumns

if TYPE_CHECKING:
    from chainteller.service.models.accounts import TradingAccount
    from chainteller.service.models.markets import Market, PriceSample

SPARK_CELLS = 24
_LIST = RecordColumns(
    MARKET,
    {
        "market_name": Column("", 8, tone="strong"),
        "network": Column("", 8, rank=1, tone="muted"),
        "current_price": Column("", 12, "right", tone="strong"),
        "change": Column("", 13),
        "yesterdays_price": Column("", 12, "right", rank=3, tone="muted"),
        "status": Column("", 11, grows=True),
        "at": Column("AGE", 7, "right"),
    },
)
_RECENT = Column("RECENT", SPARK_CELLS, rank=2)
_RECENT_AT = 5
"""Where the chart of recent prices stands, which are no part of a market's record."""
COLUMNS = (*_LIST.columns[:_RECENT_AT], _RECENT, *_LIST.columns[_RECENT_AT:])
_FEWEST_CHART_ROWS, _MOST_CHART_ROWS = 7, 24


NO_PRICES: tuple[Piece, ...] = (
    ("No prices at the moment: the price source isn't answering.   ", ""),
    ("r", "key"),
    (" retry", "muted"),
)


def title(account: "TradingAccount | None", poll_interval_s: float) -> Line:
    rhythm = f"every {poll_interval_s:g} s" if poll_interval_s else "r refreshes"
    whose = (account.customer_name or short_id(account.id)) if account else ""
    return line((" MARKETS", "strong"), (f"  {rhythm}", "muted"), right=((f"{whose} ", "muted"),))


def market_row(market: "Market", samples: "tuple[PriceSample, ...]", now: int) -> Row:
    recent = sparkline([Decimal(row.price) for row in samples], SPARK_CELLS)
    cells = _LIST.cells(market, now)
    return Row(market.market_name, (*cells[:_RECENT_AT], (recent, "accent"), *cells[_RECENT_AT:]))


def headline(market: "Market") -> Line:
    (percent, tone), dollars = change(market.current_price, market.yesterdays_price)
    return line(
        (f" {market.market_name}", "strong"),
        (f"  {market.network}  ", "muted"),
        (grouped(market.current_price), "strong"),
        (f"   {dollars} ({percent}) since yesterday", tone),
    )


def closed_line(market: "Market", now: int) -> Line:
    """Why and until when a market is closed, and the key that waits for it."""
    back = ""
    if market.estimated_resolution is not None:
        left = max(0, -seconds_since(market.estimated_resolution, now))
        back = f"  expected {clock_time(market.estimated_resolution)}Z, in {countdown(left)}"
    watch: tuple[Piece, ...] = (("   m", "key"), (" notify me when it opens", "muted"))
    return line((f" {market.market_name} {market.status}", "bad strong"), back, *watch)


def indicative(market: "Market") -> Line:
    """Without spread and fee: only a quote says what a customer pays."""
    units = Decimal(1000) / Decimal(market.current_price) if Decimal(market.current_price) else 0
    return line(
        (" not a quote: 1,000.00 USD is about ", "muted"),
        f"{units:.8f} {base_symbol(market.market_name)}",
        (" before spread and fee", "muted"),
    )


def chart_room(pane: Size, notes: int) -> Size:
    """Columns and lines for the chart, without the headline, the notes and what is around them."""
    return Size(max(20, pane.width - 2), max(0, pane.height - notes - 3))


def chart(samples: "tuple[PriceSample, ...]", room: Size) -> list[Line]:
    """The prices of the chosen market; what room is left stays free."""
    rows = min(max(room.height - AXIS_ROWS, _FEWEST_CHART_ROWS), _MOST_CHART_ROWS)
    shown = [(from_datetime(row.at), Decimal(row.price)) for row in samples]
    return price_chart(shown, room.width, rows)

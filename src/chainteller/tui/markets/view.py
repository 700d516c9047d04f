"""Market view: the list, one market's chart and its indicative price as lines."""

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from chainteller.domain.clock import from_datetime
from chainteller.tui.charts import price_chart
from chainteller.tui.formats import (
    Piece,
    change,
    clock_time,
    countdown,
    grouped,
    live_age,
    seconds_since,
    sparkline,
)
from chainteller.tui.widgets.lines import Line, line
from chainteller.tui.widgets.paged_list import Column, Row

if TYPE_CHECKING:
    from chainteller.service.models.markets import Market, PriceSample

SPARK_CELLS = 24
COLUMNS = (
    Column("MARKET", 8),
    Column("NETWORK", 8, rank=1),
    Column("PRICE USD", 12, "right"),
    Column("24 H", 13),
    Column("YESTERDAY", 12, "right", rank=3),
    Column("RECENT", SPARK_CELLS, rank=2),
    Column("STATE", 11, grows=True),
    Column("AGE", 7, "right"),
)
_CHART_ROWS = 7


ORDERS = ("as offered", "day's change", "name")


def ordered(markets: "Sequence[Market]", order: int) -> "list[Market]":
    """The markets in the order of ``ORDERS``; the greatest rise first."""
    if order == 1:
        return sorted(markets, key=_rise, reverse=True)
    return sorted(markets, key=lambda row: row.market_name) if order else list(markets)


def _rise(market: "Market") -> Decimal:
    """Yesterday's change; 0 where a price isn't a number."""
    try:
        then = Decimal(market.yesterdays_price)
        rise = (Decimal(market.current_price) - then) / then
    except ArithmeticError:
        return Decimal(0)
    return rise if rise.is_finite() else Decimal(0)


def is_open(market: "Market") -> bool:
    return market.status in {None, "open"}


def market_row(market: "Market", samples: "tuple[PriceSample, ...]", now: int) -> Row:
    moved, _ = change(market.current_price, market.yesterdays_price)
    state: Piece = ("open", "good") if is_open(market) else (market.status or "", "bad")
    recent = sparkline([Decimal(row.price) for row in samples], SPARK_CELLS)
    return Row(
        market.market_name,
        (
            (market.market_name, "strong"),
            (market.network, "muted"),
            (grouped(market.current_price), "strong"),
            moved,
            (grouped(market.yesterdays_price), "muted"),
            (recent, "accent"),
            state,
            (_age(market, now), "muted"),
        ),
    )


def _age(market: "Market", now: int) -> str:
    """One text for every fresh price, so that the end of its line isn't repainted."""
    return "< 3s" if seconds_since(market.at, now) < 3 else live_age(market.at, now)


def headline(market: "Market") -> Line:
    (percent, tone), dollars = change(market.current_price, market.yesterdays_price)
    return line(
        (f" {market.market_name}", "strong"),
        (f"  {market.network}  ", "muted"),
        (grouped(market.current_price), "strong"),
        (f"   {dollars} ({percent}) since yesterday", tone),
    )


def closed_line(market: "Market", now: int, *, chosen: bool) -> Line:
    """Why and until when a market is closed; ``m`` is named for the one under the cursor."""
    back = ""
    if market.estimated_resolution is not None:
        left = max(0, -seconds_since(market.estimated_resolution, now))
        back = f"  expected {clock_time(market.estimated_resolution)}Z, in {countdown(left)}"
    watch: tuple[Piece, ...] = (("   m", "key"), (" tell me when it opens", "muted"))
    return line(
        (f" {market.market_name} {market.status}", "bad strong"), back, *(watch if chosen else ())
    )


def indicative(market: "Market") -> Line:
    """Without spread and fee: only a quote says what a customer pays."""
    units = Decimal(1000) / Decimal(market.current_price) if Decimal(market.current_price) else 0
    asset = market.market_name.partition("-")[0].upper()
    return line(
        (" 1,000.00 USD is about ", "muted"),
        f"{units:.8f} {asset}",
        (" before spread and fee; not a quote", "muted"),
    )


def chart(samples: "tuple[PriceSample, ...]", width: int) -> list[Line]:
    """Chart of one market's recent prices."""
    shown = [(from_datetime(row.at), Decimal(row.price)) for row in samples]
    return price_chart(shown, width, _CHART_ROWS)

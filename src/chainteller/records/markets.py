"""Fields of markets."""

from typing import TYPE_CHECKING

from chainteller.domain.assets import base_symbol
from chainteller.records.fields import (
    DECIMALS,
    DOLLARS,
    MOMENT,
    NOWHERE,
    TEXT,
    Field,
    FieldList,
    Format,
    Moment,
)
from chainteller.records.formats import Piece, change, live_age, seconds_since

if TYPE_CHECKING:
    from datetime import datetime

    from chainteller.service.models.markets import Market, PriceSample

_FRESH_S = 3


def is_open(market: "Market") -> bool:
    return market.status in {None, "open"}


class MarketState(Format["Market"]):
    """``open``, or why the market is closed; the console takes a market without a word for open."""

    def plain(self, value: "Market") -> str:
        return value.status or ""

    def line(self, value: "Market", now: int) -> Piece:  # noqa: ARG002
        return ("open", "good") if is_open(value) else (value.status or "", "bad")


class DaysChange(Format["Market"]):
    """How far the price has moved since yesterday."""

    def plain(self, value: "Market") -> str:
        return change(value.current_price, value.yesterdays_price)[0][0]

    def line(self, value: "Market", now: int) -> Piece:  # noqa: ARG002
        return change(value.current_price, value.yesterdays_price)[0]


class PriceAge(Moment):
    """When a price was made; lists tell its age, all fresh ones alike so that the line rests."""

    def cell(self, value: "datetime", now: int) -> Piece:
        is_fresh = seconds_since(value, now) < _FRESH_S
        return f"< {_FRESH_S}s" if is_fresh else live_age(value, now), "muted"


MARKET: "FieldList[Market]" = FieldList(
    "market",
    "markets.Market",
    (
        Field("market_name", "market", TEXT),
        Field("asset", "asset", TEXT, NOWHERE, value=lambda each: base_symbol(each.market_name),
              of=("market_name",), spoken="asset"),
        Field("network", "network", TEXT),
        Field("current_price", "price", DOLLARS, heading="PRICE USD", spoken="price"),
        Field("change", "24 h", DaysChange(), value=lambda each: each,
              of=("current_price", "yesterdays_price")),
        Field("yesterdays_price", "yesterday", DECIMALS),
        Field("status", "state", MarketState(), value=lambda each: each),
        Field("estimated_resolution", "expected to open", MOMENT, spoken="until"),
        Field("at", "at", PriceAge(), spoken="at"),
    ),
    interfaces=NOWHERE,
    table=("market_name", "network", "current_price", "yesterdays_price", "status", "at"),
)  # fmt: skip

PRICE: "FieldList[PriceSample]" = FieldList(
    "price",
    "markets.PriceSample",
    (
        Field("at", "at", MOMENT),
        Field("price", "price", DOLLARS, heading="PRICE USD"),
    ),
    interfaces=NOWHERE,
    table=("at", "price"),
)

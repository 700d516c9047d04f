"""Fields of trades and quotes."""

from decimal import ROUND_CEILING, Decimal
from typing import TYPE_CHECKING, Protocol

from chainteller.domain.assets import base_symbol
from chainteller.domain.clock import from_datetime
from chainteller.domain.trades import TERMINAL, QuoteStatus, TradeStatus, quote_is_live
from chainteller.domain.transfers import DEPOSIT_TYPE, WITHDRAWAL_TYPE
from chainteller.records.blocks import Next, Step
from chainteller.records.fields import (
    AMOUNT,
    DECIMALS,
    DOCUMENTS,
    DOLLARS,
    IDENTIFIER,
    MOMENT,
    NOWHERE,
    STATUS,
    TEXT,
    TIME_OF_DAY,
    WHOLE,
    Field,
    FieldList,
    Format,
    Interface,
    Money,
)
from chainteller.records.formats import Piece, age, exact, live_age, seconds_since, short_id, status

if TYPE_CHECKING:
    from datetime import datetime

    from typing_extensions import TypeIs

    from chainteller.service.models.funding import Reason
    from chainteller.service.models.quotes import AssetAmount, Fees, Quote
    from chainteller.service.models.trades import Trade, Transaction

SLOW_S = 60
"""A trade that is processed for longer is called slow."""
_MINUTE_S = 60
DOLLAR = "USD"
_CENT = Decimal("0.01")


def is_trade(record: "Transaction") -> "TypeIs[Trade]":
    """Whether a record with the prefix TXN_ is a trade; else it is a deposit or a withdrawal."""
    return not record.type.endswith((DEPOSIT_TYPE, WITHDRAWAL_TYPE))


def is_over(trade: "Trade") -> bool:
    return trade.status in TERMINAL


def can_be_executed(quote: "Quote", now: int) -> bool:
    """Whether a quote still waits; one without a status is taken for an open one."""
    is_open = quote.status in {None, QuoteStatus.OPEN} and not quote.trade_id
    return is_open and quote_is_live(now=now, expires=from_datetime(quote.expires))


def is_known(trade: "Trade") -> bool:
    """Whether its status is one of ours: of another one, nothing follows."""
    return trade.status in set(TradeStatus)


def can_be_cancelled(trade: "Trade") -> bool | None:
    """Whether a cancellation is possible; None where neither deployment nor status tells."""
    if trade.cancellable is not None:
        return trade.cancellable
    return trade.status == TradeStatus.PROCESSING if is_known(trade) else None


def why_not_cancelled(trade: "Trade") -> str:
    """Why a trade can't be cancelled; empty when it can."""
    if is_over(trade):
        return f"{short_id(trade.id)} is {trade.status}; it can't be changed"
    if can_be_cancelled(trade) is False:
        return f"{short_id(trade.id)} is already {trade.status}"
    return ""


def next_of(trade: "Trade") -> Next:
    """What can still be done with a trade."""
    if not is_known(trade):
        return Next("The console doesn't know this status.", "C cancel", "warn")
    if can_be_cancelled(trade):
        return Next("Can be cancelled until executed", "C")
    if can_be_cancelled(trade) is None and not is_over(trade):
        return Next("Not known whether it can be cancelled.", "C tries", "muted")
    over = "It can't be changed any more." if is_over(trade) else "It can no longer be cancelled."
    return Next(over, "", "muted")


def steps_of(trade: "Trade") -> list[Step]:
    """What happened to a trade, oldest first."""
    steps = [
        Step(trade.executed_at, "executed", "accent"),
        Step(trade.settled_at, "settled", "good"),
        Step(trade.cancelled_at, "cancelled, no trade was made", "muted"),
    ]
    known = [each for each in steps if each.at is not None]
    if is_over(trade) and not known and trade.failure_reason is None:
        known = [Step(None, trade.status)]
    return [Step(trade.created, "processing"), *known]


class TradeProgress(Format["Trade"]):
    """The status, and for how long: lists tell it by the minute."""

    def plain(self, value: "Trade") -> str:
        return value.status

    def line(self, value: "Trade", now: int) -> Piece:
        ago = "" if value.status == TradeStatus.PROCESSING else " ago"
        return _progress(value, now, f"{live_age(_since(value), now)}{ago}")

    def cell(self, value: "Trade", now: int) -> Piece:
        since = _since(value)
        is_young = seconds_since(since, now) < _MINUTE_S
        return _progress(value, now, (live_age if is_young else age)(since, now))


def _since(trade: "Trade") -> "datetime":
    """When the trade came into the status that it has."""
    if trade.status == TradeStatus.PROCESSING:
        return trade.created
    is_executed = trade.status == TradeStatus.EXECUTED
    return (trade.executed_at if is_executed else None) or trade.updated


def _progress(trade: "Trade", now: int, waiting: str) -> Piece:
    text, tone = status(trade.status)
    if is_over(trade):
        return text, tone
    is_slow = trade.status == TradeStatus.PROCESSING and seconds_since(trade.created, now) > SLOW_S
    return f"{text} {waiting}{' SLOW' if is_slow else ''}", tone


class Side(Format[str]):
    def cell(self, value: str, now: int) -> Piece:  # noqa: ARG002
        return value.upper(), value if value in {"buy", "sell"} else ""


class Failure(Format["Reason"]):
    """Why a record failed: its code and what it means."""

    def plain(self, value: "Reason") -> str:
        return f"{value.code}: {value.message}"


PROGRESS, SIDE, FAILURE = TradeProgress(), Side(), Failure()


def _leg(asset: "AssetAmount | None") -> Money | None:
    return Money(asset.amount, asset.symbol, asset.network) if asset is not None else None


class _Terms(Protocol):
    """What a quote says and the trade that it becomes."""

    @property
    def asset_sold(self) -> "AssetAmount | None": ...
    @property
    def asset_bought(self) -> "AssetAmount | None": ...
    @property
    def fees(self) -> "Fees | None": ...
    @property
    def price(self) -> str: ...


def fee_of(terms: _Terms) -> Money | None:
    """The fee that is included: as it is told, or else of its flat part and its basis points.

    None where it isn't told and the price and both amounts don't bear it out: then it's unknown
    what the basis points are of, or whether the fee is included at all.
    """
    fees = terms.fees
    if fees is None:
        return None
    total = fees.total or _computed_fee(terms, fees)
    return Money(total, fees.currency or DOLLAR) if total else None


def _computed_fee(terms: _Terms, fees: "Fees") -> str:
    """The fee in whole cents, rounded up; empty where the amounts don't contain it."""
    sold, bought = terms.asset_sold, terms.asset_bought
    if sold is None or bought is None or DOLLAR not in (sold.symbol, bought.symbol):
        return ""
    with exact():
        units = bought if sold.symbol == DOLLAR else sold
        worth = Decimal(units.amount) * Decimal(terms.price)
        dollars = Decimal((sold if units is bought else bought).amount)
        base = dollars if units is bought else worth
        fee = (Decimal(fees.flat) + base * fees.bps / 10_000).quantize(_CENT, ROUND_CEILING)
        atom = Decimal(1).scaleb(Decimal(units.amount).as_tuple().exponent)  # type: ignore[arg-type]  # a finite number
        rounding = 2 * _CENT + atom * Decimal(terms.price)
        return f"{fee}" if abs(abs(dollars - worth) - fee) <= rounding else ""


def _flat_fee(terms: _Terms) -> Money | None:
    fees = terms.fees
    return Money(fees.flat, fees.currency or "USD") if fees else None


_TERMS: tuple[Field[_Terms], ...] = (
    Field("asset_sold", "pays", AMOUNT, value=lambda each: _leg(each.asset_sold), is_private=True,
          spoken="gives"),
    Field("asset_bought", "receives", AMOUNT, value=lambda each: _leg(each.asset_bought),
          is_private=True, spoken="gets", tone="good"),
    Field("fees.total", "fee, included", AMOUNT, value=fee_of, of=("fees.total", "fees.currency"),
          is_private=True, spoken="fee"),
    Field("fees.flat", "fee flat", AMOUNT, DOCUMENTS, value=_flat_fee,
          of=("fees.flat", "fees.currency")),
    Field("fees.bps", "fee basis points", WHOLE, DOCUMENTS),
)  # fmt: skip


TRADE: "FieldList[Trade]" = FieldList(
    "trade",
    "trades.Trade",
    (
        Field("id", "trade", IDENTIFIER, DOCUMENTS),
        Field("status", "status", PROGRESS, value=lambda each: each, of=("status", "created")),
        Field("market", "market", TEXT, DOCUMENTS),
        Field("asset", "asset", TEXT, NOWHERE, value=lambda each: base_symbol(each.market),
              of=("market",), spoken="asset"),
        Field("side", "side", SIDE, DOCUMENTS, spoken="side"),
        Field("amount", "amount", DECIMALS, Interface.COMMAND, is_private=True),
        Field("price", "price", DOLLARS, heading="PRICE USD", spoken="price"),
        *_TERMS,
        Field("trading_account_id", "account", IDENTIFIER),
        Field("quote_id", "quote", IDENTIFIER),
        Field("created", "created", MOMENT, DOCUMENTS, spoken="created"),
        Field("executed_at", "executed", MOMENT, DOCUMENTS, spoken="executed_at"),
        Field("settled_at", "settled", MOMENT, DOCUMENTS, spoken="settled_at"),
        Field("cancelled_at", "cancelled", MOMENT, DOCUMENTS, spoken="cancelled_at"),
        Field("failure_reason", "failure", FAILURE, DOCUMENTS),
    ),
    table=("id", "market", "side", "amount", "price", "status", "created"),
    wire_only=("type", "updated", "cancellable", "version"),
)  # fmt: skip

QUOTE: "FieldList[Quote]" = FieldList(
    "quote",
    "quotes.Quote",
    (
        Field("id", "quote", IDENTIFIER, DOCUMENTS),
        Field("market_name", "market", TEXT, DOCUMENTS),
        Field("asset", "asset", TEXT, NOWHERE, value=lambda each: base_symbol(each.market_name),
              of=("market_name",), spoken="asset"),
        Field("side", "side", SIDE, DOCUMENTS, spoken="side"),
        Field("price", "price", DOLLARS, heading="PRICE USD", spoken="price"),
        *_TERMS,
        Field("created", "quoted", MOMENT, DOCUMENTS),
        Field("expires", "quote expires", TIME_OF_DAY, DOCUMENTS, spoken="expires"),
        Field("status", "status", STATUS, Interface.COMMAND),
        Field("trading_account_id", "account", IDENTIFIER, Interface.COMMAND),
        Field("trade_id", "trade", IDENTIFIER, Interface.COMMAND),
    ),
    interfaces=DOCUMENTS,
    table=("id", "market_name", "side", "price", "asset_sold", "asset_bought", "status", "expires"),
    wire_only=("pricing",),
)  # fmt: skip

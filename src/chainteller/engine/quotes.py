"""Quotes: making one at a fixed price, and executing it once."""

import math

from sqlalchemy import Connection

from chainteller.domain.assets import MARKETS_BY_NAME, USD, Market
from chainteller.domain.clock import SECOND, format_instant
from chainteller.domain.ids import Prefix
from chainteller.domain.ledger import draw, hold
from chainteller.domain.money import MAX_ATOMS, Amount, format_cents
from chainteller.domain.preconditions import Act
from chainteller.domain.quoting import (
    MICROS_PER_CENT,
    Priced,
    Side,
    Terms,
    price_order,
    price_order_bought,
)
from chainteller.domain.trades import QuoteStatus, TradeStatus, quote_is_live
from chainteller.engine import accounts, ledger, markets, pegs, preconditions, reading
from chainteller.engine.context import EngineContext
from chainteller.engine.trades import FILL
from chainteller.engine.unit_of_work import UnitOfWork, now
from chainteller.service.errors import (
    AmountBelowMinimum,
    LimitExceeded,
    QuoteAccountMismatch,
    QuoteAlreadyUsed,
    QuoteExpired,
    RateLimited,
    ValidationFailed,
)
from chainteller.service.models.pages import ListQuery, Page
from chainteller.service.models.quotes import ExecuteRequest, Quote, QuoteRequest
from chainteller.service.models.trades import Trade
from chainteller.storage import organisations, quotes, trades
from chainteller.storage.database import Record

RESOURCE = "quote"
_ACTS = {Side.BUY: Act.BUY, Side.SELL: Act.SELL}
_AMOUNT_OF = ("sold", "bought")


def create(tx: UnitOfWork, market_name: str, request: QuoteRequest) -> Quote:
    market = reading.market(market_name)
    side = reading.side(request.side)
    asked = _asked(market, side, request)
    account_id = None
    if request.trading_account_id is not None:
        account = accounts.locked(tx, request.trading_account_id)
        account_id = account.id
        preconditions.require_allowed(account, _ACTS[side])
        _require_room(tx, account.id)
    point = markets.require_open(tx.context, tx.connection, market, tx.now)
    terms = Terms(
        mid_micros=point.mid_micros,
        half_spread_bps=market.half_spread_bps,
        hold_premium_bps_per_minute=tx.context.options.hold_premium_bps_per_minute,
        window=round(tx.context.options.quote_window_s * SECOND),
        fees=organisations.fee_schedule(tx.connection, tx.organisation_id),
    )
    sells_amount = request.amount_of != "bought"
    price = price_order if sells_amount else price_order_bought
    priced = price(market, side, asked.atoms, terms)
    _require_size(market, priced)
    row = _row(tx, market, terms, priced, account_id)
    quotes.insert_quote(tx.connection, row)
    tx.audited_object = str(row["id"])
    tx.event(
        "quote.created", str(row["id"]), market=market.name, side=side, tradingAccountId=account_id
    )
    stored = quotes.find(tx.connection, tx.organisation_id, str(row["id"]))
    return quotes.to_model(reading.require_found(stored, RESOURCE, str(row["id"])), tx.now)


def _asked(market: Market, side: Side, request: QuoteRequest) -> Amount:
    if request.amount_of is not None and request.amount_of not in _AMOUNT_OF:
        raise ValidationFailed.of("amountOf", "sold or bought")
    usd_asked = (side is Side.BUY) == (request.amount_of != "bought")
    return reading.amount(request.amount, USD if usd_asked else market.base)


def _require_room(tx: UnitOfWork, account_id: str) -> None:
    """Each open quote is a free option, so an account holds only so many."""
    limit = tx.context.options.open_quotes_per_account
    if tx.context.options.rate_limits and (
        quotes.count_open(tx.connection, account_id, tx.now) >= limit
    ):
        window_s = math.ceil(tx.context.options.quote_window_s)
        raise RateLimited(
            "The account has too many open quotes.",
            {
                "policy": "open-quotes",
                "limit": limit,
                "windowSeconds": window_s,
                "retryAfterSeconds": window_s,
                "suggestion": "Execute one of the open quotes, or wait until one expires.",
            },
        )


def _require_size(market: Market, priced: Priced) -> None:
    if priced.usd_leg < market.minimum_order_cents or priced.bought <= 0:
        raise AmountBelowMinimum(
            "The order is too small.",
            {
                "minimum": format_cents(market.minimum_order_cents),
                "amount": format_cents(min(priced.usd_leg, MAX_ATOMS)),
                "currency": USD.symbol,
            },
        )
    if priced.usd_leg > market.maximum_order_cents:
        limit = format_cents(market.maximum_order_cents)
        raise LimitExceeded(
            "The order is too large.",
            {
                "ruleId": f"order:{market.name}",
                "scope": "order",
                "destinationClass": None,
                "period": 0,
                "limit": limit,
                "used": "0.00",
                "requested": format_cents(priced.usd_leg),
                "remaining": limit,
                "resetsAt": None,
                "suggestion": f"Quote at most {limit} USD at a time.",
            },
        )


def _row(
    tx: UnitOfWork, market: Market, terms: Terms, priced: Priced, account_id: str | None
) -> dict[str, object]:
    return {
        "id": tx.new_id(Prefix.QUOTE),
        "organisation_id": tx.organisation_id,
        "trading_account_id": account_id,
        "market": market.name,
        "side": priced.side.value,
        "status": QuoteStatus.OPEN.value,
        "price_cents": priced.price_cents,
        "sold": priced.sold,
        "bought": priced.bought,
        "fee_cents": priced.fee_cents,
        "usd_leg_cents": priced.usd_leg,
        "fee_flat_cents": terms.fees.flat_cents,
        "fee_bps": terms.fees.bps,
        "mid_micros": terms.mid_micros,
        "half_spread_bps": terms.half_spread_bps,
        "hold_premium_bps": terms.hold_premium_bps_per_minute,
        "window": terms.window,
        "created": tx.now,
        "expires": tx.now + terms.window,
    }


def execute(tx: UnitOfWork, quote_id: str, request: ExecuteRequest) -> Trade:
    reading.checked_id(RESOURCE, quote_id)
    quote = reading.require_found(
        quotes.find(tx.connection, tx.organisation_id, quote_id, lock=True), RESOURCE, quote_id
    )
    _require_usable(tx, quote)
    account = accounts.locked(tx, request.trading_account_id)
    if quote.trading_account_id not in (None, account.id):
        raise QuoteAccountMismatch(
            "The quote was made for another account.",
            {"quoteId": quote.id, "tradingAccountId": quote.trading_account_id},
        )
    side, market = Side(quote.side), MARKETS_BY_NAME[quote.market]
    preconditions.require_allowed(account, _ACTS[side])
    markets.require_open(tx.context, tx.connection, market, tx.now)
    held = _funds(tx, account.id, side, market, quote.sold)
    trade_id = tx.new_id(Prefix.TRANSACTION)
    counters = accounts.record_activity(
        tx, account, f"trade.{side}", "trade_count", "transaction_count"
    )
    if not quotes.mark_executed(tx.connection, quote.id, trade_id, tx.now):
        raise AssertionError(f"quote {quote.id} was used while it was locked")
    trades.insert_trade(
        tx.connection,
        _trade_row(tx, quote, trade_id, account.id, market, held)
        | {
            "ordinal": counters["trade_count"],
            "transaction_ordinal": counters["transaction_count"],
        },
    )
    ledger.post(tx, (hold(account.id, trade_id, held),))
    tx.schedule(FILL, trade_id, tx.after(tx.context.options.fill_delay_s))
    tx.audited_object = trade_id
    tx.event("quote.executed", quote.id, tradeId=trade_id)
    tx.event("trade.processing", trade_id, tradingAccountId=account.id, status="processing")
    stored = trades.find(tx.connection, account.id, trade_id)
    return trades.to_model(reading.require_found(stored, "trade", trade_id))


def _require_usable(tx: UnitOfWork, quote: Record) -> None:
    if quote.status == QuoteStatus.EXECUTED:
        raise QuoteAlreadyUsed(
            "The quote was executed already.",
            {
                "quoteId": quote.id,
                "tradeId": quote.trade_id,
                "executedAt": format_instant(quote.executed_at),
            },
        )
    if quote.status != QuoteStatus.OPEN or not quote_is_live(now=tx.now, expires=quote.expires):
        raise QuoteExpired(quote.id, format_instant(min(quote.expires, tx.now)))


def _funds(
    tx: UnitOfWork, account_id: str, side: Side, market: Market, sold: int
) -> tuple[Amount, ...]:
    """What is to be held. Raises InsufficientFunds, MarketUnavailable (PEG_DEVIATION)."""
    available = ledger.lock_balances(tx, account_id)
    if side is Side.SELL:
        needed = Amount(sold, market.base)
        ledger.require_available(available, needed)
        return (needed,)
    usable = pegs.spendable(tx, available, sold, market.name)
    ledger.require_buying_power(usable, sold)
    parts = draw(usable, sold)
    if parts is None:
        raise AssertionError("buying power that cannot be drawn")
    return parts


def _trade_row(
    tx: UnitOfWork,
    quote: Record,
    trade_id: str,
    account_id: str,
    market: Market,
    held: tuple[Amount, ...],
) -> dict[str, object]:
    buys = quote.side == Side.BUY
    base_atoms = quote.bought if buys else quote.sold
    provider = base_atoms * quote.mid_micros // (10**market.base.decimals * MICROS_PER_CENT)
    return {
        "id": trade_id,
        "organisation_id": tx.organisation_id,
        "trading_account_id": account_id,
        "quote_id": quote.id,
        "market": quote.market,
        "side": quote.side,
        "status": TradeStatus.PROCESSING.value,
        "price_cents": quote.price_cents,
        "amount": base_atoms,
        "sold": quote.sold,
        "bought": quote.bought,
        "fee_cents": quote.fee_cents,
        "fee_flat_cents": quote.fee_flat_cents,
        "fee_bps": quote.fee_bps,
        "provider_cents": provider,
        "hold": trades.hold_text(held),
        "created": tx.now,
        "updated": tx.now,
        "version": 1,
    }


def show(
    context: EngineContext, connection: Connection, organisation_id: str, quote_id: str
) -> Quote:
    reading.checked_id(RESOURCE, quote_id)
    row = reading.require_found(
        quotes.find(connection, organisation_id, quote_id), RESOURCE, quote_id
    )
    return quotes.to_model(row, now(context, connection))


def page(
    context: EngineContext, connection: Connection, organisation_id: str, query: ListQuery
) -> Page[Quote]:
    checked = reading.checked_query(query)
    found, total = quotes.page(connection, organisation_id, checked, now(context, connection))
    return reading.page(found, total, checked)

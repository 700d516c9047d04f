"""Quotes: create one at a fixed price, and execute it once."""

import math
from typing import NamedTuple

from chainteller.domain.assets import MARKETS_BY_NAME, USD, Asset, Market
from chainteller.domain.clock import format_instant
from chainteller.domain.ids import Prefix, plausible
from chainteller.domain.ledger import hold
from chainteller.domain.money import MAX_ATOMS, Amount, format_cents
from chainteller.domain.options import EngineOptions
from chainteller.domain.preconditions import Act
from chainteller.domain.quoting import (
    MICROS_PER_CENT,
    FeeSchedule,
    Priced,
    Side,
    Terms,
    price_order,
    price_order_bought,
)
from chainteller.domain.trades import QuoteStatus, TradeStatus, quote_is_live
from chainteller.engine.core import ledger, outcome, preconditions, reading
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.outcome import Event, Insert, Job, Moment, Outcome, Row, Update
from chainteller.engine.core.table import lists, reads_in_context, writes
from chainteller.engine.core.unit_of_work import UnitOfWork, now
from chainteller.engine.operations import accounts, markets, stablecoin_prices
from chainteller.engine.operations.trades import FILL
from chainteller.service import operations
from chainteller.service.amounts import read_amount
from chainteller.service.errors import (
    AmountBelowMinimum,
    LimitExceeded,
    QuoteAccountMismatch,
    QuoteAlreadyUsed,
    QuoteExpired,
    RateLimited,
    ValidationFailed,
)
from chainteller.service.models.quotes import AMOUNT_OF, ExecuteRequest, Quote, QuoteRequest
from chainteller.service.models.trades import Trade
from chainteller.storage.db.query import Record, Session
from chainteller.storage.db.records import Tables
from chainteller.storage.log import ledger as ledger_rows
from chainteller.storage.queries import accounts as account_rows
from chainteller.storage.queries import markets as market_rows
from chainteller.storage.queries import organisations, quotes, trades

RESOURCE = "quote"
_ACTS = {Side.BUY: Act.BUY, Side.SELL: Act.SELL}


class Order(NamedTuple):
    """A quote request, parsed; ``amount`` is what is bought where ``by_bought``, else sold."""

    market: Market
    side: Side
    amount: Amount
    by_bought: bool


class Taker(NamedTuple):
    """The account that a quote is for, and how many open quotes it has."""

    account: Record
    open_quotes: int = 0


@writes(operations.CREATE_QUOTE)
def create(tx: UnitOfWork, market_name: str, request: QuoteRequest) -> Quote:
    order = read_order(market_name, request)
    taker = None
    tx.connection.ahead(organisations.fee_schedule, tx.organisation_id)
    tx.connection.ahead(market_rows.control, order.market.name)
    tx.time_ahead()
    if request.trading_account_id is not None:
        account = accounts.locked(tx, request.trading_account_id)
        limited = tx.context.options.rate_limits
        taker = Taker(
            account, quotes.count_open(tx.connection, account.id, tx.now) if limited else 0
        )
    control = market_rows.control(tx.connection, order.market.name)
    condition = markets.condition(tx.context, control, order.market, tx.now)
    fees = organisations.fee_schedule(tx.connection, tx.organisation_id)
    decided = decide_quote(order, taker, condition, fees, outcome.moment(tx))
    outcome.apply(tx, decided)
    return quotes.to_model(decided.record(Tables.quote), tx.now)


def read_order(market_name: str, request: QuoteRequest) -> Order:
    """Raises UnsupportedMarket, ValidationFailed, ExceedsPrecision."""
    market = reading.market(market_name)
    side = reading.side(request.side)
    if request.amount_of is not None and request.amount_of not in AMOUNT_OF:
        raise ValidationFailed.of("amountOf", "sold or bought")
    by_bought = request.amount_of == "bought"
    asset = USD if (side is Side.BUY) != by_bought else market.base
    return Order(market, side, read_amount(request.amount, asset), by_bought)


def decide_quote(
    order: Order,
    taker: Taker | None,
    condition: markets.Condition,
    fees: FeeSchedule,
    moment: Moment,
) -> Outcome:
    """A new quote.

    Raises:
        AccountRestricted, TermsNotAccepted, KycRequired, RateLimited, MarketUnavailable,
        AmountBelowMinimum, LimitExceeded.
    """
    market, options = order.market, moment.options
    if taker is not None:
        preconditions.require_allowed(taker.account, _ACTS[order.side])
        _require_room(taker, options)
    point = condition.require_open()
    terms = Terms(
        mid_micros=point.mid_micros,
        half_spread_bps=market.half_spread_bps,
        hold_premium_bps_per_minute=options.hold_premium_bps_per_minute,
        window=options.quote_window,
        fees=fees,
    )
    price = price_order_bought if order.by_bought else price_order
    priced = price(market, order.side, order.amount.atoms, terms)
    _require_size(market, priced)
    account_id = None if taker is None else taker.account.id
    row = _quote_row(market, terms, priced, account_id, moment)
    told = {"market": market.name, "side": order.side, "tradingAccountId": account_id}
    return Outcome(
        row["id"],
        rows=(Insert(Tables.quote, (row,)),),
        events=(Event("quote.created", row["id"], told),),
    )


def _require_room(taker: Taker, options: EngineOptions) -> None:
    """Each open quote is a free option, so an account holds only so many."""
    limit = options.open_quotes_per_account
    if options.rate_limits and taker.open_quotes >= limit:
        window_s = math.ceil(options.quote_window_s)
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
            "The amount is below the minimum.",
            {
                "minimum": format_cents(market.minimum_order_cents),
                "amount": format_cents(min(priced.usd_leg, MAX_ATOMS)),
                "currency": USD.symbol,
            },
        )
    if priced.usd_leg > market.maximum_order_cents:
        limit = format_cents(market.maximum_order_cents)
        raise LimitExceeded(
            "The order is worth more than the maximum.",
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
                "suggestion": f"One order may be worth at most {limit} USD.",
            },
        )


def _quote_row(
    market: Market, terms: Terms, priced: Priced, account_id: str | None, moment: Moment
) -> Row:
    return {
        "id": moment.new_id(Prefix.QUOTE),
        "organisation_id": moment.organisation_id,
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
        "created": moment.now,
        "expires": moment.now + terms.window,
    }


class Funds(NamedTuple):
    """Available balances of an account, and the stablecoins that are not worth a dollar now."""

    available: dict[Asset, int]
    off_par: frozenset[Asset] = frozenset()


@writes(operations.EXECUTE_QUOTE)
def execute(tx: UnitOfWork, quote_id: str, request: ExecuteRequest) -> Trade:
    reading.checked_id(RESOURCE, quote_id)
    if plausible(request.trading_account_id):
        account = tx.organisation_id, request.trading_account_id
        tx.connection.ahead(account_rows.find, *account, lock=True)
        tx.connection.ahead(ledger_rows.of_account, request.trading_account_id, lock=True)
    of = tx.organisation_id
    quote = reading.require_found(
        tx.row_with_time(quotes.find_to_execute, organisation=of, id=quote_id), RESOURCE, quote_id
    )
    _require_usable(quote, tx.now)  # told before an account that does not exist
    account = accounts.locked(tx, request.trading_account_id)
    market = MARKETS_BY_NAME[quote.market]
    closed = quote.closed_for and market_rows.Control(quote.closed_for, quote.closed_until)
    condition = markets.condition(tx.context, closed, market, tx.now)
    funds = Funds(
        ledger.lock_balances(tx, account.id), stablecoin_prices.suspended(tx.context, tx.now)
    )
    decided = decide_execution(quote, account, condition, funds, outcome.moment(tx))
    outcome.apply(tx, decided)
    return trades.to_model(decided.record(Tables.trade))


def decide_execution(
    quote: Record, account: Record, condition: markets.Condition, funds: Funds, moment: Moment
) -> Outcome:
    """The trade in ``processing``, its funds held, its fill scheduled.

    Raises:
        QuoteAlreadyUsed, QuoteExpired, QuoteAccountMismatch, AccountRestricted,
        TermsNotAccepted, KycRequired, MarketUnavailable, InsufficientFunds.
    """
    _require_usable(quote, moment.now)
    if quote.trading_account_id not in (None, account.id):
        raise QuoteAccountMismatch(
            "The quote was made for another account.",
            {"quoteId": quote.id, "tradingAccountId": quote.trading_account_id},
        )
    side = Side(quote.side)
    preconditions.require_allowed(account, _ACTS[side])
    condition.require_open()
    held = _funds_to_hold(side, condition.market, quote.sold, funds, moment.now)
    trade_id = moment.new_id(Prefix.TRANSACTION)
    activity = accounts.activity(
        account, f"trade.{side}", moment.now, "trade_count", "transaction_count"
    )
    executed = {
        "status": QuoteStatus.EXECUTED.value,
        "trade_id": trade_id,
        "executed_at": moment.now,
    }
    told = {"tradingAccountId": account.id, "status": TradeStatus.PROCESSING.value}
    is_open = {"status": QuoteStatus.OPEN.value}
    return Outcome(
        trade_id,
        rows=(
            activity,
            Update(Tables.quote, {"id": quote.id}, executed, is_open, before=quote),
            Insert(Tables.trade, (_trade_row(quote, trade_id, activity, held, moment),)),
        ),
        journals=(hold(account.id, trade_id, held),),
        events=(
            Event("quote.executed", quote.id, {"tradeId": trade_id}),
            Event("trade.processing", trade_id, told),
        ),
        jobs=(Job(FILL, trade_id, moment.after(moment.options.fill_delay_s)),),
    )


def _require_usable(quote: Record, now: int) -> None:
    if quote.status == QuoteStatus.EXECUTED:
        raise QuoteAlreadyUsed(
            "The quote was already executed.",
            {
                "quoteId": quote.id,
                "tradeId": quote.trade_id,
                "executedAt": format_instant(quote.executed_at),
            },
        )
    if quote.status != QuoteStatus.OPEN or not quote_is_live(now=now, expires=quote.expires):
        raise QuoteExpired(quote.id, format_instant(min(quote.expires, now)))


def _funds_to_hold(
    side: Side, market: Market, sold: int, funds: Funds, now: int
) -> tuple[Amount, ...]:
    """Raises InsufficientFunds, MarketUnavailable (PEG_DEVIATION)."""
    if side is Side.SELL:
        needed = Amount(sold, market.base)
        ledger.require_available(funds.available, needed)
        return (needed,)
    usable = stablecoin_prices.spendable(funds.available, funds.off_par, sold, market.name, now)
    return ledger.draw_funds(usable, sold)


def _trade_row(
    quote: Record, trade_id: str, activity: Update, held: tuple[Amount, ...], moment: Moment
) -> Row:
    base_atoms = quote.bought if quote.side == Side.BUY else quote.sold
    unit = 10 ** MARKETS_BY_NAME[quote.market].base.decimals
    return {
        "id": trade_id,
        "organisation_id": moment.organisation_id,
        "trading_account_id": activity.key["id"],
        "ordinal": activity.values["trade_count"],
        "transaction_ordinal": activity.values["transaction_count"],
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
        "provider_cents": base_atoms * quote.mid_micros // (unit * MICROS_PER_CENT),
        "hold": trades.hold_text(held),
        "created": moment.now,
        "updated": moment.now,
        "version": 1,
    }


@reads_in_context(operations.SHOW_QUOTE)
def show(context: EngineContext, connection: Session, organisation_id: str, quote_id: str) -> Quote:
    connection.ahead(quotes.find, organisation_id, reading.checked_id(RESOURCE, quote_id))
    at = now(context, connection)
    row = reading.row_by_id(quotes.find, connection, RESOURCE, organisation_id, quote_id)
    return quotes.to_model(row, at)


lists(operations.QUOTES, quotes.page, is_timed=True)

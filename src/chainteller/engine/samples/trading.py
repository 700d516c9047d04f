"""Quotes and trades of the sample world, in the shape in which the engine writes them."""

from chainteller.domain.actors import WORKER
from chainteller.domain.assets import MARKETS_BY_NAME, USD
from chainteller.domain.clock import SECOND
from chainteller.domain.ids import Prefix
from chainteller.domain.ledger import (
    Fill,
    draw,
    fill_buy,
    fill_sell,
    hold,
    release,
    settle_buy,
    settle_sell,
)
from chainteller.domain.money import Amount
from chainteller.domain.quoting import MICROS_PER_CENT, Side, Terms, price_order
from chainteller.domain.trades import QuoteStatus, Rejection, TradeStatus
from chainteller.engine.samples.books import Row
from chainteller.engine.samples.world import Account, World
from chainteller.storage.trades import hold_parts, hold_text


def quote(world: World, account: Account, market: str, side: Side, sold: int, at: int) -> Row:
    """An open quote bound to the account; ``sold`` in atoms of the asset sold."""
    traded = MARKETS_BY_NAME[market]
    point = world.prices.price(market, at)
    if point is None:
        raise ValueError(f"the sample data needs a price of {market}")
    terms = Terms(
        mid_micros=point.mid_micros,
        half_spread_bps=traded.half_spread_bps,
        hold_premium_bps_per_minute=world.options.hold_premium_bps_per_minute,
        window=round(world.options.quote_window_s * SECOND),
        fees=world.fees,
    )
    priced = price_order(traded, side, sold, terms)
    row = world.books.add(
        "quote",
        {
            "id": world.new_id(Prefix.QUOTE),
            "organisation_id": world.organisation_id,
            "trading_account_id": account.id,
            "market": market,
            "side": side.value,
            "status": QuoteStatus.OPEN.value,
            "price_cents": priced.price_cents,
            "sold": priced.sold,
            "bought": priced.bought,
            "fee_cents": priced.fee_cents,
            "usd_leg_cents": priced.usd_leg,
            "fee_flat_cents": world.fees.flat_cents,
            "fee_bps": world.fees.bps,
            "mid_micros": point.mid_micros,
            "half_spread_bps": traded.half_spread_bps,
            "hold_premium_bps": terms.hold_premium_bps_per_minute,
            "window": terms.window,
            "created": at,
            "expires": at + terms.window,
            "trade_id": None,
            "executed_at": None,
        },
    )
    inputs = {"amount": str(_sold(row)), "side": side.value, "tradingAccountId": account.id}
    world.audit(at, "create_quote", row["id"], inputs, account=account.id)
    data = {"market": market, "side": side.value, "tradingAccountId": account.id}
    world.event(at, "quote.created", row["id"], data)
    return row


def _sold(row: Row) -> Amount:
    base = MARKETS_BY_NAME[row["market"]].base
    return Amount(row["sold"], USD if row["side"] == Side.BUY else base)


def execute(world: World, account: Account, quoted: Row, at: int) -> Row | None:
    """The trade in ``processing``, or None when the account can no longer pay for it."""
    market = MARKETS_BY_NAME[quoted["market"]]
    available = world.available(account)
    parts: tuple[Amount, ...] | None
    if quoted["side"] == Side.BUY:
        parts = draw(available, quoted["sold"])
    else:
        enough = available.get(market.base, 0) >= quoted["sold"]
        parts = (Amount(quoted["sold"], market.base),) if enough else None
    if parts is None:
        return None
    trade_id = world.new_id(Prefix.TRANSACTION)
    world.books.post(hold(account.id, trade_id, parts), at)
    quoted.update(status=QuoteStatus.EXECUTED.value, trade_id=trade_id, executed_at=at)
    account.active(at, f"trade.{quoted['side']}", "trade_count", "transaction_count")
    trade = world.books.add("trade", _trade_row(account, quoted, parts, at))
    world.audit(at, "execute_quote", trade_id, {"tradingAccountId": account.id}, account=account.id)
    world.event(at, "quote.executed", quoted["id"], {"tradeId": trade_id})
    _tell(world, trade, at)
    return trade


def _trade_row(account: Account, quoted: Row, parts: tuple[Amount, ...], at: int) -> Row:
    buys = quoted["side"] == Side.BUY
    base_atoms = quoted["bought"] if buys else quoted["sold"]
    unit = 10 ** MARKETS_BY_NAME[quoted["market"]].base.decimals
    return {
        "id": quoted["trade_id"],
        "organisation_id": quoted["organisation_id"],
        "trading_account_id": account.id,
        "ordinal": account.row["trade_count"],
        "transaction_ordinal": account.row["transaction_count"],
        "quote_id": quoted["id"],
        "market": quoted["market"],
        "side": quoted["side"],
        "status": TradeStatus.PROCESSING.value,
        "price_cents": quoted["price_cents"],
        "amount": base_atoms,
        "sold": quoted["sold"],
        "bought": quoted["bought"],
        "fee_cents": quoted["fee_cents"],
        "fee_flat_cents": quoted["fee_flat_cents"],
        "fee_bps": quoted["fee_bps"],
        "provider_cents": base_atoms * quoted["mid_micros"] // (unit * MICROS_PER_CENT),
        "hold": hold_text(parts),
        "created": at,
        "updated": at,
        "executed_at": None,
        "settled_at": None,
        "cancelled_at": None,
        "failure_code": None,
        "failure_message": None,
        "version": 1,
    }


def _fill(trade: Row) -> Fill:
    buys = trade["side"] == Side.BUY
    return Fill(
        account_id=trade["trading_account_id"],
        reference=trade["id"],
        base=MARKETS_BY_NAME[trade["market"]].base,
        base_atoms=trade["amount"],
        usd_cents=trade["sold"] if buys else trade["bought"],
        fee_cents=trade["fee_cents"],
        provider_cents=trade["provider_cents"],
    )


def fill(world: World, account: Account, trade: Row, at: int) -> None:
    """``processing`` to ``executed``, by the worker."""
    if trade["side"] == Side.BUY:
        journal = fill_buy(_fill(trade), hold_parts(trade["hold"]))
    else:
        journal = fill_sell(_fill(trade))
    world.books.post(journal, at)
    _advance(world, trade, TradeStatus.EXECUTED, at, executed_at=at)
    account.active(at, "trade.executed")
    world.audit(at, "trade.fill", trade["id"], actor=WORKER.name, account=account.id)


def settle(world: World, account: Account, trade: Row, at: int) -> None:
    """``executed`` to ``settled``, by the worker."""
    settled = settle_buy if trade["side"] == Side.BUY else settle_sell
    world.books.post(settled(_fill(trade)), at)
    _advance(world, trade, TradeStatus.SETTLED, at, settled_at=at)
    account.active(at, "trade.settled")
    world.audit(at, "trade.settle", trade["id"], actor=WORKER.name, account=account.id)


def cancel(world: World, account: Account, trade: Row, at: int) -> None:
    """``processing`` to ``cancelled``, by an agent."""
    _give_back(world, trade, at)
    _advance(world, trade, TradeStatus.CANCELLED, at, cancelled_at=at)
    account.active(at, "trade.cancelled")
    world.audit(at, "cancel_trade", trade["id"], account=account.id)


def fail(world: World, trade: Row, at: int, reason: Rejection) -> None:
    """``processing`` to ``failed``, by the provider's refusal."""
    _give_back(world, trade, at)
    failure = {"failure_code": reason.code, "failure_message": reason.message}
    _advance(world, trade, TradeStatus.FAILED, at, **failure)
    account_id, told = trade["trading_account_id"], {"code": reason.code}
    world.audit(at, "trade.fail", trade["id"], told, WORKER.name, account=account_id)


def _give_back(world: World, trade: Row, at: int) -> None:
    parts = hold_parts(trade["hold"])
    world.books.post(release(trade["trading_account_id"], trade["id"], parts), at)


def _advance(world: World, trade: Row, status: TradeStatus, at: int, **values: object) -> None:
    trade.update(values, status=status.value, updated=at, version=trade["version"] + 1)
    _tell(world, trade, at)


def _tell(world: World, trade: Row, at: int) -> None:
    status = trade["status"]
    data = {"tradingAccountId": trade["trading_account_id"], "status": status}
    world.event(at, f"trade.{status}", trade["id"], data)

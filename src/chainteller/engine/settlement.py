"""Due work on trades: the fill by the liquidity provider, then settlement."""

from chainteller.domain.assets import MARKETS_BY_NAME
from chainteller.domain.clock import MINUTE, SECOND
from chainteller.domain.ledger import Fill, fill_buy, fill_sell, settle_buy, settle_sell
from chainteller.domain.quoting import Side
from chainteller.domain.trades import Rejection, TradeStatus
from chainteller.engine import accounts, ledger, markets
from chainteller.engine.trades import FILL, SETTLE, announce, give_back
from chainteller.engine.unit_of_work import UnitOfWork
from chainteller.storage import markets as market_rows
from chainteller.storage import trades
from chainteller.storage.database import Record

FILL_TIMEOUT = 15 * MINUTE
_TRY_AGAIN = 5 * SECOND


def _locked(tx: UnitOfWork, trade_id: str, status: TradeStatus) -> tuple[Record, Record] | None:
    """(account, trade) if the trade is still in this status, locked in this order."""
    seen = trades.find_any(tx.connection, trade_id)
    if seen is None:
        return None
    account = accounts.locked_by_id(tx, seen.trading_account_id)
    trade = trades.find_any(tx.connection, trade_id, lock=True)
    return (account, trade) if trade is not None and trade.status == status else None


def fill(tx: UnitOfWork, trade_id: str) -> None:
    """``processing`` to ``executed``, or to ``failed`` when the provider refuses.

    A closed market is waited for, up to fifteen minutes.
    """
    locked = _locked(tx, trade_id, TradeStatus.PROCESSING)
    if locked is None:
        return
    account, trade = locked
    market = MARKETS_BY_NAME[trade.market]
    control = market_rows.control(tx.connection, market.name)
    if markets.closure(tx.context, control, market, tx.now) is not None:
        if tx.now - trade.created < FILL_TIMEOUT:
            tx.schedule(FILL, trade.id, tx.now + _TRY_AGAIN)
            return
        _fail(tx, trade, Rejection("FILL_TIMEOUT", "The market stayed closed for too long."))
        return
    rejection = tx.context.venue.decide(trade.id)
    if rejection is not None:
        _fail(tx, trade, rejection)
        return
    figures = _figures(trade)
    if trade.side == Side.BUY:
        journal = fill_buy(figures, trades.hold_parts(trade.hold))
    else:
        journal = fill_sell(figures)
    ledger.post(tx, (journal,))
    trades.advance(tx.connection, trade, TradeStatus.EXECUTED, updated=tx.now, executed_at=tx.now)
    tx.schedule(SETTLE, trade.id, tx.after(tx.context.options.settle_delay_s))
    accounts.record_activity(tx, account, "trade.executed")
    announce(tx, trade, TradeStatus.EXECUTED)
    tx.audit("trade.fill", trade.id)


def settle(tx: UnitOfWork, trade_id: str) -> None:
    """``executed`` to ``settled``: what was bought becomes available."""
    locked = _locked(tx, trade_id, TradeStatus.EXECUTED)
    if locked is None:
        return
    account, trade = locked
    figures = _figures(trade)
    journal = settle_buy(figures) if trade.side == Side.BUY else settle_sell(figures)
    ledger.post(tx, (journal,))
    trades.advance(tx.connection, trade, TradeStatus.SETTLED, updated=tx.now, settled_at=tx.now)
    accounts.record_activity(tx, account, "trade.settled")
    announce(tx, trade, TradeStatus.SETTLED)
    tx.audit("trade.settle", trade.id)


def _fail(tx: UnitOfWork, trade: Record, rejection: Rejection) -> None:
    give_back(tx, trade)
    trades.advance(
        tx.connection,
        trade,
        TradeStatus.FAILED,
        updated=tx.now,
        failure_code=rejection.code,
        failure_message=rejection.message,
    )
    announce(tx, trade, TradeStatus.FAILED)
    tx.audit("trade.fail", trade.id, {"code": rejection.code})


def _figures(trade: Record) -> Fill:
    buys = trade.side == Side.BUY
    return Fill(
        account_id=trade.trading_account_id,
        reference=trade.id,
        base=MARKETS_BY_NAME[trade.market].base,
        base_atoms=trade.amount,
        usd_cents=trade.sold if buys else trade.bought,
        fee_cents=trade.fee_cents,
        provider_cents=trade.provider_cents,
    )

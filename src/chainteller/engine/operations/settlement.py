"""Due work on trades: the fill by the liquidity provider, then settlement."""

from chainteller.domain.assets import MARKETS_BY_NAME
from chainteller.domain.clock import MINUTE, SECOND, format_instant
from chainteller.domain.ledger import Fill, fill_buy, fill_sell, settle_buy, settle_sell
from chainteller.domain.quoting import Side
from chainteller.domain.trades import Rejection, TradeStatus
from chainteller.engine.core import outcome
from chainteller.engine.core.outcome import AuditEntry, Job, Moment, Outcome
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.engine.operations import accounts, logged_rows, markets
from chainteller.engine.operations.trades import FILL, PUT_BACK, SETTLE, advance, give_back
from chainteller.storage.db.query import Record
from chainteller.storage.db.records import Tables
from chainteller.storage.log.last_writes import Kept
from chainteller.storage.queries import jobs, trades
from chainteller.storage.queries import markets as market_rows
from chainteller.storage.upkeep import inspection

FILL_TIMEOUT = 15 * MINUTE
_TRY_AGAIN = 5 * SECOND
_TIMED_OUT = Rejection("FILL_TIMEOUT", "The market stayed closed for too long.")


def locked(tx: UnitOfWork, trade_id: str, status: TradeStatus) -> tuple[Record, Record] | None:
    """(account, trade) if the trade is still in this status, locked in this order. Raises Altered:
    it would be booked otherwise than it was agreed."""
    seen = trades.find_any(tx.connection, trade_id)
    if seen is None:
        return None
    account = accounts.locked_by_id(tx, seen.trading_account_id)
    trade = trades.find_any(tx.connection, trade_id, lock=True)
    if trade is None or trade.status != status:
        return None
    kept = [Kept(Tables.trade, trade.id)]
    if status is TradeStatus.PROCESSING:
        kept.append(Kept(Tables.quote, trade.quote_id))
    logged_rows.require_as_logged(tx, tuple(kept), account.id)
    return account, trade


def waits(tx: UnitOfWork, trade_id: str) -> bool:
    """Whether a trade waits for its closed market, at which the next look is in a moment; for
    fifteen minutes at most. Its trail says that once."""
    trade = trades.find_any(tx.connection, trade_id)
    if trade is None or trade.status != TradeStatus.PROCESSING or not _is_closed(tx, trade):
        return False
    until = trade.created + FILL_TIMEOUT
    if tx.now >= until:
        return False
    jobs.postpone(tx.rows, FILL, trade.id, min(tx.now + _TRY_AGAIN, until))
    told = inspection.put_back_until(tx.connection, trade.id)
    if told is None or told < until:
        tx.audit(PUT_BACK, trade.id, {"kind": FILL, "dueAt": format_instant(until)})
    return True


def fill(tx: UnitOfWork, trade_id: str) -> None:
    """``processing`` to ``executed``, or to ``failed`` when the provider refuses."""
    found = fillable(tx, trade_id)
    if found is None:
        return
    account, trade = found
    rejection = tx.context.venue.decide(trade.id)
    if rejection is not None:
        outcome.apply(tx, decide_failure(trade, rejection, tx.now))
    else:
        outcome.apply(tx, decide_fill(account, trade, outcome.moment(tx)))


def fillable(tx: UnitOfWork, trade_id: str) -> tuple[Record, Record] | None:
    """(account, trade) that doesn't wait and may be filled now, locked; one whose market stayed
    closed for too long fails."""
    found = locked(tx, trade_id, TradeStatus.PROCESSING)
    if found is None:
        return None
    trade = found[1]
    if tx.now - trade.created < FILL_TIMEOUT or not _is_closed(tx, trade):
        return found
    outcome.apply(tx, decide_failure(trade, _TIMED_OUT, tx.now))
    return None


def _is_closed(tx: UnitOfWork, trade: Record) -> bool:
    market = MARKETS_BY_NAME.get(trade.market)
    if market is None:
        return False  # its row was altered, which is named when it's locked
    control = market_rows.control(tx.connection, market.name)
    return markets.condition(tx.context, control, market, tx.now).closed is not None


def decide_fill(account: Record, trade: Record, moment: Moment) -> Outcome:
    """``processing`` to ``executed``; settlement is scheduled."""
    figures = _figures(trade)
    if trade.side == Side.BUY:
        journal = fill_buy(figures, trades.hold_parts(trade.hold))
    else:
        journal = fill_sell(figures)
    update, event = advance(trade, TradeStatus.EXECUTED, moment.now, executed_at=moment.now)
    return Outcome(
        trade.id,
        rows=(update, accounts.activity(account, "trade.executed", moment.now)),
        journals=(journal,),
        events=(event,),
        audit=(AuditEntry("trade.fill", trade.id),),
        jobs=(Job(SETTLE, trade.id, moment.after(moment.options.settle_delay_s)),),
    )


def decide_failure(trade: Record, rejection: Rejection, now: int) -> Outcome:
    """``processing`` to ``failed``; what was held is given back."""
    update, event = advance(
        trade,
        TradeStatus.FAILED,
        now,
        failure_code=rejection.code,
        failure_message=rejection.message,
    )
    return Outcome(
        trade.id,
        rows=(update,),
        journals=(give_back(trade),),
        events=(event,),
        audit=(AuditEntry("trade.fail", trade.id, {"code": rejection.code}),),
    )


def settle(tx: UnitOfWork, trade_id: str) -> None:
    """``executed`` to ``settled``: what was bought becomes available."""
    found = locked(tx, trade_id, TradeStatus.EXECUTED)
    if found is not None:
        outcome.apply(tx, decide_settlement(*found, tx.now))


def decide_settlement(account: Record, trade: Record, now: int) -> Outcome:
    settled = settle_buy if trade.side == Side.BUY else settle_sell
    update, event = advance(trade, TradeStatus.SETTLED, now, settled_at=now)
    return Outcome(
        trade.id,
        rows=(update, accounts.activity(account, "trade.settled", now)),
        journals=(settled(_figures(trade)),),
        events=(event,),
        audit=(AuditEntry("trade.settle", trade.id),),
    )


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

"""Trades after execution: show them, and cancel one that has not been filled."""

from chainteller.domain.clock import format_instant
from chainteller.domain.ids import plausible
from chainteller.domain.ledger import Journal, release
from chainteller.domain.trades import TradeStatus
from chainteller.engine.core import outcome, reading
from chainteller.engine.core.outcome import Event, Outcome, Update, next_version
from chainteller.engine.core.table import lists, reads, writes
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.engine.operations import accounts
from chainteller.service import operations
from chainteller.service.errors import TradeNotCancellable
from chainteller.service.models.pages import ListQuery, Page
from chainteller.service.models.trades import Trade
from chainteller.storage.db.query import Record, Session
from chainteller.storage.db.records import Tables
from chainteller.storage.queries import provider_requests, trades

RESOURCE = "trade"
FILL = "trade.fill"
SETTLE = "trade.settle"
PUT_BACK = "work.put_back"
"""The action of the entry for work that came before its time, or has to wait."""
DROPPED = "work.dropped"
"""The action of the entry for work that its record doesn't need any more."""


@writes(operations.CANCEL_TRADE, timeless=True)
def cancel(tx: UnitOfWork, account_id: str, trade_id: str) -> Trade:
    """Both forms of the specification's cancellation; the row lock decides a race with the fill."""
    reading.checked_id(RESOURCE, trade_id)
    account = accounts.locked(tx, account_id)
    trade = reading.require_found(
        trades.find(tx.connection, account.id, trade_id, lock=True), RESOURCE, trade_id
    )
    if trade.status == TradeStatus.CANCELLED:
        return trades.to_model(trade)
    is_sent = provider_requests.is_under_way(tx.connection, trade.id)
    decided = decide_cancellation(account, trade, tx.now, is_sent=is_sent)
    outcome.apply(tx, decided)
    return trades.to_model(decided.record(Tables.trade, trade))


def decide_cancellation(
    account: Record, trade: Record, now: int, *, is_sent: bool = False
) -> Outcome:
    """``processing`` to ``cancelled``, unless the venue was sent it. Raises TradeNotCancellable."""
    if is_sent or trade.status != TradeStatus.PROCESSING:
        standing = "is at the venue" if is_sent else f"has the status {trade.status}"
        raise TradeNotCancellable(
            f"The trade {standing}: it can no longer be cancelled.",
            {
                "tradeId": trade.id,
                "status": trade.status,
                "executedAt": trade.executed_at and format_instant(trade.executed_at),
            },
        )
    update, event = advance(trade, TradeStatus.CANCELLED, now, cancelled_at=now)
    return Outcome(
        trade.id,
        rows=(update, accounts.activity(account, "trade.cancelled", now)),
        journals=(give_back(trade),),
        events=(event,),
    )


def give_back(trade: Record) -> Journal:
    """Return exactly what execution held."""
    return release(trade.trading_account_id, trade.id, trades.hold_parts(trade.hold))


def advance(trade: Record, status: TradeStatus, now: int, **values: object) -> tuple[Update, Event]:
    """Move a locked trade to its next status, and tell it."""
    changed = {**values, "status": status.value, "updated": now}
    told = {"tradingAccountId": trade.trading_account_id, "status": status.value}
    return (
        next_version(Tables.trade, trade, **changed),
        Event(f"trade.{status}", trade.id, told),
    )


@reads(operations.SHOW_TRADE)
def show(connection: Session, organisation_id: str, account_id: str, trade_id: str) -> Trade:
    if plausible(account_id) and plausible(trade_id):
        connection.ahead(trades.find, account_id, trade_id)
    account = accounts.find(connection, organisation_id, account_id)
    row = reading.row_by_id(trades.find, connection, RESOURCE, account.id, trade_id)
    return trades.to_model(row)


@reads(operations.TRADES)
def page(
    connection: Session, organisation_id: str, account_id: str, query: ListQuery
) -> Page[Trade]:
    checked = reading.checked_query(query)
    reading.checked_id(accounts.RESOURCE, account_id)
    connection.ahead(trades.page, account_id, checked, 0)
    account = accounts.find(connection, organisation_id, account_id)
    found, total = trades.page(connection, account.id, checked, account.trade_count)
    return reading.page(found, total, checked)


lists(operations.ALL_TRADES, trades.page_of_all)

"""Trades after execution: showing them and cancelling one that has not been filled."""

from sqlalchemy import Connection

from chainteller.domain.clock import format_instant
from chainteller.domain.ledger import release
from chainteller.domain.trades import TradeStatus
from chainteller.engine import accounts, ledger, reading
from chainteller.engine.unit_of_work import UnitOfWork
from chainteller.service.errors import TradeNotCancellable
from chainteller.service.models.pages import ListQuery, Page
from chainteller.service.models.trades import Trade
from chainteller.storage import trades
from chainteller.storage.database import Record

RESOURCE = "trade"
FILL = "trade.fill"
SETTLE = "trade.settle"


def cancel(tx: UnitOfWork, account_id: str, trade_id: str) -> Trade:
    """Both forms of the specification's cancellation; the row lock decides a race with the fill."""
    reading.checked_id(RESOURCE, trade_id)
    account = accounts.locked(tx, account_id)
    trade = reading.require_found(
        trades.find(tx.connection, account.id, trade_id, lock=True), RESOURCE, trade_id
    )
    tx.audited_object = trade.id
    tx.created = False
    if trade.status == TradeStatus.CANCELLED:
        return trades.to_model(trade)
    if trade.status != TradeStatus.PROCESSING:
        raise TradeNotCancellable(
            f"The trade is {trade.status} and can no longer be cancelled.",
            {
                "tradeId": trade.id,
                "status": trade.status,
                "executedAt": trade.executed_at and format_instant(trade.executed_at),
            },
        )
    give_back(tx, trade)
    trades.advance(tx.connection, trade, TradeStatus.CANCELLED, updated=tx.now, cancelled_at=tx.now)
    accounts.record_activity(tx, account, "trade.cancelled")
    announce(tx, trade, TradeStatus.CANCELLED)
    return shown(tx, trade)


def give_back(tx: UnitOfWork, trade: Record) -> None:
    """Return exactly what execution held."""
    parts = trades.hold_parts(trade.hold)
    ledger.post(tx, (release(trade.trading_account_id, trade.id, parts),))


def announce(tx: UnitOfWork, trade: Record, status: TradeStatus) -> None:
    tx.event(
        f"trade.{status}", trade.id, tradingAccountId=trade.trading_account_id, status=status.value
    )


def shown(tx: UnitOfWork, trade: Record) -> Trade:
    stored = trades.find(tx.connection, trade.trading_account_id, trade.id)
    return trades.to_model(reading.require_found(stored, RESOURCE, trade.id))


def show(connection: Connection, organisation_id: str, account_id: str, trade_id: str) -> Trade:
    account = accounts.find(connection, organisation_id, account_id)
    reading.checked_id(RESOURCE, trade_id)
    found = reading.require_found(trades.find(connection, account.id, trade_id), RESOURCE, trade_id)
    return trades.to_model(found)


def page(
    connection: Connection, organisation_id: str, account_id: str, query: ListQuery
) -> Page[Trade]:
    checked = reading.checked_query(query)
    account = accounts.find(connection, organisation_id, account_id)
    found, total = trades.page(connection, account.id, checked, account.trade_count)
    return reading.page(found, total, checked)


def page_of_all(connection: Connection, organisation_id: str, query: ListQuery) -> Page[Trade]:
    checked = reading.checked_query(query)
    found, total = trades.page_of_all(connection, organisation_id, checked)
    return reading.page(found, total, checked)

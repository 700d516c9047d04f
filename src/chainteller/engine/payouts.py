"""Due work on withdrawals: the review, the sending, the confirmation; and what may go wrong."""

from chainteller.domain.assets import ASSETS_BY_KEY
from chainteller.domain.ledger import (
    bank_withdrawal_returned,
    bank_withdrawal_sent,
    release,
    wallet_withdrawal_confirmed,
    wallet_withdrawal_failed,
    wallet_withdrawal_sent,
)
from chainteller.domain.money import Amount
from chainteller.domain.transfers import TransferStatus
from chainteller.engine import accounts, ledger
from chainteller.engine.deposits import credit_bank_account
from chainteller.engine.unit_of_work import UnitOfWork
from chainteller.engine.withdrawals import COMPLETE, SEND, announce
from chainteller.storage import trades, transfers
from chainteller.storage.database import Record


def _locked(tx: UnitOfWork, withdrawal_id: str, *statuses: TransferStatus) -> Record | None:
    """The withdrawal if it is in one of the statuses, locked after its account."""
    seen = transfers.find_any(tx.connection, withdrawal_id)
    if seen is None:
        return None
    accounts.locked_by_id(tx, seen.trading_account_id)
    row = transfers.find_any(tx.connection, withdrawal_id, lock=True)
    return row if row is not None and row.status in statuses else None


def _move(tx: UnitOfWork, row: Record, status: TransferStatus, **values: object) -> None:
    transfers.advance(tx.connection, row, status, updated=tx.now, **values)
    announce(tx, row.trading_account_id, row.id, status)
    tx.audit(f"withdrawal.{status}", row.id)


def pass_review(tx: UnitOfWork, withdrawal_id: str) -> None:
    row = _locked(tx, withdrawal_id, TransferStatus.REVIEWING)
    if row is not None:
        _move(tx, row, TransferStatus.PROCESSING)
        tx.schedule(SEND, row.id, tx.after(tx.context.options.withdrawal_delay_s))


def reject(tx: UnitOfWork, withdrawal_id: str, code: str, message: str) -> None:
    """The review ends against the withdrawal; what was held is given back."""
    row = _locked(tx, withdrawal_id, TransferStatus.REVIEWING)
    if row is not None:
        _release(tx, row)
        _move(tx, row, TransferStatus.REJECTED, failure_code=code, failure_message=message)


def send(tx: UnitOfWork, withdrawal_id: str) -> None:
    """``processing`` to ``sent``: the money has left the trading account."""
    row = _locked(tx, withdrawal_id, TransferStatus.PROCESSING)
    if row is None:
        return
    if row.counterparty_id is None:
        parts = trades.hold_parts(row.hold)
        journal = bank_withdrawal_sent(row.trading_account_id, row.id, parts)
        transaction_hash = None
    else:
        journal = wallet_withdrawal_sent(row.trading_account_id, row.id, _amount(row), row.fee)
        transaction_hash = "0x" + tx.context.randomness.bytes(32).hex()
    ledger.post(tx, (journal,))
    _move(tx, row, TransferStatus.SENT, network_tx_hash=transaction_hash)
    tx.schedule(COMPLETE, row.id, tx.after(tx.context.options.withdrawal_delay_s))


def complete(tx: UnitOfWork, withdrawal_id: str) -> None:
    """``sent`` to ``completed``: the bank credited it, or the chain confirmed it."""
    row = _locked(tx, withdrawal_id, TransferStatus.SENT)
    if row is None:
        return
    if row.counterparty_id is None:
        credit_bank_account(tx, row.bank_account_id, row.notional_cents)
    else:
        ledger.post(tx, (wallet_withdrawal_confirmed(row.id, _amount(row)),))
    _move(tx, row, TransferStatus.COMPLETED, completed_at=tx.now)


def fail(tx: UnitOfWork, withdrawal_id: str, code: str, message: str) -> None:
    """The bank or the chain refuses: before sending the hold is released, after it reversed."""
    row = _locked(tx, withdrawal_id, TransferStatus.PROCESSING, TransferStatus.SENT)
    if row is None:
        return
    if row.status == TransferStatus.PROCESSING:
        _release(tx, row)
    elif row.counterparty_id is None:
        parts = trades.hold_parts(row.hold)
        ledger.post(tx, (bank_withdrawal_returned(row.trading_account_id, row.id, parts),))
    else:
        ledger.post(tx, (wallet_withdrawal_failed(row.trading_account_id, row.id, _amount(row)),))
    _move(tx, row, TransferStatus.FAILED, failure_code=code, failure_message=message)


def bounce(tx: UnitOfWork, withdrawal_id: str, reason: str) -> None:
    """``completed`` to ``returned``: the bank sends a payment back.

    The core takes its credit back even where the customer has spent it: it is the bank's own
    book, so the bank account may be overdrawn, while no sub-balance of a trading account may.
    """
    row = _locked(tx, withdrawal_id, TransferStatus.COMPLETED)
    if row is None or row.counterparty_id is not None:
        return
    bank_account_debit = -row.notional_cents
    credit_bank_account(tx, row.bank_account_id, bank_account_debit)
    parts = trades.hold_parts(row.hold)
    ledger.post(tx, (bank_withdrawal_returned(row.trading_account_id, row.id, parts),))
    _move(tx, row, TransferStatus.RETURNED, failure_code="RETURNED", failure_message=reason)


def _release(tx: UnitOfWork, row: Record) -> None:
    parts = trades.hold_parts(row.hold)
    ledger.post(tx, (release(row.trading_account_id, row.id, parts),))


def _amount(row: Record) -> Amount:
    return Amount(row.amount, ASSETS_BY_KEY[row.asset])

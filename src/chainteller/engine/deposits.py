"""Deposits: money of the customer's bank account becomes a token in the trading account."""

from chainteller.domain.assets import ASSETS_BY_KEY, USD
from chainteller.domain.ids import Prefix
from chainteller.domain.ledger import deposit_completed, deposit_returned
from chainteller.domain.money import Amount, format_cents, whole_cents
from chainteller.domain.preconditions import Act, Control
from chainteller.domain.transfers import Direction, TransferStatus
from chainteller.engine import accounts, currencies, ledger, pegs, preconditions, reading
from chainteller.engine.currencies import Resolved
from chainteller.engine.unit_of_work import UnitOfWork
from chainteller.service.errors import InsufficientFunds
from chainteller.service.models.funding import DepositRequest, Transfer
from chainteller.storage import accounts as account_rows
from chainteller.storage import transfers
from chainteller.storage.database import Record

RESOURCE = "deposit"
COMPLETE = "deposit.complete"


def request_deposit(tx: UnitOfWork, account_id: str, request: DepositRequest) -> Transfer:
    """The core bank is debited at once; the token arrives after the core bank's delay."""
    currency = currencies.resolve(request.currency, crypto=False)
    amount = reading.amount(request.amount, currency.asset, max_decimals=USD.decimals)
    cents = whole_cents(amount.atoms, currency.asset)
    account = accounts.locked(tx, account_id)
    preconditions.require_allowed(account, Act.DEPOSIT)
    pegs.require_par(tx, currency.asset)
    _debit_bank_account(tx, account.bank_account_id, cents)
    counters = accounts.record_activity(
        tx, account, "deposit", "deposit_count", "transaction_count"
    )
    row = _row(tx, account, currency, amount, cents) | {
        "ordinal": counters["deposit_count"],
        "transaction_ordinal": counters["transaction_count"],
    }
    deposit_id = str(row["id"])
    transfers.insert_transfer(tx.connection, row)
    tx.audited_object = deposit_id
    announce(tx, account.id, deposit_id, TransferStatus.PROCESSING)
    if tx.context.options.deposit_delay_s > 0:
        tx.schedule(COMPLETE, deposit_id, tx.after(tx.context.options.deposit_delay_s))
    else:
        _complete(tx, _stored(tx, deposit_id))
    return transfers.to_model(_stored(tx, deposit_id))


def _stored(tx: UnitOfWork, deposit_id: str) -> Record:
    return reading.require_found(
        transfers.find_any(tx.connection, deposit_id), RESOURCE, deposit_id
    )


def _locked(tx: UnitOfWork, deposit_id: str, status: TransferStatus) -> Record | None:
    """The deposit if it is still in this status, locked after its account."""
    seen = transfers.find_any(tx.connection, deposit_id)
    if seen is None:
        return None
    accounts.locked_by_id(tx, seen.trading_account_id)
    row = transfers.find_any(tx.connection, deposit_id, lock=True)
    return row if row is not None and row.status == status else None


def _debit_bank_account(tx: UnitOfWork, bank_account_id: str, cents: int) -> None:
    balance = _locked_bank_balance(tx, bank_account_id)
    if balance < cents:
        available = format_cents(max(0, balance))
        raise InsufficientFunds(available, format_cents(cents), USD.symbol)
    account_rows.set_bank_balance(
        tx.connection, tx.organisation_id, bank_account_id, balance - cents
    )


def credit_bank_account(tx: UnitOfWork, bank_account_id: str, cents: int) -> None:
    balance = _locked_bank_balance(tx, bank_account_id)
    account_rows.set_bank_balance(
        tx.connection, tx.organisation_id, bank_account_id, balance + cents
    )


def _locked_bank_balance(tx: UnitOfWork, bank_account_id: str) -> int:
    """Cents at the core bank; nobody else changes them until this transaction ends."""
    row = account_rows.find_bank_account(
        tx.connection, tx.organisation_id, bank_account_id, lock=True
    )
    return int(reading.require_found(row, "bank account", bank_account_id).balance)


def _row(
    tx: UnitOfWork, account: Record, currency: Resolved, amount: Amount, cents: int
) -> dict[str, object]:
    return {
        "id": tx.new_id(Prefix.TRANSACTION),
        "organisation_id": tx.organisation_id,
        "trading_account_id": account.id,
        "direction": Direction.DEPOSIT.value,
        "status": TransferStatus.PROCESSING.value,
        "amount": amount.atoms,
        "asset": amount.asset.key,
        "currency_type": currency.type,
        "currency_id": currency.id,
        "bank_account_id": account.bank_account_id,
        "fee": 0,
        "notional_cents": cents,
        "hold": "[]",
        "created": tx.now,
        "updated": tx.now,
        "version": 1,
    }


def announce(tx: UnitOfWork, account_id: str, deposit_id: str, status: TransferStatus) -> None:
    tx.event(f"deposit.{status}", deposit_id, tradingAccountId=account_id, status=status.value)


def complete(tx: UnitOfWork, deposit_id: str) -> None:
    """Due work: ``processing`` to ``completed``."""
    deposit = _locked(tx, deposit_id, TransferStatus.PROCESSING)
    if deposit is None:
        return
    _complete(tx, deposit)
    tx.audit("deposit.complete", deposit_id)


def _complete(tx: UnitOfWork, deposit: Record) -> None:
    token, account_id = ASSETS_BY_KEY[deposit.asset], deposit.trading_account_id
    ledger.lock_balances(tx, account_id)
    ledger.post(tx, (deposit_completed(account_id, deposit.id, token, deposit.notional_cents),))
    transfers.advance(
        tx.connection, deposit, TransferStatus.COMPLETED, updated=tx.now, completed_at=tx.now
    )
    announce(tx, account_id, deposit.id, TransferStatus.COMPLETED)


def fail(tx: UnitOfWork, deposit_id: str, code: str, message: str) -> None:
    """The core bank refuses a deposit under way: the bank account is credited again."""
    deposit = _locked(tx, deposit_id, TransferStatus.PROCESSING)
    if deposit is None:
        return
    credit_bank_account(tx, deposit.bank_account_id, deposit.notional_cents)
    transfers.advance(
        tx.connection,
        deposit,
        TransferStatus.FAILED,
        updated=tx.now,
        failure_code=code,
        failure_message=message,
    )
    announce(tx, deposit.trading_account_id, deposit.id, TransferStatus.FAILED)
    tx.audit("deposit.fail", deposit.id, {"code": code})


def claw_back(tx: UnitOfWork, deposit_id: str, reason: str) -> None:
    """The core bank takes a deposit back; what is gone is owed, and the account is frozen."""
    deposit = _locked(tx, deposit_id, TransferStatus.COMPLETED)
    if deposit is None:
        return
    account_id = deposit.trading_account_id
    token, cents = ASSETS_BY_KEY[deposit.asset], deposit.notional_cents
    available = ledger.lock_balances(tx, account_id)
    recoverable = min(cents, whole_cents(available[token], token))
    ledger.post(tx, (deposit_returned(account_id, deposit.id, token, cents, recoverable),))
    credit_bank_account(tx, deposit.bank_account_id, cents)
    transfers.advance(
        tx.connection,
        deposit,
        TransferStatus.RETURNED,
        updated=tx.now,
        failure_code="RETURNED",
        failure_message=reason,
    )
    account_rows.set_control(tx.connection, account_id, Control.FROZEN, "DEPOSIT_RETURNED")
    announce(tx, account_id, deposit.id, TransferStatus.RETURNED)
    tx.event("account.control_changed", account_id, control=Control.FROZEN.value)
    tx.audit("deposit.return", deposit.id, {"reason": reason})

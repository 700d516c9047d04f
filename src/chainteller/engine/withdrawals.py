"""Withdrawals: to the customer's bank account or to a counterparty's wallet."""

from dataclasses import dataclass

from chainteller.domain.assets import CASH_EQUIVALENTS, MARKETS, USD
from chainteller.domain.clock import format_instant
from chainteller.domain.ids import Prefix
from chainteller.domain.ledger import draw, hold, release
from chainteller.domain.limits import DestinationClass, Spent
from chainteller.domain.money import Amount, atoms_of_cents, ceil_div
from chainteller.domain.preconditions import Act
from chainteller.domain.quoting import MICROS_PER_CENT
from chainteller.domain.transfers import HOLDING, Direction, TransferStatus
from chainteller.engine import (
    accounts,
    currencies,
    destinations,
    ledger,
    limits,
    markets,
    pegs,
    preconditions,
    reading,
)
from chainteller.engine.currencies import Resolved
from chainteller.engine.destinations import Target
from chainteller.engine.unit_of_work import UnitOfWork
from chainteller.service.errors import WithdrawalNotCancellable
from chainteller.service.models.funding import Transfer, WithdrawalRequest
from chainteller.storage import trades, transfers
from chainteller.storage.database import Record

RESOURCE = "withdrawal"
REVIEW = "withdrawal.review"
SEND = "withdrawal.send"
COMPLETE = "withdrawal.complete"


@dataclass(frozen=True, slots=True)
class _Order:
    """A withdrawal as it was understood: what, worth how much, to where."""

    amount: Amount
    currency: Resolved
    notional_cents: int
    target: Target


def request_withdrawal(tx: UnitOfWork, account_id: str, request: WithdrawalRequest) -> Transfer:
    """Funds are held at once; an unverified wallet's withdrawal waits for a review."""
    to_wallet = request.destination is not None and request.destination.type == "counterparty"
    currency = currencies.resolve(request.currency, crypto=to_wallet)
    amount = reading.amount(
        request.amount, currency.asset, max_decimals=None if to_wallet else USD.decimals
    )
    account = accounts.locked(tx, account_id)
    target = destinations.resolve(tx, account, request.destination, currency.asset)
    preconditions.require_allowed(account, Act.WITHDRAW)
    destinations.require_reachable(target, tx.now)
    order = _Order(amount, currency, _notional_cents(tx, amount), target)
    limits.require_within(
        tx, account.id, Spent(target.destination_class, order.notional_cents, tx.now)
    )
    held = _funds(tx, account.id, order)
    return _place(tx, account, order, held)


def _notional_cents(tx: UnitOfWork, amount: Amount) -> int:
    """What the amount is worth in USD at request; a fraction of a cent counts as one."""
    if amount.asset in CASH_EQUIVALENTS:
        return ceil_div(amount.atoms, atoms_of_cents(1, amount.asset))
    market = next(each for each in MARKETS if each.base == amount.asset)
    point = markets.require_open(tx.context, tx.connection, market, tx.now)
    scale = 10**amount.asset.decimals * MICROS_PER_CENT
    return ceil_div(amount.atoms * point.mid_micros, scale)


def _funds(tx: UnitOfWork, account_id: str, order: _Order) -> tuple[Amount, ...]:
    """What is to be held. To the bank any cash equivalent pays, the named one first."""
    available = ledger.lock_balances(tx, account_id)
    if order.target.counterparty_id is not None:
        ledger.require_available(available, order.amount)
        return (order.amount,)
    named = order.amount.asset
    pegs.require_par(tx, named)
    available = pegs.spendable(tx, available, order.notional_cents, f"{named.symbol.lower()}-usd")
    ledger.require_buying_power(available, order.notional_cents)
    sequence = (named, *(asset for asset in CASH_EQUIVALENTS if asset != named))
    parts = draw(available, order.notional_cents, sequence)
    if parts is None:
        raise AssertionError("buying power that cannot be drawn")
    return parts


def _place(tx: UnitOfWork, account: Record, order: _Order, held: tuple[Amount, ...]) -> Transfer:
    counters = accounts.record_activity(
        tx, account, "withdrawal", "withdrawal_count", "transaction_count"
    )
    reviewed = order.target.destination_class is DestinationClass.UNVERIFIED
    status = TransferStatus.REVIEWING if reviewed else TransferStatus.PROCESSING
    row = _row(tx, account, order, held, status) | {
        "ordinal": counters["withdrawal_count"],
        "transaction_ordinal": counters["transaction_count"],
    }
    withdrawal_id = str(row["id"])
    transfers.insert_transfer(tx.connection, row)
    ledger.post(tx, (hold(account.id, withdrawal_id, held),))
    options = tx.context.options
    if reviewed:
        tx.schedule(REVIEW, withdrawal_id, tx.after(options.review_delay_s))
    else:
        tx.schedule(SEND, withdrawal_id, tx.after(options.withdrawal_delay_s))
    tx.audited_object = withdrawal_id
    announce(tx, account.id, withdrawal_id, status)
    stored = transfers.find(tx.connection, account.id, withdrawal_id, Direction.WITHDRAWAL)
    return transfers.to_model(reading.require_found(stored, RESOURCE, withdrawal_id))


def _row(
    tx: UnitOfWork,
    account: Record,
    order: _Order,
    held: tuple[Amount, ...],
    status: TransferStatus,
) -> dict[str, object]:
    reviewed = status is TransferStatus.REVIEWING
    return {
        "id": tx.new_id(Prefix.TRANSACTION),
        "organisation_id": tx.organisation_id,
        "trading_account_id": account.id,
        "direction": Direction.WITHDRAWAL.value,
        "status": status.value,
        "amount": order.amount.atoms,
        "asset": order.amount.asset.key,
        "currency_type": order.currency.type,
        "currency_id": order.currency.id,
        "bank_account_id": account.bank_account_id,
        "destination_class": order.target.destination_class.value,
        "counterparty_id": order.target.counterparty_id,
        "blockchain_account_id": order.target.blockchain_account_id,
        "address": order.target.address,
        "fee": 0,
        "notional_cents": order.notional_cents,
        "hold": trades.hold_text(held),
        "created": tx.now,
        "updated": tx.now,
        "review_reason": "UNVERIFIED_DESTINATION" if reviewed else None,
        "review_eta": tx.after(tx.context.options.review_delay_s) if reviewed else None,
        "version": 1,
    }


def announce(tx: UnitOfWork, account_id: str, withdrawal_id: str, status: TransferStatus) -> None:
    tx.event(
        f"withdrawal.{status}", withdrawal_id, tradingAccountId=account_id, status=status.value
    )


def cancel(tx: UnitOfWork, account_id: str, withdrawal_id: str) -> Transfer:
    reading.checked_id(RESOURCE, withdrawal_id)
    account = accounts.locked(tx, account_id)
    row = reading.require_found(
        transfers.find(tx.connection, account.id, withdrawal_id, Direction.WITHDRAWAL, lock=True),
        RESOURCE,
        withdrawal_id,
    )
    tx.audited_object, tx.created = row.id, False
    if row.status == TransferStatus.CANCELLED:
        return transfers.to_model(row)
    if row.status not in HOLDING:
        executed = row.completed_at and format_instant(row.completed_at)
        raise WithdrawalNotCancellable(
            f"The withdrawal is {row.status} and can no longer be cancelled.",
            {"withdrawalId": row.id, "status": row.status, "executedAt": executed},
        )
    ledger.post(tx, (release(account.id, row.id, trades.hold_parts(row.hold)),))
    transfers.advance(tx.connection, row, TransferStatus.CANCELLED, updated=tx.now)
    accounts.record_activity(tx, account, "withdrawal.cancelled")
    announce(tx, account.id, row.id, TransferStatus.CANCELLED)
    stored = transfers.find(tx.connection, account.id, row.id, Direction.WITHDRAWAL)
    return transfers.to_model(reading.require_found(stored, RESOURCE, row.id))

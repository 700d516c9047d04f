"""Deposits and withdrawals of the sample world, in the shape in which the engine writes them."""

from chainteller.domain.actors import WORKER
from chainteller.domain.assets import ASSETS_BY_KEY, CASH_EQUIVALENTS, DEPOSIT_TOKENS, Asset
from chainteller.domain.ids import Prefix
from chainteller.domain.ledger import (
    bank_withdrawal_returned,
    bank_withdrawal_sent,
    deposit_completed,
    deposit_returned,
    draw,
    hold,
    release,
)
from chainteller.domain.limits import DestinationClass
from chainteller.domain.money import Amount, atoms_of_cents, whole_cents
from chainteller.domain.preconditions import Control
from chainteller.domain.transfers import Direction, TransferStatus
from chainteller.engine.samples.books import Row
from chainteller.engine.samples.world import Account, World
from chainteller.storage.trades import hold_parts, hold_text

_BANK_REFUSED = {
    "failure_code": "BANK_REFUSED",
    "failure_message": "The bank's core system refused the payment.",
}
_RETURNED = {"failure_code": "RETURNED", "failure_message": "Returned by the bank."}
_OPERATIONS = {Direction.DEPOSIT: "deposit", Direction.WITHDRAWAL: "withdraw"}
_TOKEN_IDS = {asset: token_id for token_id, asset in DEPOSIT_TOKENS.items()}


def deposit(world: World, account: Account, token: Asset, cents: int, at: int) -> Row:
    """A deposit in ``processing``: the bank account is debited, the token not there yet."""
    account.bank["balance"] -= cents
    return _add(world, account, Direction.DEPOSIT, token, cents, at)


def complete_deposit(world: World, account: Account, row: Row, at: int) -> None:
    token, cents = ASSETS_BY_KEY[row["asset"]], row["notional_cents"]
    world.books.post(deposit_completed(account.id, row["id"], token, cents), at)
    _advance(world, row, TransferStatus.COMPLETED, at, completed_at=at)


def fail_deposit(world: World, account: Account, row: Row, at: int) -> None:
    """The core bank refuses it; the bank account is credited again."""
    account.bank["balance"] += row["notional_cents"]
    _advance(world, row, TransferStatus.FAILED, at, **_BANK_REFUSED)
    world.audit(
        at, "deposit.fail", row["id"], {"code": "BANK_REFUSED"}, WORKER.name, account=account.id
    )


def return_deposit(world: World, account: Account, row: Row, at: int) -> None:
    """The core bank claws it back; what is gone is owed, and the account is frozen."""
    token, cents = ASSETS_BY_KEY[row["asset"]], row["notional_cents"]
    recoverable = min(cents, whole_cents(world.available(account).get(token, 0), token))
    world.books.post(deposit_returned(account.id, row["id"], token, cents, recoverable), at)
    account.bank["balance"] += cents
    _advance(world, row, TransferStatus.RETURNED, at, **_RETURNED)
    account.row.update(
        control=Control.FROZEN.value,
        control_reason="DEPOSIT_RETURNED",
        version=account.row["version"] + 1,
    )
    world.event(at, "account.control_changed", account.id, {"control": Control.FROZEN.value})
    reason = {"reason": _RETURNED["failure_message"]}
    world.audit(at, "deposit.return", row["id"], reason, WORKER.name, account=account.id)


def withdraw(world: World, account: Account, token: Asset, cents: int, at: int) -> Row | None:
    """A withdrawal to the bank in ``processing``, or None where the buying power is not enough.

    Any cash equivalent pays, the named one first.
    """
    order = (token, *(asset for asset in CASH_EQUIVALENTS if asset != token))
    parts = draw(world.available(account), cents, order)
    if parts is None:
        return None
    row = _add(world, account, Direction.WITHDRAWAL, token, cents, at)
    row["hold"] = hold_text(parts)
    world.books.post(hold(account.id, row["id"], parts), at)
    return row


def send(world: World, account: Account, row: Row, at: int) -> None:
    world.books.post(bank_withdrawal_sent(account.id, row["id"], hold_parts(row["hold"])), at)
    _move(world, row, TransferStatus.SENT, at)


def complete_withdrawal(world: World, account: Account, row: Row, at: int) -> None:
    account.bank["balance"] += row["notional_cents"]
    _move(world, row, TransferStatus.COMPLETED, at, completed_at=at)


def cancel_withdrawal(world: World, account: Account, row: Row, at: int) -> None:
    """By an agent, while the funds are held."""
    world.books.post(release(account.id, row["id"], hold_parts(row["hold"])), at)
    _advance(world, row, TransferStatus.CANCELLED, at)
    account.active(at, "withdrawal.cancelled")
    world.audit(at, "cancel_withdrawal", row["id"], account=account.id)


def fail_withdrawal(world: World, account: Account, row: Row, at: int) -> None:
    """The bank refuses it before anything was sent."""
    world.books.post(release(account.id, row["id"], hold_parts(row["hold"])), at)
    _move(world, row, TransferStatus.FAILED, at, **_BANK_REFUSED)


def return_withdrawal(world: World, account: Account, row: Row, at: int) -> None:
    """The bank bounces a completed withdrawal."""
    parts = hold_parts(row["hold"])
    account.bank["balance"] -= row["notional_cents"]
    world.books.post(bank_withdrawal_returned(account.id, row["id"], parts), at)
    _move(world, row, TransferStatus.RETURNED, at, **_RETURNED)


def _move(world: World, row: Row, status: TransferStatus, at: int, **values: object) -> None:
    """A withdrawal's next status, by the worker."""
    _advance(world, row, status, at, **values)
    world.audit(
        at, f"withdrawal.{status}", row["id"], actor=WORKER.name, account=row["trading_account_id"]
    )


def _add(
    world: World, account: Account, direction: Direction, token: Asset, cents: int, at: int
) -> Row:
    deposits = direction is Direction.DEPOSIT
    token_id = _TOKEN_IDS.get(token)
    counter = "deposit_count" if deposits else "withdrawal_count"
    account.active(at, direction.value, counter, "transaction_count")
    row = world.books.add(
        "transfer",
        {
            "id": world.new_id(Prefix.TRANSACTION),
            "organisation_id": world.organisation_id,
            "trading_account_id": account.id,
            "direction": direction.value,
            "ordinal": account.row[counter],
            "transaction_ordinal": account.row["transaction_count"],
            "status": TransferStatus.PROCESSING.value,
            "amount": atoms_of_cents(cents, token),
            "asset": token.key,
            "currency_type": "deposit-token-currency" if token_id else "stablecoin-currency",
            "currency_id": token_id,
            "bank_account_id": account.bank["id"],
            "destination_class": None if deposits else DestinationClass.OWN_BANK.value,
            "counterparty_id": None,
            "blockchain_account_id": None,
            "address": None,
            "fee": 0,
            "notional_cents": cents,
            "hold": "[]",
            "created": at,
            "updated": at,
            "completed_at": None,
            "failure_code": None,
            "failure_message": None,
            "review_reason": None,
            "review_eta": None,
            "network_tx_hash": None,
            "version": 1,
        },
    )
    world.audit(at, _OPERATIONS[direction], row["id"], _inputs(row), account=account.id)
    _tell(world, row, at)
    return row


def _inputs(row: Row) -> dict[str, object]:
    asset, currency = ASSETS_BY_KEY[row["asset"]], {"type": row["currency_type"]}
    if row["currency_id"]:
        currency["id"] = row["currency_id"]
    else:
        currency |= {"symbol": asset.symbol, "network": asset.network}
    return {"amount": str(Amount(row["amount"], asset)), "currency": currency}


def _advance(world: World, row: Row, status: TransferStatus, at: int, **values: object) -> None:
    row.update(values, status=status.value, updated=at, version=row["version"] + 1)
    _tell(world, row, at)


def _tell(world: World, row: Row, at: int) -> None:
    data = {"tradingAccountId": row["trading_account_id"], "status": row["status"]}
    world.event(at, f"{row['direction']}.{row['status']}", row["id"], data)

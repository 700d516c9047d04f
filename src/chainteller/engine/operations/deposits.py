"""Deposits: money of the customer's bank account becomes a token in the trading account."""

from dataclasses import dataclass

from chainteller.domain.assets import ASSETS_BY_KEY, USD, Asset
from chainteller.domain.ids import plausible
from chainteller.domain.ledger import deposit_completed, deposit_returned
from chainteller.domain.money import Amount, format_cents, whole_cents
from chainteller.domain.outside import Step
from chainteller.domain.preconditions import Act, Control
from chainteller.domain.transfers import Direction, TransferStatus
from chainteller.engine.core import ledger, outcome, preconditions
from chainteller.engine.core.outcome import AuditEntry, Insert, Job, Moment, Outcome
from chainteller.engine.core.table import writes
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.engine.operations import (
    accounts,
    controls,
    core_bank,
    currencies,
    stablecoin_prices,
    transfers,
)
from chainteller.engine.operations.currencies import Resolved
from chainteller.engine.operations.logged_rows import require_as_logged
from chainteller.service import operations
from chainteller.service.amounts import read_amount
from chainteller.service.errors import InsufficientFunds
from chainteller.service.models.funding import DepositRequest, Transfer
from chainteller.storage.db.query import Record
from chainteller.storage.db.records import Tables
from chainteller.storage.log import ledger as ledger_rows
from chainteller.storage.log.last_writes import Kept
from chainteller.storage.queries import decisions, provider_requests
from chainteller.storage.queries import transfers as transfer_rows

COMPLETE = "deposit.complete"


@dataclass(frozen=True, slots=True)
class Order:
    """A deposit request, parsed."""

    currency: Resolved
    amount: Amount

    @property
    def cents(self) -> int:
        return whole_cents(self.amount.atoms, self.currency.asset)


@writes(operations.DEPOSIT, core_bank.before_deposit)
def request_deposit(
    tx: UnitOfWork, account_id: str, request: DepositRequest, _told: None
) -> Transfer:
    """The bank account is debited at once; the token arrives after the core bank's delay, or once a
    connected core bank has carried out its debit."""
    order = read_order(request)
    if plausible(account_id):
        tx.connection.ahead(ledger_rows.of_account, account_id, lock=True)
        tx.connection.ahead(provider_requests.was_asked, tx.organisation_id, (Step.DEBIT,))
        tx.time_ahead()
    account = accounts.locked(tx, account_id)
    bank_account = accounts.locked_bank_account(tx, account.bank_account_id)
    off_par = stablecoin_prices.suspended(tx.context, tx.now)
    moment = outcome.moment(tx)
    waits = tx.context.ports.core_bank is not None or provider_requests.was_asked(
        tx.connection, tx.organisation_id, (Step.DEBIT,)
    )
    decided = decide_deposit(order, account, bank_account, off_par, moment, waits=waits)
    ledger.lock_balances(tx, account.id)
    outcome.apply(tx, decided)
    deposit = decided.record(Tables.transfer)
    if not decided.jobs:
        completed = decide_completion(deposit, ledger.owed_cents(tx, account.id), moment.now)
        outcome.apply(tx, completed)
        deposit = completed.record(Tables.transfer, deposit)
    return transfer_rows.to_model(deposit)


def read_order(request: DepositRequest) -> Order:
    """Raises ValidationFailed, ExceedsPrecision, UnsupportedCurrency, UnsupportedNetwork."""
    currency = currencies.resolve(request.currency, crypto=False)
    amount = read_amount(request.amount, currency.asset, max_decimals=USD.decimals)
    return Order(currency, amount)


def decide_deposit(
    order: Order,
    account: Record,
    bank_account: Record,
    off_par: frozenset[Asset],
    moment: Moment,
    *,
    waits: bool = False,
) -> Outcome:
    """A deposit in ``processing``. Its completion is scheduled where the core bank takes its time,
    or is asked first (``waits``); without a job it completes now, by ``decide_completion``.

    Raises:
        AccountRestricted, TermsNotAccepted, KycRequired, MarketUnavailable, InsufficientFunds.
    """
    preconditions.require_allowed(account, Act.DEPOSIT)
    stablecoin_prices.require_par(order.currency.asset, off_par, moment.now)
    cents, balance = order.cents, int(bank_account.balance)
    if balance < cents:
        available = format_cents(max(0, balance))
        raise InsufficientFunds.at_bank(available, format_cents(cents), USD.symbol)
    activity = accounts.activity(
        account, "deposit", moment.now, "deposit_count", "transaction_count"
    )
    row = {
        **transfers.new_row(Direction.DEPOSIT, account, activity, order.currency, moment),
        "amount": order.amount.atoms,
        "notional_cents": cents,
    }
    delay_s = moment.options.deposit_delay_s
    return Outcome(
        row["id"],
        rows=(
            accounts.credit(bank_account, -cents),
            activity,
            Insert(Tables.transfer, (row,)),
        ),
        events=(transfers.event(Direction.DEPOSIT, row["id"], account.id, row["status"]),),
        jobs=(Job(COMPLETE, row["id"], moment.after(delay_s)),) if waits or delay_s > 0 else (),
    )


def complete(tx: UnitOfWork, deposit_id: str) -> None:
    """Due work: ``processing`` to ``completed``. Raises Altered."""
    deposit = transfers.locked(tx, deposit_id, TransferStatus.PROCESSING)
    if deposit is None or deposit.direction != Direction.DEPOSIT:
        return
    kept = (Kept(Tables.transfer, deposit.id),)
    require_as_logged(tx, kept, deposit.trading_account_id)
    ledger.lock_balances(tx, deposit.trading_account_id)
    audit = (AuditEntry("deposit.complete", deposit.id),)
    owed = ledger.owed_cents(tx, deposit.trading_account_id)
    outcome.apply(tx, decide_completion(deposit, owed, tx.now)._replace(audit=audit))


def decide_completion(deposit: Record, owed_cents: int, now: int) -> Outcome:
    """The money is there. It repays what the customer owes first, the rest can be used."""
    token, account_id = ASSETS_BY_KEY[deposit.asset], deposit.trading_account_id
    update, event = transfers.advance(deposit, TransferStatus.COMPLETED, now, completed_at=now)
    return Outcome(
        deposit.id,
        rows=(update,),
        journals=(
            deposit_completed(account_id, deposit.id, token, deposit.notional_cents, owed_cents),
        ),
        events=(event,),
    )


def fail(tx: UnitOfWork, deposit_id: str, code: str, message: str) -> None:
    """The core bank refuses a deposit under way: the bank account is credited again."""
    deposit = transfers.locked(tx, deposit_id, TransferStatus.PROCESSING)
    if deposit is None:
        return
    bank_account = accounts.locked_bank_account(tx, deposit.bank_account_id)
    outcome.apply(tx, decide_failure(deposit, bank_account, code, message, tx.now))


def decide_failure(
    deposit: Record, bank_account: Record, code: str, message: str, now: int
) -> Outcome:
    update, event = transfers.advance(
        deposit, TransferStatus.FAILED, now, failure_code=code, failure_message=message
    )
    return Outcome(
        deposit.id,
        rows=(accounts.credit(bank_account, deposit.notional_cents), update),
        events=(event,),
        audit=(AuditEntry("deposit.fail", deposit.id, {"code": code}),),
    )


def claw_back(tx: UnitOfWork, deposit_id: str, reason: str) -> None:
    """The core bank takes a deposit back; what is gone is owed, and the account is frozen."""
    deposit = transfers.locked(tx, deposit_id, TransferStatus.COMPLETED)
    if deposit is None:
        return
    account = accounts.locked_by_id(tx, deposit.trading_account_id)
    available = ledger.lock_balances(tx, account.id)
    bank_account = accounts.locked_bank_account(tx, deposit.bank_account_id)
    standing = decisions.find_open(tx.connection, tx.organisation_id, account.id, lock=True)
    returned = decide_return(deposit, account, bank_account, available, reason, tx.now)
    frozen = decide_freeze(account, standing, tx.name, outcome.moment(tx))
    outcome.apply(tx, returned.joined(frozen))


def decide_return(
    deposit: Record,
    account: Record,
    bank_account: Record,
    available: dict[Asset, int],
    reason: str,
    now: int,
) -> Outcome:
    token, cents = ASSETS_BY_KEY[deposit.asset], deposit.notional_cents
    recoverable = min(cents, whole_cents(available.get(token, 0), token))
    update, event = transfers.advance(
        deposit, TransferStatus.RETURNED, now, failure_code="RETURNED", failure_message=reason
    )
    return Outcome(
        deposit.id,
        rows=(accounts.credit(bank_account, cents), update),
        journals=(deposit_returned(account.id, deposit.id, token, cents, recoverable),),
        events=(event,),
        audit=(AuditEntry("deposit.return", deposit.id, {"reason": reason}),),
    )


def decide_freeze(account: Record, standing: Record | None, by: str, moment: Moment) -> Outcome:
    """The account is frozen until a person lifts that; ``standing`` is the control's decision that
    it replaces. A closed account stays closed."""
    if account.control == Control.CLOSED:
        return Outcome(account.id)
    return controls.decide(account, standing, Control.FROZEN, "DEPOSIT_RETURNED", by, moment)

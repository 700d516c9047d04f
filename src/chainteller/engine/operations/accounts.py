"""Trading accounts: open, show and find them; the customers and balances behind them."""

from collections.abc import Sequence
from dataclasses import dataclass

from chainteller.domain.actors import Actor
from chainteller.domain.assets import ASSETS, Asset
from chainteller.domain.clock import MINUTE
from chainteller.domain.customer_lines import BANK_ACCOUNT_TYPES
from chainteller.domain.ids import Prefix
from chainteller.domain.ledger import Bucket
from chainteller.domain.money import format_atoms, format_cents
from chainteller.domain.preconditions import Act, Control
from chainteller.engine.core import outcome, preconditions, reading, timekeeping
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.outcome import Event, Insert, Moment, Outcome, Update, next_version
from chainteller.engine.core.table import answers, reads_in_context, writes
from chainteller.engine.core.unit_of_work import UnitOfWork, now
from chainteller.engine.operations import core_bank, stablecoin_prices, valuation
from chainteller.service import operations
from chainteller.service.errors import (
    Conflict,
    NotFound,
    UnsupportedAccountType,
    ValidationFailed,
)
from chainteller.service.models.accounts import (
    Customer,
    OpenTradingAccount,
    Token,
    TokenBalance,
    TradingAccount,
)
from chainteller.service.models.pages import BalancesQuery, ListQuery, Page
from chainteller.storage.db.query import Record, Session, remembered
from chainteller.storage.db.records import Tables
from chainteller.storage.log import ledger
from chainteller.storage.queries import accounts
from chainteller.storage.queries import customers as customer_rows

_SORTS = ("-created", "created", "-lastActivity", "lastActivity")
RESOURCE = "trading account"


@writes(operations.OPEN_TRADING_ACCOUNT, core_bank.before_opening, timeless=True)
def open_account(tx: UnitOfWork, request: OpenTradingAccount, _told: None) -> TradingAccount:
    if request.bank_account_type not in BANK_ACCOUNT_TYPES:
        raise ValidationFailed.of("bankAccountType", " or ".join(BANK_ACCOUNT_TYPES))
    bank_account_id = reading.checked_id("bank account", request.bank_account_id)
    bank_account = locked_bank_account(tx, bank_account_id)
    decided = decide_opening(bank_account, request, outcome.moment(tx))
    outcome.apply(tx, decided)
    tx.audited_account = decided.subject
    opened = accounts.shown(tx.connection, tx.organisation_id, decided.subject)
    row = reading.require_found(opened, RESOURCE, decided.subject)
    return _model(row, _rates(valuation.UnitValues(tx.now - tx.now % MINUTE)))


def decide_opening(bank_account: Record, request: OpenTradingAccount, moment: Moment) -> Outcome:
    """A trading account for a bank account, whose row has its customer's columns. Raises
    UnsupportedAccountType, TermsNotAccepted, KycRequired, AccountRestricted, Conflict."""
    _require_openable(bank_account, request)
    account_id = moment.new_id(Prefix.TRADING_ACCOUNT)
    row = {
        "id": account_id,
        "organisation_id": moment.organisation_id,
        "bank_account_id": bank_account.id,
        "bank_account_type": bank_account.type,
        "customer_id": bank_account.customer_id,
        "created": moment.now,
        "version": 0,
        **dict.fromkeys(accounts.COUNTERS, 0),
        "last_activity": moment.now,
        "last_activity_type": "opened",
    }
    opened = {"bankAccountId": bank_account.id}
    return Outcome(
        account_id,
        rows=(
            Insert(Tables.trading_account, (row,)),
            _bank_account_update(bank_account, trading_account_id=account_id),
        ),
        events=(Event("trading_account.created", account_id, opened),),
    )


def _require_openable(bank_account: Record, request: OpenTradingAccount) -> None:
    if bank_account.type != request.bank_account_type:
        raise UnsupportedAccountType(
            "The bank account has another type.",
            {
                "bankAccountId": bank_account.id,
                "requested": request.bank_account_type,
                "actual": bank_account.type,
                "suggestion": f"Open it as {bank_account.type}.",
            },
        )
    preconditions.require_terms(bank_account)
    preconditions.require_kyc(bank_account)
    preconditions.require_uncontrolled(
        bank_account.customer_control, bank_account.customer_control_reason, Act.OPEN
    )
    if bank_account.trading_account_id is not None:
        raise Conflict.over(
            RESOURCE,
            bank_account.trading_account_id,
            "ALREADY_OPEN",
            "The bank account already has a trading account.",
            "Use the existing trading account.",
        )


def find(
    connection: Session, organisation_id: str, account_id: str, *, lock: bool = False
) -> Record:
    """Raises NotFound."""
    find_row = accounts.find
    return reading.row_by_id(find_row, connection, RESOURCE, organisation_id, account_id, lock=lock)


def locked(tx: UnitOfWork, account_id: str) -> Record:
    """The account's row, locked: everything of one account happens one after another."""
    account = find(tx.connection, tx.organisation_id, account_id, lock=True)
    tx.audited_account = account.id
    return account


def locked_by_id(tx: UnitOfWork, account_id: str) -> Record:
    """As ``locked``, for the service's own work: ids come from our own rows."""
    try:
        return locked(tx, account_id)
    except NotFound as error:
        raise AssertionError(f"{account_id} vanished") from error


def locked_bank_account(tx: UnitOfWork, bank_account_id: str) -> Record:
    """The bank account at the core bank, locked: nobody else changes its balance meanwhile."""
    row = accounts.find_bank_account(tx.connection, tx.organisation_id, bank_account_id, lock=True)
    return reading.require_found(row, "bank account", bank_account_id)


def credit(bank_account: Record, cents: int) -> Update:
    """Credit a bank account at the core bank, or debit it by a negative amount."""
    return _bank_account_update(bank_account, balance=bank_account.balance + cents)


def _bank_account_update(bank_account: Record, **values: object) -> Update:
    key = {"organisation_id": bank_account.organisation_id, "id": bank_account.id}
    return Update(Tables.bank_account, key, values, before=bank_account)


def activity(account: Record, kind: str, now: int, *counted: str) -> Update:
    """Note an activity and count a new record of a locked account; the new values of its
    counters are the record's ordinals.
    """
    counters = {name: getattr(account, name) for name in accounts.COUNTERS}
    for name in counted:
        counters[name] += 1
    noted = {**counters, "last_activity": now, "last_activity_type": kind}
    return next_version(Tables.trading_account, account, **noted)


def restrict(account: Record, control: Control | None, reason: str) -> tuple[Update, Event]:
    """Put a locked account under a control, or lift the one that it's under."""
    value, why = (None, None) if control is None else (control.value, reason)
    values = {"control": value, "control_reason": why}
    update = next_version(Tables.trading_account, account, **values)
    return update, Event("account.control_changed", account.id, {"control": value})


@reads_in_context(operations.SHOW_TRADING_ACCOUNT)
def show(
    context: EngineContext, connection: Session, organisation_id: str, account_id: str
) -> TradingAccount:
    timekeeping.read_ahead(context.time, connection)
    reading.checked_id(RESOURCE, account_id)
    row = accounts.shown(connection, organisation_id, account_id)
    return _models(context, connection, [reading.require_found(row, RESOURCE, account_id)])[0]


@reads_in_context(operations.TRADING_ACCOUNTS)
def page(
    context: EngineContext, connection: Session, organisation_id: str, query: ListQuery
) -> Page[TradingAccount]:
    checked = reading.checked_query(query, _SORTS)
    timekeeping.read_ahead(context.time, connection)
    rows, total = accounts.page(connection, organisation_id, checked)
    return reading.page(tuple(_models(context, connection, rows)), total, checked)


def _models(
    context: EngineContext, connection: Session, rows: Sequence[Record]
) -> list[TradingAccount]:
    at = now(context, connection)
    prices, off = valuation.unit_values(context.feed, at), stablecoin_prices.suspended(context, at)
    rates = _rates(prices, off)
    return [_model(row, rates) for row in rows]


@dataclass(frozen=True, eq=False, slots=True)
class _Rates:
    """What holdings are worth now, and the stablecoins that buy nothing. One object for the same
    rates, which costs nothing to look models up by."""

    prices: valuation.UnitValues
    off: frozenset[Asset] = frozenset()


_rates = remembered(_Rates)


@remembered
def _model(row: Record, rates: _Rates) -> TradingAccount:
    balances = ledger.sub_balances(row)
    available = balances[Bucket.AVAILABLE]
    balances[Bucket.AVAILABLE] = {
        each: available[each] for each in available if each not in rates.off
    }
    return TradingAccount(**valuation.account_values(row, balances, rates.prices))


@reads_in_context(operations.TOKEN_BALANCES)
def token_balances(
    context: EngineContext,
    connection: Session,
    organisation_id: str,
    account_id: str,
    query: BalancesQuery,
) -> Page[TokenBalance]:
    connection.ahead(find, organisation_id, account_id)
    connection.ahead(ledger.of_account, reading.checked_id(RESOURCE, account_id))
    prices = valuation.unit_values(context.feed, now(context, connection))
    find(connection, organisation_id, account_id)
    balances = ledger.of_account(connection, account_id)
    held, incoming, available = (
        ledger.by_bucket(balances, account_id, bucket)
        for bucket in (Bucket.HELD, Bucket.INCOMING, Bucket.AVAILABLE)
    )
    values, shown = dict(prices.cents), []
    for asset in ASSETS:
        parts = [bucket.get(asset, 0) for bucket in (available, held, incoming)]
        if any(parts) or query.include_zero:
            worth = valuation.value_cents(asset, sum(parts), values)
            shown.append(_balance(asset, tuple(parts), worth, prices.at))
    return Page[TokenBalance].whole(tuple(shown))


@remembered
def _balance(asset: Asset, parts: tuple[int, ...], worth_cents: int, at: int) -> TokenBalance:
    available, held, incoming = parts
    return TokenBalance(
        token=Token(symbol=asset.symbol, network=asset.network),
        amount=format_atoms(available, asset),
        held=format_atoms(held, asset),
        incoming=format_atoms(incoming, asset),
        total=format_atoms(available + held + incoming, asset),
        value_usd=format_cents(worth_cents),
        valued_at=at,
    )


@answers(operations.CUSTOMERS, is_short=True)
def customers(context: EngineContext, actor: Actor, query: ListQuery) -> Page[Customer]:
    checked = reading.checked_query(query, operations.REFERENCE_SORTS)
    core_bank.before_search(context, actor.organisation, checked)
    with context.database.read() as connection:
        found, total = customer_rows.page(connection, actor.organisation, checked)
    return reading.page(found, total, checked)

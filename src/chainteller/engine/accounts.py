"""Trading accounts: opening, showing, finding; the customers and balances behind them."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from sqlalchemy import Connection

from chainteller.domain.assets import ASSETS, CRYPTO, Asset
from chainteller.domain.clock import MINUTE
from chainteller.domain.ids import Prefix
from chainteller.domain.ledger import Bucket, buying_power
from chainteller.domain.money import format_atoms, format_cents, whole_cents
from chainteller.domain.preconditions import Act
from chainteller.engine import markets, pegs, preconditions, reading
from chainteller.engine.context import EngineContext
from chainteller.engine.unit_of_work import UnitOfWork, now
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
from chainteller.service.models.pages import ListQuery, Page
from chainteller.storage import accounts, ledger
from chainteller.storage.database import Record

TYPES = ("checking", "savings")
_SORTS = ("-created", "created", "-lastActivity", "lastActivity")
RESOURCE = "trading account"
_REMEMBERED = 1_024


def open_account(tx: UnitOfWork, request: OpenTradingAccount) -> TradingAccount:
    if request.bank_account_type not in TYPES:
        raise ValidationFailed.of("bankAccountType", "checking or savings")
    bank_account_id = reading.checked_id("bank account", request.bank_account_id)
    bank_account = reading.require_found(
        accounts.find_bank_account(tx.connection, tx.organisation_id, bank_account_id, lock=True),
        "bank account",
        bank_account_id,
    )
    _require_openable(bank_account, request)
    account_id = tx.new_id(Prefix.TRADING_ACCOUNT)
    row = {
        "id": account_id,
        "organisation_id": tx.organisation_id,
        "bank_account_id": bank_account.id,
        "bank_account_type": bank_account.type,
        "customer_id": bank_account.customer_id,
        "created": tx.now,
        "last_activity": tx.now,
        "last_activity_type": "opened",
        **dict.fromkeys(accounts.COUNTERS, 0),
    }
    accounts.insert_account(tx.connection, row)
    ledger.create(tx.connection, ledger.zero_rows(account_id))
    accounts.set_trading_account(tx.connection, tx.organisation_id, bank_account.id, account_id)
    tx.audited_object = tx.audited_account = account_id
    tx.event("trading_account.created", account_id, bankAccountId=bank_account.id)
    opened = accounts.find(tx.connection, tx.organisation_id, account_id)
    return to_model(reading.require_found(opened, RESOURCE, account_id), {}, {})


def _require_openable(bank_account: Record, request: OpenTradingAccount) -> None:
    if bank_account.type != request.bank_account_type:
        raise UnsupportedAccountType(
            "The bank account is of another type.",
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
        raise Conflict(
            "The bank account has a trading account already.",
            {
                "resource": RESOURCE,
                "id": bank_account.trading_account_id,
                "reason": "ALREADY_OPEN",
                "currentVersion": None,
                "suggestion": "Use the account that is open.",
            },
        )


def find(
    connection: Connection, organisation_id: str, account_id: str, *, lock: bool = False
) -> Record:
    """Raises NotFound."""
    reading.checked_id(RESOURCE, account_id)
    row = accounts.find(connection, organisation_id, account_id, lock=lock)
    return reading.require_found(row, RESOURCE, account_id)


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


def record_activity(
    tx: UnitOfWork, account: Record, activity: str, *counted: str
) -> Mapping[str, int]:
    """Count a new record of the account; the new values of its counters are the ordinals."""
    counters = {name: getattr(account, name) for name in accounts.COUNTERS}
    for name in counted:
        counters[name] += 1
    accounts.set_counters(tx.connection, {"id": account.id, **counters}, tx.now, activity)
    return counters


def show(
    context: EngineContext, connection: Connection, organisation_id: str, account_id: str
) -> TradingAccount:
    row = find(connection, organisation_id, account_id)
    return _models(context, connection, [row])[0]


def page(
    context: EngineContext, connection: Connection, organisation_id: str, query: ListQuery
) -> Page[TradingAccount]:
    checked = reading.checked_query(query, _SORTS)
    rows, total = accounts.page(connection, organisation_id, checked)
    return reading.page(tuple(_models(context, connection, rows)), total, checked)


def _models(
    context: EngineContext, connection: Connection, rows: Sequence[Record]
) -> list[TradingAccount]:
    values = unit_values(context, connection)
    available = ledger.available_of_many(connection, [row.id for row in rows])
    off = pegs.suspended(context, now(context, connection)) if context.pegs else frozenset()
    return [
        to_model(row, {k: v for k, v in available[row.id].items() if k not in off}, values)
        for row in rows
    ]


def unit_values(context: EngineContext, connection: Connection) -> dict[Asset, int]:
    """The mid price in cents of a unit of each crypto asset, as of this minute; ~USD figures."""
    instant = now(context, connection)
    return markets.unit_cents(context, instant - instant % MINUTE)


def to_model(
    row: Record, available: Mapping[Asset, int], values: Mapping[Asset, int]
) -> TradingAccount:
    controls = tuple(dict.fromkeys(found for found in (row.control, row.customer_control) if found))
    worth = sum(value_cents(asset, available.get(asset, 0), values) for asset in CRYPTO)
    return TradingAccount(
        id=row.id,
        bank_account_id=row.bank_account_id,
        bank_account_type=row.bank_account_type,
        controls=controls,
        customer_id=row.customer_id,
        customer_name=row.customer_name,
        created=row.created,
        buying_power=format_cents(buying_power(available)),
        crypto_value_usd=format_cents(worth),
        last_activity=row.last_activity,
        last_activity_type=row.last_activity_type,
    )


def value_cents(asset: Asset, atoms: int, values: Mapping[Asset, int]) -> int:
    if asset in CRYPTO:
        return int(atoms * values.get(asset, 0) // 10**asset.decimals)
    return whole_cents(atoms, asset)


def token_balances(
    context: EngineContext,
    connection: Connection,
    organisation_id: str,
    account_id: str,
    *,
    include_zero: bool,
) -> Page[TokenBalance]:
    find(connection, organisation_id, account_id)
    balances = ledger.of_account(connection, account_id)
    values = unit_values(context, connection)
    held, incoming, available = (
        ledger.by_bucket(balances, account_id, bucket)
        for bucket in (Bucket.HELD, Bucket.INCOMING, Bucket.AVAILABLE)
    )
    shown = []
    for asset in ASSETS:
        parts = [bucket.get(asset, 0) for bucket in (available, held, incoming)]
        if any(parts) or include_zero:
            shown.append(_balance(asset, tuple(parts), value_cents(asset, sum(parts), values)))
    return Page[TokenBalance].whole(tuple(shown))


@lru_cache(_REMEMBERED)
def _balance(asset: Asset, parts: tuple[int, ...], worth_cents: int) -> TokenBalance:
    available, held, incoming = parts
    return TokenBalance(
        token=Token(symbol=asset.symbol, network=asset.network),
        amount=format_atoms(available, asset),
        held=format_atoms(held, asset),
        incoming=format_atoms(incoming, asset),
        total=format_atoms(available + held + incoming, asset),
        value_usd=format_cents(worth_cents),
    )


def customers(connection: Connection, organisation_id: str, query: ListQuery) -> Page[Customer]:
    checked = reading.checked_query(query)
    found, total = accounts.customers(connection, organisation_id, checked)
    return reading.page(found, total, checked)

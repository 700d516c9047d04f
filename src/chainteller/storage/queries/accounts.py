"""Query customers, bank accounts and trading accounts."""

from collections.abc import Sequence

from chainteller.domain.money import format_cents
from chainteller.domain.preconditions import TERMS_VERSION
from chainteller.service.models.accounts import BankAccount, Customer
from chainteller.service.models.pages import ListQuery
from chainteller.storage.db import records
from chainteller.storage.db.query import Record, Session
from chainteller.storage.db.sources import Finder, Source
from chainteller.storage.lists import search_filter
from chainteller.storage.lists.pages import Counted, Listing

CUSTOMER_COLUMNS = {
    "customer_name": "name",
    "kyc_level": "kyc_level",
    "terms_version": "terms_version",
    "customer_control": "control",
    "customer_control_reason": "control_reason",
}
"""Columns of the customer that are read with a trading account or bank account."""
_OF_CUSTOMER = {name: f"customer.{column}" for name, column in CUSTOMER_COLUMNS.items()}
_ACCOUNT = Source(
    records.TradingAccount,
    "JOIN customer ON customer.id = trading_account.customer_id",
    **_OF_CUSTOMER,
)
Row = _ACCOUNT.row
"""The columns of a trading account as it is read here."""
find = Finder(_ACCOUNT, "organisation_id", "id")
"""A trading account, with the customer's columns for the preconditions."""
find_any = Finder(_ACCOUNT, "id")
"""As ``find``, in whichever organisation."""
find_bank_account = Finder(
    Source(
        records.BankAccount,
        "JOIN customer ON customer.id = bank_account.customer_id",
        **_OF_CUSTOMER,
    ),
    "organisation_id",
    "id",
)
customer_of = Finder(records.Customer, "organisation_id", "id")
"""A customer's row."""
COUNTERS = ("trade_count", "deposit_count", "withdrawal_count", "transaction_count")


_LISTED = Listing(
    _ACCOUNT,
    "organisation_id",
    filters=("bank_account_id",),
    orders={"lastActivity": ("last_activity", "id")},
    is_tallied=True,
)
_CUSTOMERS = Listing(
    records.Customer, "organisation_id", order=("reference", "id"), is_tallied=True
)


def page(
    connection: Session, organisation_id: str, query: ListQuery
) -> tuple[list[Record], Counted]:
    """A page of trading accounts, newest first or by last activity."""
    found = search_filter.accounts(connection, organisation_id, query.text)
    total = found.total(query.page * query.limit)
    return _LISTED.page(connection, (organisation_id,), query, *found.extras, total=total)


def customers(
    connection: Session, organisation_id: str, query: ListQuery
) -> tuple[tuple[Customer, ...], Counted]:
    """Find customers by name, reference or bank account, ordered by reference."""
    found = search_filter.customers(connection, organisation_id, query.text)
    ordered = query if query.sort else query.model_copy(update={"sort": "reference"})
    rows, total = _CUSTOMERS.page(
        connection,
        (organisation_id,),
        ordered,
        *found.extras,
        total=found.total(query.page * query.limit),
    )
    accounts = bank_accounts(connection, organisation_id, [row.id for row in rows])
    return tuple(customer_model(row, accounts.get(row.id, ())) for row in rows), total


_OF_CUSTOMERS = Source(records.BankAccount).where(
    "organisation_id = :organisation AND customer_id IN :customers ORDER BY id"
)


def bank_accounts(
    connection: Session, organisation_id: str, customer_ids: Sequence[str]
) -> dict[str, tuple[BankAccount, ...]]:
    """The bank accounts of customers, by customer."""
    found: dict[str, tuple[BankAccount, ...]] = {}
    values = {"organisation": organisation_id, "customers": list(customer_ids)}
    for row in connection.execute(_OF_CUSTOMERS, values):
        account = BankAccount(
            id=row.id,
            type=row.type,
            balance=format_cents(row.balance),
            trading_account_id=row.trading_account_id,
        )
        found[row.customer_id] = (*found.get(row.customer_id, ()), account)
    return found


def customer_model(row: Record, bank_accounts: tuple[BankAccount, ...]) -> Customer:
    return Customer(
        id=row.id,
        name=row.name,
        reference=row.reference,
        kyc_level=row.kyc_level,
        terms_accepted=row.terms_version == TERMS_VERSION,
        controls=() if row.control is None else (row.control,),
        bank_accounts=bank_accounts,
    )

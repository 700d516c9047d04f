"""Query customers and their bank accounts."""

from collections.abc import Sequence

from chainteller.domain.money import format_cents
from chainteller.domain.preconditions import TERMS_VERSION
from chainteller.service.models.accounts import BankAccount, Customer
from chainteller.service.models.pages import ListQuery
from chainteller.storage.db import records
from chainteller.storage.db.query import Record, Session, remembered
from chainteller.storage.db.sources import Source
from chainteller.storage.lists import search_filter
from chainteller.storage.lists.pages import Counted, Listing

_CUSTOMERS = Listing(
    records.Customer, "organisation_id", order=("reference", "id"), is_tallied=True
)


def page(
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


_BY_REFERENCE = Source(records.Customer).where(
    "organisation_id = :organisation AND reference IN :references ORDER BY reference, id DESC"
)
_BANK_ACCOUNTS = Source(records.BankAccount).where("organisation_id = :organisation AND id IN :ids")


def by_reference(
    connection: Session, organisation_id: str, references: Sequence[str]
) -> dict[str, Record]:
    """The rows of customers by their references."""
    return {
        row.reference: row
        for row in _BY_REFERENCE.rows(connection, organisation_id, list(references))
    }


def bank_accounts_by_id(
    connection: Session, organisation_id: str, ids: Sequence[str]
) -> dict[str, Record]:
    """The rows of bank accounts by their ids."""
    return {row.id: row for row in _BANK_ACCOUNTS.rows(connection, organisation_id, list(ids))}


_OF_CUSTOMERS = Source(records.BankAccount).where(
    "organisation_id = :organisation AND customer_id IN :customers ORDER BY id"
)


def bank_accounts(
    connection: Session, organisation_id: str, customer_ids: Sequence[str]
) -> dict[str, tuple[BankAccount, ...]]:
    """The bank accounts of customers, by customer."""
    found: dict[str, tuple[BankAccount, ...]] = {}
    for row in _OF_CUSTOMERS.rows(connection, organisation_id, list(customer_ids)):
        found[row.customer_id] = (*found.get(row.customer_id, ()), _bank_account_model(row))
    return found


@remembered
def _bank_account_model(row: Record) -> BankAccount:
    return BankAccount(
        id=row.id,
        type=row.type,
        balance=format_cents(row.balance),
        trading_account_id=row.trading_account_id,
    )


@remembered
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

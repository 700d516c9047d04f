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
    records.Customer,
    "organisation_id",
    order=("reference", "id"),
    sort="reference",
    is_tallied=True,
)


def page(
    connection: Session, organisation_id: str, query: ListQuery
) -> tuple[tuple[Customer, ...], Counted]:
    """Find customers by name, reference or bank account, ordered by reference."""
    found = search_filter.customers(connection, organisation_id, query.text)
    rows, total = _CUSTOMERS.page(
        connection,
        (organisation_id,),
        query,
        *found.extras,
        total=found.total(query.page * query.limit),
    )
    owned: dict[str, tuple[Record, ...]] = {row.id: () for row in rows}
    for each in _OF_CUSTOMERS.rows(connection, organisation_id, list(owned)):
        owned[each.customer_id] += (each,)
    return tuple(_model(row, owned[row.id]) for row in rows), total


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
    "organisation_id || '' = :organisation AND customer_id IN :customers ORDER BY id"
)
"""By an index of their customers: SQLite would read all bank accounts of the organisation."""


@remembered
def _model(row: Record, bank_accounts: tuple[Record, ...]) -> Customer:
    return Customer(
        id=row.id,
        name=row.name,
        reference=row.reference,
        kyc_level=row.kyc_level,
        terms_accepted=row.terms_version == TERMS_VERSION,
        controls=() if row.control is None else (row.control,),
        bank_accounts=tuple(
            BankAccount(
                id=each.id,
                type=each.type,
                balance=format_cents(each.balance),
                trading_account_id=each.trading_account_id,
            )
            for each in bank_accounts
        ),
    )

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

_OWNED = (
    "(SELECT json_group_array(json_array(id, type, balance, trading_account_id)) "
    "FROM bank_account WHERE bank_account.customer_id = customer.id "
    "AND bank_account.organisation_id || '' = customer.organisation_id)"
)
"""By an index of their customers: SQLite would read all bank accounts of the organisation."""
_CUSTOMERS = Listing(
    Source(
        records.Customer,
        own=("id", "name", "reference", "kyc_level", "terms_version", "control"),
        bank_accounts=(_OWNED, tuple),
    ),
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
    return tuple(map(_model, rows)), total


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


@remembered
def _model(row: Record) -> Customer:
    return Customer(
        id=row.id,
        name=row.name,
        reference=row.reference,
        kyc_level=row.kyc_level,
        terms_accepted=row.terms_version == TERMS_VERSION,
        controls=() if row.control is None else (row.control,),
        bank_accounts=tuple(
            BankAccount(
                id=number, type=kind, balance=format_cents(int(balance)), trading_account_id=opened
            )
            for number, kind, balance, opened in sorted(row.bank_accounts or ())
        ),
    )

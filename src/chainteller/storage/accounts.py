"""Query customers, bank accounts and trading accounts."""

from collections.abc import Sequence

from sqlalchemy import Connection, or_, select

from chainteller.domain.money import format_cents
from chainteller.domain.preconditions import TERMS_VERSION
from chainteller.service.models.accounts import BankAccount, Customer
from chainteller.service.models.pages import ListQuery
from chainteller.storage.database import Record
from chainteller.storage.pages import by_created, containing, filters, listing
from chainteller.storage.rows import Finder
from chainteller.storage.tables import Tables

_T = Tables.trading_account
_C = Tables.customer
_B = Tables.bank_account
CUSTOMER_COLUMNS = {
    "customer_name": "name",
    "kyc_level": "kyc_level",
    "terms_version": "terms_version",
    "customer_control": "control",
    "customer_control_reason": "control_reason",
}
"""Columns of the customer that are read with a trading account or bank account."""
_OF_CUSTOMER = tuple(_C.c[column].label(name) for name, column in CUSTOMER_COLUMNS.items())
_ACCOUNT = select(_T, *_OF_CUSTOMER).join(_C, _C.c.id == _T.c.customer_id)
find = Finder(_T, "organisation_id", "id", rows=_ACCOUNT)
"""A trading account, with the customer's columns for the preconditions."""
find_any = Finder(_T, "id", rows=_ACCOUNT)
"""As ``find``, in whichever organisation."""
find_bank_account = Finder(
    _B,
    "organisation_id",
    "id",
    rows=select(_B, *_OF_CUSTOMER).join(_C, _C.c.id == _B.c.customer_id),
)
COUNTERS = ("trade_count", "deposit_count", "withdrawal_count", "transaction_count")


def page(
    connection: Connection, organisation_id: str, query: ListQuery
) -> tuple[list[Record], int]:
    """A page of trading accounts, newest first or by last activity."""
    statement = _ACCOUNT.where(
        _T.c.organisation_id == organisation_id, *filters(_T, query, ("bank_account_id",))
    )
    if query.text:
        pattern = containing(query.text)
        statement = statement.where(
            or_(
                _T.c.id.ilike(pattern, escape="\\"),
                _T.c.bank_account_id.ilike(pattern, escape="\\"),
                _C.c.search_name.like(containing(query.text.casefold()), escape="\\"),
                _C.c.reference.ilike(pattern, escape="\\"),
            )
        )
    orders = {
        "-lastActivity": (_T.c.last_activity.desc(), _T.c.id.desc()),
        "lastActivity": (_T.c.last_activity, _T.c.id),
    }
    order = orders.get(query.sort or "", by_created(_T, query))
    return listing(connection, statement, order, query)


def customers(
    connection: Connection, organisation_id: str, query: ListQuery
) -> tuple[tuple[Customer, ...], int]:
    """Find customers by name, reference or bank account, ordered by reference."""
    statement = select(_C).where(_C.c.organisation_id == organisation_id)
    if query.text:
        pattern = containing(query.text)
        owners = select(_B.c.customer_id).where(
            _B.c.organisation_id == organisation_id, _B.c.id.ilike(pattern, escape="\\")
        )
        statement = statement.where(
            or_(
                _C.c.search_name.like(containing(query.text.casefold()), escape="\\"),
                _C.c.reference.ilike(pattern, escape="\\"),
                _C.c.id.in_(owners),
            )
        )
    rows, total = listing(connection, statement, (_C.c.reference, _C.c.id), query)
    accounts = _bank_accounts(connection, [row.id for row in rows])
    return tuple(_customer_model(row, accounts.get(row.id, ())) for row in rows), total


def _bank_accounts(
    connection: Connection, customer_ids: Sequence[str]
) -> dict[str, tuple[BankAccount, ...]]:
    found: dict[str, tuple[BankAccount, ...]] = {}
    rows = connection.execute(
        select(_B).where(_B.c.customer_id.in_(customer_ids)).order_by(_B.c.id)
    )
    for row in rows:
        account = BankAccount(
            id=row.id,
            type=row.type,
            balance=format_cents(row.balance),
            trading_account_id=row.trading_account_id,
        )
        found[row.customer_id] = (*found.get(row.customer_id, ()), account)
    return found


def _customer_model(row: Record, bank_accounts: tuple[BankAccount, ...]) -> Customer:
    return Customer(
        id=row.id,
        name=row.name,
        reference=row.reference,
        kyc_level=row.kyc_level,
        terms_accepted=row.terms_version == TERMS_VERSION,
        controls=() if row.control is None else (row.control,),
        bank_accounts=bank_accounts,
    )

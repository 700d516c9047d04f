"""Query trading accounts."""

from chainteller.domain.ledger import Bucket, customer
from chainteller.storage.db import records
from chainteller.storage.db.query import Record, Session
from chainteller.storage.db.sources import Finder, Source
from chainteller.storage.lists.pages import Asked, Counted, Listing

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
_ID = "' || trading_account.id || '"
_CODES = ", ".join(f"'{customer(_ID, bucket)}'" for bucket in Bucket)
_HELD = (
    "(SELECT json_group_array(json_array(code, asset, balance)) FROM ledger_account "
    f"WHERE code IN ({_CODES}) AND balance <> '0')"
)
_LISTED = Listing(
    Source(
        records.TradingAccount,
        "JOIN customer ON customer.id = trading_account.customer_id",
        (
            "id",
            "bank_account_id",
            "bank_account_type",
            "customer_id",
            "control",
            "created",
            "last_activity",
            "last_activity_type",
        ),
        customer_name="customer.name",
        customer_control="customer.control",
        held=(_HELD, tuple),
    ),
    "organisation_id",
    filters=("bank_account_id",),
    orders={"lastActivity": ("last_activity", "id")},
    is_tallied=True,
)
shown = _LISTED.source.listed(
    "WHERE trading_account.organisation_id = :organisation AND trading_account.id = :id"
).first
"""A trading account as a page shows it, by its organisation and id."""


def page(connection: Session, organisation_id: str, query: Asked) -> tuple[list[Record], Counted]:
    """A page of trading accounts, newest first or by last activity."""
    if not query.text:
        return _LISTED.page(connection, (organisation_id,), query)
    from chainteller.storage.lists import search_filter  # noqa: PLC0415 - not for the first rows

    found = search_filter.accounts(connection, organisation_id, query.text)
    total = found.total(query.page * query.limit)
    return _LISTED.page(connection, (organisation_id,), query, *found.extras, total=total)

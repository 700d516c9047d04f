"""Accounts as lines: rows of the list. The detail of one account is in ``detail.py``."""

from chainteller.records.accounts import LISTED_ACCOUNT, ListedAccount
from chainteller.tui.widgets.paged_list import Column, Row
from chainteller.tui.widgets.record_lines import RecordColumns

_LIST = RecordColumns(
    LISTED_ACCOUNT,
    {
        "id": Column("", 14),
        "customer_name": Column("", 12, rank=2, grows=True),
        "bank_account_id": Column("BANK ACCT", 9, rank=1, tone="muted"),
        "bank_account_type": Column("", 8, rank=5, tone="muted"),
        "buying_power": Column("USD AVAIL", 12, "right", tone="strong"),
        "crypto_value_usd": Column("", 12, "right", rank=3),
        "last_activity": Column("LAST", 12, rank=4),
    },
)
COLUMNS = _LIST.columns


def account_row(account: ListedAccount, now: int) -> Row:
    return Row(account.id, _LIST.cells(account, now))

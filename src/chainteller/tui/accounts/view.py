"""Accounts as lines: rows of the list. The detail of one account is in ``account_detail``."""

from chainteller.tui.formats import age, grouped, short_id
from chainteller.tui.start import ListedAccount
from chainteller.tui.widgets.paged_list import Column, Row

COLUMNS = (
    Column("ACCOUNT", 14),
    Column("CUSTOMER", 12, rank=2, grows=True),
    Column("BANK ACCT", 9, rank=1),
    Column("TYPE", 8, rank=5),
    Column("USD AVAIL", 12, "right"),
    Column("CRYPTO ~USD", 12, "right", rank=3),
    Column("LAST", 12, rank=4),
)
_KINDS = {"trade": "TRD", "deposit": "DEP", "withdrawal": "WDR", "trading_account": "NEW"}


def account_row(account: ListedAccount, now: int) -> Row:
    last = age(account.last_activity, now) if account.last_activity else "-"
    about = (account.last_activity_type or "").replace("-", ".").partition(".")[0]
    kind = _KINDS.get(about, about)
    last_cell = (f"{last:>3} {kind}".rstrip(), "muted")
    if account.controls:
        last_cell = (account.controls[0], "bad")
    return Row(
        account.id,
        (
            (short_id(account.id), ""),
            (account.customer_name or "-", ""),
            (account.bank_account_id, "muted"),
            (account.bank_account_type, "muted"),
            (_money(account.buying_power), "strong"),
            (_money(account.crypto_value_usd), ""),
            last_cell,
        ),
    )


def _money(amount: str | None) -> str:
    return grouped(amount) if amount is not None else "-"

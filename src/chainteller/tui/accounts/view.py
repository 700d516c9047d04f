"""Accounts as lines: rows of the list. The detail of one account is in ``detail.py``."""

from chainteller.records.accounts import LISTED_ACCOUNT, ListedAccount
from chainteller.records.formats import Piece
from chainteller.tui.widgets.lines import Line, line, pad
from chainteller.tui.widgets.paged_list import Column, Row
from chainteller.tui.widgets.record_lines import RecordColumns

LIST = RecordColumns(
    LISTED_ACCOUNT,
    {
        "id": Column("", 14),
        "customer_name": Column("", 12, rank=2, grows=True),
        "bank_account_id": Column("BANK ACCT", 9, rank=1, tone="muted"),
        "bank_account_type": Column("", 8, rank=5, tone="muted"),
        "buying_power": Column("BUYING POWER", 12, "right", tone="strong"),
        "crypto_value_usd": Column("", 12, "right", rank=3),
        "last_activity": Column("LAST", 12, rank=4),
    },
)
_NAME = 1
"""Where the customer's name stands."""
_RESTRICTED_CELLS = 24
"""Of a control and the name behind it."""


def row(account: ListedAccount, now: int) -> Row:
    """A control stands before the customer's name, which no window leaves out. It takes no room
    from other columns: the name is whole beside the list or below it.
    """
    shown = LIST.row(account, now)
    if not account.controls:
        return shown
    named = f"[x] {account.controls[0]}  {account.customer_name or ''}".rstrip()
    name = pad(named, _RESTRICTED_CELLS).rstrip(), "bad"
    return shown._replace(cells=(*shown.cells[:_NAME], name, *shown.cells[_NAME + 1 :]))


def columns(*, is_roomy: bool) -> tuple[Column, ...]:
    """In a roomy window names are whole, and other columns give way to them."""
    if not is_roomy:
        return LIST.columns
    whole = LIST.columns[_NAME]._replace(rank=0, most=30)
    return (*LIST.columns[:_NAME], whole, *LIST.columns[_NAME + 1 :])


def matches(account: ListedAccount, text: str) -> bool:
    """Whether a filter's text, in lower case, is part of what names the account."""
    named = (account.id, account.bank_account_id, account.customer_name or "")
    return any(text in each.casefold() for each in named)


def title(wanted: str, total: int | None, order: str, *, can_list: bool) -> Line:
    """``wanted`` is what the list is filtered by, ``total`` how many accounts match it."""
    count = f"{total:,} account{'' if total == 1 else 's'}" if total is not None else ""
    return line(
        (" ACCOUNTS", "strong"),
        (f"  /{wanted}" if wanted else "  ", "accent"),
        ("" if can_list else "  seen from this desk", "muted"),
        right=((f"{count}   order: {order if can_list else 'last added'} ", "muted"),),
    )


def empty_text(wanted: str, *, can_list: bool, can_load: bool) -> tuple[Piece, ...]:
    """What an empty list says instead of rows; it names the next key, and the sample data where it
    can be loaded.
    """
    if not can_list:
        cannot = ("This deployment can't list accounts.  ", "")
        return cannot, ("+", "key"), (" add TDA_... or open one", "muted")
    if wanted:
        nothing = (f'No matches for "{wanted}"   ', "muted")
        others = ((": ", "key"), ("searches everything   ", "muted"))
        return nothing, *others, ("esc", "key"), (" all accounts", "muted")
    opens, keys = ((" open one   ", "muted"), (" keys", "muted"))
    sample = ((": sample", "key"), (" load sample data   ", "muted")) if can_load else ()
    return ("No accounts yet.  ", ""), ("+", "key"), opens, *sample, ("?", "key"), keys

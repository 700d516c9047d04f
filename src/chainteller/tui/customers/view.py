"""A customer's page as lines: the customer, their accounts, and the rows of their timeline."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from chainteller.domain.clock import from_datetime
from chainteller.records.formats import (
    MOST_OF_A_YEAR_S,
    Piece,
    countdown,
    grouped,
    seconds_between,
    seconds_since,
    short_id,
    status,
)
from chainteller.records.trades import can_be_executed
from chainteller.tui.accounts.detail import (
    balance_lines,
    bank_account,
    happening,
    limit_lines,
    wallet_lines,
)
from chainteller.tui.customers.timeline import REFUSED, SEARCHED
from chainteller.tui.queries import ACTIVITY_ROWS, Gap
from chainteller.tui.served.waits import to_sign
from chainteller.tui.widgets.lines import Line, heading, line
from chainteller.tui.widgets.paged_list import Column, Row

if TYPE_CHECKING:
    from chainteller.service.models.quotes import Quote
    from chainteller.tui.customers.sheet import CustomerAccount, CustomerSheet
    from chainteller.tui.customers.timeline import Entry, Timeline

_SHOWN_COLUMNS = (
    Column("WHEN", 12, tone="muted"),
    Column("KIND", 0),
    Column("WHAT", 36, grows=True),
    Column("STATUS", 14, rank=1),
)
"""KIND is exported only: a line is understood without it, and its room is worth more."""
_EXPORTED_COLUMNS = (Column("AT", 0), Column("RECORD ID", 0), Column("ACCOUNT ID", 0))
COLUMNS = (
    *_SHOWN_COLUMNS,
    Column("RECORD", 14, rank=3, tone="muted"),
    Column("ACCOUNT", 0),
    *_EXPORTED_COLUMNS,
)
COLUMNS_OF_SEVERAL = (
    *_SHOWN_COLUMNS,
    Column("RECORD", 0),
    Column("ACCOUNT", 14, rank=2, tone="muted"),
    *_EXPORTED_COLUMNS,
)
"""The columns for a customer with several accounts: what happened where says more than its id."""
_BEFORE = {
    "deposit": "deposit ",
    "withdrawal": "withdrawal ",
    "review": "review of ",
    "quote": "quote to ",
    "note": "note: ",
    "text": "said: ",
}
"""What a line needs to be understood without its kind."""
_TONES = {"audit": "muted", "note": "accent", "text": "accent", "review": "warn"}
_WORDS_OF_STATES = {"current": "good", "done": "muted", "not verified": "muted"}


def title(
    sheet: "CustomerSheet | None", account_id: str, narrowed: str, found: "Timeline | None"
) -> Line:
    name = _name(sheet) if sheet is not None else account_id
    return line((" CUSTOMER", "strong"), f"  {name}", (narrowed, "accent"), right=_counted(found))


def _counted(found: "Timeline | None") -> tuple[Piece, ...]:
    if found is None:
        return ()
    cut = f"of the newest {SEARCHED:,}   " if found.was_cut else ""
    return ((f"{cut}newest first ", "muted"),)


def _name(sheet: "CustomerSheet") -> str:
    return sheet.first.customer_name or sheet.first.id


# -- the timeline ----------------------------------------------------------------------------------


def entry_row(entry: "Entry", now: int, shown: Callable[[str], str] = str) -> Row:
    """``shown`` masks the amounts of a line while they are hidden."""
    about = "" if entry.kind == "text" else short_id(entry.record_id)
    return Row(
        entry.key,
        (
            (_moment(entry, now), ""),
            (entry.kind, ""),
            (f"{_BEFORE.get(entry.kind, '')}{shown(entry.what)}", _TONES.get(entry.kind, "")),
            _status(entry),
            (about, ""),
            (short_id(entry.account_id) if entry.account_id else "", ""),
            (f"{entry.at:%Y-%m-%dT%H:%M:%SZ}", ""),
            (entry.record_id, ""),
            (entry.account_id, ""),
        ),
    )


def plain_row(row: Row) -> str:
    """A row as text to copy."""
    return "  ".join(text for text, _ in row.cells[: len(_SHOWN_COLUMNS) + 1]).rstrip()


def _moment(entry: "Entry", now: int) -> str:
    is_old = seconds_since(entry.at, now) > MOST_OF_A_YEAR_S
    return entry.at.strftime("%d %b %Y" if is_old else "%d %b %H:%M")


def _status(entry: "Entry") -> Piece:
    word = entry.status
    if entry.kind == "audit" and word == REFUSED:
        return f"[x] {word}", "bad"
    if entry.kind == "audit" or word in _WORDS_OF_STATES:
        return word, _WORDS_OF_STATES.get(word, "muted")
    return status(word) if word else ("", "")


# -- the facts -------------------------------------------------------------------------------------


def facts(
    sheet: "CustomerSheet",
    now: int,
    noted: Sequence[Line],
    problems: Sequence[str],
    shown: Callable[[str], str] = str,
) -> tuple[list[Line], list[Line]]:
    """Who the customer is with their accounts and what is pending; and limits, wallets, with the
    notes as ``noted`` has them.

    ``shown`` masks an amount that was rounded here while balances are hidden.
    """
    (name, *about), controls = _who(sheet), _controls(sheet)
    first = [name, *controls, *_pending(sheet, now, shown), line(), *about]
    second: list[Line] = []
    several = len(sheet.accounts) > 1
    for account in sheet.accounts:
        first += [line(), *_account(account, now)]
        second += [line(), *([line((account.id, "strong"))] if several else [])]
        second += [*limit_lines(account.sheet, shown), line(), *wallet_lines(account.sheet)]
    second += [*noted, *_missing(problems)]
    return first, second[1:]


def _controls(sheet: "CustomerSheet") -> list[Line]:
    customer = sheet.customer
    controls = () if isinstance(customer, Gap) else customer.controls
    return [line((f"[x] {control}", "bad strong")) for control in controls]


def _who(sheet: "CustomerSheet") -> list[Line]:
    """The name, and then what else is known of the customer."""
    customer = sheet.customer
    if isinstance(customer, Gap):
        name = sheet.first.customer_name
        return [
            line((name, "strong")) if name else line(("customer's name not provided", "muted")),
            line((f"customer: {customer.text}", "muted")),
            line(("further accounts of the customer: not known", "muted")),
        ]
    terms = ("[ok] terms accepted", "good")
    if not customer.terms_accepted:
        terms = ("[x] terms not accepted", "bad")
    rows = [
        line((customer.name, "strong"), right=((customer.reference, "muted"),)),
        line((customer.id, "muted")),
        line(terms, right=((f"KYC {customer.kyc_level}", ""),)),
    ]
    without = [row for row in customer.bank_accounts if not row.trading_account_id]
    rows += [
        line((f"{row.id} {row.type}", "muted"), right=(("no trading account", "muted"),))
        for row in without
    ]
    return rows


def _account(account: "CustomerAccount", now: int) -> list[Line]:
    sheet = account.sheet
    rows = [line((sheet.account.id, "strong"), right=((bank_account(sheet.account), "muted"),))]
    rows += [line((f"[x] {control}", "bad strong")) for control in sheet.account.controls]
    if not isinstance(sheet.balances, Gap) and not sheet.balances:
        return [*rows, line(("no balances yet", "muted"))]
    return [*rows, *balance_lines(sheet, now)]


def _pending(sheet: "CustomerSheet", now: int, shown: Callable[[str], str]) -> list[Line]:
    """What waits for something: quotes to execute, texts to sign, trades and transfers underway."""
    rows = _waiting(sheet, now, shown)
    gaps = {
        account.sheet.activity.text
        for account in sheet.accounts
        if isinstance(account.sheet.activity, Gap)
    }
    rows += [line((f"trades and transfers: {text}", "muted")) for text in sorted(gaps)]
    head = heading("WAITS", f"of the newest {ACTIVITY_ROWS} of an account")
    return [head, *(rows or [line(("nothing", "muted"))])]


def _waiting(sheet: "CustomerSheet", now: int, shown: Callable[[str], str] = str) -> list[Line]:
    """A line for each thing that waits."""
    rows = []
    for account in sheet.accounts:
        rows += [_quote(row, now, shown) for row in account.quotes if can_be_executed(row, now)]
    for account in sheet.accounts:
        rows += [line(each.told(now)) for each in to_sign(account.challenges) if each.waits(now)]
    for account in sheet.accounts:
        rows += [happening(row, now) for row in account.pending]
    return rows


def _quote(row: "Quote", now: int, shown: Callable[[str], str]) -> Line:
    left = countdown(seconds_between(now, from_datetime(row.expires)))
    what = f"{row.side.upper()} {row.market_name}  {shown(grouped(row.asset_sold.amount))}"
    return line(("quote    ", "muted"), what, right=((f"expires in {left}", "expiring"),))


def _missing(problems: Sequence[str]) -> list[Line]:
    """What the timeline doesn't have."""
    if not problems:
        return []
    return [line(), heading("NOT ON THE TIMELINE"), *(line((each, "muted")) for each in problems)]


def summary(sheet: "CustomerSheet | None", now: int = 0) -> list[Line]:
    """Three lines over the timeline, where there is no room for the facts."""
    if sheet is None:
        return [line(("loading", "muted")), line(), line()]
    customer = sheet.customer
    known = [] if isinstance(customer, Gap) else [customer.reference, f"KYC {customer.kyc_level}"]
    controls = {
        *(() if isinstance(customer, Gap) else customer.controls),
        *(name for each in sheet.accounts for name in each.sheet.account.controls),
    }
    pending = _waiting(sheet, now)
    told = f" waits for: {pending[0].plain}" if pending else " nothing is pending"
    more = f"   +{len(pending) - 1} more" if len(pending) > 1 else ""
    first = line(
        (f" {_name(sheet)}", "strong"),
        (f"   {'   '.join(known)}", "muted"),
        right=tuple((f"[x] {name} ", "bad strong") for name in sorted(controls)),
    )
    second = line(
        *(piece for each in sheet.accounts[:3] for piece in _in_short(each)),
        (f" +{len(sheet.accounts) - 3} more" if len(sheet.accounts) > 3 else "", "muted"),
    )
    third = line(
        (f"{told}{more}", "warn" if pending else "muted"),
        right=(("z", "key"), (" balances, limits, wallets ", "muted")),
    )
    return [first, second, third]


def _in_short(account: "CustomerAccount") -> list[Piece]:
    told = account.sheet.account
    worth = told.buying_power
    pieces = [(f" {short_id(told.id)}", "")]
    if worth is not None:
        pieces.append((f" {grouped(worth)} USD  ", "muted"))
    return pieces

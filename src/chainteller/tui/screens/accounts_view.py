"""Accounts as lines: rows of the list, the detail and the short summary."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chainteller.domain.clock import to_datetime
from chainteller.tui.dialogs.boxes import wrapped
from chainteller.tui.formats import age, grouped, short_address, short_id, status, when
from chainteller.tui.reads import USD_LIKE, AccountSheet, Gap
from chainteller.tui.start import ListedAccount
from chainteller.tui.widgets.lines import Line, heading, line
from chainteller.tui.widgets.paged_list import Column, Row

if TYPE_CHECKING:
    from chainteller.service.models.accounts import TokenBalance
    from chainteller.service.models.trades import Transaction
    from chainteller.tui.balance_history import History

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
_CLASSES = {
    "own-bank-account": "own bank account",
    "unverified-counterparty": "unverified wallet",
    "VerifiedCounterparty1P": "verified 1P wallet",
}


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


def detail(sheet: AccountSheet, now: int, courses: Sequence[Line] = ()) -> list[Line]:
    """All of an account; ``courses`` are the lines of its balances over time, where they fit."""
    account = sheet.account
    rows = [
        line((account.id, "strong")),
        line(account.customer_name or "customer not named by this deployment"),
        line((f"{account.bank_account_type}  {account.bank_account_id}", "muted")),
    ]
    rows += [line((f"[x] {control}", "bad strong")) for control in account.controls]
    rows += [line(), *_balances(sheet), *courses, line(), *_activity(sheet, now)]
    rows += [line(), *_wallets(sheet), line(), *_limits(sheet)]
    return rows


def _balances(sheet: AccountSheet) -> list[Line]:
    head = line(("BALANCES", "strong"), right=(("available   ~USD now", "muted"),))
    if isinstance(sheet.balances, Gap):
        return [head, line((sheet.balances.text, "muted"))]
    if not sheet.balances:
        return [head, line(("none yet   d: deposit", "muted"))]
    rows = [head]
    rows += [_balance(balance) for balance in sheet.balances]
    held = [row for row in sheet.balances if row.held and row.held.strip("0.")]
    rows += [
        line((f"  held {grouped(row.held or '')} {row.token.symbol} in open orders", "muted"))
        for row in held
    ]
    power = sheet.account.buying_power
    if power is not None:
        rows.append(line(("buying power", "muted"), right=((f"{grouped(power)} USD", "good"),)))
    return rows


def _balance(balance: "TokenBalance") -> Line:
    worth = grouped(balance.value_usd) if balance.value_usd is not None else ""
    return line(
        f"{balance.token.symbol:<5} ",
        (f"{balance.token.network:<8}", "muted"),
        right=(f"{grouped(balance.amount):>20}", (f"{worth:>11}", "muted")),
    )


def _activity(sheet: AccountSheet, now: int) -> list[Line]:
    head = heading("ACTIVITY", "newest first   4: trades")
    if isinstance(sheet.activity, Gap):
        return [head, line((sheet.activity.text, "muted"))]
    if not sheet.activity:
        return [head, line(("none yet", "muted"))]
    return [head, *(_happening(row, now) for row in sheet.activity)]


def _happening(row: "Transaction", now: int) -> Line:
    at = when(row.created, now) if row.created else ""
    if row.type == "deposit-transaction":
        what = f"deposit {grouped(row.amount)}"
    elif row.type == "withdrawal-transaction":
        what = f"withdraw {grouped(row.amount)}"
    else:
        side, market = getattr(row, "side", ""), getattr(row, "market", "")
        what = f"{side.upper()} {market}"
    return line((f"{at:<9}", "muted"), what, right=(status(row.status),))


def _wallets(sheet: AccountSheet) -> list[Line]:
    head = heading("WALLETS", "5: manage")
    if isinstance(sheet.wallets, Gap):
        return [head, line((sheet.wallets.text, "muted"))]
    linked = [row for found in sheet.wallets for row in found.counterparties]
    if not linked:
        return [head, line(("none linked", "muted"))]
    return [
        head,
        *(
            line(
                (f"{row.network or '-':<9}", "muted"),
                short_address(row.address),
                right=(("Verified 1P", "good") if "1P" in row.type else ("not verified", "muted"),),
            )
            for row in linked[:4]
        ),
    ]


def _limits(sheet: AccountSheet) -> list[Line]:
    head = heading("LIMITS", "withdrawals in 24 h, USD")
    if isinstance(sheet.limits, Gap):
        return [head, line((sheet.limits.text, "muted"))]
    day = [row for row in sheet.limits if row.period_seconds == 86_400]
    return [
        head,
        *(
            line(
                (_CLASSES.get(row.destination_class, row.destination_class), "muted"),
                right=(f" {_whole(row.used)} of {_whole(row.limit)}",),
            )
            for row in day
        ),
    ]


def _whole(amount: str) -> str:
    """Limits are round: no cents where there are none."""
    return grouped(amount).removesuffix(".00")


def course_lines(history: "History", now: int, width: int, rows: int) -> list[Line]:
    """Each asset's balance over time in ``rows`` lines of its own scale, then the time below."""
    from chainteller.tui.charts import step_blocks  # noqa: PLC0415 - where a chart fits

    amounts = [grouped(f"{course.now:f}") for course in history.courses]
    longest = max(map(len, amounts), default=0)
    cells = max(10, min(width - 6 - longest - 1, 96))
    since = to_datetime(history.since)
    told = "" if history.complete else "newest transactions only, "
    shown = [line(), heading("BALANCES OVER TIME", f"{told}in steps, from zero")]
    for course, amount in zip(history.courses, amounts, strict=True):
        blocks = step_blocks(course.before, course.steps, history.since, now, cells, rows)
        for place, row in enumerate(blocks):
            last = place == len(blocks) - 1
            name = course.asset if last else ""
            behind = f" {amount}" if last else ""
            shown.append(line((f"{name:<6}", ""), (row, "accent"), right=((behind, "muted"),)))
    began = f"{since:%d %b %H:%M}"
    shown.append(line((f"{' ' * 6}{began}{'now':>{max(4, cells - len(began))}}", "muted")))
    if history.untold:
        which = ", ".join(history.untold)
        shown.append(line((f"not drawn, its transactions do not tell all: {which}", "muted")))
    return shown


def course_rows(sheet: AccountSheet, rows: int) -> int:
    """How many lines ``course_lines`` needs at least, before anything is asked for it."""
    if isinstance(sheet.balances, Gap) or isinstance(sheet.activity, Gap) or not sheet.activity:
        return 0
    assets = {"USD" if row.token.symbol in USD_LIKE else row.token.symbol for row in sheet.balances}
    return 3 + rows * max(1, len(assets))


def summary(sheet: AccountSheet) -> list[Line]:
    """Two lines under the list, where there is no room for the detail."""
    account = sheet.account
    pieces: list[tuple[str, str]] = [(f" {account.customer_name or account.id}  ", "strong")]
    if not isinstance(sheet.balances, Gap):
        for row in sheet.balances[:4]:
            pieces += [(f"{row.token.symbol} ", "muted"), (f"{grouped(row.amount)}  ", "")]
    verified, linked = 0, 0
    if not isinstance(sheet.wallets, Gap):
        rows = [row for found in sheet.wallets for row in found.counterparties]
        linked, verified = len(rows), sum("1P" in row.type for row in rows)
    second = line(
        (f" {account.id}   wallets {linked} ({verified} verified)   enter: detail", "muted")
    )
    return [line(*pieces), second]


def notes(text: str) -> list[Line]:
    """The agent's own words, and how to add to them."""
    if not text:
        return [line(), heading("NOTES", "n: add")]
    rows = [line((row, "")) for note in text.splitlines() for row in wrapped(note, 44)]
    return [line(), heading("NOTES", "this machine only   n: add"), *rows[-4:]]

"""One account as lines: its detail, the short summary and the agent's notes."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from chainteller.records.accounts import ACCOUNT, BALANCE
from chainteller.records.formats import grouped, money, short_address, status, when
from chainteller.tui.dialogs.boxes import wrapped
from chainteller.tui.queries import AccountSheet, Gap
from chainteller.tui.widgets.lines import Line, heading, line
from chainteller.tui.widgets.record_lines import fact_lines

if TYPE_CHECKING:
    from chainteller.service.models.accounts import TokenBalance
    from chainteller.service.models.trades import Transaction

_CLASSES = {
    "own-bank-account": "own bank account",
    "unverified-counterparty": "unverified wallet",
    "VerifiedCounterparty1P": "verified 1P wallet",
}


def detail(
    sheet: AccountSheet,
    now: int,
    courses: Sequence[Line] = (),
    shown: Callable[[str], str] = str,
) -> list[Line]:
    """All of an account; ``courses`` are the lines of its balances over time, where they fit,
    and ``shown`` is how an amount stands there that was rounded here.
    """
    account = sheet.account
    rows = [
        line((account.id, "strong")),
        line(account.customer_name or "customer not named by this deployment"),
        line((f"{account.bank_account_type}  {account.bank_account_id}", "muted")),
    ]
    rows += [line((f"[x] {control}", "bad strong")) for control in account.controls]
    rows += [line(), *_balances(sheet, now), *courses, line(), *_activity(sheet, now)]
    rows += [line(), *_wallets(sheet), line(), *_limits(sheet, shown)]
    return rows


def _balances(sheet: AccountSheet, now: int) -> list[Line]:
    head = line(("BALANCES", "strong"), right=(("available   ~USD now", "muted"),))
    if isinstance(sheet.balances, Gap):
        return [head, line((sheet.balances.text, "muted"))]
    if not sheet.balances:
        return [head, line(("none yet   d: deposit", "muted"))]
    rows = [head]
    rows += [_balance(balance) for balance in sheet.balances]
    held = [row for row in sheet.balances if row.held and row.held.strip("0.")]
    rows += [
        line((f"  {BALANCE['held'].label} {money(row.held or '', row.token.symbol)}", "muted"))
        for row in held
    ]
    return [*rows, *fact_lines(ACCOUNT, sheet.account, now)]


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


def _limits(sheet: AccountSheet, shown: Callable[[str], str]) -> list[Line]:
    head = heading("LIMITS", "withdrawals in 24 h, USD")
    if isinstance(sheet.limits, Gap):
        return [head, line((sheet.limits.text, "muted"))]
    day = [row for row in sheet.limits if row.period_seconds == 86_400]
    return [
        head,
        *(
            line(
                (_CLASSES.get(row.destination_class, row.destination_class), "muted"),
                right=(f" {shown(_whole(row.used))} of {_whole(row.limit)}",),
            )
            for row in day
        ),
    ]


def _whole(amount: str) -> str:
    """Limits are round: no cents where there are none."""
    return grouped(amount).removesuffix(".00")


def summary(sheet: AccountSheet, width: int) -> list[Line]:
    """Two lines under the list, where there is no room for the detail; no amount is cut short."""
    account = sheet.account
    pieces: list[tuple[str, str]] = [(f" {account.customer_name or account.id}  ", "strong")]
    if not isinstance(sheet.balances, Gap):
        room = width - len(pieces[0][0]) - len("+99 more ")
        pieces += _amounts_that_fit(sheet.balances, room)
    verified, linked = 0, 0
    if not isinstance(sheet.wallets, Gap):
        rows = [row for found in sheet.wallets for row in found.counterparties]
        linked, verified = len(rows), sum("1P" in row.type for row in rows)
    second = line(
        (f" {account.id}   wallets {linked} ({verified} verified)   enter: detail", "muted")
    )
    return [line(*pieces), second]


def _amounts_that_fit(balances: "Sequence[TokenBalance]", room: int) -> list[tuple[str, str]]:
    pieces: list[tuple[str, str]] = []
    for count, row in enumerate(balances):
        amount = grouped(row.amount)
        room -= len(row.token.symbol) + len(amount) + 3
        if room < 0:
            return [*pieces, (f"+{len(balances) - count} more", "muted")]
        pieces += [(f"{row.token.symbol} ", "muted"), (f"{amount}  ", "")]
    return pieces


def notes(text: str) -> list[Line]:
    """The agent's own words, and how to add to them."""
    if not text:
        return [line(), heading("NOTES", "n: add")]
    rows = [line((row, "")) for note in text.splitlines() for row in wrapped(note, 44)]
    return [line(), heading("NOTES", "this machine only   n: add"), *rows[-4:]]

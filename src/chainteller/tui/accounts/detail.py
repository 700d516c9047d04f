"""Account detail: what is known of the customer being served, and its lines."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from chainteller.domain.assets import spoken_symbol
from chainteller.domain.challenges import is_verified
from chainteller.domain.transfers import HOLDING
from chainteller.records.accounts import ACCOUNT, UNKNOWN
from chainteller.records.formats import (
    Piece,
    approximate,
    grouped,
    money,
    same_amount,
    short_address,
    short_id,
    status,
    transferred,
    when,
)
from chainteller.records.trades import is_trade
from chainteller.records.transfers import direction
from chainteller.records.wallets import VERIFICATIONS
from chainteller.tui.answer import say
from chainteller.tui.desk import Desk
from chainteller.tui.queries import AccountSheet, Gap, account_sheet
from chainteller.tui.service_calls import call_service
from chainteller.tui.widgets.lines import Line, heading, line, wrapped
from chainteller.tui.widgets.record_lines import fact_lines
from chainteller.workspace.notes import lines_of

if TYPE_CHECKING:
    from chainteller.service.models.accounts import TokenBalance, TradingAccount
    from chainteller.service.models.funding import LimitUsage
    from chainteller.service.models.notes import Note
    from chainteller.service.models.trades import Transaction

_CLASSES = {
    "own-bank-account": "own bank account",
    "unverified-counterparty": "unverified wallet",
    "VerifiedCounterparty1P": "verified 1P wallet",
}


Panes = tuple[list[Line], list[Line]]
"""Lines of the detail, and of the summary under the list."""


def nobody_selected() -> Panes:
    """What stands instead of a customer until the agent chooses one."""
    how = line(("enter", "key"), " selects the account   ", ("/", "key"), " finds another")
    return [line(("No account is selected", "strong")), how], [how, line()]


async def load(desk: Desk, account_id: str) -> None:
    """Read all of an account. Raises TellerError: it can't be read."""
    service = desk.service_for(account_id)
    sheet = await call_service(account_sheet, service, account_id, desk.now, desk.offers)
    desk.customer.learn(sheet)


def panes(
    desk: Desk,
    account: "TradingAccount | None",
    widths: tuple[int, int],
    *,
    is_beside_day: bool,
) -> Panes:
    """Everything known of the customer being served, or whose ``account`` it is while the rest is
    being fetched; ``widths`` are those of the pane and of the window.
    """
    sheet = desk.customer.sheet
    if sheet is None:
        if account is None:
            return [], [line(), line()]
        loading = line(("loading", "muted"))
        return [*heading_lines(account), loading], summary_heading(account)
    told = desk.told_of(sheet)
    words = say(desk.privacy.figures(told), widths[0])
    shown = detail(sheet, desk.now, desk.privacy.balance, words, is_beside_day=is_beside_day)
    noted = notes(desk, sheet.notes, sheet.account.id)
    return [*shown, *noted], summary(sheet, widths[1])


def detail(
    sheet: AccountSheet,
    now: int,
    shown: Callable[[str], str] = str,
    words: Sequence[Line] = (),
    *,
    is_beside_day: bool = False,
) -> list[Line]:
    """All of an account.

    Args:
        sheet: the account.
        now: microseconds since the epoch.
        shown: masks an amount that was rounded here while balances are hidden.
        words: what to tell the customer.
        is_beside_day: whether the customer's day stands beside it, which has the activity.
    """
    account = sheet.account
    rows = heading_lines(account)
    rows += [line(piece) for piece in controls(account)]
    rows += [*words, line(), *balance_lines(sheet, now)]
    rows += [] if is_beside_day else [line(), *_activity(sheet, now)]
    rows += [line(), *wallet_lines(sheet), line(), *limit_lines(sheet, shown)]
    return [*rows, line(), line(("account", "muted"), right=(account.id,))]


def controls(account: "TradingAccount") -> tuple[Piece, ...]:
    """What restricts the account."""
    return tuple((f"[x] {control}  ", "bad strong") for control in account.controls)


def heading_lines(account: "TradingAccount") -> list[Line]:
    """Whose account it is: also while its detail is being fetched."""
    name = account.customer_name or "customer name not provided by this deployment"
    return [line((name, "strong"), right=((bank_account(account), "muted"),))]


def bank_account(account: "TradingAccount") -> str:
    """The type and the id of the bank account, as far as they are known."""
    if account.bank_account_id == UNKNOWN:
        return "bank account not provided by this deployment"
    return f"{account.bank_account_type}  {account.bank_account_id}"


def balance_lines(sheet: AccountSheet, now: int) -> list[Line]:
    head = line(("BALANCES", "strong"), right=(("available   ~USD now", "muted"),))
    if isinstance(sheet.balances, Gap):
        return [head, line((sheet.balances.text, "muted"))]
    if not sheet.balances:
        return [head, line(("none yet   d: deposit", "muted"))]
    rows = [head]
    for row in sheet.balances:
        rows.append(_balance(row))
        if row.held and row.held.strip("0."):
            held = money(row.held, spoken_symbol(row.token.symbol))
            rows.append(line((f"  {held} on hold{_held_for(sheet, row)}", "muted")))
    return [*rows, *fact_lines(ACCOUNT, sheet.account, now)]


def _held_for(sheet: AccountSheet, balance: "TokenBalance") -> str:
    """What a hold is for, where the newest transactions account for all of it."""
    if isinstance(sheet.activity, Gap):
        return ""
    open_withdrawals = [
        row for row in sheet.activity if not is_trade(row) and row.status in HOLDING
        and direction(row) == "withdrawal" and row.currency.symbol == balance.token.symbol
    ]  # fmt: skip
    amounts = sum((Decimal(row.amount) for row in open_withdrawals), Decimal(0))
    is_all = same_amount(str(amounts), balance.held or "")
    return " for withdrawals" if open_withdrawals and is_all else ""


def _balance(balance: "TokenBalance") -> Line:
    worth = grouped(balance.value_usd) if balance.value_usd is not None else ""
    return line(
        f"{spoken_symbol(balance.token.symbol):<5} ",
        (f"{balance.token.network:<8}", "muted"),
        right=(f"{grouped(balance.amount):>20}", (f" {worth:>10}", "muted")),
    )


def _activity(sheet: AccountSheet, now: int) -> list[Line]:
    head = heading("ACTIVITY", "newest first   v: open   P: page")
    if isinstance(sheet.activity, Gap):
        return [head, line((sheet.activity.text, "muted"))]
    if sheet.shows_trades_alone:
        head = heading("ACTIVITY", "this deployment lists trades alone   4")
    rows = [happening(row, now) for row in sheet.activity]
    if sheet.shows_trades_alone:
        rows.append(line(("deposits and withdrawals: not listed by this deployment", "muted")))
    return [head, *(rows or [line(("none yet", "muted"))])]


def happening(row: "Transaction", now: int) -> Line:
    at = when(row.created, now) if row.created else ""
    return line((f"{at:<9}", "muted"), _summary_of(row), right=(status(row.status),))


def _summary_of(row: "Transaction") -> str:
    if is_trade(row):
        return f"{row.side.upper()} {row.market}"
    what = "deposit" if direction(row) == "deposit" else "withdraw"
    return f"{what} {transferred(row, approximate)}"


def activity_choices(sheet: AccountSheet, now: int) -> dict[str, str]:
    """The newest transactions as lines to choose from, with their ids."""
    rows = () if isinstance(sheet.activity, Gap) else sheet.activity
    return {
        f"{when(row.created, now) if row.created else '':<9}{_summary_of(row):<28}"
        f"{status(row.status)[0]:<16}{short_id(row.id)}": row.id
        for row in rows
    }


def wallet_lines(sheet: AccountSheet) -> list[Line]:
    head = heading("LINKED WALLETS", "5: all wallets")
    if isinstance(sheet.wallets, Gap):
        return [head, line((sheet.wallets.text, "muted"))]
    linked = [row for found in sheet.wallets for row in found.counterparties]
    if not linked:
        return [head, line((_no_wallets(sheet), "muted"))]
    if not sheet.knows_wallets:
        head = heading("LINKED WALLETS", "of accounts known here   5: all")
    return [
        head,
        *(
            line(
                (f"{row.network or '-':<9}", "muted"),
                short_address(row.address),
                right=(VERIFICATIONS.get(row.verification_state, ("not verified", "muted")),),
            )
            for row in linked[:4]
        ),
    ]


def _no_wallets(sheet: AccountSheet) -> str:
    """What can be said of an account without a wallet in the list."""
    if sheet.knows_wallets:
        return "none linked"
    return "none in the accounts known here" if sheet.wallets else "not listed by this deployment"


def limit_lines(sheet: AccountSheet, shown: Callable[[str], str]) -> list[Line]:
    head = heading("LIMITS", "withdrawals in 24 h, USD")
    if isinstance(sheet.limits, Gap):
        return [head, line((sheet.limits.text, "muted"))]
    day = [row for row in sheet.limits if row.period_seconds == 86_400]
    return [
        head,
        *(
            line(
                (_class_of(row), "muted"),
                right=(f" {shown(_whole(row.used))} used of {_whole(row.limit)}",),
            )
            for row in day
        ),
    ]


def _class_of(row: "LimitUsage") -> str:
    kind = _CLASSES.get(row.destination_class, row.destination_class)
    return kind if row.evidence_level is None else f"{kind}, {row.evidence_level}"


def _whole(amount: str) -> str:
    """Limits are round: no cents where there are none."""
    return grouped(amount).removesuffix(".00")


def summary(sheet: AccountSheet, width: int) -> list[Line]:
    """Two lines under the list, where there is no room for the detail; no amount is cut short."""
    account = sheet.account
    pieces = _named(account)
    if not isinstance(sheet.balances, Gap):
        room = width - sum(len(text) for text, _ in pieces) - len("+99 more ")
        pieces += _amounts_that_fit(sheet.balances, room)
    whose = f"{account.id}   " if account.customer_name else ""
    second = line((f" {whose}{_count_wallets(sheet)}   enter: detail", "muted"))
    return [line(*pieces), second]


def _count_wallets(sheet: AccountSheet) -> str:
    if isinstance(sheet.wallets, Gap):
        return "wallets: not known"
    rows = [row for found in sheet.wallets for row in found.counterparties]
    known = "linked wallets" if sheet.knows_wallets else "linked wallets known here"
    verified = sum(is_verified(row.verification_state) for row in rows)
    return f"{known} {len(rows)} ({verified} verified)"


def summary_heading(account: "TradingAccount") -> list[Line]:
    """The two lines while the rest is being fetched."""
    second = line((f" {account.id}" if account.customer_name else "", "muted"))
    return [line(*_named(account)), second]


def _named(account: "TradingAccount") -> list[Piece]:
    return [(f" {account.customer_name or account.id}  ", "strong"), *controls(account)]


def _amounts_that_fit(balances: "Sequence[TokenBalance]", room: int) -> list[tuple[str, str]]:
    pieces: list[tuple[str, str]] = []
    for count, row in enumerate(balances):
        symbol, amount = spoken_symbol(row.token.symbol), grouped(row.amount)
        room -= len(symbol) + len(amount) + 3
        if room < 0:
            return [*pieces, (f"+{len(balances) - count} more", "muted")]
        pieces += [(f"{symbol} ", "muted"), (f"{amount}  ", "")]
    return pieces


def notes(desk: Desk, team: "Sequence[Note] | None", *about: str) -> list[Line]:
    """The newest notes, and how to add one: the team's or, where there are none of it, those of
    this machine about some records."""
    if team is None:
        found = [row for each in about for row in desk.note(each).splitlines()]
    else:
        found = lines_of(team)
    if not found:
        return [line(), heading("NOTES", "n: add")]
    rows = [line((row, "")) for note in found for row in wrapped(note, 44)]
    where = "of the team" if team is not None else "this machine only"
    return [line(), heading("NOTES", f"{where}   n: add"), *rows[-4:]]

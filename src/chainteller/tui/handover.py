"""The handover note: what this call was about, ready to be pasted into the ticket.

Made of the event log since the call began, the agent's own notes and how things stand now; only
of the selected account: no other customer stands in it.
"""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import App

from chainteller.domain.clock import to_datetime
from chainteller.service.errors import TellerError
from chainteller.tui.calls import ask
from chainteller.tui.desk import Desk, Told
from chainteller.tui.dialogs.boxes import CopyBox
from chainteller.tui.formats import clock_time, grouped, seconds_between
from chainteller.tui.papers import save
from chainteller.tui.reads import AccountSheet, Gap, account_sheet

if TYPE_CHECKING:
    from chainteller.service.models.trades import Transaction

_FINAL = frozenset({"completed", "settled", "cancelled", "failed", "rejected", "returned"})


async def show_note(app: App[Any], desk: Desk, began: int | None) -> None:
    """Make the note, show it as selectable text; ``h`` and ``c`` copy it, ``f`` writes a file."""
    account = desk.choice.account
    sheet = None
    try:
        if account is not None:
            sheet = await ask(account_sheet, desk.service, account.id)
    except TellerError as error:
        desk.tell(f"{error.code}  {error.message}", "bad")
    text = handover_note(desk, began, sheet)
    said = "h copies; paste it into the ticket"
    write = partial(save, desk, desk.look.export_folder or Path.cwd())
    app.push_screen(CopyBox("HANDOVER NOTE", text, said, write, again="h"))


def handover_note(desk: Desk, began: int | None, sheet: AccountSheet | None) -> str:
    """Who, when, what was done, what was refused, how it stands and what comes next."""
    now = to_datetime(desk.now)
    since = clock_time(to_datetime(began)) if began is not None else ""
    lasted = f", call of {seconds_between(began, desk.now) // 60} min" if began is not None else ""
    whose = sheet.account.id if sheet is not None else ""
    told = [row for row in desk.log if row.at >= since and row.account_id == whose]
    rows = [
        f"HANDOVER {now:%Y-%m-%d %H:%M} UTC{lasted}, {desk.look.operator}, {desk.look.kind}",
    ]
    if sheet is not None:
        rows += _account(desk, sheet)
    rows += _section("Done", [row for row in told if row.tone == "good"])
    rows += _section("Refused", [row for row in told if row.tone == "bad"])
    if sheet is not None:
        rows += _standing(sheet)
    return "\n".join(rows)


def _account(desk: Desk, sheet: AccountSheet) -> list[str]:
    account = sheet.account
    named = f", {account.customer_name}" if account.customer_name else ""
    rows = [f"Account {account.id}, {account.bank_account_type} {account.bank_account_id}{named}"]
    notes = desk.note(account.id).splitlines()
    return [*rows, *(["Asked:", *(f"- {note}" for note in notes)] if notes else [])]


def _section(title: str, told: list[Told]) -> list[str]:
    return [f"{title}:", *(f"- {row.at}Z {row.text}" for row in told)] if told else []


def _standing(sheet: AccountSheet) -> list[str]:
    rows = ["Now:"]
    if sheet.account.controls:
        rows.append(f"- restricted: {', '.join(sheet.account.controls)}")
    if sheet.account.buying_power is not None:
        rows.append(f"- {grouped(sheet.account.buying_power)} USD buying power")
    if isinstance(sheet.activity, Gap):
        return [*rows, f"Next: activity {sheet.activity.text}"]
    open_rows = [row for row in sheet.activity if row.status not in _FINAL]
    rows += [f"- {_words(row)}" for row in sheet.activity[:3]]
    if open_rows:
        return [*rows, *(f"Next: follow {row.id} ({row.status})" for row in open_rows)]
    return [*rows, "Next: nothing is under way"]


def _words(row: "Transaction") -> str:
    market = getattr(row, "market", "")
    what = f"{getattr(row, 'side', '')} {market}" if market else row.type.partition("-")[0]
    return f"{what} {grouped(row.amount)} {row.status} {row.id}"

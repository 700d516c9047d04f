"""``h``: the handover note of the call, as selectable text."""

from functools import partial
from pathlib import Path
from typing import Any

from textual.app import App

from chainteller.service.errors import TellerError
from chainteller.tui.desk import Desk
from chainteller.tui.dialogs.boxes import CopyBox
from chainteller.tui.exports import save
from chainteller.tui.queries import AccountSheet, Gap, account_sheet
from chainteller.tui.service_calls import call_service
from chainteller.workspace.handover import Standing, handover_note


async def show_handover_note(app: App[Any], desk: Desk, began: int | None) -> None:
    """Make the note, show it as selectable text; ``h`` and ``c`` copy it, ``f`` writes a file."""
    account, backstage = desk.customer.account, desk.session
    if backstage is None:
        return
    sheet = None
    try:
        if account is not None:
            sheet = await call_service(account_sheet, desk.service, account.id)
    except TellerError as error:
        desk.notify(f"{error.code}  {error.message}", "bad")
    text = handover_note(
        backstage.workspace,
        _standing(sheet) if sheet is not None else None,
        who=f"{desk.settings.operator}, {desk.settings.kind}",
        since=began if began is not None else desk.opened_at,
        began=began,
    )
    said = "h copies; paste it into the ticket"
    write = partial(save, desk, desk.settings.export_folder or Path.cwd())
    app.push_screen(CopyBox("HANDOVER NOTE", text, said, write, again="h"))


def _standing(sheet: AccountSheet) -> Standing:
    wallets = () if isinstance(sheet.wallets, Gap) else sheet.wallets
    return Standing(
        account=sheet.account,
        activity=None if isinstance(sheet.activity, Gap) else sheet.activity,
        owned=frozenset(row.account.id for row in wallets),
    )

"""``h``: the handover note of the call, as selectable text."""

from functools import partial
from pathlib import Path
from typing import Any

from textual.app import App

from chainteller.service.errors import TellerError
from chainteller.tui.desk import Desk
from chainteller.tui.dialogs.boxes import CopyBox
from chainteller.tui.exports import save
from chainteller.tui.service_calls import call_service
from chainteller.workspace.handover import Shift, handover_note


async def show_handover_note(app: App[Any], desk: Desk, began: int | None, case_id: str) -> None:
    """Make the note, show it as selectable text; ``h`` and ``c`` copy it, ``f`` writes a file."""
    backstage = desk.session
    if backstage is None:
        return
    case = f", case {case_id}" if case_id else ""
    who = f"{desk.operator}, {desk.settings.kind}{case}"
    shift = Shift(who, desk.opened_at if began is None else began, began)
    try:
        text = await call_service(
            handover_note,
            backstage.workspace,
            desk.service,
            shift,
            desk.customer.account_id,
        )
    except TellerError as error:
        desk.notify(f"{error.code}  {error.message}", "bad")
        return
    said = "h copies it, to paste into the ticket"
    write = partial(save, desk, desk.settings.export_folder or Path.cwd())
    app.push_screen(CopyBox("HANDOVER NOTE", text, said, write, again="h"))

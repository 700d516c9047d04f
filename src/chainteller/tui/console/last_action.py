"""``L``: the last money action of this console, to read it again."""

from typing import Any

from textual.app import App

from chainteller.records.formats import clean
from chainteller.tui.desk import Desk
from chainteller.tui.dialogs.boxes import Box, wrapped
from chainteller.tui.service_calls import call_service
from chainteller.tui.widgets.lines import Line, line
from chainteller.workspace.last_action import NOTHING_SENT, last_money_action

_LABEL_CELLS, _VALUE_CELLS = 10, 60


async def show_last_action(app: App[Any], desk: Desk) -> None:
    """Read the action's record again and show it; ``L`` again copies it."""
    backstage = desk.session
    if backstage is None:
        return
    facts = await call_service(last_money_action, backstage.workspace, desk.service)
    if not facts:
        desk.notify(NOTHING_SENT, "muted")
        return
    rows: list[Line] = []
    for label, value in facts:
        first, *more = wrapped(clean(value), _VALUE_CELLS)
        rows.append(line((f"{label:<{_LABEL_CELLS}}", "muted"), first))
        rows += [line(" " * _LABEL_CELLS, row) for row in more]
    text = "\n".join(f"{label:<{_LABEL_CELLS}}{value}" for label, value in facts)
    app.push_screen(Box("LAST MONEY ACTION", rows, again="L", text=text))

"""``L``: the last money action of this console, to read it again."""

from collections.abc import Sequence
from typing import Any

from textual.app import App

from chainteller.records.formats import clean
from chainteller.tui.desk import Backstage, Desk
from chainteller.tui.dialogs.boxes import Box
from chainteller.tui.service_calls import Later, call_service
from chainteller.tui.widgets.lines import Line, Lines, labelled, line
from chainteller.workspace.last_action import NOTHING_SENT, Fact, last_money_action

_LABEL_CELLS, _VALUE_CELLS = 10, 60


class LastAction(Box):
    """What is known here of the action, then its record as it is now, also when it changes; ``L``
    again copies it.
    """

    def __init__(self, desk: Desk, backstage: Backstage, facts: Sequence[Fact]) -> None:
        self._desk, self._backstage = desk, backstage
        rows = [*_rows(facts), line(), line(("The service hasn't answered yet.", "muted"))]
        super().__init__("LAST MONEY ACTION", rows, again="L", text=_text(facts))

    def on_mount(self) -> None:
        self._desk.on_change.subscribe(self, self._look_again)
        self._look_again(None)

    def _look_again(self, _: object) -> None:
        self.run_worker(Later(self._read), group="read", exclusive=True)

    async def _read(self) -> None:
        workspace, service = self._backstage.workspace, self._desk.service
        facts = await call_service(last_money_action, workspace, service)
        self._rows, self._text = tuple(_rows(facts)), _text(facts)
        self.query_one(Lines).show(self._headed(*self._keys_named()))


async def show_last_action(app: App[Any], desk: Desk) -> None:
    """Show the action; its record is asked for while it's shown."""
    if desk.session is None:
        return
    facts = last_money_action(desk.session.workspace, None)
    if facts:
        app.push_screen(LastAction(desk, desk.session, facts))
    else:
        desk.notify(NOTHING_SENT, "muted")


def _rows(facts: Sequence[Fact]) -> list[Line]:
    parts = (labelled(label, clean(value), _LABEL_CELLS, _VALUE_CELLS) for label, value in facts)
    return [row for part in parts for row in part]


def _text(facts: Sequence[Fact]) -> str:
    return "\n".join(f"{label:<{_LABEL_CELLS}}{value}" for label, value in facts)

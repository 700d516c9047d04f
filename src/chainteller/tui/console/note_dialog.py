"""``n``: the agent's own words about a record, kept on this machine and never sent."""

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input

from chainteller.records.formats import clean
from chainteller.service.errors import SecretEntered
from chainteller.sqlite import sqlite3
from chainteller.tui.desk import Desk
from chainteller.tui.dialogs.line_dialog import LineDialog
from chainteller.tui.dialogs.question import Ask, Question
from chainteller.tui.service_calls import Later
from chainteller.tui.widgets.lines import Line, line


class NoteScreen(LineDialog):
    """Enter adds a line with time and operator; enter on an empty field closes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+d", "forget", show=False, priority=True),
    ]

    def __init__(self, desk: Desk, about: str) -> None:
        super().__init__()
        self._desk, self._about = desk, about

    def rows(self) -> Sequence[Line]:
        keys = (
            ("enter", "key"),
            (" adds   ", "muted"),
            ("ctrl+d", "key"),
            (" removes all", "muted"),
        )
        rows = [line(("NOTES", "strong"), f"  {self._about}", right=keys)]
        rows += [line((row, "")) for row in self._desk.note(self._about).splitlines()]
        return [*rows, line(("notes stay on this machine and are never sent", "muted"))]

    def submitted(self, field: Input) -> None:
        text = clean(field.value.strip())
        backstage = self._desk.session
        if not text or backstage is None:
            self.dismiss()
            return
        try:
            backstage.workspace.add_note(self._about, self._desk.settings.operator, text)
        except (sqlite3.Error, SecretEntered) as error:
            self._desk.notify(f"note not saved: {error}", "bad")
            field.clear()
            return
        self._desk.notify(f"note saved for {self._about}", "muted", f"noted\n{text}")
        self.dismiss()

    def action_forget(self) -> None:
        if self._desk.note(self._about):
            self.run_worker(Later(self._forget), group="ask-forget", exclusive=True)

    async def _forget(self) -> None:
        asked = Ask(f"REMOVE all notes about {self._about}?", ("They are on this machine only.",))
        answer = await self.app.push_screen_wait(Question(asked, self._desk.shell.deafen))
        if answer and self._desk.session is not None:
            self._desk.session.workspace.set_note(self._about, "")
            self._desk.notify(f"notes about {self._about} removed", "muted")
            self.dismiss()

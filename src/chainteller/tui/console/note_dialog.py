"""``n``: the agent's own words about a record, kept on this machine and never sent."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input

from chainteller.records.formats import clean
from chainteller.service.errors import SecretEntered
from chainteller.sqlite import sqlite3
from chainteller.tui.desk import Desk
from chainteller.tui.dialogs.dialog import Dialog
from chainteller.tui.dialogs.question import Ask, Question
from chainteller.tui.service_calls import Later
from chainteller.tui.widgets.bars import TooSmall
from chainteller.tui.widgets.lines import Line, Lines, line

_LONGEST = 200


class NoteScreen(Dialog[None]):
    """Enter adds a line with time and operator; enter on an empty field closes."""

    AUTO_FOCUS = "#note"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", show=False),
        Binding("ctrl+d", "forget", show=False, priority=True),
    ]
    DEFAULT_CSS = """
    NoteScreen { align: center middle; background: $background 60%; }
    NoteScreen > Vertical {
        width: 76; max-width: 100%; height: auto; max-height: 90%; background: $panel;
        border: solid $accent; padding: 0 1;
    }
    NoteScreen #note { border: none; height: 1; padding: 0; background: $surface; }
    """

    def __init__(self, desk: Desk, about: str) -> None:
        super().__init__()
        self._desk, self._about = desk, about

    def compose(self) -> ComposeResult:
        field = Input(placeholder="one line", id="note", compact=True, max_length=_LONGEST)
        field.cursor_blink = False
        with Vertical():
            yield Lines(self._rows())
            yield field
        yield TooSmall()

    def _rows(self) -> list[Line]:
        keys = (
            ("enter", "key"),
            (" adds   ", "muted"),
            ("ctrl+d", "key"),
            (" removes all", "muted"),
        )
        rows = [line(("NOTES", "strong"), f"  {self._about}", right=keys)]
        rows += [line((row, "")) for row in self._desk.note(self._about).splitlines()]
        return [*rows, line(("notes stay on this machine and are never sent", "muted"))]

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if self.answered:
            return
        text = clean(event.value.strip())
        backstage = self._desk.session
        if not text or backstage is None:
            self.dismiss()
            return
        try:
            backstage.workspace.add_note(self._about, self._desk.settings.operator, text)
        except (sqlite3.Error, SecretEntered) as error:
            self._desk.notify(f"note not saved: {error}", "bad")
            event.input.clear()
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

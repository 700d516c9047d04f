"""Everything that a key can do, searchable; and what has happened, to be read again."""

from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen, Screen
from textual.widgets import Input

from chainteller.tui.desk import Desk
from chainteller.tui.dialogs.boxes import Box
from chainteller.tui.keys import COMMANDS, EVERYWHERE, Command, shown_key
from chainteller.tui.widgets.lines import Lines, line
from chainteller.tui.widgets.paged_list import Column, PagedList, Row

_COLUMNS = (Column("KEY", 8), Column("WHERE", 9, rank=1), Column("DOES", 30, grows=True))


class HelpScreen(ModalScreen[None]):
    """``?``: type to search, enter runs what works on the screen behind."""

    AUTO_FOCUS = "#search"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", show=False),
        Binding("up", "move(-1)", show=False, priority=True),
        Binding("down", "move(1)", show=False, priority=True),
        Binding("pageup", "move(-10)", show=False, priority=True),
        Binding("pagedown", "move(10)", show=False, priority=True),
    ]
    CSS_PATH = "help.tcss"

    def __init__(self, desk: Desk, behind: Screen[Any]) -> None:
        super().__init__()
        self._desk, self._behind = desk, behind
        self._here = getattr(behind, "KEY", "")

    def compose(self) -> ComposeResult:
        search = Input(placeholder="search", id="search", compact=True)
        search.cursor_blink = False
        with Vertical(id="help-box"):
            yield Lines(
                [
                    line(
                        ("KEYS", "strong"),
                        right=(
                            ("enter", "key"),
                            (" runs it   ", "muted"),
                            ("esc", "key"),
                            (" closes", "muted"),
                        ),
                    )
                ]
            )
            yield search
            yield PagedList(_COLUMNS, id="keys")

    def on_mount(self) -> None:
        self._fill("")

    def on_input_changed(self, event: Input.Changed) -> None:
        self._fill(event.value)

    def on_input_submitted(self) -> None:
        command = next(
            (row for row in COMMANDS if row.id == self.query_one(PagedList).cursor_key), None
        )
        if command is None:
            return
        if command.where not in {EVERYWHERE, self._here}:
            self._desk.tell(f"{command.shown_key} works on {command.where}", "muted")
            return
        self.dismiss()
        self.app.call_later(self.app.run_action, command.action, self._behind)

    def action_close(self) -> None:
        self.dismiss()

    def action_move(self, step: int) -> None:
        self.query_one(PagedList).move(step)

    def _fill(self, wanted: str) -> None:
        words = wanted.lower().split()
        ordered = sorted(
            COMMANDS, key=lambda row: (row.where != self._here, row.where != EVERYWHERE)
        )
        rows = [
            self._row(command)
            for command in ordered
            if all(word in f"{command.where} {command.about}".lower() for word in words)
        ]
        listed = self.query_one(PagedList)
        listed.reset()
        for start in range(0, len(rows), 50):
            listed.put(start // 50 + 1, rows[start : start + 50], len(rows), follow=False)
        if not rows:
            listed.put(1, [], 0)
            listed.say_empty(("nothing is called that", "muted"))

    def _row(self, command: Command) -> Row:
        works = command.where in {EVERYWHERE, self._here}
        key = shown_key(self._desk.look.keys.get(command.id, command.key))
        where = "all" if command.where == EVERYWHERE else command.where
        about = command.about if works else f"{command.about}  (only on {command.where})"
        return Row(
            command.id,
            (
                (key, "key" if works else "muted"),
                (where, "muted"),
                (about, "" if works else "muted"),
            ),
        )


class LogScreen(Box):
    """``!``: what happened on this desk, newest first, with all of each refusal."""

    def __init__(self, desk: Desk) -> None:
        rows = []
        for told in reversed(desk.log):
            rows.append(line((f"{told.at}Z  ", "muted"), (told.text, told.tone)))
            rows += [line(("           " + part, "muted")) for part in told.detail.splitlines()[1:]]
        text = "\n".join(f"{told.at}Z  {told.text}" for told in desk.log)
        super().__init__(
            "EVENT LOG  (this desk, since it started)",
            rows or [line(("nothing yet", "muted"))],
            again="c",
            text=text,
        )

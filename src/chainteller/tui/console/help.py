"""Everything that a key can do, searchable."""

from typing import TYPE_CHECKING, Any, cast

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import Screen
from textual.widgets import Input

from chainteller.tui.commands import EVERYWHERE, AnyCommand, shown_keys
from chainteller.tui.console.command_table import COMMANDS, PALETTE, refuse, why_unavailable
from chainteller.tui.console.glossary import Term, terms_for
from chainteller.tui.desk import Desk
from chainteller.tui.dialogs.boxes import Box
from chainteller.tui.dialogs.list_dialog import ListDialog
from chainteller.tui.widgets.lines import Lines, line, wrapped
from chainteller.tui.widgets.ordered_input import OrderedInput
from chainteller.tui.widgets.paged_list import Column, PagedList, Row

if TYPE_CHECKING:
    from chainteller.tui.console.shell import ConsoleShell

_TEXT_CELLS = 60
_BOX_CELLS, _AROUND = 72, 6
_ALL = (*COMMANDS, *PALETTE)
_COLUMNS = (Column("KEY", 9), Column("WHERE", 9, rank=1), Column("DOES", 30, grows=True))


class HelpScreen(ListDialog[None]):
    """``?``: keys and terms. Type to search; enter runs a command, or explains a term."""

    AUTO_FOCUS = "#search"
    CSS_PATH = "help.tcss"

    def __init__(self, desk: Desk, behind: Screen[Any]) -> None:
        super().__init__()
        self._desk, self._behind = desk, behind
        self._here = getattr(behind, "KEY", "")
        self._terms = terms_for(desk.settings.glossary, self._here)

    def compose(self) -> ComposeResult:
        search = OrderedInput(placeholder="search", id="search", compact=True)
        search.cursor_blink = False
        with Vertical(id="help-box"):
            yield Lines(
                [
                    line(
                        ("KEYS AND TERMS", "strong"),
                        right=(
                            ("enter", "key"),
                            (" run or explain   ", "muted"),
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
        key = self.query_one(PagedList).cursor_key
        term = next((each for each in self._terms if each.name == key), None)
        if term is not None:
            rows = [
                line(row)
                for row in wrapped(term.means, min(_BOX_CELLS, self.app.size.width - _AROUND))
            ]
            self.app.push_screen(Box(term.name.upper(), rows))
            return
        command = next((row for row in _ALL if row.id == key), None)
        if command is None or self.answered:
            return
        if refuse(command, cast("ConsoleShell", self.app), self._behind):
            return
        self.dismiss()
        self.app.call_later(self.app.run_action, command.action, self._behind)

    def _fill(self, wanted: str) -> None:
        words = wanted.lower().split()

        def matches(text: str) -> bool:
            return all(word in text.lower() for word in words)

        ordered = sorted(_ALL, key=lambda row: (row.where != self._here, row.where != EVERYWHERE))
        found = [
            command
            for command in ordered
            if matches(f"{command.where} {command.about} {self._keys(command)}")
        ]
        terms = [term for term in self._terms if matches(f"term {term.name} {term.means}")]
        here = sum(command.where == self._here for command in found)
        of_here = [_row_of_term(term) for term in terms if self._here in term.screens]
        others = [_row_of_term(term) for term in terms if self._here not in term.screens]
        rows = [self._row(command) for command in found]
        rows = [*rows[:here], *of_here, *rows[here:], *others]
        listed = self.query_one(PagedList)
        listed.reset()
        for start in range(0, len(rows), 50):
            listed.put(start // 50 + 1, rows[start : start + 50], len(rows), follow=False)
        if not rows:
            listed.put(1, [], 0)
            listed.say_empty(("No matches", "muted"))

    def _keys(self, command: AnyCommand) -> str:
        return shown_keys(self._desk.settings.keys.get(command.id, command.key))

    def _row(self, command: AnyCommand) -> Row:
        reason = why_unavailable(command, cast("ConsoleShell", self.app), self._behind)
        works = not reason
        key = self._keys(command) or ":"
        where = {EVERYWHERE: "all", "palette": "all"}.get(command.where, command.where)
        about = command.about if works else f"({reason})  {command.about}"
        return Row(
            command.id,
            (
                (key, "key" if works else "muted"),
                (where, "muted"),
                (about, "" if works else "muted"),
            ),
        )


def _row_of_term(term: Term) -> Row:
    about = f"{term.name}: {term.means}"
    return Row(term.name, (("?", "key"), ("term", "muted"), (about, "")))

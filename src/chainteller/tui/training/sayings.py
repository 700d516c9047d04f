"""What to say: the scenario's statements in full, chosen by digit."""

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from chainteller.training.scenarios import Statement
from chainteller.tui.dialogs.boxes import ScrolledDialog
from chainteller.tui.widgets.lines import Line, Lines, line, wrapped

_WIDTH = 66


class Sayings(ScrolledDialog[str]):
    """Answers a statement's id, or None for esc."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "leave", show=False)]

    def __init__(self, statements: Sequence[Statement]) -> None:
        super().__init__()
        self._statements = tuple(statements)

    def compose(self) -> ComposeResult:
        rows: list[Line] = [
            line(("WHAT DO YOU SAY?", "strong"), right=(("esc", "key"), (" nothing", "muted"))),
        ]
        for number, statement in enumerate(self._statements, start=1):
            first, *rest = wrapped(statement.text, _WIDTH)
            rows += [line(), line((f"{number}  ", "key"), first)]
            rows += [line(("   ", ""), row) for row in rest]
        with VerticalScroll(can_focus=False):
            yield Lines(rows)

    def action_leave(self) -> None:
        self.dismiss(None)

    def on_key(self, event: events.Key) -> None:
        if event.key.isdigit() and 1 <= int(event.key) <= len(self._statements):
            event.stop()
            self.dismiss(self._statements[int(event.key) - 1].id)

"""One of a few: a list over the screen, answered with enter or its digit."""

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from chainteller.tui.dialogs.dialog import Dialog
from chainteller.tui.widgets.lines import Line, Lines, line

_DIGITS = "123456789"


class Choice(Dialog[str]):
    """Answers one of ``options``, or None for esc."""

    is_about_customer = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", show=False),
        Binding("enter", "take", show=False),
        Binding("up,k", "move(-1)", show=False),
        Binding("down,j", "move(1)", show=False),
    ]
    DEFAULT_CSS = """
    Choice { align: center middle; background: $background 60%; }
    Choice > Lines {
        width: 76; max-width: 100%; height: auto; background: $panel; border: solid $accent;
        padding: 0 1;
    }
    """

    def __init__(self, title: str, note: str, options: Sequence[str], preset: str = "") -> None:
        super().__init__()
        self._title, self._note, self._options = title, note, tuple(options)
        self._at = self._options.index(preset) if preset in self._options else 0

    def compose(self) -> ComposeResult:
        yield Lines(self._rows())

    def _rows(self) -> list[Line]:
        rows = [line((self._title, "strong")), line((self._note, "muted")), line()]
        for place, option in enumerate(self._options):
            mark, tone = (">", "key") if place == self._at else (" ", "")
            digit = _DIGITS[place] if place < len(_DIGITS) else " "
            rows.append(line((f"{mark} ", tone), (f"{digit}  ", "muted"), (option, tone)))
        keys = line(("enter", "key"), (" accept   ", "muted"), ("esc", "key"), (" cancel", "muted"))
        return [*rows, line(), keys]

    def action_move(self, step: int) -> None:
        self._at = min(max(0, self._at + step), len(self._options) - 1)
        self.query_one(Lines).show(self._rows())

    def action_take(self) -> None:
        self.dismiss(self._options[self._at])

    def action_leave(self) -> None:
        self.dismiss(None)

    def on_key(self, event: events.Key) -> None:
        place = _DIGITS.find(event.character or "-")
        if 0 <= place < len(self._options):
            event.stop()
            self.dismiss(self._options[place])

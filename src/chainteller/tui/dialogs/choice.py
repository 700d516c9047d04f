"""One of a few: a list over the screen, answered with enter or its digit."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from chainteller.tui.dialogs.dialog import Dialog
from chainteller.tui.widgets.lines import Line, Lines, line, wrapped

_DIGITS = "123456789"
_WIDTH, _INDENT, _BELOW = 72, 5, 4
"""Cells of a line and before an option, and lines below the options with the frame. A box is at
most nine tenths of the window."""


class Choice(Dialog[str]):
    """Answers one of ``options``, or None for esc."""

    is_about_customer = True
    leads_on = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", show=False),
        Binding("enter", "take", show=False),
        Binding("up,k", "move(-1)", show=False),
        Binding("down,j", "move(1)", show=False),
        *(Binding(digit, f"take({at})", show=False) for at, digit in enumerate(_DIGITS)),
    ]

    def __init__(self, title: str, note: str, options: Sequence[str], preset: str = "") -> None:
        super().__init__()
        self._title, self._note, self._options = title, note, tuple(options)
        self._at = self._options.index(preset) if preset in self._options else 0

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Lines(self._rows())

    def _rows(self) -> list[Line]:
        note = [line((row, "muted")) for row in wrapped(self._note, _WIDTH)]
        rows = [line((self._title, "strong")), *note, line()]
        room = max(3, self.app.size.height * 9 // 10 - len(rows) - _BELOW)
        first = max(0, min(self._at - room // 2, len(self._options) - room))
        for place, option in [*enumerate(self._options)][first : first + room]:
            mark, tone = (">", "key") if place == self._at else (" ", "")
            digit = _DIGITS[place] if place < len(_DIGITS) else " "
            first_row, *more = wrapped(option, _WIDTH - _INDENT)
            rows.append(line((f"{mark} ", tone), (f"{digit}  ", "muted"), (first_row, tone)))
            rows += [line(" " * _INDENT, (row, tone)) for row in more]
        keys = line(("enter", "key"), (" accept   ", "muted"), ("esc", "key"), (" cancel", "muted"))
        return [*rows, line(), keys]

    def action_move(self, step: int) -> None:
        self._at = min(max(0, self._at + step), len(self._options) - 1)
        self.query_one(Lines).show(self._rows())

    def action_take(self, at: int | None = None) -> None:
        place = self._at if at is None else at
        if place < len(self._options):
            self.dismiss(self._options[place])

    def action_leave(self) -> None:
        self.dismiss(None)

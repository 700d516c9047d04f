"""The progress page at the end of a session: the results so far, and the next scenario."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from chainteller.tui.dialogs.boxes import ScrolledDialog
from chainteller.tui.widgets.lines import Line, Lines, line

_ROWS_ABOVE = 5


class ProgressPage(ScrolledDialog[str]):
    """Answers the next scenario for enter, and None for esc, which ends the training."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "go_on", show=False),
        Binding("escape,q", "leave", show=False),
    ]
    DEFAULT_CSS = """
    ProgressPage > Lines {
        width: 76; max-width: 100%; height: auto; background: $panel; padding: 0 1;
    }
    ProgressPage > VerticalScroll { max-height: 70%; }
    """

    def __init__(self, rows: Sequence[Line], following: str) -> None:
        """The row of ``following`` is scrolled to."""
        super().__init__()
        self._rows, self._following = tuple(rows), following

    def on_mount(self) -> None:
        self.call_after_refresh(self._show_following)

    def _show_following(self) -> None:
        words = ["".join(text for text, _ in row.left) for row in self._rows]
        if self._following:
            place = next((at for at, each in enumerate(words) if self._following in each), 0)
            self.query_one(VerticalScroll).scroll_to(y=max(0, place - _ROWS_ABOVE), animate=False)

    def compose(self) -> ComposeResult:
        yield Lines([line(("YOUR PROGRESS", "strong")), line()])
        with VerticalScroll(can_focus=False):
            yield Lines(self._rows)
        yield Lines([line(), self._keys()])

    def _keys(self) -> Line:
        leave = (("esc", "key"), (" end", "muted"))
        if not self._following:
            return line(("You have passed every scenario.   ", "good"), *leave)
        return line(("enter", "key"), (f" begin {self._following}   ", "muted"), *leave)

    def action_go_on(self) -> None:
        self.dismiss(self._following or None)

    def action_leave(self) -> None:
        self.dismiss(None)

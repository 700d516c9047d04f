"""The progress page at the end of a session: the results so far, and the next scenario."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from chainteller.training.results import Standing
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
    ProgressPage > VerticalScroll { max-height: 70%; border: none; }
    """

    def __init__(self, rows: Sequence[Line], following: Standing | None) -> None:
        """The row of ``following`` is scrolled to."""
        super().__init__()
        self._rows, self._following = tuple(rows), following

    def on_mount(self) -> None:
        self.call_after_refresh(self._show_following)

    def _show_following(self) -> None:
        if self._following:
            place = next(
                (at for at, row in enumerate(self._rows) if row.left[:1] == ((">", "key"),)), 0
            )
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
        return line(("enter", "key"), (f" begin {self._following.label}   ", "muted"), *leave)

    def action_go_on(self) -> None:
        self.dismiss(self._following.name if self._following else None)

    def action_leave(self) -> None:
        self.dismiss(None)

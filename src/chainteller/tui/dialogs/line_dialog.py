"""A box with some lines and a field of one line below them."""

from collections.abc import Sequence
from typing import ClassVar, Generic

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input

from chainteller.tui.dialogs.dialog import Answer, Dialog
from chainteller.tui.widgets.bars import TooSmall
from chainteller.tui.widgets.lines import Line, Lines
from chainteller.tui.widgets.ordered_input import OrderedInput


class LineDialog(Dialog[Answer], Generic[Answer]):
    """Subclasses give ``rows`` and take what is submitted; escape closes it."""

    AUTO_FOCUS = "#line"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", show=False)]
    DEFAULT_CSS = """
    LineDialog #line { border: none; height: 1; padding: 0; background: $surface; }
    """
    PLACEHOLDER: ClassVar[str] = "one line"
    LONGEST: ClassVar[int] = 200

    def compose(self) -> ComposeResult:
        field = OrderedInput(
            self.value(),
            placeholder=self.PLACEHOLDER,
            id="line",
            compact=True,
            max_length=self.LONGEST,
            select_on_focus=True,
        )
        field.cursor_blink = False
        with Vertical():
            yield Lines(list(self.rows()), id="rows")
            yield field
        yield TooSmall()

    def value(self) -> str:
        """What stands in the field at first."""
        return ""

    def rows(self) -> Sequence[Line]:
        raise NotImplementedError

    def submitted(self, field: Input) -> None:
        """Enter was pressed. The dialog stays open unless it's dismissed."""
        raise NotImplementedError

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if not self.answered:
            self.submitted(event.input)

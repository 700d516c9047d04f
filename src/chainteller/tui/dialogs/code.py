"""The message to sign as a QR code over the whole screen."""

from collections.abc import Sequence
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Center
from textual.widgets import Static

from chainteller.records.formats import Piece
from chainteller.tui.dialogs.dialog import Dialog
from chainteller.tui.widgets.lines import Lines, line

_INK = Style(color="#000000", bgcolor="#ffffff")
"""Black on white in every theme: a camera reads it."""


class CodeBox(Dialog[None]):
    is_about_customer = True
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,enter", "close", show=False)]
    DEFAULT_CSS = """
    CodeBox { align: center middle; background: $background; }
    CodeBox > Center { height: auto; }
    CodeBox Static { width: auto; }
    CodeBox > Lines { width: 100%; height: auto; }
    """

    def __init__(self, title: str, rows: Sequence[str]) -> None:
        super().__init__()
        self._title, self._rows = title, tuple(rows)

    def compose(self) -> ComposeResult:
        with Center():
            yield Static(Text("\n".join(self._rows), _INK))
        yield Lines([line()])

    def on_mount(self) -> None:
        self._fit()

    def on_resize(self) -> None:
        self._fit()

    def _fit(self) -> None:
        """Half a code is none: say how much room it needs instead."""
        width, height = len(self._rows[0]), len(self._rows) + 1
        fits = self.app.size.width >= width and self.app.size.height >= height
        self.query_one(Static).display = fits
        said: list[Piece] = [(f" {self._title}", "muted")]
        if not fits:
            too_small = (f" The code needs a window of {width} x {height}.  ", "warn")
            said = [too_small, ("e", "key"), (" save the text to a file", "muted")]
        self.query_one(Lines).show([line(*said, right=(("esc", "key"), " closes "))])

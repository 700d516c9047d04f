"""The message to sign as a QR code over the whole screen: two modules to a character."""

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
QUIET_ZONE = 2
"""Modules of light around the code. Four are the standard's; phones read two, and two fit."""
_BLOCKS = {(0, 0): " ", (1, 0): "▀", (0, 1): "▄", (1, 1): "█"}


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


def half_blocks(text: str) -> tuple[str, ...]:
    """The rows of a text's code in half blocks; every row is as wide as it has modules."""
    import segno

    code = segno.make(text.encode(), error="l", micro=False, boost_error=False)
    modules = [list(row) for row in code.matrix_iter(scale=1, border=QUIET_ZONE)]
    if len(modules) % 2:
        modules.append([0] * len(modules[0]))
    return tuple(
        "".join(
            _BLOCKS[int(bool(upper)), int(bool(lower))]
            for upper, lower in zip(modules[row], modules[row + 1], strict=True)
        )
        for row in range(0, len(modules), 2)
    )

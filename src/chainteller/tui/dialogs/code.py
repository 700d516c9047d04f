"""The message to sign as a QR code over the whole screen."""

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Center
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from chainteller.tui.dialogs.dialog import Dialog
from chainteller.tui.widgets.lines import Lines, line

_INK = Style(color="#000000", bgcolor="#ffffff")


class HalfBlocks(Widget):
    """Rows of half blocks, black on white in every theme: a camera reads them."""

    DEFAULT_CSS = "HalfBlocks { width: auto; height: auto; }"

    def __init__(self, rows: Sequence[str]) -> None:
        super().__init__()
        self._rows = tuple(rows)

    def get_content_width(self, container: Size, viewport: Size) -> int:  # noqa: ARG002 - Textual's signature
        return len(self._rows[0]) if self._rows else 0

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002 - Textual's signature
        return len(self._rows)

    def render_line(self, y: int) -> Strip:
        return Strip([Segment(self._rows[y], _INK)] if y < len(self._rows) else [])


class CodeBox(Dialog[None]):
    is_about_customer = True
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,enter", "close", show=False)]
    DEFAULT_CSS = """
    CodeBox { align: center middle; background: $background; }
    CodeBox > Center { height: auto; }
    CodeBox > Lines { width: 100%; height: auto; }
    """

    def __init__(self, title: str, rows: Sequence[str]) -> None:
        super().__init__()
        self._title, self._rows = title, tuple(rows)

    def compose(self) -> ComposeResult:
        with Center():
            yield HalfBlocks(self._rows)
        yield Lines([line((f" {self._title}", "muted"), right=(("esc", "key"), " closes "))])

    def on_mount(self) -> None:
        self._fit()

    def on_resize(self) -> None:
        self._fit()

    def _fit(self) -> None:
        """Half a code is none: say how much room it needs instead."""
        width, height = len(self._rows[0]), len(self._rows) + 1
        fits = self.app.size.width >= width and self.app.size.height >= height
        self.query_one(HalfBlocks).display = fits
        said = line((f" {self._title}", "muted"), right=(("esc", "key"), " closes "))
        if not fits:
            said = line(
                (f" The code needs a window of {width} x {height}.  ", "warn"),
                ("e", "key"),
                (" save the text to a file", "muted"),
                right=(("esc", "key"), " closes "),
            )
        self.query_one(Lines).show([said])

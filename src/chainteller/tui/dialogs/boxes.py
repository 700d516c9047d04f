"""Boxes over a screen: a text for the customer, the event log."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen

from chainteller.tui import copying
from chainteller.tui.calls import Later
from chainteller.tui.formats import Piece
from chainteller.tui.steady import Steady
from chainteller.tui.widgets.lines import Line, Lines, line


class Box(Steady, ModalScreen[None]):
    """A titled box of lines; ``again`` is the key that opened it and now copies."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", show=False),
        Binding("up,k", "scroll(-1)", show=False),
        Binding("down,j", "scroll(1)", show=False),
        Binding("pageup", "scroll(-10)", show=False),
        Binding("pagedown", "scroll(10)", show=False),
    ]
    DEFAULT_CSS = """
    Box { align: center middle; background: $background 60%; }
    Box > VerticalScroll {
        width: 76; max-width: 100%; height: auto; max-height: 90%; background: $panel;
        border: solid $accent; padding: 0 1; scrollbar-size-vertical: 1;
    }
    """

    def __init__(
        self, title: str, lines: Sequence[Line], *, again: str = "", text: str = ""
    ) -> None:
        super().__init__()
        self._title, self._rows = title, tuple(lines)
        self._again, self._text = again, text

    def compose(self) -> ComposeResult:
        copy = (f"{self._again} copies   ", "muted") if self._again else ("", "")
        with VerticalScroll(can_focus=False):
            yield Lines(self._headed(copy, ("esc", "key"), (" closes", "muted")))

    def _headed(self, *right: Piece) -> list[Line]:
        return [line((self._title, "strong"), right=right), line(), *self._rows]

    def action_close(self) -> None:
        self.dismiss()

    def action_scroll(self, step: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=step, animate=False)

    def on_key(self, event: events.Key) -> None:
        if self._again and event.character == self._again:
            event.stop()
            self.run_worker(Later(self._copy), group="copy", exclusive=True)

    async def _copy(self) -> None:
        said = await copying.copy(self.app, self._text)
        self.query_one(Lines).show(self._headed((said, "good")))


def wrapped(text: str, width: int) -> list[str]:
    """Words of ``text`` in lines of at most ``width`` cells; its own line breaks are kept."""
    rows: list[str] = []
    width = max(1, width)  # a window may leave nothing
    for paragraph in text.splitlines() or [""]:
        row = ""
        for word in _short_words(paragraph, width):
            if row and len(row) + 1 + len(word) > width:
                rows.append(row)
                row = word
            else:
                row = f"{row} {word}" if row else word
        rows.append(row)
    return rows


def _short_words(paragraph: str, width: int) -> Iterator[str]:
    """The words of a paragraph; a path or a hash that is wider than a line is cut into lines."""
    for word in paragraph.split(" "):
        for start in range(0, max(1, len(word)), width):
            yield word[start : start + width]

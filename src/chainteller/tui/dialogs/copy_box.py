"""A text to select with the mouse, to copy again or to write to a file."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from chainteller.tui import copying
from chainteller.tui.calls import Later
from chainteller.tui.formats import clean
from chainteller.tui.steady import Steady
from chainteller.tui.widgets.lines import Lines, line

Save = Callable[[str, str], Awaitable[None]]
"""Writes (file name, text) and says where it went."""


class CopyBox(Steady, ModalScreen[None]):
    """``c`` sends the text to the clipboard, ``f`` writes it to a file; it can be selected too."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", show=False),
        Binding("c", "copy", show=False),
        Binding("f", "save", show=False),
        Binding("up,k", "scroll(-1)", show=False),
        Binding("down,j", "scroll(1)", show=False),
        Binding("pageup", "scroll(-10)", show=False),
        Binding("pagedown", "scroll(10)", show=False),
    ]
    DEFAULT_CSS = """
    CopyBox { align: center middle; background: $background 60%; }
    CopyBox > VerticalScroll {
        width: 78; max-width: 100%; height: auto; max-height: 90%; background: $panel;
        border: solid $accent; padding: 0 1; scrollbar-size-vertical: 1;
    }
    CopyBox Static { width: 1fr; height: auto; background: $panel; color: $foreground; }
    """

    def __init__(self, title: str, text: str, said: str, save: Save, *, again: str = "") -> None:
        super().__init__()
        self._title, self._said, self._save = title, said, save
        self._text = "\n".join(clean(row) for row in text.splitlines())
        if again:
            self._bindings.bind(again, "copy", show=False)

    def compose(self) -> ComposeResult:
        keys = [("c", "key"), (" copies  ", "muted"), ("f", "key"), (" file  ", "muted")]
        with VerticalScroll(can_focus=False):
            yield Lines(
                [
                    line(
                        (self._title, "strong"), right=(*keys, ("esc", "key"), (" closes", "muted"))
                    ),
                    line((self._said, "muted")),
                ]
            )
            yield Static(self._text, markup=False)

    def action_close(self) -> None:
        self.dismiss()

    def action_copy(self) -> None:
        self.run_worker(Later(self._copy), group="copy", exclusive=True)

    async def _copy(self) -> None:
        self._said = await copying.copy(self.app, self._text)
        self._head_said()

    def _head_said(self) -> None:
        head = self.query_one(Lines)
        head.show([head.lines[0], line((self._said, "good"))])

    def action_save(self) -> None:
        name = "-".join(word for word in self._title.lower().split() if word.isalnum())
        save = partial(self._save, f"chainteller-{name}.txt", self._text)
        self.run_worker(Later(save), group="save")
        self.dismiss()

    def action_scroll(self, step: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=step, animate=False)

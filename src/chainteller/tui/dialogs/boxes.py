"""Boxes over a screen: a text for the customer, the event log, a text to copy or to keep."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import ClassVar, Generic

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from chainteller.records.formats import Piece, clean
from chainteller.tui import clipboard as copying
from chainteller.tui.dialogs.dialog import Answer, Dialog
from chainteller.tui.widgets.lines import Line, Lines, line

Save = Callable[[str, str], Awaitable[None]]
"""Writes (file name, text) and says where it went."""


class ScrolledDialog(Dialog[Answer], Generic[Answer]):
    """Lines that may be longer than the window: the keys of a cursor scroll them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll(-1)", show=False),
        Binding("down,j", "scroll(1)", show=False),
        Binding("pageup", "scroll(-10)", show=False),
        Binding("pagedown", "scroll(10)", show=False),
    ]
    DEFAULT_CSS = "ScrolledDialog > VerticalScroll { scrollbar-size-vertical: 1; }"

    def action_scroll(self, step: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=step, animate=False)


class Box(ScrolledDialog[None]):
    """A titled box of lines; ``again`` is the key that opened it and now copies ``text``."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,enter", "close", show=False)]

    def __init__(
        self, title: str, lines: Sequence[Line], *, again: str = "", text: str = ""
    ) -> None:
        super().__init__()
        self._title, self._rows = title, tuple(lines)
        self._again, self._text = again, text

    def compose(self) -> ComposeResult:
        with VerticalScroll(can_focus=False):
            yield Lines(self._headed(*self._keys_named()))

    def _keys_named(self) -> tuple[Piece, ...]:
        copies = self._again and self._text
        copy = (f"{self._again} copies   ", "muted") if copies else ("", "")
        return copy, ("esc", "key"), (" closes", "muted")

    def _headed(self, *right: Piece) -> list[Line]:
        return [line((self._title, "strong"), right=right), line(), *self._rows]

    def on_key(self, event: events.Key) -> None:
        if self._again and event.character == self._again and not self.answered:
            event.stop()
            self.run_worker(self.opening(self._copy), group="copy", exclusive=True)

    async def _copy(self) -> None:
        said = await copying.copy(self.app, self._text)
        self._said(said)

    def _said(self, said: str) -> None:
        self.query_one(Lines).show(self._headed((said, "good")))


class CustomerBox(Box):
    """What the customer being served may be told."""

    is_about_customer = True


class CopyBox(Box):
    """A text to select with the mouse; ``c`` copies it again and ``f`` writes it to a file."""

    is_about_customer = True
    BINDINGS: ClassVar[list[BindingType]] = [Binding("f", "save", show=False)]
    DEFAULT_CSS = """
    CopyBox > VerticalScroll { width: 78; }
    CopyBox Static { width: 1fr; height: auto; background: $panel; color: $foreground; }
    """

    def __init__(self, title: str, text: str, said: str, save: Save, *, again: str = "") -> None:
        kept = "\n".join(clean(row) for row in text.splitlines())
        super().__init__(title, [line((said, "muted"))], again="c", text=kept)
        self._save = save
        self._keys = frozenset({"c", again})

    def compose(self) -> ComposeResult:
        keys = [("c", "key"), (" copies  ", "muted"), ("f", "key"), (" file  ", "muted")]
        with VerticalScroll(can_focus=False):
            yield Lines(self._headed(*keys, ("esc", "key"), (" closes", "muted")))
            yield Static(self._text, markup=False)

    def _headed(self, *right: Piece) -> list[Line]:
        return [line((self._title, "strong"), right=right), *self._rows]

    def _said(self, said: str) -> None:
        head = self.query_one(Lines)
        head.show([head.lines[0], line((said, "good"))])

    def on_key(self, event: events.Key) -> None:
        if event.character in self._keys and not self.answered:
            event.stop()
            self.run_worker(self.opening(self._copy), group="copy", exclusive=True)

    def action_save(self) -> None:
        name = "-".join(word for word in self._title.lower().split() if word.isalnum())
        save = partial(self._save, f"chainteller-{name}.txt", self._text)
        self.dismiss()
        self.app.run_worker(self.opening(save), group="save")

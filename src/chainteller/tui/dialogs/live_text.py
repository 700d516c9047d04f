"""The text for the customer, bound to its record: what stopped being true says so."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from textual.signal import Signal

from chainteller.tui.dialogs.boxes import CustomerBox
from chainteller.tui.textual_fixes.screen import lay_out_now
from chainteller.tui.widgets.lines import Line, Lines, line, wrapped

_WIDTH, _AROUND = 70, 6
_LOOKS_EVERY_S = 1.0


@dataclass(frozen=True, slots=True)
class Follows:
    """How an open text follows its record.

    Attributes:
        read: The text as it is now; empty where its record isn't shown any more.
        core: What of a text that was just read decides whether it's still true later.
        told: Takes each text that the agent was shown.
        signals: When to look again.
        ticks: Whether to look each second: some texts change with time alone.
    """

    read: Callable[[], str]
    core: Callable[[str], str]
    told: Callable[[str], None]
    signals: tuple[Signal[Any], ...] = ()
    ticks: bool = True


class LiveText(CustomerBox):
    """What to tell the customer now; the sentence before it stays, marked as no longer true."""

    def __init__(self, title: str, whose: str, follows: Follows, window: int) -> None:
        """``window`` is the width of the window, in cells."""
        self._whose, self._follows, self._before = whose, follows, ""
        self._width = min(_WIDTH, window - _AROUND)
        text = follows.read()
        self._core = follows.core(text)
        follows.told(text)
        super().__init__(title, (), again="t", text=text)
        self._rows = self._told_rows()

    def on_mount(self) -> None:
        for signal in self._follows.signals:  # at once: no frame has the record ahead of the text
            signal.subscribe(self, self._look_again, immediate=True)
        if self._follows.ticks:
            self.set_interval(_LOOKS_EVERY_S, self._look_again)

    def _look_again(self, _: object = None) -> None:
        text = self._follows.read()
        core = self._follows.core(text)
        if self.answered or core == self._core:
            return
        self._core = core
        if text:
            self._follows.told(text)
        self._before, self._text = self._text or self._before, text
        self._rows = self._told_rows()
        shown = self.query_one(Lines)
        shown.show(self._headed(*self._keys_named()))
        lay_out_now(shown)

    def _told_rows(self) -> tuple[Line, ...]:
        rows: list[Line] = [*self._lines(self._whose, "muted"), line()] if self._whose else []
        if not self._before:
            return (*rows, *self._lines(self._text))
        rows += [line(("no longer true", "warn")), *self._lines(self._before, "muted"), line()]
        if self._text:
            return (*rows, line(("SAY NOW", "strong")), *self._lines(self._text))
        gone = "Its record isn't on the screen any more. Close this and open the text again."
        return (*rows, *self._lines(gone))

    def _lines(self, text: str, tone: str = "") -> Sequence[Line]:
        return [line((row, tone)) for row in wrapped(text, self._width)]

    async def _copy(self) -> None:
        if self._text:
            await super()._copy()

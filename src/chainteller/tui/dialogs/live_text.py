"""What to tell the customer, which follows the record that it's about while it is open."""

from collections.abc import Callable
from typing import NamedTuple

from chainteller.tui.dialogs.boxes import CustomerBox, wrapped
from chainteller.tui.widgets.lines import Line, Lines, line

_LOOKS_EVERY_S = 0.5
_WIDTH = 70


class Source(NamedTuple):
    """Where the text comes from.

    ``text`` gives the words that are true now, ``record`` the id of what they're about, ``told``
    takes what has been shown since the box was opened.
    """

    text: Callable[[], str]
    record: Callable[[], str]
    told: Callable[[str], None]


class LiveText(CustomerBox):
    """The words for the customer. Those that stop being true stay, dimmed, above the new ones."""

    def __init__(self, whose: str, source: Source) -> None:
        self._source, self._record, self._whose = source, source.record(), whose
        text = source.text()
        rows = [line(row) for row in wrapped(text, _WIDTH)]
        super().__init__("WHAT TO TELL THE CUSTOMER", self._below(rows), again="t", text=text)

    def on_mount(self) -> None:
        self.set_interval(_LOOKS_EVERY_S, self._look)

    def _look(self) -> None:
        """Follow the record; close when another one is selected."""
        if self.answered:
            return
        if self._source.record() != self._record:
            self.dismiss()
            return
        text = self._source.text()
        if text and text != self._text:
            before, self._text = self._text, text
            self._source.told(text)
            self._rows = tuple(self._below(_replaced(before, text)))
            self.query_one(Lines).show(self._headed(*self._keys()))

    def _below(self, rows: list[Line]) -> list[Line]:
        return [line((self._whose, "muted")), line(), *rows] if self._whose else rows


def _replaced(before: str, now: str) -> list[Line]:
    return [
        line(("no longer true", "warn")),
        *(line((row, "muted")) for row in wrapped(before, _WIDTH)),
        line(),
        line(("SAY NOW", "accent strong")),
        *(line(row) for row in wrapped(now, _WIDTH)),
    ]

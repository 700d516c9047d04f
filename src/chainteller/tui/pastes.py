"""What is pasted is text, whatever stands in it.

Textual 8.2.8 reads an escape character inside a bracketed paste as the begin of a key: a paste of
``ESC d100 CR`` would press ``d``, type an amount and send it. Where the terminal lets escapes
through, the paste is cut out here before Textual reads it.
"""

import sys
from collections.abc import Iterable

from textual import events
from textual._xterm_parser import XTermParser
from textual.message import Message

_START, _END = "\x1b[200~", "\x1b[201~"
_KEPT = "\t\n\r"


class PasteSafeParser(XTermParser):
    """Hands on what was typed, and each paste as one event without control characters."""

    _pasted: str | None = None
    _held = ""

    def feed(self, data: str) -> Iterable[Message]:
        """``data`` as it was read; a paste and its marks may come in several parts."""
        if not data:
            yield from super().feed(data)
        data, self._held = self._held + data, ""
        while data:
            if self._pasted is not None:
                text, end, data = (self._pasted + data).partition(_END)
                self._pasted = None if end else text
                if end:
                    yield events.Paste(_text(text))
                continue
            typed, start, data = data.partition(_START)
            if start:
                self._pasted = ""
            else:
                typed, self._held = _without_begun(typed)
            if typed:
                yield from super().feed(typed)


def _without_begun(typed: str) -> tuple[str, str]:
    """What was typed, and the begin of a paste's mark at its end. A lone escape is a key."""
    for length in range(len(_START) - 1, 1, -1):
        if typed.endswith(_START[:length]):
            return typed[:-length], typed[-length:]
    return typed, ""


def _text(pasted: str) -> str:
    return "".join(one for one in pasted if one >= " " or one in _KEPT)


def guard_pastes() -> None:
    """Let Textual's driver for this terminal read through the parser above."""
    if sys.platform != "win32":
        from textual.drivers import linux_driver  # noqa: PLC0415 - not there on Windows

        linux_driver.XTermParser = PasteSafeParser  # type: ignore[attr-defined]  # no public way

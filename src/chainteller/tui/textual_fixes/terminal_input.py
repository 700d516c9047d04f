"""Whatever a terminal sends is keys and text, and never the console's end.

Textual 8.2.8 reads an escape character inside a bracketed paste as the begin of a key: a paste of
``ESC d100 CR`` would press ``d``, type an amount and send it. It reads UTF-8 strictly, so that one
byte of a terminal set to Latin-1, or a paste that is cut within a letter, ends the application
with code 0 and a traceback in which the text stands.
"""

import codecs
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from textual import events
from textual._xterm_parser import XTermParser
from textual.message import Message

try:
    from textual.drivers import linux_driver
except ImportError:  # a system without POSIX terminals
    linux_driver = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from textual.drivers.linux_driver import LinuxDriver

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


def guard_input() -> None:
    """Let Textual's driver for this terminal read bytes and pastes as said above."""
    if linux_driver is not None:
        read: Any = linux_driver  # no public way
        read.XTermParser = PasteSafeParser
        read.getincrementaldecoder = _lenient_decoder
        read.LinuxDriver._run_input_thread = _read_until_the_end


def _lenient_decoder(encoding: str) -> "partial[codecs.IncrementalDecoder]":
    """Bytes that are no text become U+FFFD."""
    return partial(codecs.getincrementaldecoder(encoding), errors="replace")


def _read_until_the_end(driver: "LinuxDriver") -> None:
    """A fault of the reading thread ends the console as any other fault does."""
    try:
        driver.run_input_thread()
    except Exception as error:  # noqa: BLE001 - it is reported by the console
        app = driver._app
        app.call_later(app._handle_exception, error)

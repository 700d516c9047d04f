"""Reads what a terminal sends as keys, pastes and reports, and never ends the console.

Textual 8.2.8 reads ESC and a letter that come together as alt and that letter: an agent who presses
esc and goes on typing would neither close a field nor type. It reads an escape character inside a
bracketed paste as the beginning of a key: a paste of ``ESC d100 CR`` would press ``d``, type an
amount and send it. It reads UTF-8 strictly, so that one byte of a terminal set to Latin-1, or a
paste that is cut within a letter, ends the application with code 0 and a traceback that shows the
text.

The rule: a complete sequence of the terminal protocol (ECMA-48, xterm's control sequences) is one
key or one report, however it is split; ESC and an introducer that isn't completed within
``COMPLETED_WITHIN_S`` is ESC and then its characters; ESC and anything else is two keys.
"""

import codecs
import re
from collections.abc import Generator, Iterable, Iterator
from functools import partial
from time import monotonic
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

COMPLETED_WITHIN_S = 0.05
_ESC = "\x1b"
_START, _END = "\x1b[200~", "\x1b[201~"
_KEPT = "\t\n\r"
_CSI = re.compile(r"\x1b\[(?:M[^\x1b]{3}|(?!M)[0-?]*[ -/]*[@-~])")
"""A control sequence: parameters, intermediates and a final; or X10's report of the mouse."""
_SS3 = re.compile(r"\x1bO[0-9;]*[@-~]")
_STRING = re.compile(r"\x1b[]PX^_][^\x00-\x1f\x7f]*(?:\x1b\\|\x07)")
"""A control string (DCS, SOS, OSC, PM, APC): only terminals send it, as the answer to a query."""
_BEGUN = re.compile(
    r"\x1b(?:\[(?:M[^\x1b]{0,2}|[0-?]*[ -/]*)|O[0-9;]*|[]PX^_][^\x00-\x1f\x7f]*\x1b?)?"
)
"""What may still become one of these."""
_LONGEST = 4_096
_DIGIT = re.compile("[0-9]")


class TerminalParser(XTermParser):
    """Hands on keys and reports, and each paste as one event without control characters."""

    _pasted: str | None = None
    _held = ""
    _held_since = 0.0
    _released = ""
    """What was just released, in case it was the beginning of a paste on a slow line."""

    def feed(self, data: str) -> Iterable[Message]:
        """Yield the messages of ``data`` as it was read; sequences may come in several parts."""
        yield from self.tick()
        if not data:
            yield from self._release()
            yield from super().feed(data)
        if self._released and (self._released + data).startswith(_START):
            data, self._pasted = data[len(_START) - len(self._released) :], ""
        data, self._held, self._released = self._held + data, "", ""
        while data:
            data = yield from self._next(data)

    def tick(self) -> Iterable[Message]:
        """Yield the keys of a sequence that wasn't completed in time."""
        if self._held and monotonic() - self._held_since >= COMPLETED_WITHIN_S:
            yield from self._release()

    def _next(self, data: str) -> Generator[Message, None, str]:
        """Yield the messages of the beginning of ``data``; returns what follows it."""
        if self._pasted is not None:
            text, end, data = (self._pasted + data).partition(_END)
            self._pasted = None if end else text
            if end:
                yield events.Paste(_text(text))
            return data
        typed, escape, rest = data.partition(_ESC)
        if typed:
            yield from super().feed(typed)
        if not escape:
            return ""
        return (yield from self._escaped(_ESC + rest))

    def _escaped(self, data: str) -> Generator[Message, None, str]:
        """As ``_next``, for data that begins with an escape."""
        found = _CSI.match(data) or _SS3.match(data) or _STRING.match(data)
        if found is None:
            if len(data) <= _LONGEST and _BEGUN.fullmatch(data):
                self._held, self._held_since = data, self._held_since or monotonic()
                return ""
            yield events.Key("escape", _ESC)
            self._held_since = 0.0
            return data[1:]
        self._held_since = 0.0
        sequence = found[0]
        if sequence == _START:
            self._pasted = ""
        elif not _STRING.match(sequence) and not (yield from self._is_known(sequence)):
            yield events.Key("escape", _ESC)
            return data[1:]
        return data[len(sequence) :]

    def _is_known(self, sequence: str) -> Generator[Message, None, bool]:
        """Yield the messages of a complete sequence; returns whether it is one.

        One with a number is always taken for one: it's a report that Textual doesn't know. Textual
        waits for the rest of a sequence that it doesn't know, so it begins anew.
        """
        yield from super().feed(sequence)
        if self._awaiting.timeout is None:
            return True
        self._gen = self.parse(self._tokens.append)
        self._awaiting = next(self._gen)
        self._timeout_time = None
        return _DIGIT.search(sequence) is not None

    def _release(self) -> Iterator[Message]:
        """Yield escape and the keys that followed it."""
        held, self._held, self._held_since = self._held, "", 0.0
        self._released = held if held != _ESC and _START.startswith(held) else ""
        for character in held:
            if character == _ESC:
                yield events.Key("escape", _ESC)
            else:
                yield from super().feed(character)


def _text(pasted: str) -> str:
    return "".join(one for one in pasted if one >= " " or one in _KEPT)


def guard_input() -> None:
    """Let Textual's driver for this terminal read bytes and sequences as said above."""
    if linux_driver is not None:
        read: Any = linux_driver  # no public way
        read.XTermParser = TerminalParser
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

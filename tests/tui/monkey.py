"""A monkey at the desk: keys, words, pastes, clicks and window sizes at random, from a seed."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from tests.tui.conftest import Bench
from tests.world.waiting import PATIENCE_S
from textual import events
from textual.geometry import Size
from textual.message_pump import MessagePump

from chainteller.domain.randomness import SeededRandomness, below
from chainteller.service.errors import TellerError
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.tui.console.app import Console

KEYS = (
    *"12345", *"0bsdwxXCynmprtcevzofaq+/:?!hjkl.", *"123456789", "enter", "escape", "tab",
    "shift+tab", "up", "down", "left", "right", "pageup", "pagedown", "home", "end", "backspace",
    "delete", "ctrl+p", "ctrl+f", "f1", "f9", "space", "ctrl+a", "ctrl+u", "ctrl+w", "ctrl+c",
)  # fmt: skip
WORDS = (
    "theme", "hide", "call", "requests", "facts", "copy", "note", "read-only", "export", "sample",
    "DDA-1", "TDA_", "find", "audit", "help", "zzzz", "1000.00", "100000000", "caller confirmed",
)  # fmt: skip
SIZES = ((1, 1), (2, 2), (40, 1), (1, 40), (59, 15), (60, 16), (80, 24), (110, 30), (300, 100))
WIDEST, HIGHEST = 300, 100
_PLAIN = {"+": "plus", "/": "slash", ":": "colon", "?": "question_mark", "!": "exclamation_mark"}
_NAMES = {**_PLAIN, " ": "space", ".": "full_stop", "-": "minus", "_": "underscore"}
_BATCH = 20


def resident_mib() -> float:
    """What the process holds in memory now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 2**20


@dataclass
class Monkey:
    """``pastes`` are texts that it may paste; ``held`` is the memory after each tenth, in MiB."""

    bench: Bench
    app: Console
    randomness: SeededRandomness
    pastes: Sequence[str]
    keys: int = 0
    resizes: int = 0
    clicks: int = 0
    deepest: int = 0
    """The most screens that were open over one another."""
    held: list[float] = field(default_factory=list)

    async def storm(self, keys: int, resizes: int) -> None:
        """Raises AssertionError where the console ends, or hears nothing for half a minute."""
        every = max(1, keys // _BATCH // resizes)
        tenth = max(1, keys // _BATCH // 10)
        for batch in range(keys // _BATCH):
            self._type()
            if batch % every == 0:
                self._resize()
            if batch % 40 == 0:
                self._trade()
            if below(self.randomness, 4) == 0:
                self._disturb()
            await asyncio.sleep(0)
            await self._heard()
            if batch % tenth == tenth - 1:
                self.held.append(resident_mib())

    def _any(self, given: Sequence[str]) -> str:
        return given[below(self.randomness, len(given))]

    def _type(self) -> None:
        """One batch of keys; now and then it begins with a word, as for the palette."""
        left = _BATCH
        if below(self.randomness, 12) == 0:
            for letter in self._any(WORDS)[: _BATCH - 1]:
                self._press(letter)
                left -= 1
        for _ in range(left):
            self._press(self._any(KEYS))

    def _press(self, key: str) -> None:
        """With its character, as a terminal sends it."""
        self.keys += 1
        name = _NAMES.get(key, key)
        self.app.post_message(events.Key(name, key if len(key) == 1 else None))

    def _resize(self) -> None:
        chosen = below(self.randomness, 2 * len(SIZES))
        width = 1 + below(self.randomness, WIDEST)
        height = 1 + below(self.randomness, HIGHEST)
        size = Size(*(SIZES[chosen] if chosen < len(SIZES) else (width, height)))
        assert self.app._driver is not None
        self.app._driver._size = size
        self.app.post_message(events.Resize(size, size))
        self.resizes += 1

    def _disturb(self) -> None:
        """A paste, a click, a turn of the wheel."""
        chosen = below(self.randomness, 3)
        if chosen == 0:
            self.app.post_message(events.Paste(self._any(self.pastes)))
        elif chosen == 1:
            self._mouse(
                events.MouseScrollDown if below(self.randomness, 2) else events.MouseScrollUp
            )
        else:
            self.clicks += 1
            self._mouse(events.MouseMove, events.MouseDown, events.MouseUp)

    def _mouse(self, *kinds: type[events.MouseEvent]) -> None:
        width, height = self.app.size
        x, y = below(self.randomness, width), below(self.randomness, height)
        for kind in kinds:
            button = 0 if kind is events.MouseMove else 1
            self.app.post_message(kind(None, x, y, 0, 0, button, False, False, False, x, y))

    def _trade(self) -> None:
        """Money moves and the worker has work while keys are hit."""
        service = self.bench.service
        try:
            account = service.trading_accounts().data[0]
            asked = QuoteRequest(amount="1.00", side="buy", trading_account_id=account.id)
            quote = service.create_quote("sol-usd", asked).value
            service.execute_quote(quote.id, ExecuteRequest(trading_account_id=account.id))
        except TellerError:
            """The sample data has closed markets and empty accounts."""
        self.bench.world.advance(11)

    async def _heard(self) -> None:
        """Every screen has taken what was sent to it so far; one that closes owes nothing."""
        app = self.app
        for pump in (app, *app.screen_stack):
            taken, end = asyncio.Event(), monotonic() + PATIENCE_S
            waiting = pump.call_later(taken.set)
            while waiting and not taken.is_set() and self._lives(pump):
                assert app._exception is None, f"{app._exception!r} after {self.keys} keys"
                assert monotonic() < end, f"{pump} hears nothing after {self.keys} keys"
                await asyncio.sleep(0.001)
        self.deepest = max(self.deepest, len(app.screen_stack))
        assert app.is_running, f"{app._exception!r} after {self.keys} keys"

    def _lives(self, pump: MessagePump) -> bool:
        return pump is self.app or pump in self.app.screen_stack

"""A deposit waits five seconds before it leaves, and ``esc`` takes it back.

A question would be one key more in the most frequent act, and its ``y`` a reflex that then answers
other questions too. Nothing is sent, recorded or given a key before the time is up, so that a
console that is killed has sent nothing (decision 23).
"""

import asyncio
from collections.abc import Callable
from math import ceil
from time import monotonic
from typing import NamedTuple


class Held(NamedTuple):
    """What waits: in words for the agent, briefly for other customers' screens, and whose it is."""

    words: str
    briefly: str
    account_id: str


class Holding:
    """The one request that waits, if there is one.

    Args:
        seconds: how long it waits; 0 sends everything at once.
        changed: called when the line about it is another one.
        ended: told, when it won't be sent, what it was and why; no reason where the agent took it
            back.
    """

    def __init__(
        self, seconds: float, changed: Callable[[], None], ended: Callable[[Held, str], None]
    ) -> None:
        self._seconds, self._changed, self._ended = seconds, changed, ended
        self._until = 0.0
        self._leaves: asyncio.Future[bool] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._is_shown = True
        self._when_shown: list[Callable[[], None]] = []
        self.held: Held | None = None

    def begin(self, held: Held) -> "asyncio.Future[bool] | None":
        """Hold a request back from now on. Returns what says whether it may leave, once that is
        known; None where nothing waits.
        """
        if self._seconds <= 0 or self.held is not None:
            return None
        self.held, self._until = held, monotonic() + self._seconds
        self._is_shown = False
        self._leaves = asyncio.get_running_loop().create_future()
        self._tick()
        return self._leaves

    def leave(self) -> None:
        """The time is up, or what the agent does next needs it: it's sent now."""
        self._end(is_sent=True)

    def take_back(self, why: str = "") -> bool:
        """It won't be sent; whether one was waiting."""
        held = self._end(is_sent=False)
        if held is not None:
            self._ended(held, why)
        return held is not None

    def drop(self) -> None:
        """It was refused: nothing waits any more, and the refusal says so."""
        self._end(is_sent=False)

    def shown(self) -> None:
        """A frame has its line."""
        self._is_shown = True
        waiting, self._when_shown = self._when_shown, []
        for call in waiting:
            call()

    def when_shown(self, call: Callable[[], None]) -> None:
        """Call something once a frame has the line of what waits, or as nothing waits."""
        self._when_shown.append(call)
        if self._is_shown:
            self.shown()

    @property
    def line(self) -> str:
        """What waits and for how long; empty when nothing does."""
        if self.held is None:
            return ""
        left = max(1, ceil(self._until - monotonic()))
        return f"{self.held.words} leaves in {left} s   esc takes it back"

    def _tick(self) -> None:
        left = self._until - monotonic()
        if left <= 0:
            self.leave()
            return
        self._timer = asyncio.get_running_loop().call_later(left % 1 or 1, self._tick)
        self._changed()

    def _end(self, *, is_sent: bool) -> Held | None:
        held, leaves = self.held, self._leaves
        self.held = self._leaves = None
        if self._timer is not None:
            self._timer.cancel()
        if leaves is None:
            return None
        if not leaves.done():  # who waited for it may be gone
            leaves.set_result(is_sent)
        self._changed()
        self.shown()
        return held

"""Keys typed while the desk changes its place wait for it, in order.

An agent types ``d 1000 enter b enter`` faster than a screen is built. Nothing of it may land on
the wrong one; what would confirm a question is never kept: around one, keys are dropped.
"""

import sys
from collections.abc import Callable
from time import monotonic

from textual.events import Key
from textual.message_pump import MessagePump

_LONGEST_WAIT_S = 5.0
_CLOSING = frozenset({"escape", "enter"})


def _typed_at(event: Key) -> float:
    """By the clock of ``monotonic``; Textual's own clock is another one on Windows."""
    return monotonic() if sys.platform == "win32" else event.time


class TypedAhead:
    def __init__(self, target: MessagePump) -> None:
        self._target = target
        self._kept: list[Key] = []
        self._holding = False
        self.round = 0
        """Changes with every hold, and when its keys are let go."""
        self._deaf_until = 0.0
        self._last = ""
        self._once: tuple[str, float] = ("", 0.0)

    def hold(
        self, limit_s: float = _LONGEST_WAIT_S, overdue: Callable[[], object] = lambda: None
    ) -> None:
        """Keep keys until ``release``. A place that never comes lets them go after ``limit_s``:
        ``overdue`` is called first, which may forget them or hold them again. ctrl+q is never kept.
        """
        self._holding = True
        self.round += 1
        this_round = self.round
        self._target.set_timer(limit_s, lambda: self._overdue(this_round, overdue))

    def _overdue(self, this_round: int, overdue: Callable[[], object]) -> None:
        if this_round == self.round:
            overdue()
            self._let_go(this_round)

    def deafen(self, seconds: float) -> None:
        """Drop every key for a moment: around questions about money."""
        self._deaf_until = monotonic() + seconds

    def once_only(self, seconds: float) -> None:
        """A dialog closed: the same key again at once was meant for it, not for what is below."""
        self._once = (self._last, monotonic() + seconds)

    def allow_repeat(self) -> None:
        """Another dialog opened, which the same key may be meant for."""
        self._once = ("", 0.0)

    def ignores(self, key: str) -> bool:
        """Whether the key, pressed now, would be dropped."""
        return self._is_too_soon(key, monotonic())

    @property
    def is_holding(self) -> bool:
        return self._holding

    @property
    def has_keys(self) -> bool:
        """Whether keys wait."""
        return bool(self._kept)

    def is_too_early(self, event: Key) -> bool:
        """Whether the key was typed before what it would answer could be read."""
        return _typed_at(event) < self._deaf_until

    def takes(self, event: Key, *, at_once: bool = False) -> bool:
        """Whether the key is dropped or kept, and so goes no further now.

        It counts when the key was typed: one that waited in a queue answers nothing newer. A key
        that works ``at_once`` isn't kept, unless one before it is.
        """
        if self._is_too_soon(event.key, _typed_at(event)):
            return True
        self._last = event.key
        if not self._holding or event.key == "ctrl+q" or (at_once and not self._kept):
            return False
        self._kept.append(event)
        return True

    def put_first(self, key: str) -> None:
        """Keep a key as if it was typed before those that wait."""
        self._kept.insert(0, Key(key, None))

    def _is_too_soon(self, key: str, typed_at: float) -> bool:
        """Keys that close dialogs aren't repeated, unless another dialog may open: they wait for
        it. Letters are typed twice on purpose."""
        closed_by, until = self._once
        is_repeated = key in _CLOSING and key == closed_by and typed_at < until
        return typed_at < self._deaf_until or (is_repeated and not self._holding)

    def release(self) -> None:
        """Hand the first waiting key on as soon as the place that it waited for is painted; those
        behind it follow, or wait again after it.
        """
        self._target.call_after_refresh(self._let_go, self.round)

    def _let_go(self, this_round: int) -> None:
        if this_round == self.round:
            self._holding = False
            self.round += 1
            self.try_again()

    def forget(self) -> int:
        """Drop the keys that wait: what they were meant for is gone. Returns how many."""
        kept, self._kept = self._kept, []
        return len(kept)

    def try_again(self) -> None:
        """Hand on what works by now; the rest waits again. A key keeps the time at which it was
        typed: it answers no question that came later.

        A message ends at its sender: a key that a screen had sent would never reach the
        application, which hears enter and escape last.
        """
        kept, self._kept = self._kept, []
        for event in kept:
            key = Key(event.key, event.character)
            key.time = event.time
            self._target.post_message(key.set_sender(self._target))

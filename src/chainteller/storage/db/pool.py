"""Connections of a driver that are kept open; the one given back last is taken first."""

import threading
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Any

from chainteller.storage.db.errors import NoConnection


class Pooled:
    """A connection, and what whoever uses it keeps with it."""

    __slots__ = ("driver", "since", "statements")

    def __init__(self, driver: Any, since: int) -> None:
        self.driver = driver
        self.since = since
        """How many losses there were when it was opened."""
        self.statements: Any = None


class Pool:
    """Connections to one database; safe to share between threads.

    Once one is lost, none that was opened before is used again: a server that ended has closed them
    all.

    Args:
        connect: opens a connection.
        kept: connections that stay open without being used.
        most: connections in use at the same time.
        wait_s: how long a taker waits for one.
    """

    def __init__(
        self, connect: Callable[[], Any], *, kept: int, most: int, wait_s: float = 30
    ) -> None:
        self._connect = connect
        self._kept, self._most, self._wait_s = kept, most, wait_s
        self._changed = threading.Condition()
        self._free: list[Pooled] = []
        self._losses = 0
        self.used = 0
        """Connections in use."""
        self.prepares = True
        """Whether sessions may prepare statements; a pooler in between may prevent it."""

    @property
    def idle(self) -> int:
        """Open connections that aren't in use."""
        return len(self._free)

    def take(self) -> Pooled:
        """A connection for one user. Raises NoConnection, or what ``connect`` raises."""
        until = monotonic() + self._wait_s
        stale: list[Pooled] = []
        try:
            with self._changed:
                while not self._free and self.used >= self._most:
                    if not self._changed.wait(until - monotonic()):
                        raise NoConnection(TimeoutError("no connection came free"))
                self.used += 1
                while self._free:
                    found = self._free.pop()
                    if found.since == self._losses:
                        return found
                    stale.append(found)
        finally:
            if stale:
                _close(stale)
        try:
            return Pooled(self._connect(), self._losses)
        except BaseException:
            with self._changed:
                self.used -= 1
                self._changed.notify()
            raise

    def give_back(self, connection: Pooled, *, is_lost: bool = False, is_kept: bool = True) -> None:
        """What is lost is closed, with everything that was opened before the loss; so is what isn't
        to be kept, alone."""
        if is_lost:
            self.lose(connection)
        with self._changed:
            self.used -= 1
            stays = is_kept and connection.since == self._losses and len(self._free) < self._kept
            if stays:
                self._free.append(connection)
            self._changed.notify()
        if not stays:
            _close([connection])

    def lose(self, connection: Pooled) -> None:
        """Let nobody use again what was opened before this one was lost."""
        with self._changed:
            self._losses = max(self._losses, connection.since + 1)

    def close(self) -> None:
        """Close what is free; what is in use is closed when it's given back."""
        with self._changed:
            self._losses += 1
            free, self._free = self._free, []
        _close(free)

    def forget(self) -> None:
        """After a fork: the connections are the parent's."""
        self._changed = threading.Condition()
        self._losses += 1
        self._free, self.used = [], 0


def _close(connections: list[Pooled]) -> None:
    for each in connections:
        with suppress(Exception):  # it's gone already
            each.driver.close()

"""Group commit: concurrent writes to a SQLite file share one durable commit.

SQLite allows one writer at a time, and most of a small write is the wait for the disk. Units that
arrive during a write wait; the next writer runs all waiting units, each under its own savepoint,
and commits once. No call returns before that commit.
"""

import threading
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import Context, copy_context
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from chainteller.storage.db.errors import DatabaseError
from chainteller.storage.db.faults import unavailable
from chainteller.storage.db.query import Session, built

Result = TypeVar("Result")
Keep = Callable[[str | None], None]
Unit = Callable[[Session, Keep], Result]
"""A unit of work on a connection. It calls ``Keep`` as its last step, or changes nothing. It may
run again from its start, so it has no effects outside the database."""
Begin = Callable[[], AbstractContextManager[Session]]
"""Opens a write transaction, rolled back unless it is committed."""
Commit = Callable[[Session, str | None], None]
"""Commits a session, whose transaction has that ``NUMBER`` if it has one."""

_SAVE = built("SAVEPOINT unit", None)
_UNDO = built("ROLLBACK TO unit", None)
_KEEP = built("RELEASE unit", None)
MOST_TOGETHER = 32
PATIENCE_S = 10.0


@dataclass(slots=True, eq=False)
class _Waiting:
    """A waiting unit; ``over`` when it has an outcome, ``leads`` when its thread writes next.
    Nobody waits for one that leads at once."""

    unit: Unit[Any]
    context: Context
    """What the unit runs in, whoever's thread runs it."""
    over: threading.Event | None = None
    leads: bool = False
    decided: bool = False
    value: Any = None
    error: BaseException | None = None


class _Alone(Exception):
    """The database rolled back the group: each unit must run alone."""


class Writers:
    """The writers of one SQLite file in this process. ``begin`` opens a write transaction, rolled
    back unless it is committed; a unit waits ``patience_s`` seconds at most for its turn."""

    def __init__(
        self,
        begin: Begin,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._begin = begin
        self._patience_s = patience_s
        self._lock = threading.Lock()
        self._queue: deque[_Waiting] = deque()
        self._busy = False

    def run(self, unit: Unit[Result], commit: Commit, among: str = "") -> Result:  # noqa: ARG002 - a file has one writer at a time
        """Run a unit; returns its result or raises its error, after the commit.

        Raises:
            DatabaseError: the commit failed; nothing was changed.
            ServiceUnavailable: STORAGE_LOCKED, the turn didn't come in time.
        """
        mine = _Waiting(unit, copy_context())
        with self._lock:
            self._queue.append(mine)
            mine.leads, self._busy = not self._busy, True
            if not mine.leads:
                mine.over = threading.Event()
        if mine.over is not None and not mine.over.wait(self._patience_s):
            self._leave(mine)
            mine.over.wait()
        if mine.leads:
            self._lead(commit)
        if mine.error is not None:
            raise mine.error
        result: Result = mine.value
        return result

    def _leave(self, mine: _Waiting) -> None:
        """Stop waiting, unless the unit is being written already."""
        with self._lock:
            if mine in self._queue and not mine.leads:
                self._queue.remove(mine)
                raise unavailable("STORAGE_LOCKED", "Another change is taking too long.", "Retry.")

    def _lead(self, commit: Commit) -> None:
        """Write all waiting units, this thread's own first, then pass on the turn."""
        group: list[_Waiting] = []
        with self._lock:
            while self._queue and len(group) < MOST_TOGETHER:
                group.append(self._queue.popleft())
        try:
            self._write(group, commit)
        except BaseException as error:
            for each in group:
                if not each.decided:
                    each.error = error
            raise
        finally:
            with self._lock:
                following = self._queue[0] if self._queue else None
                self._busy = following is not None
                if following is not None:
                    following.leads = True
            for each in group if following is None else (*group, following):
                if each.over is not None:
                    each.over.set()

    def _write(self, group: list[_Waiting], commit: Commit) -> None:
        if len(group) > 1:
            try:
                self._together(group, commit)
            except _Alone:
                pass
            else:
                return
        for each in group:
            each.error = None
            try:
                with self._begin() as connection:
                    keep = partial(commit, connection)
                    each.value = each.context.run(each.unit, connection, keep)
            except Exception as error:  # noqa: BLE001 - re-raised in the unit's thread
                each.error = error
            each.decided = True

    def _together(self, group: list[_Waiting], commit: Commit) -> None:
        """Run all units in one transaction.

        A unit's refusal may depend on another unit's changes, so both return after the commit.

        Raises:
            _Alone: a database error rolled back more than one unit; nothing was changed.
        """
        with self._begin() as connection:
            try:
                kept = [_under_savepoint(connection, each) for each in group]
            except DatabaseError as error:
                raise _Alone from error
            if any(kept):
                commit(connection, None)


def _under_savepoint(connection: Session, each: _Waiting) -> bool:
    """Run one unit of a group; returns whether it changed anything."""
    kept: list[str | None] = []
    connection.execute(_SAVE)
    try:
        each.value = each.context.run(each.unit, connection, kept.append)
    except Exception as error:  # noqa: BLE001 - re-raised in the unit's thread
        each.error = error
        kept.clear()
    if not kept:
        connection.execute(_UNDO)
    connection.execute(_KEEP)
    return bool(kept)

"""The thread that verifies the books while a console or a server runs.

What was written lately is verified again and again, within a minute; everything once a day. Of
several servers on one database each does the first, and one the other. What others write there
doesn't stop that: the rest does the same at longer intervals, by its own clock and memory.
"""

import json
import logging
import subprocess
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from tempfile import TemporaryFile
from typing import IO

from chainteller.domain.actors import WORKER
from chainteller.domain.books import last_turn
from chainteller.domain.clock import DAY, MINUTE, SECOND
from chainteller.engine.core import timekeeping
from chainteller.engine.core.background import Background
from chainteller.engine.core.breaches import OTHER_KEY, UNREADABLE, WRITERS_KEY, Breach
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.pacing import Breather
from chainteller.engine.core.unit_of_work import UnitOfWork, act
from chainteller.engine.operations import disputes
from chainteller.engine.operations.key_uses import KeyUses
from chainteller.engine.verification import full_pass
from chainteller.engine.verification.replay import End
from chainteller.service.errors import ServiceUnavailable
from chainteller.storage.log.verified_state import MOST
from chainteller.storage.queries import disputes as dispute_rows

INTERVAL = 45 * SECOND
"""Together with the time that a look takes, less than the minute that is promised."""
RECENT = 1_000
"""Entries that every look checks again, although the one before found nothing."""
SMALL = 1_000
"""A database with so few entries is verified as a whole in this thread."""
_MOST = 20 * RECENT
"""A breach is found again by every look, until so many entries follow it."""
_OTHERS = 10
"""How many times more days a server that isn't the one to do it waits to verify everything."""
_RETRY = 10 * MINUTE
_FIRST_S, _POLL_S, _STOP_S = 2.0, 1.0, 20.0
_log = logging.getLogger(__name__)

Point = Mapping[str, End]
"""How all logs ended at a moment when nothing was wrong."""


class Process:
    """A verification of everything in a process of its own, which takes long and much memory.

    It reads ``given`` and prints each breach as JSON (``chainteller.whole_pass``). Its standard
    input stays open until it has ended.
    """

    def __init__(self, command: Sequence[str], given: bytes) -> None:
        self._command, self._given = command, given
        self._running: subprocess.Popen[bytes] | None = None
        self._told: IO[bytes] | None = None

    @property
    def is_running(self) -> bool:
        return self._running is not None

    def start(self) -> None:
        """Raises OSError."""
        self._told = TemporaryFile()  # noqa: SIM115 - closed when it was read
        running = subprocess.Popen(  # noqa: S603 - our own program
            self._command,
            stdin=subprocess.PIPE,
            stdout=self._told,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._running = running
        if running.stdin is not None:
            running.stdin.write(self._given)
            running.stdin.flush()

    def found(self) -> tuple[Breach, ...] | None:
        """What it found; None while it runs. Raises ValueError: it failed."""
        if self._running is None or self._told is None or self._running.poll() is None:
            return None
        code = self._running.returncode
        self._end()
        with self._told as told:
            told.seek(0)
            lines = told.read().splitlines()
        if code:
            raise ValueError(f"it ended with {code}")
        return tuple(Breach(*json.loads(line)) for line in lines)

    def stop(self) -> None:
        if self._running is not None:
            self._running.terminate()
            self._running.wait()
            self._end()

    def _end(self) -> None:
        if self._running is not None and self._running.stdin is not None:
            self._running.stdin.close()
        self._running = None


class Verifier(Background):
    """Verifies what is due; everything, if it ``leads``. ``process`` verifies everything; None
    where only a small database is verified as a whole. ``uses`` is of API keys by this process."""

    def __init__(
        self,
        context: EngineContext,
        leads: Callable[[], bool] = lambda: True,
        process: Process | None = None,
        uses: KeyUses | None = None,
    ) -> None:
        super().__init__("verification", _FIRST_S, _STOP_S)
        self._context, self._leads, self._process = context, leads, process
        self._uses = uses
        self._used_wrongly: tuple[Breach, ...] = ()
        """What uses of keys show that nobody was told yet; no later look finds it again."""
        self._points: deque[Point] = deque()
        self._looked_at = self._size = 0
        self._whole_at: int | None = None
        """When everything was verified, as far as this process knows; None: not asked yet."""
        self._not_before = 0
        """When everything may be verified again, after a failure."""
        self._began_at = 0
        self._keys: list[Breach] = []
        """What was wrong with the writer's key at the last look."""
        self._unread: list[str] = []
        """The logs that are followed next, for what payouts rest on (``verified_state``)."""

    def stop(self) -> None:
        """End after the look under way; a verification of everything is given up."""
        super().stop()
        if self._process is not None:
            self._process.stop()

    def _turn(self) -> float:
        self.attempt()
        return _POLL_S

    def attempt(self) -> None:
        """As ``turn``; a fault waits for the next look, and rows that can't be read are a
        breach."""
        try:
            self.turn()
        except ServiceUnavailable as error:
            _log.warning("the books aren't verified: %s", error.details.get("reason"))
            self._looked_at = self._now()
        except UNREADABLE as error:
            _log.exception("the books can't be verified")
            self._looked_at = self._now()
            with suppress(ServiceUnavailable):
                self._tell([Breach(17, f"they can't be verified: {error!r}", "rows")])

    def turn(self) -> None:
        """Verify what is due by the bank's clock. Raises ServiceUnavailable: the database can't be
        used."""
        now, times = self._now(), 1 if self._leads() else _OTHERS
        if not 0 <= now - self._looked_at < INTERVAL:
            self._look(now)
        if self._process is not None and self._process.is_running:
            self._take_whole(self._process)
        elif self._looked_at == now and self._is_whole_due(now, times):
            self._verify_all(now)
        self._read_on()

    def _read_on(self) -> None:
        """Follow logs that aren't read to their ends, a part of one at a time: so a payout seldom
        has much to read."""
        if self._unread:
            with self._context.database.read(patient=True) as connection:
                if self._context.state.follow(connection, self._unread[-1], MOST).is_whole:
                    self._unread.pop()

    def _now(self) -> int:
        return timekeeping.estimate(self._context.clock, self._context.keeper)

    def _look(self, now: int) -> None:
        """Verify what was written lately."""
        database, points = self._context.database, self._points
        if not points:
            points.append(full_pass.recent_ends(database, RECENT))
        breathe = Breather(self._stopping.wait)  # a new one: between two looks nothing was worked
        found = full_pass.verify_since(database, points[0], breathe)
        wrong = (*found.breaches, *full_pass.verify_heads(self._context.kept, database))
        self._used_wrongly += full_pass.verify_key_uses(self._uses, database)
        self._looked_at = now
        self._tell((*wrong, *self._used_wrongly), verified_at=now)
        self._used_wrongly = ()
        self._unread = self._unread or list(found.ends)
        size = self._size = _size(found.ends)
        if not found.breaches and size - _size(points[-1]) >= RECENT // 10:
            points.append(found.ends)
        while len(points) > 1 and size - _size(points[1]) >= RECENT:
            points.popleft()
        if size - _size(points[0]) > _MOST:
            points.clear()
            points.append(found.ends)

    def _is_whole_due(self, now: int, times: int) -> bool:
        time_of_day = self._context.options.verify_at
        if not time_of_day or now < self._not_before:
            return False
        with self._context.database.read() as connection:
            if self._whole_at is None:
                stored: int = dispute_rows.verified(connection).wholly_at
                self._whole_at = stored if stored <= now else 0
            cleared_at = dispute_rows.newest_clearance(connection)
        due_from = last_turn(time_of_day, now) - (times - 1) * DAY
        return self._whole_at < due_from or (times == 1 and self._whole_at < cleared_at <= now)

    def _verify_all(self, now: int) -> None:
        self._began_at = now
        self._not_before = now + _RETRY
        if self._size <= SMALL:
            self._end_whole(full_pass.verify_all(self._context.database))
        elif self._process is None:
            self._not_before = now + DAY
        else:
            try:
                self._process.start()
            except OSError as error:
                _log.warning("the books can't be verified as a whole: %s", error)

    def _take_whole(self, process: Process) -> None:
        try:
            found = process.found()
        except ValueError as error:
            _log.warning("the books weren't verified as a whole: %s", error)
            return
        if found is not None:
            self._end_whole(found)

    def _end_whole(self, found: Sequence[Breach]) -> None:
        self._whole_at, self._not_before = self._began_at, 0
        self._tell(found, verified_at=self._began_at, full_at=self._began_at)

    def _tell(self, found: Sequence[Breach], **instants: int) -> None:
        """A key that this process can't read is no breach of the books; one that doesn't fit is
        one if it doesn't fit twice, because it may just be replaced."""
        wrong = [each for each in found if each.where not in (WRITERS_KEY, OTHER_KEY)]
        keys = [each for each in found if each not in wrong]
        if any(each in self._keys for each in keys):
            wrong += [each for each in keys if each.where == OTHER_KEY]
        for each in keys:
            _log.warning("%s", each.what)
        self._keys = keys
        for said in disputes.open_for(self._context, wrong):
            _log.error("BREACH: %s", said)

        def note(tx: UnitOfWork) -> None:
            dispute_rows.note_verified(tx.rows, instants)

        if instants:
            act(self._context, WORKER, note, timeless=True)


def _size(point: Point) -> int:
    return sum(end.size for end in point.values())

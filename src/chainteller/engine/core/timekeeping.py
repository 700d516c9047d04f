"""The bank's clock: what time it is, and whether that is certain.

``domain/timekeeping.py`` has the rules. Processes on one machine share an anchor in the database;
elsewhere, and on PostgreSQL, whose clock is the authority, each process keeps its own. A clock
other than ``SystemClock`` belongs to a test, a training session or a demo and is believed.
"""

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from chainteller.domain.clock import MINUTE, Clock, SystemClock, format_instant
from chainteller.domain.timekeeping import (
    MEANINGS,
    TOLERANCE,
    Anchor,
    Doubt,
    Judgement,
    Known,
    Sight,
    begin,
    gained,
    go_on,
    implausible,
    jumped,
)
from chainteller.service.errors import ClockUncertain

if TYPE_CHECKING:
    from chainteller.storage.db.query import Session
    from chainteller.storage.log.rows import Writer
    from chainteller.storage.queries.clock import FinderWithTime

_LOOKED_AT_WITHIN = 1_000
"""Microseconds within which the clock and the elapsed time are read, for one sight of both."""
_LOOKS = 10

_Key = tuple[object, ...]
"""Which stored anchor and epoch an anchor of this process replaces."""


@dataclass(slots=True)
class Timekeeper:
    """What one process remembers about time; shared by its threads."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    opened: bool = False
    replaces: _Key = ()
    own: Anchor | None = None
    """The anchor of this process, while what it ``replaces`` is still what is stored."""
    doubtful: Anchor | None = None
    """What to go on from while time has been in doubt since this process started."""


class Reading(NamedTuple):
    """The time at one moment. ``now`` is the best that is known, even where it's in doubt.

    ``sight`` is what the clock showed, None for a virtual one; ``wall`` what this machine's did.
    """

    now: int
    doubt: Doubt | None = None
    sight: Sight | None = None
    wall: int = 0
    known: Known | None = None
    anchor: Anchor | None = None
    linked: bool = False
    """Whether elapsed time links the present to the records."""
    stored: bool = True
    """Whether the database has this anchor, or keeps none of this process."""
    overrules: bool = False
    """Whether the database has an anchor that contradicts the clocks, unlike this process's."""

    @property
    def clock(self) -> int:
        """What the clock that can be set shows."""
        return self.now if self.sight is None else self.sight.clock

    @property
    def began_at(self) -> int:
        """When this epoch began; 0 in the first one."""
        return self.known.began_at if self.known else 0

    @property
    def ahead(self) -> int:
        """How far this machine's clock is ahead of the database's; 0 where they agree or the
        database has none."""
        if self.sight is None or not self.sight.is_database:
            return 0
        ahead = self.wall - self.sight.clock
        return ahead if abs(ahead) > TOLERANCE else 0

    def refusal(self, doubt: Doubt | None = None) -> ClockUncertain:
        """The error for what needs a certain time."""
        reason = doubt or self.doubt or Doubt.JUMPED
        return ClockUncertain(
            f"The service can't confirm the time. {MEANINGS[reason]}",
            reason.value,
            format_instant(self.now),
            format_instant(self.clock),
        )


class TimeSource(NamedTuple):
    """Whose time is asked for: PostgreSQL's clock if ``by_server``, else a machine's, and what its
    process remembers."""

    by_server: bool
    clock: Clock
    keeper: Timekeeper


def read(source: TimeSource, connection: "Session") -> Reading:
    """What time it is, in a transaction of ``connection``."""
    from chainteller.storage.queries import clock as clock_rows  # noqa: PLC0415 - a first frame needs none of it

    before = elapsed(source)
    row = clock_rows.read(connection, server_clock=source.by_server)
    return judged(source, row, before)


def read_with(
    source: TimeSource, connection: "Session", find: "FinderWithTime", **values: str
) -> tuple[Any, Reading | None]:
    """A row that is read together with the time, and what time it is; None for both if there's no
    such row."""
    before = elapsed(source)
    row = find(connection, server_clock=source.by_server, **values)
    return row, None if row is None else judged(source, row, before)


def read_ahead(source: TimeSource, connection: "Session") -> None:
    """Send what ``read`` will find with the next statement."""
    from chainteller.storage.queries import clock as clock_rows  # noqa: PLC0415 - as in read

    connection.ahead(clock_rows.read, server_clock=source.by_server)


def elapsed(source: TimeSource) -> int:
    """The elapsed time; 0 with a virtual clock."""
    return source.clock.elapsed() if isinstance(source.clock, SystemClock) else 0


def judged(source: TimeSource, row: Any, before: int) -> Reading:
    """What time it is, by a row that was read when ``before`` had elapsed."""
    clock, keeper = source.clock, source.keeper
    if not isinstance(clock, SystemClock):
        return Reading(max(clock.now(), row.last_at))
    seen = look(clock)
    sight = (
        Sight(row.server_clock, before, seen.after, is_database=True) if source.by_server else seen
    )
    boot = "" if source.by_server else clock.boot()
    known, stored = Known.stored(row), Anchor.stored(row, boot)
    key = (known.epoch, stored)
    with keeper.lock:
        opening, keeper.opened = not keeper.opened, True
        anchor = keeper.own if keeper.own and keeper.replaces == key else stored
        if anchor is None:
            found = begin(sight, known, keeper.doubtful)
        else:
            found = go_on(sight, known, anchor, opening=opening)
        own = _overruling(keeper, known, sight) if found.doubt else None
        if own is None:
            _remember(keeper, key, found, linked=anchor is not None)
        else:
            found = own
    return Reading(
        found.now,
        found.doubt,
        sight,
        seen.clock,
        known,
        found.anchor,
        linked=anchor is not None,
        stored=not boot or found.anchor == stored,
        overrules=own is not None,
    )


def _overruling(keeper: Timekeeper, known: Known, sight: Sight) -> Judgement | None:
    """What this process's own anchor of this epoch says, if that leaves no doubt: then it's the
    stored one that is wrong."""
    if keeper.own is None or keeper.replaces[0] != known.epoch:
        return None
    found = go_on(sight, known, keeper.own, opening=False)
    return found if found.doubt is None else None


def _remember(keeper: Timekeeper, key: _Key, found: Judgement, *, linked: bool) -> None:
    if found.doubt is None:
        keeper.replaces, keeper.own, keeper.doubtful = key, found.anchor, None
    elif not linked:
        keeper.doubtful = found.anchor


def look(clock: SystemClock) -> Sight:
    """The machine's clock between two readings of the elapsed time that are close together."""
    sight = _glance(clock)
    for _ in range(_LOOKS):
        if sight.after - sight.before <= _LOOKED_AT_WITHIN:
            break
        sight = _glance(clock)
    return sight


def _glance(clock: SystemClock) -> Sight:
    before, wall = clock.elapsed(), clock.now()
    return Sight(wall, before, clock.elapsed())


def estimate(clock: Clock, keeper: Timekeeper) -> int:
    """What time it is, without asking the database; this machine's clock before the first
    reading."""
    if not isinstance(clock, SystemClock):
        return clock.now()
    with keeper.lock:
        anchor = keeper.own or keeper.doubtful
    return clock.now() if anchor is None else anchor.after(clock.elapsed())


class KeptClock(NamedTuple):
    """The bank's time as a clock, for what is stamped outside of a transaction."""

    clock: Clock
    keeper: Timekeeper

    def now(self) -> int:
        return estimate(self.clock, self.keeper)


def require_steady(source: TimeSource, reading: Reading) -> None:
    """Raises ClockUncertain: this machine's clock, which decides, was set since the reading."""
    clock = source.clock
    if reading.sight is None or reading.sight.is_database or not isinstance(clock, SystemClock):
        return
    if jumped(reading.sight, look(clock)):
        raise reading.refusal(Doubt.JUMPED)


def is_to_be_noted(reading: Reading) -> bool:
    """Whether the shared row doesn't say yet what was read."""
    known = reading.known
    if known is None:
        return False
    if (reading.doubt is not None) != bool(known.doubt):
        return True
    return (reading.doubt is None and not reading.stored) or reading.now - known.seen_at >= MINUTE


def store(source: TimeSource, rows: "Writer", reading: Reading) -> int:
    """Share the anchor of a reading without doubt with the machine's other processes; returns by
    how much it is ahead of elapsed time. One that overrules the stored one gains nothing."""
    from chainteller.storage.queries import clock as clock_rows  # noqa: PLC0415 - as in read

    if reading.stored or reading.doubt is not None or not (reading.anchor and reading.known):
        return 0
    clock = source.clock
    boot = clock.boot() if isinstance(clock, SystemClock) else ""
    ahead = 0
    if not reading.overrules:
        row = clock_rows.read(rows.connection, server_clock=False)
        ahead = gained(reading.known, Anchor.stored(row, boot), reading.anchor)
    clock_rows.change(
        rows,
        boot=boot,
        anchor_at=reading.anchor.at,
        anchor_elapsed=reading.anchor.elapsed,
    )
    return ahead


def require_plausible(reading: Reading) -> None:
    """Raises ClockUncertain: nobody can confirm a clock that shows such a time."""
    found = implausible(reading.clock)
    if found is not None:
        raise reading.refusal(found)

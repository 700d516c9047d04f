"""What time it is, and whether that is certain: the rules, without any clock or database.

A bank's time is an anchor (an instant and the elapsed time at which it was true) plus the time
that has elapsed since. The clock that can be set (the machine's wall clock, or PostgreSQL's clock)
and the newest instant in the records are only compared with it. Where they contradict each other
by more than ``TOLERANCE``, time is uncertain until they agree again or a person says which clock
is right. All instants and durations are microseconds.
"""

from enum import StrEnum
from typing import Any, NamedTuple

from chainteller.domain.clock import SECOND, parse_instant

TOLERANCE = 5 * SECOND
EARLIEST = parse_instant("2025-01-01T00:00:00Z")
LATEST = parse_instant("2200-01-01T00:00:00Z")
_SLOWED = 2_000
"""A database's clock that is a little behind is waited for: meanwhile time is slower by one part
in this many, since two machines never measure quite the same second."""


class Doubt(StrEnum):
    """Why time is uncertain; each value is the ``reason`` of CLOCK_UNCERTAIN."""

    NOT_SET = "CLOCK_NOT_SET"
    OUT_OF_RANGE = "CLOCK_OUT_OF_RANGE"
    BEHIND = "CLOCK_BEHIND"
    AHEAD = "CLOCK_AHEAD"
    RECORDS_AHEAD = "RECORDS_AHEAD"
    JUMPED = "CLOCK_JUMPED"


MEANINGS = {
    Doubt.NOT_SET: "The clock shows a time before 2025, so it was never set.",
    Doubt.OUT_OF_RANGE: "The clock shows a time after 2199.",
    Doubt.BEHIND: "The clock is behind the time of the bank's records.",
    Doubt.AHEAD: "The clock is ahead of the time that has really passed.",
    Doubt.RECORDS_AHEAD: "The newest record has a time that is still to come.",
    Doubt.JUMPED: "The clock was set while the request was carried out.",
}


class Anchor(NamedTuple):
    """``at`` was the time when ``elapsed`` had elapsed."""

    at: int
    elapsed: int

    @classmethod
    def stored(cls, row: Any, boot: str) -> "Anchor | None":
        """That of the machine's run ``boot``, if the row of the clock has one."""
        return cls(row.anchor_at, row.anchor_elapsed) if boot and row.boot == boot else None

    def after(self, elapsed: int) -> int:
        """The time when ``elapsed`` has elapsed."""
        return self.at + elapsed - self.elapsed


class Sight(NamedTuple):
    """The clock that can be set, read between two readings of the elapsed time.

    ``is_database``: the clock is PostgreSQL's, which is the authority for every server.
    """

    clock: int
    before: int
    after: int
    is_database: bool = False


class Known(NamedTuple):
    """What the database says about time.

    ``last_at`` is the newest instant of any record, ``seen_at`` the newest one that a running
    server has noted, ``began_at`` when the current epoch began. ``doubt`` is why time has been
    uncertain, empty while it's certain; ``stepped`` if that was noticed by comparing the clock
    with elapsed time, so that a restart can't settle it.
    """

    last_at: int
    seen_at: int
    epoch: int
    began_at: int
    doubt: str
    stepped: bool

    @classmethod
    def stored(cls, row: Any) -> "Known":
        """What the row of the clock says."""
        instants = row.last_at, row.seen_at, row.epoch, row.began_at
        return cls(*instants, row.doubt, stepped=bool(row.stepped))


class Judgement(NamedTuple):
    """``now`` is the best that is known, even in doubt; ``anchor`` is what to go on from."""

    now: int
    doubt: Doubt | None
    anchor: Anchor


def implausible(clock: int) -> Doubt | None:
    """Why no clock can be right that shows this, or None."""
    if clock < EARLIEST:
        return Doubt.NOT_SET
    return Doubt.OUT_OF_RANGE if clock >= LATEST else None


def begin(sight: Sight, known: Known, before: Anchor | None) -> Judgement:
    """The first judgement, where no elapsed time links the present to the records.

    The clock may be ahead of the records: the bank was closed meanwhile. ``before`` is what an
    earlier judgement of this kind, in doubt, went on from.
    """
    floor = max(known.last_at, known.seen_at)
    doubt = implausible(sight.clock)
    if doubt is None and sight.clock < floor - TOLERANCE:
        doubt = Doubt.BEHIND
    if doubt is None and known.stepped:
        doubt = Doubt(known.doubt) if known.doubt in set(Doubt) else Doubt.BEHIND
    if doubt is None or not floor:
        now = max(sight.clock, floor)
    else:
        now = floor if before is None else max(floor, before.after(sight.after))
    return Judgement(now, doubt, Anchor(now, sight.after))


def go_on(sight: Sight, known: Known, anchor: Anchor, *, opening: bool) -> Judgement:
    """A judgement of a time that an anchor links to the records.

    Args:
        sight: the clock now.
        known: what the database says.
        anchor: an instant and its elapsed time, not after ``sight``.
        opening: this process has just started; a clock that is ahead is then accepted.
    """
    passed = sight.before - anchor.elapsed
    slowed = passed // _SLOWED if sight.is_database else 0
    expected = anchor.at + passed - slowed
    step = sight.clock - expected
    doubt = implausible(sight.clock)
    if doubt is None and step < -TOLERANCE:
        doubt = Doubt.BEHIND
    if doubt is None and step > TOLERANCE:
        accepted = sight.is_database or (opening and not known.doubt)
        doubt = None if accepted else Doubt.AHEAD
    now = expected
    if doubt is None and (sight.is_database or step > TOLERANCE):
        now = max(expected, sight.clock)
    if doubt is None and known.last_at > now + TOLERANCE:
        doubt = Doubt.RECORDS_AHEAD
    if doubt is None:
        now = max(now, known.last_at)
    elapsed = sight.after if sight.is_database else sight.before
    return Judgement(now, doubt, anchor if now == anchor.after(elapsed) else Anchor(now, elapsed))


def jumped(earlier: Sight, later: Sight) -> bool:
    """Whether the clock was set between two sights of it."""
    passed = later.clock - earlier.clock
    return not (
        later.before - earlier.after - TOLERANCE
        <= passed
        <= later.after - earlier.before + TOLERANCE
    )


def stamped(at: int, now: int, began_at: int) -> int:
    """When a record was made, for a period that begins with it.

    A time that is still to come was stamped in an earlier epoch, when the clock was wrong: the
    record then counts from the beginning of this epoch.
    """
    return at if at <= now or not began_at else min(at, began_at)


def gained(known: Known, stored: Anchor | None, anchor: Anchor) -> int:
    """How far time has gone ahead of elapsed time where ``anchor`` takes the stored one's place;
    without a stored one, of the newest time that the records know."""
    if stored is not None:
        return anchor.after(stored.elapsed) - stored.at
    floor = max(known.last_at, known.seen_at)
    return max(0, anchor.at - floor) if floor else 0

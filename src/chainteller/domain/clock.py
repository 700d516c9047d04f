"""Time: clocks, and instants as integers (microseconds since 1970-01-01T00:00:00Z)."""

import re
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from pathlib import Path
from typing import Protocol

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LAST_INSTANT = 253_402_300_799_999_999
"""9999-12-31T23:59:59.999999Z, the last one that a timestamp can write."""
_TIMESTAMP = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)"


class Clock(Protocol):
    def now(self) -> int:
        """The current instant, microseconds since the epoch."""


def _elapsed_source() -> Callable[[], int]:
    """Nanoseconds on a clock that nobody sets, and that goes on while the machine sleeps where the
    system has such a clock."""
    if sys.platform != "win32" and hasattr(time, "CLOCK_BOOTTIME"):
        return partial(time.clock_gettime_ns, time.CLOCK_BOOTTIME)
    if sys.platform == "darwin":  # its monotonic_ns stands still meanwhile
        return partial(time.clock_gettime_ns, time.CLOCK_MONOTONIC)
    return time.monotonic_ns


_ELAPSED_NS = _elapsed_source()
_BOOT = Path("/proc/sys/kernel/random/boot_id")
_TIME_NAMESPACE = Path("/proc/self/ns/time")


@cache
def _boot() -> str:
    try:
        boot = _BOOT.read_text(encoding="utf-8").strip()
        namespace = _TIME_NAMESPACE.readlink().name if _TIME_NAMESPACE.is_symlink() else ""
    except OSError:
        return ""
    return f"{boot} {namespace}"


class SystemClock:
    """The machine's clocks: the wall clock, which can be set, and the time that really passes."""

    def now(self) -> int:
        return time.time_ns() // 1_000

    def elapsed(self) -> int:
        """Microseconds since some point in the past; setting the wall clock doesn't change it."""
        return _ELAPSED_NS() // 1_000

    def boot(self) -> str:
        """Names the machine's run within which ``elapsed`` agrees between processes; empty where
        only one process can compare it."""
        return _boot() if hasattr(time, "CLOCK_BOOTTIME") else ""


class ElapsedClock:
    """The wall clock when it was made, then the time that really passes: for a bank that lasts no
    longer than its process."""

    def __init__(self) -> None:
        system = SystemClock()
        self._elapsed = system.elapsed
        self._offset = system.now() - system.elapsed()

    def now(self) -> int:
        return self._elapsed() + self._offset


class ManualClock:
    """A clock that changes only when it is set or advanced, for tests and training."""

    def __init__(self, now: int) -> None:
        self._now = now

    def now(self) -> int:
        return self._now

    def advance(self, microseconds: int) -> None:
        self._now += microseconds

    def set(self, instant: int) -> None:
        self._now = instant


def to_datetime(instant: int) -> datetime:
    return _EPOCH + timedelta(microseconds=instant)


def from_datetime(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)


def format_instant(instant: int) -> str:
    """``2026-11-20T12:04:31.000000Z``: always six digits, so that timestamps sort as text."""
    return format_moment(to_datetime(instant))


def format_moment(moment: datetime) -> str:
    """Format a datetime of any time zone as ``format_instant`` does."""
    text = moment.isoformat(timespec="microseconds")
    if text.endswith("+00:00"):
        return text[:-6] + "Z"
    return format_instant(from_datetime(moment))


def parse_instant(text: str) -> int:
    """Parse an ISO 8601 timestamp with a time zone. Raises ValueError: the text is anything
    else."""
    if not re.fullmatch(_TIMESTAMP, text, re.ASCII):
        raise ValueError("a timestamp such as 2026-11-20T12:00:00Z")
    return from_datetime(datetime.fromisoformat(text))


def parse_day(text: str) -> int | None:
    """The first instant of a day such as ``2026-11-20`` in UTC; None for any other text."""
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII):
        return None
    try:
        return from_datetime(datetime.fromisoformat(text).replace(tzinfo=UTC))
    except ValueError:
        return None


def midnight_before(instant: int) -> int:
    return instant - instant % DAY

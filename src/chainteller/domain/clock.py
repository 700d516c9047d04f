"""Time: clocks, and instants as integers (microseconds since 1970-01-01T00:00:00Z)."""

import re
import time
from datetime import UTC, datetime, timedelta
from typing import Protocol

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TIMESTAMP = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)"


class Clock(Protocol):
    def now(self) -> int:
        """The current instant, microseconds since the epoch."""


class SystemClock:
    """The machine's wall clock."""

    def now(self) -> int:
        return time.time_ns() // 1_000


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
    """Parse an ISO 8601 timestamp with a time zone.

    Raises:
        ValueError: the text is anything else.
    """
    if not re.fullmatch(_TIMESTAMP, text, re.ASCII):
        raise ValueError("a timestamp such as 2026-11-20T12:00:00Z")
    return from_datetime(datetime.fromisoformat(text))


def midnight_before(instant: int) -> int:
    return instant - instant % DAY

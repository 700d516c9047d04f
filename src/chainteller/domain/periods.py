"""Periods as people and programs write them: years, months, days and timestamps, in UTC."""

import calendar
import re
from datetime import UTC, date, datetime

from chainteller.domain.clock import DAY, LAST_INSTANT, from_datetime, parse_day, parse_instant

_SPAN = re.compile(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?", re.ASCII)
_DAY_OR_TIME = "a day such as 2026-11-20, or a timestamp such as 2026-11-20T12:00:00Z"
_FIRST_INSTANT = from_datetime(datetime.min.replace(tzinfo=UTC))


def parse_span(text: str) -> tuple[date, date] | None:
    """The first and the last day of ``2026``, ``2026-11`` or ``2026-11-20``; None for any other
    text."""
    match = _SPAN.fullmatch(text)
    if match is None:
        return None
    year, month, day = match.groups()
    try:
        first = date(int(year), int(month or 1), int(day or 1))
    except ValueError:
        return None
    if day is not None:
        return first, first
    if month is not None:
        return first, first.replace(day=calendar.monthrange(first.year, first.month)[1])
    return first, first.replace(month=12, day=31)


def parse_bound(text: str, *, is_end: bool) -> int:
    """The instant at which a period begins or, with ``is_end``, before which it ends.

    A day is meant as a whole; a timestamp is the instant itself. What can't be written as a
    timestamp is the nearest instant that can.

    Raises:
        ValueError: the text is neither; the message says what is.
    """
    instant = parse_day(text)
    if instant is not None:
        instant += DAY if is_end else 0
    else:
        try:
            instant = parse_instant(text)
        except ValueError:
            raise ValueError(_DAY_OR_TIME) from None
    return min(max(instant, _FIRST_INSTANT), LAST_INSTANT)

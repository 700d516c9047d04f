"""Periods as people and programs write them: years, months, days and timestamps, in UTC.

People also say ``yesterday``, ``last week``, ``on friday`` and ``22 nov``, counted from today.
"""

import calendar
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import NamedTuple

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


def midnight(day: date) -> datetime:
    """The first moment of a day."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def day_after(day: date) -> date:
    """The next day; of the last one that there is, that day itself."""
    return day if day == date.max else day + timedelta(days=1)


class Days(NamedTuple):
    """The first and the last day of a period."""

    first: date
    last: date


class Said(NamedTuple):
    """A text without the days that it names, and these days."""

    rest: str
    days: tuple[Days, ...]


_WEEKDAYS = tuple(name.lower() for name in calendar.day_name)
_MONTHS = tuple(name.lower() for name in calendar.month_name[1:])


def parse_period(text: str, today: date) -> Days | None:
    """The days of a text that names a period and nothing else; None for any other text."""
    span = parse_span(text)
    if span is not None:
        return Days(*span)
    said = said_days(text, today)
    return said.days[0] if len(said.days) == 1 and not said.rest.strip() else None


def said_days(text: str, today: date | None) -> Said:
    """The days that a sentence names, in any of the forms in which people do; none without
    ``today``."""
    if today is None:
        return Said(text, ())
    found: list[Days] = []

    def take(read: _Reader, match: re.Match[str]) -> str:
        days = read(match, today)
        if days is None:
            return match[0]
        found.append(days)
        return " "

    for pattern, read in _FORMS:
        text = pattern.sub(partial(take, read), text)
    return Said(text, tuple(found))


def _latest(today: date, year: str | None, month: int, day: str) -> Days | None:
    """A day of a year or, without one, the last of its name up to today."""
    years = range(today.year, today.year - 9, -1) if year is None else (int(year),)
    for each in years:
        try:
            there = date(each, month, int(day))
        except ValueError:
            continue
        if year is not None or there <= today:
            return Days(there, there)
    return None


def _place(word: str, names: tuple[str, ...]) -> int | None:
    """Which of the names a word is or begins, with three letters or more."""
    return next((at for at, name in enumerate(names) if name.startswith(word.lower())), None)


def _of_date(match: re.Match[str], today: date) -> Days | None:
    return _latest(today, match["year"], int(match["month"]), match["day"])


def _of_month(match: re.Match[str], today: date) -> Days | None:
    month = _place(match["month"], _MONTHS)
    return None if month is None else _latest(today, match["year"], month + 1, match["day"])


def _of_week(match: re.Match[str], today: date) -> Days | None:
    """The last day of its name: today too, unless the text says ``last``."""
    place = _place(match["name"], _WEEKDAYS)
    if place is None:
        return None
    since = (today.weekday() - place) % 7
    day = today - timedelta(days=since or 7 * (match["which"].lower() == "last"))
    return Days(day, day)


def _whole(match: re.Match[str], today: date) -> Days:
    is_last, unit = match["which"].lower() == "last", match["unit"].lower()
    if unit == "week":
        monday = today - timedelta(days=today.weekday() + 7 * is_last)
        return Days(monday, monday + timedelta(days=6))
    first = today.replace(day=1) if unit == "month" else today.replace(month=1, day=1)
    inside = first - timedelta(days=1) if is_last else today
    span = parse_span(f"{inside:%Y-%m}" if unit == "month" else f"{inside:%Y}")
    return Days(*(span or (inside, inside)))


def _written(match: re.Match[str], _: date) -> Days | None:
    span = parse_span(match[0])
    return None if span is None else Days(*span)


def _near(match: re.Match[str], today: date) -> Days:
    day = today - timedelta(days=match["name"].lower() == "yesterday")
    return Days(day, day)


_Reader = Callable[[re.Match[str], date], Days | None]
_MONTH, _DAY = r"(?P<month>[a-z]{3,9})\.?", r"(?P<day>\d{1,2})"
_YEAR = r"(?:,?\s+(?P<year>\d{4}))?"
_FORMS: tuple[tuple[re.Pattern[str], _Reader], ...] = tuple(
    (re.compile(rf"(?<![\w.\-])(?:{pattern})(?![\w\-]|\.\.)", re.ASCII | re.IGNORECASE), read)
    for pattern, read in (
        (r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)", _of_date),
        (r"20\d\d-\d\d", _written),
        (r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})", _of_date),
        (rf"{_DAY}(?:\.|st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}{_YEAR}", _of_month),
        (rf"{_MONTH}\s+{_DAY}(?:st|nd|rd|th)?{_YEAR}", _of_month),
        (r"(?P<name>today|yesterday)", _near),
        (r"(?P<which>this|last)\s+(?P<unit>week|month|year)", _whole),
        (r"(?P<which>on|last|this)\s+(?P<name>[a-z]{3,9})", _of_week),
    )
)

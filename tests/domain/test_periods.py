"""Bounds of periods: days are meant as a whole, and every one of them can be written again."""

from datetime import date

import pytest

from chainteller.domain.clock import DAY, LAST_INSTANT, format_instant, parse_instant
from chainteller.domain.periods import parse_bound, parse_period, said_days


def test_a_bound_is_a_whole_day_or_an_instant_that_a_timestamp_can_write() -> None:
    midnight = parse_instant("2026-11-20T00:00:00Z")
    assert parse_bound("2026-11-20", is_end=False) == midnight
    assert parse_bound("2026-11-20", is_end=True) == midnight + DAY
    assert parse_bound("2026-11-20T01:00:00+01:00", is_end=True) == midnight
    for latest in ("9999-12-31", "9999-12-31T23:59:59-14:00"):
        assert parse_bound(latest, is_end=True) == LAST_INSTANT
    earliest = parse_bound("0001-01-01T00:00:00+14:00", is_end=False)
    assert format_instant(earliest).startswith("0001-01-01T00:00:00")
    with pytest.raises(ValueError, match=r"a day such as .* or a timestamp such as"):
        parse_bound("2026-02-30", is_end=False)


@pytest.mark.parametrize(
    ("said", "first", "last"),
    [
        ("yesterday", "2026-11-22", "2026-11-22"),
        ("22 Nov", "2026-11-22", "2026-11-22"),
        ("nov 24th", "2025-11-24", "2025-11-24"),
        ("3rd of May, 2024", "2024-05-03", "2024-05-03"),
        ("on Friday", "2026-11-20", "2026-11-20"),
        ("last monday", "2026-11-16", "2026-11-16"),
        ("last week", "2026-11-16", "2026-11-22"),
        ("last month", "2026-10-01", "2026-10-31"),
        ("this year", "2026-01-01", "2026-12-31"),
        ("2026-02", "2026-02-01", "2026-02-28"),
    ],
)
def test_days_are_read_as_people_say_them_and_taken_from_the_sentence(
    said: str, first: str, last: str
) -> None:
    monday = date(2026, 11, 23)
    days = (date.fromisoformat(first), date.fromisoformat(last))
    assert parse_period(said, monday) == days
    sentence = said_days(f"I sent 120.00 {said}, it's lost", monday)
    assert sentence.days == (days,)
    assert sentence.rest.split() == ["I", "sent", "120.00", ",", "it's", "lost"]


@pytest.mark.parametrize(
    "said", ["Friday Okafor", "22 Novotny", "31 feb", "I paid 12.11.", "DDA-2026-11", "on money"]
)
def test_names_amounts_and_ids_are_no_days(said: str) -> None:
    assert said_days(said, date(2026, 11, 23)) == (said, ())

"""Bounds of periods: days are meant as a whole, and every one of them can be written again."""

import pytest

from chainteller.domain.clock import DAY, LAST_INSTANT, format_instant, parse_instant
from chainteller.domain.periods import parse_bound


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

"""How values look."""

from datetime import UTC, datetime

import pytest

from chainteller.domain.clock import from_datetime
from chainteller.records.formats import when

NOW = datetime(2026, 11, 20, 12, 10, 22, tzinfo=UTC)


@pytest.mark.parametrize(
    ("moment", "shown"),
    [
        (datetime(2026, 11, 20, 12, 0, tzinfo=UTC), "12:00:00"),
        (datetime(2026, 11, 20, 0, 0, 0, tzinfo=UTC), "00:00:00"),
        (datetime(2026, 11, 19, 23, 59, 59, tzinfo=UTC), "19 Nov"),
        (datetime(2026, 5, 7, tzinfo=UTC), "07 May"),
        (datetime(2025, 11, 21, tzinfo=UTC), "Nov 2025"),
        (datetime(2026, 1, 2, tzinfo=UTC), "Jan 2026"),
    ],
)
def test_a_moment_is_never_taken_for_another_days_or_years(moment: datetime, shown: str) -> None:
    assert when(moment, from_datetime(NOW)) == shown

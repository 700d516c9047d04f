"""The rules of time, without a database."""

from hypothesis import given
from hypothesis import strategies as st

from chainteller.domain.clock import SECOND, parse_instant
from chainteller.domain.timekeeping import (
    TOLERANCE,
    Anchor,
    Doubt,
    Judgement,
    Known,
    Sight,
    begin,
    go_on,
    implausible,
    jumped,
    stamped,
)

NOON = parse_instant("2026-11-20T12:00:00Z")
YEARS = 10 * 366 * 24 * 3_600 * SECOND
NOTHING_STORED = Known(0, 0, 0, 0, "", stepped=False)
steps = st.integers(-YEARS, YEARS)
passing = st.integers(0, 40 * 24 * 3_600 * SECOND)


def seen(passed: int, step: int = 0, *, is_database: bool = False) -> Sight:
    return Sight(NOON + passed + step, passed, passed, is_database)


def running(
    passed: int, step: int, *, opening: bool = False, is_database: bool = False, known: Known
) -> Judgement:
    sight = seen(passed, step, is_database=is_database)
    return go_on(sight, known, Anchor(NOON, 0), opening=opening)


@given(passing, steps)
def test_a_step_never_changes_the_time_of_a_running_bank(passed: int, step: int) -> None:
    found = running(passed, step, known=NOTHING_STORED)
    assert found.now == NOON + passed
    assert (found.doubt is None) == (abs(step) <= TOLERANCE)


@given(passing, steps)
def test_only_a_step_ahead_is_accepted_at_the_start(passed: int, step: int) -> None:
    found = running(passed, step, opening=True, known=NOTHING_STORED)
    assert found.now >= NOON + passed
    if step < -TOLERANCE:
        assert found.doubt is not None
    elif step > TOLERANCE:
        assert (found.now, found.doubt) == (NOON + passed + step, None)
    else:
        assert (found.now, found.doubt) == (NOON + passed, None)


@given(passing, steps)
def test_a_database_s_clock_is_followed_ahead_and_doubted_back(passed: int, step: int) -> None:
    found = running(passed, step, is_database=True, known=NOTHING_STORED)
    if found.doubt is None:
        assert found.now >= NOON + passed + step
        assert found.now >= NOON + passed - passed // 2_000
    else:
        assert step < -TOLERANCE + passed // 2_000


def test_a_doubt_that_is_stored_is_not_settled_by_a_start() -> None:
    known = NOTHING_STORED._replace(doubt=Doubt.AHEAD.value, stepped=True)
    assert running(0, 60 * SECOND, opening=True, known=known).doubt is Doubt.AHEAD
    assert begin(seen(0), known, None).doubt is Doubt.AHEAD
    assert running(0, 0, known=known).doubt is None


@given(st.integers(NOON, NOON + YEARS), st.integers(NOON, NOON + YEARS), steps)
def test_the_first_time_is_not_before_the_records(last: int, noted: int, step: int) -> None:
    known = NOTHING_STORED._replace(last_at=last, seen_at=noted)
    found = begin(seen(0, step), known, None)
    assert found.now >= max(last, noted)
    assert (found.doubt is None) == (NOON + step >= max(last, noted) - TOLERANCE)


def test_a_new_bank_takes_any_clock_that_was_set() -> None:
    assert begin(seen(0), NOTHING_STORED, None) == Judgement(NOON, None, Anchor(NOON, 0))


def test_a_doubt_from_the_start_goes_on_with_elapsed_time() -> None:
    known = NOTHING_STORED._replace(last_at=NOON)
    first = begin(seen(0, -60 * SECOND), known, None)
    second = begin(seen(9 * SECOND, -60 * SECOND), known, first.anchor)
    assert second.now - first.now == 9 * SECOND


def test_records_of_a_time_to_come_are_doubted() -> None:
    ahead = NOTHING_STORED._replace(last_at=NOON + TOLERANCE + 1)
    assert running(0, 0, known=ahead).doubt is Doubt.RECORDS_AHEAD
    near = running(0, 0, known=ahead._replace(last_at=NOON + TOLERANCE))
    assert (near.now, near.doubt) == (NOON + TOLERANCE, None)
    later = go_on(seen(3 * SECOND), ahead._replace(last_at=near.now), near.anchor, opening=False)
    assert later.now == near.now + 3 * SECOND, "time stands still"


def test_clocks_that_cannot_be_right_are_named() -> None:
    for text, doubt in (
        ("1970-01-01T00:00:00Z", Doubt.NOT_SET),
        ("2024-12-31T23:59:59Z", Doubt.NOT_SET),
        ("2262-04-11T23:47:16Z", Doubt.OUT_OF_RANGE),
        ("2200-01-01T00:00:00Z", Doubt.OUT_OF_RANGE),
        ("2026-11-20T12:00:00Z", None),
    ):
        clock = parse_instant(text)
        assert implausible(clock) is doubt
        assert begin(Sight(clock, 0, 0), NOTHING_STORED, None).doubt is doubt
        assert running(0, clock - NOON, known=NOTHING_STORED).doubt is doubt
        assert running(0, clock - NOON, opening=True, known=NOTHING_STORED).doubt is doubt


@given(passing, steps)
def test_a_jump_is_a_clock_that_moved_otherwise_than_time(passed: int, step: int) -> None:
    assert jumped(seen(0), seen(passed, step)) == (abs(step) > TOLERANCE)


def test_a_stamp_of_a_time_to_come_counts_from_the_epoch_s_beginning() -> None:
    assert stamped(NOON, NOON, NOON - 9) == NOON
    assert stamped(NOON + 1, NOON, NOON - 9) == NOON - 9
    assert stamped(NOON + 1, NOON, 0) == NOON + 1


def test_a_database_whose_second_is_a_little_longer_is_followed_for_a_year() -> None:
    hour, drift = 3_600 * SECOND, 3_600 * SECOND // 10_000
    anchor, passed = Anchor(NOON, 0), 0
    for number in range(1, 24 * 365):
        passed += hour
        sight = Sight(NOON + passed - number * drift, passed, passed, is_database=True)
        found = go_on(sight, NOTHING_STORED, anchor, opening=False)
        assert found.doubt is None
        anchor = found.anchor

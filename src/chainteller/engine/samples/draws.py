"""Amounts and days as people choose them: many small amounts, few large ones, mostly round."""

import math
from datetime import UTC, date, datetime, timedelta
from statistics import NormalDist

from chainteller.domain.clock import SECOND
from chainteller.domain.randomness import Randomness, below

_STEPS = 1 << 32
_NORMAL = NormalDist()
_ROUND_TO = ((10_000, 500), (100_000, 2_500), (1_000_000, 10_000), (10_000_000, 100_000))
"""Cents below which an amount is typed in multiples of the second number."""
_EXACT_PER_CENT = 18
_WEEKEND_PER_CENT = 22
_PAY_DAYS = frozenset({1, 15})
_SATURDAY = 5
_TRIES = 12


def log_normal_cents(randomness: Randomness, median_cents: int, sigma: float) -> int:
    """An amount around the median; about one in six is more than ``exp(sigma)`` times as large."""
    level = (below(randomness, _STEPS) + 0.5) / _STEPS
    return round(median_cents * math.exp(sigma * _NORMAL.inv_cdf(level)))


def typed_cents(
    randomness: Randomness, median_cents: int, sigma: float, least_cents: int, most_cents: int
) -> int:
    """An amount as somebody types it, within the bounds: mostly round, at times to the cent."""
    cents = log_normal_cents(randomness, median_cents, sigma)
    if below(randomness, 100) >= _EXACT_PER_CENT:
        step = next((step for limit, step in _ROUND_TO if cents < limit), _ROUND_TO[-1][1])
        cents = -(-cents // step) * step
    return max(least_cents, min(cents, most_cents))


def business_day(randomness: Randomness, midnight: int, days: tuple[int, int]) -> int:
    """A day in the range, counted back from ``midnight``; weekends are less likely."""
    low, high = days
    day = low
    for _ in range(_TRIES):
        day = low + below(randomness, high - low + 1)
        if _date(midnight, day).weekday() < _SATURDAY:
            break
        if below(randomness, 100) < _WEEKEND_PER_CENT:
            break
    return day


def pay_day(randomness: Randomness, midnight: int, days: tuple[int, int]) -> int:
    """A pay-day in the range (the 1st, the 15th or the month's last working day), if it has one."""
    found = [day for day in range(days[0], days[1] + 1) if _is_pay_day(_date(midnight, day))]
    if not found:
        return business_day(randomness, midnight, days)
    return found[below(randomness, len(found))]


def _is_pay_day(day: date) -> bool:
    if day.weekday() >= _SATURDAY:
        return False
    following = day + timedelta(days=3 if day.weekday() == _SATURDAY - 1 else 1)
    return day.day in _PAY_DAYS or following.month != day.month


def _date(midnight: int, day: int) -> date:
    return (datetime.fromtimestamp(midnight // SECOND, UTC) - timedelta(days=day)).date()

"""Prices: what a feed reports, and the limits at which a market or a stablecoin is halted."""

from collections.abc import Callable
from dataclasses import dataclass

from chainteller.domain.clock import SECOND

STALE_AFTER_S = 60
HALT_MOVE_PERCENT = 10
PEG_TOLERANCE_BPS = 50
"""The largest deviation from one dollar, either way, at which a stablecoin counts as one."""


@dataclass(frozen=True, slots=True)
class PricePoint:
    """``mid_micros`` is USD x 1,000,000 per whole unit; ``at`` is the instant of observation."""

    mid_micros: int
    at: int


def sampled(
    price: Callable[[int], PricePoint | None], start: int, end: int, step: int
) -> tuple[PricePoint, ...]:
    """Prices at ``start``, ``start + step`` ... up to ``end``, oldest first.

    Leaves out a price observed more than a step, and more than a minute, before its instant.
    """
    oldest = max(step, STALE_AFTER_S * SECOND)
    found = ((at, price(at)) for at in range(start, end + 1, step))
    return tuple(point for at, point in found if point is not None and at - point.at <= oldest)


def is_at_par(deviation_bps: int) -> bool:
    """Whether a stablecoin this many basis points from one dollar still counts as one."""
    return abs(deviation_bps) <= PEG_TOLERANCE_BPS

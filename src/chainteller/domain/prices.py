"""A price as a feed gives it: millionths of a dollar per unit, and since when it holds."""

from collections.abc import Callable
from dataclasses import dataclass

from chainteller.domain.clock import SECOND

STALE_AFTER_S = 60
HALT_MOVE_PERCENT = 10
PEG_TOLERANCE_BPS = 50
"""How far a stablecoin may stray from one dollar, either way, and still count as one."""


@dataclass(frozen=True, slots=True)
class PricePoint:
    """``mid_micros`` is USD x 1,000,000 per whole unit; ``at`` the instant it was observed."""

    mid_micros: int
    at: int


def sampled(
    price: Callable[[int], PricePoint | None], start: int, end: int, step: int
) -> tuple[PricePoint, ...]:
    """The prices at ``start``, ``start + step`` ... up to ``end`` (instants), oldest first. One
    that was observed more than a step, and more than a minute, before its instant is left out.
    """
    oldest = max(step, STALE_AFTER_S * SECOND)
    found = ((at, price(at)) for at in range(start, end + 1, step))
    return tuple(point for at, point in found if point is not None and at - point.at <= oldest)


def keeps_par(deviation_bps: int) -> bool:
    """Whether a stablecoin this many basis points from one dollar is still taken for a dollar."""
    return abs(deviation_bps) <= PEG_TOLERANCE_BPS

"""A price as a feed gives it: millionths of a dollar per unit, and since when it holds."""

from dataclasses import dataclass

STALE_AFTER_S = 60
HALT_MOVE_PERCENT = 10
PEG_TOLERANCE_BPS = 50
"""How far a stablecoin may stray from one dollar, either way, and still count as one."""


@dataclass(frozen=True, slots=True)
class PricePoint:
    """``mid_micros`` is USD x 1,000,000 per whole unit; ``at`` the instant it was observed."""

    mid_micros: int
    at: int


def keeps_par(deviation_bps: int) -> bool:
    """Whether a stablecoin this many basis points from one dollar is still taken for a dollar."""
    return abs(deviation_bps) <= PEG_TOLERANCE_BPS

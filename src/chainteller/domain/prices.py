"""A price as a feed gives it: millionths of a dollar per unit, and since when it holds."""

from dataclasses import dataclass

STALE_AFTER_S = 60
HALT_MOVE_PERCENT = 10


@dataclass(frozen=True, slots=True)
class PricePoint:
    """``mid_micros`` is USD x 1,000,000 per whole unit; ``at`` the instant it was observed."""

    mid_micros: int
    at: int

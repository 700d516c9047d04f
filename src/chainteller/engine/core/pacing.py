"""How large the steps of upkeep are, so that no writer waits for long, and how long checks rest."""

from collections.abc import Callable
from time import perf_counter
from typing import TypeVar

Result = TypeVar("Result")
BREATH_S = 0.005
"""How long whoever makes steps waits after each, so that writers get their turn."""
_LEAST = 20
_STEP_S = 0.02
"""How long a step may keep writers waiting: the next one has fewer rows, or again more."""


class Pace:
    """How many rows the next step has: few at first, and at most ``most``."""

    def __init__(self, most: int) -> None:
        self._most, self.rows = most, min(_LEAST, most)

    def timed(self, step: Callable[[], Result]) -> Result:
        """Make a step; what it returns."""
        began = perf_counter()
        done = step()
        self.took(perf_counter() - began)
        return done

    def took(self, seconds: float) -> None:
        """Note how long a step kept writers waiting."""
        if seconds > _STEP_S:
            self.rows = max(self.rows // 2, min(_LEAST, self._most))
        elif seconds < _STEP_S / 2:
            self.rows = min(self.rows + self.rows // 4 + 1, self._most)


_WORK_S = 0.01


class Breather:
    """Rests as long as was worked, every few milliseconds, so that others get their turn."""

    def __init__(self, rest: Callable[[float], object]) -> None:
        self._rest, self._since = rest, perf_counter()

    def __call__(self) -> None:
        worked = perf_counter() - self._since
        if worked >= _WORK_S:
            self._rest(worked)
            self._since = perf_counter()

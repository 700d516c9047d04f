"""How large the steps of upkeep are, so that no writer waits for long."""

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
    """How many rows the next step has, at most ``most``."""

    def __init__(self, most: int) -> None:
        self._most = self.rows = most

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

"""Wait for what another process or thread does."""

import time
from collections.abc import Callable

PATIENCE_S = 120.0
"""For what never comes; on a busy machine everything takes many times as long."""


def until(
    holds: Callable[[], object], patience_s: float = PATIENCE_S, *, pause_s: float = 0.02
) -> None:
    """Look again until a condition holds. Raises AssertionError when it doesn't in time."""
    ends = time.monotonic() + patience_s
    while not holds():
        assert time.monotonic() < ends, "it never came"
        time.sleep(pause_s)

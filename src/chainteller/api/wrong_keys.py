"""Wrong keys cost the caller time: the refusals of an address that keeps guessing come late.

Nobody is locked out: a key is looked up before this is asked, so a valid one is never refused, and
never late, whatever comes from its address. Each process counts separately.
"""

import time
from collections import OrderedDict, deque
from collections.abc import Callable

FREE = 3
"""Wrong keys of an address within ``WINDOW_S`` that are refused at once."""
WINDOW_S = 60.0
STEP_S = 0.25
"""By how much each further one is refused later than the one before."""
LONGEST_S = 5.0
_ADDRESSES = 10_000
_REMEMBERED = FREE + int(LONGEST_S / STEP_S)


class WrongKeys:
    """The wrong keys of the last minute; ``elapsed`` is a monotonic clock in seconds."""

    def __init__(self, *, active: bool, elapsed: Callable[[], float] = time.monotonic) -> None:
        self._active = active
        self._elapsed = elapsed
        self._by_address: OrderedDict[str, deque[float]] = OrderedDict()

    def count(self, address: str) -> float:
        """Note a wrong key; returns how many seconds its refusal waits."""
        if not self._active:
            return 0.0
        now = self._elapsed()
        recent = self._by_address.setdefault(address, deque(maxlen=_REMEMBERED))
        self._by_address.move_to_end(address)
        if len(self._by_address) > _ADDRESSES:
            self._by_address.popitem(last=False)
        while recent and now - recent[0] > WINDOW_S:
            recent.popleft()
        recent.append(now)
        return min(LONGEST_S, STEP_S * max(0, len(recent) - FREE))

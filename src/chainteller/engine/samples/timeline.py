"""A queue of acts by instant, so that trails, events and balances come about in order of time."""

import heapq
from collections.abc import Callable

from chainteller.domain.clock import DAY, HOUR, midnight_before
from chainteller.engine.samples import draws
from chainteller.engine.samples.bank import SampleBank

Act = Callable[[int], object]
"""Does something at an instant. Amounts are decided then, from the balances of that moment."""
_MILLISECOND = 1_000


class Timeline:
    """What happens at the bank; ``midnight`` is the last one before ``bank.now``."""

    def __init__(self, bank: SampleBank) -> None:
        self.bank = bank
        self.midnight = midnight_before(bank.now)
        self._queue: list[tuple[int, int, Act]] = []
        self._count = 0

    def at(self, instant: int, act: Act) -> None:
        self._count += 1
        heapq.heappush(self._queue, (instant, self._count, act))

    def run(self) -> None:
        while self._queue:
            instant, _, act = heapq.heappop(self._queue)
            act(instant)

    def office_hours(self, day: int) -> int:
        """Some instant between 7:00 and 19:00, most likely around 13:00, ``day`` days ago."""
        rush = self.bank.below(6 * HOUR) + self.bank.below(6 * HOUR)
        return self.midnight - day * DAY + 7 * HOUR + rush

    def business_day(self, days: tuple[int, int]) -> int:
        """A day of the range (both ends included), counted back from the last midnight."""
        return draws.business_day(self.bank.randomness, self.midnight, days)

    def pay_day(self, days: tuple[int, int]) -> int:
        """A pay-day of the range, or a working day where it has none."""
        return draws.pay_day(self.bank.randomness, self.midnight, days)

    def soon(self, low_s: int, high_s: int) -> int:
        """Some time from ``low_s`` to ``high_s`` seconds."""
        return self.bank.between(low_s * 1_000, high_s * 1_000) * _MILLISECOND

"""A queue of acts by instant, so that trails, events and balances come about in order of time."""

import heapq
from collections.abc import Callable, Generator
from functools import partial
from typing import ParamSpec

from chainteller.domain.clock import DAY, HOUR, midnight_before
from chainteller.engine.samples import draws
from chainteller.engine.samples.bank import SampleBank

Arguments = ParamSpec("Arguments")
Story = Generator[int]
"""Acts one after the other: it yields how long it takes until the next one. Amounts are decided
then, from the balances of that moment."""
_MILLISECOND = 1_000


class Timeline:
    """What happens at the bank; ``midnight`` is the last one before the history's end."""

    def __init__(self, bank: SampleBank) -> None:
        self.bank = bank
        self.midnight = midnight_before(bank.until)
        self._queue: list[tuple[int, int, partial[object]]] = []
        self._count = 0

    def at(
        self,
        instant: int,
        act: Callable[Arguments, object],
        *arguments: Arguments.args,
        **named: Arguments.kwargs,
    ) -> None:
        """Do something at an instant, or begin a story then."""
        self._count += 1
        heapq.heappush(self._queue, (instant, self._count, partial(act, *arguments, **named)))

    def run(self) -> None:
        while self._queue:
            self.bank.now, _, act = heapq.heappop(self._queue)
            begun = act()
            if isinstance(begun, Generator):
                self._go_on(begun)

    def _go_on(self, story: Story) -> None:
        for delay in story:
            self.at(self.bank.now + delay, self._go_on, story)
            return

    def office_hours(self, day: int) -> int:
        """Some instant between 7:00 and 19:00, most likely around 13:00, ``day`` days ago."""
        rush = self.bank.below(6 * HOUR) + self.bank.below(6 * HOUR)
        return self.midnight - day * DAY + 7 * HOUR + rush

    def some_day(self, days: tuple[int, int]) -> int:
        """Some instant in office hours on one of the days, counted back from the last midnight."""
        return self.office_hours(self.business_day(days))

    def business_day(self, days: tuple[int, int]) -> int:
        """A day of the range (both ends included), counted back from the last midnight."""
        return draws.business_day(self.bank.randomness, self.midnight, days)

    def pay_day(self, days: tuple[int, int]) -> int:
        """A pay-day of the range, or a working day where it has none."""
        return draws.pay_day(self.bank.randomness, self.midnight, days)

    def soon(self, low_s: int, high_s: int) -> int:
        """Some time from ``low_s`` to ``high_s`` seconds."""
        return self.bank.between(low_s * 1_000, high_s * 1_000) * _MILLISECOND

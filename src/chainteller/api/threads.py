"""Threads in which the synchronous service runs, shared fairly between those who ask.

A thread that becomes free takes the next request of the next organisation in turn, so an
organisation with many requests delays its own, not those of others.
"""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from chainteller.telemetry.tracing import bound

Answer = TypeVar("Answer")

THREADS = 16
"""Enough that a slow signature check doesn't delay reads."""
MOST_OF_ONE = THREADS - 4
"""Threads that one organisation can occupy."""
MOST_OF_STRANGERS = 4
"""Threads that requests without an accepted key can occupy."""
STRANGERS = ""
OWN_WORK = "*"
"""What the service asks for itself; no organisation can have this name."""


class Threads:
    """A pool of threads; everything but the work itself happens on the event loop."""

    def __init__(self, number: int = THREADS) -> None:
        self._pool = ThreadPoolExecutor(number, thread_name_prefix="service")
        self._free = number
        self._busy: Counter[str] = Counter()
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @property
    def busy(self) -> int:
        """How many threads are at work."""
        return self._busy.total()

    @property
    def waiting(self) -> int:
        """How much work waits for a thread."""
        return sum(map(len, self._waiting.values()))

    async def run(self, work: Callable[[], Answer], holder: str) -> Answer:
        """Run ``work`` in a thread when it is ``holder``'s turn."""
        await self._turn(holder)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, bound(work))
        finally:
            self._free += 1
            self._busy[holder] -= 1
            self._call_next()

    def shutdown(self, *, wait: bool = True, cancel_futures: bool = False) -> None:
        self._pool.shutdown(wait=wait, cancel_futures=cancel_futures)

    async def _turn(self, holder: str) -> None:
        if self._free and holder not in self._waiting and self._may_begin(holder):
            self._begin(holder)
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(holder, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # its turn came at the same moment
                self._free += 1
                self._busy[holder] -= 1
                self._call_next()
            raise

    def _may_begin(self, holder: str) -> bool:
        most = MOST_OF_ONE if holder else MOST_OF_STRANGERS
        return self._busy[holder] < most

    def _begin(self, holder: str) -> None:
        self._free -= 1
        self._busy[holder] += 1

    def _call_next(self) -> None:
        """Start what waits, one of each holder in turn, as long as threads are free."""
        for holder in tuple(self._waiting):
            if not self._free:
                return
            turn = self._next_turn(holder) if self._may_begin(holder) else None
            if turn is None:
                continue
            self._begin(holder)
            turn.set_result(None)
            if holder in self._waiting:
                self._waiting.move_to_end(holder)

    def _next_turn(self, holder: str) -> "asyncio.Future[None] | None":
        queue = self._waiting.get(holder)
        while queue:
            turn = queue.popleft()
            if not queue:
                del self._waiting[holder]
            if not turn.done():
                return turn
        return None


async def run(threads: Threads, work: Callable[[], Answer], holder: str = STRANGERS) -> Answer:
    """Run ``work`` in a thread, as the organisation ``holder``."""
    return await threads.run(work, holder)

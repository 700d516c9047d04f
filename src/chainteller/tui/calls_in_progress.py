"""The calls that have no answer yet, and when the service answered last."""

import threading
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from chainteller.domain.clock import Clock
from chainteller.service.errors import ServiceError

if TYPE_CHECKING:
    from chainteller.service.layers import Next
    from chainteller.service.operations import Call

Answer = TypeVar("Answer")


class CallsInProgress:
    """A layer around the service that keeps the calls that are under way, of several threads."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self.answered_at: int | None = None
        """When a call was answered last, in microseconds: the one owner of how fresh things are."""
        self._heard = monotonic()
        self._under_way: dict[int, tuple[str, str, float]] = {}
        """By call: operation, idempotency key, and since when."""

    def __call__(self, call: "Call[Answer]", onward: "Next") -> Answer:
        with self._lock:
            self._under_way[id(call)] = (call.operation.name, call.key or "", monotonic())
        try:
            answer = onward(call)
        except ServiceError:
            self._answered()
            raise
        finally:
            with self._lock:
                del self._under_way[id(call)]
        self._answered()
        return answer

    def _answered(self) -> None:
        self.answered_at, self._heard = self._clock.now(), monotonic()

    def silent_s(self) -> float:
        """For how long calls have been waiting while none was answered; 0 where none waits."""
        began = min((since for _, _, since in self._calls()), default=None)
        return 0.0 if began is None else monotonic() - max(began, self._heard)

    def is_under_way(self, operation: str) -> bool:
        return any(name == operation for name, _, _ in self._calls())

    def waiting(self, seconds: float) -> list[str]:
        """Idempotency keys of the writes that have had no answer for so long, the oldest first."""
        before = monotonic() - seconds
        return [key for _, key, since in self._calls() if key and since <= before]

    def _calls(self) -> tuple[tuple[str, str, float], ...]:
        with self._lock:
            return tuple(self._under_way.values())

"""The request log: method, path, status, time and id of every call to the service.

For an embedded engine the lines are those of the same call over HTTP. No key is ever held here:
the curl form names the variable that carries it.
"""

import json
import re
import shlex
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from chainteller.domain.clock import Clock, to_datetime
from chainteller.records.formats import clean, clock_time
from chainteller.service.attempts import Attempt
from chainteller.service.errors import ServiceError, TellerError

if TYPE_CHECKING:
    from chainteller.service.layers import Next
    from chainteller.service.operations import Call

Answer = TypeVar("Answer")

_KEPT = 500
_QUIET = frozenset({"events"})
"""Asked each second: only its failures are kept."""


@dataclass(frozen=True, slots=True)
class Request:
    """One call. ``status`` is HTTP's, 0 where no answer came; ``id`` is its idempotency key or,
    for a read, its number on this desk; ``body`` is what was sent.
    """

    number: int
    at: str
    method: str
    path: str
    status: int
    code: str
    took_ms: int
    id: str
    body: str = ""

    def as_curl(self, base: str) -> str:
        """The same call by hand; the key stays in the environment."""
        parts = ["curl", "-sS", "-X", self.method, shlex.quote(base.rstrip("/") + self.path)]
        parts += ["-H", '"Authorization: Bearer $CHAINTELLER_API_KEY"']
        if self.method == "POST":
            parts += ["-H", shlex.quote(f"Idempotency-Key: {self.id}")]
        if self.body:
            parts += ["-H", "'Content-Type: application/json'", "-d", shlex.quote(self.body)]
        return " ".join(parts)


class RequestLog:
    """The newest calls; several threads write to it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._rows: deque[Request] = deque(maxlen=_KEPT)
        self._number = 0
        self.answered_at: int | None = None
        """When a call was answered last, in microseconds: the one owner of how fresh things are."""
        self._under_way: dict[int, tuple[str, str, float]] = {}
        """The calls without an answer so far: operation, idempotency key, and since when."""

    @property
    def rows(self) -> tuple[Request, ...]:
        with self._lock:
            return tuple(self._rows)

    @contextmanager
    def going_out(self, call: "Call[Any]") -> Iterator[None]:
        """Count a request as under way until it is answered or given up."""
        with self._lock:
            self._under_way[id(call)] = (call.operation.name, call.key or "", monotonic())
        try:
            yield
        finally:
            with self._lock:
                del self._under_way[id(call)]

    def is_under_way(self, operation: str) -> bool:
        return any(name == operation for name, _, _ in self._calls())

    def waiting(self, seconds: float) -> list[str]:
        """Idempotency keys of the writes that have had no answer for so long, the oldest first."""
        before = monotonic() - seconds
        return [key for _, key, since in self._calls() if key and since <= before]

    def _calls(self) -> tuple[tuple[str, str, float], ...]:
        with self._lock:
            return tuple(self._under_way.values())

    def note_answer(self) -> None:
        self.answered_at = self._clock.now()

    def add_repeat(self, attempt: Attempt) -> None:
        """A try that a client below repeats, before the line of the call itself."""
        self._append(replace(attempt, code=f"{attempt.code}, repeated".lstrip(", ")))

    def add(self, call: "Call[Any]", took_ms: int, outcome: TellerError | None) -> None:
        """The line of a call that was answered, or that ended in ``outcome``."""
        operation = call.operation
        status, code = _ended(operation.method, outcome)
        path = _path(operation.path, call.ids) + _query(call)
        attempt = Attempt(operation.method, path, status, code, took_ms, call.key or "")
        self._append(attempt, _body(call))

    def _append(self, attempt: Attempt, body: str = "") -> None:
        with self._lock:
            self._number += 1
            self._rows.append(
                Request(
                    number=self._number,
                    at=clock_time(to_datetime(self._clock.now())),
                    method=attempt.method,
                    path=attempt.path,
                    status=attempt.status,
                    code=attempt.code,
                    took_ms=attempt.took_ms,
                    id=attempt.key or f"{self._number}",
                    body=body,
                )
            )


class Trace:
    """A layer that writes every call into the request log, with its time and its outcome."""

    def __init__(self, log: RequestLog) -> None:
        self._log = log

    def __call__(self, call: "Call[Answer]", onward: "Next") -> Answer:
        before = perf_counter()
        try:
            with self._log.going_out(call):
                answer = onward(call)
        except TellerError as error:
            if isinstance(error, ServiceError):
                self._log.note_answer()
            self._log.add(call, _since(before), error)
            raise
        self._log.note_answer()
        if call.operation.name not in _QUIET:
            self._log.add(call, _since(before), None)
        return answer


def _since(before: float) -> int:
    return round((perf_counter() - before) * 1000)


def _path(template: str, ids: tuple[str, ...]) -> str:
    found = iter(ids)
    return re.sub(r"\{\w+\}", lambda _: clean(next(found, "...")), template)


def _query(call: "Call[Any]") -> str:
    """What was asked of a list. What was filtered for is never kept: it may be a name."""
    if call.query is None:
        return ""
    given = call.query.model_dump(exclude_defaults=True, exclude_none=True)
    pairs = [
        f"{each.name}=..."
        if each.name.startswith("filter[")
        else f"{each.name}={given[each.field]}"
        for each in call.operation.parameters
        if each.field in given
    ]
    return "?" + "&".join(pairs) if pairs else ""


def _body(call: "Call[Any]") -> str:
    """In ASCII: harmless where it is shown, and never a reason for a call to fail."""
    if call.request is None:
        return ""
    sent = call.request.model_dump(by_alias=True, exclude_none=True)
    return json.dumps(sent, separators=(",", ":"), default=str)


def _ended(method: str, outcome: TellerError | None) -> tuple[int, str]:
    if outcome is None:
        return (201 if method == "POST" else 200), ""
    return (outcome.status if isinstance(outcome, ServiceError) else 0), outcome.code

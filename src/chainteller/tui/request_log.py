"""What this desk asked of the service: method, path, status, time and id of every call.

For an embedded engine the lines are those of the same call over HTTP. No key is ever held here:
the curl form names the variable that carries it.
"""

import json
import re
import shlex
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, cast

from chainteller.domain.clock import Clock, to_datetime
from chainteller.service.attempts import Attempt
from chainteller.service.errors import ServiceError, TellerError
from chainteller.tui.formats import clean, clock_time

if TYPE_CHECKING:
    from chainteller.service.interface import Service

_KEPT = 500
_A, _B, _T = "/trading-accounts", "/blockchain-accounts", "/trading"
_OWNERSHIP = f"{_B}/{{}}/1P-counterparty-ownership"
CALLS: Mapping[str, str] = {
    "open_trading_account": f"POST {_A}",
    "trading_accounts": f"GET {_A}",
    "trading_account": f"GET {_A}/{{}}",
    "deposit": f"POST {_A}/{{}}/deposits",
    "withdraw": f"POST {_A}/{{}}/withdrawals",
    "cancel_withdrawal": f"POST {_A}/{{}}/withdrawals/{{}}/cancellations",
    "token_balances": f"GET {_A}/{{}}/token-balances",
    "deposits": f"GET {_A}/{{}}/deposits",
    "deposit_record": f"GET {_A}/{{}}/deposits/{{}}",
    "withdrawals": f"GET {_A}/{{}}/withdrawals",
    "withdrawal_record": f"GET {_A}/{{}}/withdrawals/{{}}",
    "transactions": f"GET {_A}/{{}}/transactions",
    "transaction": f"GET {_A}/{{}}/transactions/{{}}",
    "transaction_by_id": f"GET {_T}/transactions/{{}}",
    "limits": f"GET {_A}/{{}}/limits",
    "markets": f"GET {_T}/markets",
    "market": f"GET {_T}/markets/{{}}",
    "prices": f"GET {_T}/markets/{{}}/prices",
    "create_quote": f"POST {_T}/markets/{{}}/quotes",
    "quote": f"GET {_T}/quotes/{{}}",
    "quotes": f"GET {_T}/quotes",
    "execute_quote": f"POST {_T}/quotes/{{}}",
    "trade": f"GET {_A}/{{}}/trades/{{}}",
    "trades": f"GET {_A}/{{}}/trades",
    "all_trades": f"GET {_T}/trades",
    "cancel_trade": f"POST {_A}/{{}}/trades/{{}}/cancellations",
    "open_blockchain_account": f"POST {_B}",
    "blockchain_accounts": f"GET {_B}",
    "blockchain_account": f"GET {_B}/{{}}",
    "register_counterparty": "POST /counterparties",
    "counterparties": "GET /counterparties",
    "counterparty": "GET /counterparties/{}",
    "create_challenge": f"POST {_OWNERSHIP}-challenges",
    "challenges": f"GET {_OWNERSHIP}-challenges",
    "challenge_by_id": "GET /1P-counterparty-ownership-challenges/{}",
    "submit_claim": f"POST {_OWNERSHIP}-claims",
    "claim_by_id": "GET /1P-counterparty-ownership-claims/{}",
    "diagnose_signature": f"POST {_OWNERSHIP}-diagnoses",
    "link_counterparty": f"POST {_B}/{{}}/counterparties",
    "linked_counterparties": f"GET {_B}/{{}}/counterparties",
    "require_reverification": f"POST {_B}/{{}}/counterparties/{{}}/reverifications",
    "capabilities": "GET /capabilities",
    "customers": "GET /customers",
    "events": "GET /events",
    "audit": "GET /audit",
}
"""Every operation of ``Service`` with its method and path."""
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
        self._under_way: Counter[str] = Counter()

    @property
    def rows(self) -> tuple[Request, ...]:
        with self._lock:
            return tuple(self._rows)

    @contextmanager
    def going_out(self, operation: str) -> Iterator[None]:
        """From before it is sent until it is answered or given up."""
        with self._lock:
            self._under_way[operation] += 1
        try:
            yield
        finally:
            with self._lock:
                self._under_way[operation] -= 1

    def is_under_way(self, operation: str) -> bool:
        return self._under_way[operation] > 0

    def add_repeat(self, attempt: Attempt) -> None:
        """A try that a client below repeats, before the line of the call itself."""
        self._append(replace(attempt, code=f"{attempt.code}, repeated".lstrip(", ")))

    def add(self, operation: str, call: "_Call", outcome: TellerError | None) -> None:
        method, _, template = CALLS[operation].partition(" ")
        status, code = _ended(method, outcome)
        path = _path(template, call.ids) + call.query
        self._append(Attempt(method, path, status, code, call.took_ms, call.key), call.body)

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


@dataclass(frozen=True, slots=True)
class _Call:
    ids: tuple[str, ...]
    query: str
    body: str
    key: str
    took_ms: int


class Traced:
    """A service whose calls are written down; ``heard`` is told every answer."""

    def __init__(
        self, inner: "Service", log: RequestLog, heard: Callable[[str, object], None]
    ) -> None:
        self._inner, self._log, self._heard = inner, log, heard

    @classmethod
    def over(
        cls, inner: "Service", log: RequestLog, heard: Callable[[str, object], None]
    ) -> "Service":
        return cast("Service", cls(inner, log, heard))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        found: Callable[..., Any] = getattr(self._inner, name)
        if name not in CALLS:
            return found

        def traced(*given: Any, **named: Any) -> Any:
            before = perf_counter()
            try:
                with self._log.going_out(name):
                    answer = found(*given, **named)
            except TellerError as error:
                self._log.add(name, _call(given, named, before), error)
                raise
            if name not in _QUIET:
                self._log.add(name, _call(given, named, before), None)
            self._heard(name, answer)
            return answer

        return traced


def _call(given: tuple[Any, ...], named: Mapping[str, Any], before: float) -> _Call:
    from pydantic import BaseModel  # noqa: PLC0415 - after the first frame

    from chainteller.service.models.pages import ListQuery  # noqa: PLC0415 - as above

    models = [part for part in (*given, *named.values()) if isinstance(part, BaseModel)]
    asked = next((part for part in models if isinstance(part, ListQuery)), None)
    sent = next((part for part in models if not isinstance(part, ListQuery)), None)
    return _Call(
        ids=tuple(clean(part) for part in given if isinstance(part, str)),
        query=_query(asked.model_dump(exclude_defaults=True, by_alias=True)) if asked else "",
        body=_body(sent.model_dump(by_alias=True, exclude_none=True)) if sent else "",
        key=str(named.get("idempotency_key") or ""),
        took_ms=round((perf_counter() - before) * 1000),
    )


def _body(sent: Mapping[str, object]) -> str:
    """In ASCII: harmless where it is shown, and never a reason for a call to fail."""
    return json.dumps(sent, separators=(",", ":"), default=str)


def _query(asked: Mapping[str, object]) -> str:
    """Filters are named as the specification writes them; a searched name is never kept."""
    plain = {"page", "limit", "sort"}
    pairs = [
        f"{name}={value}" if name in plain else f"filter[{'query' if name == 'text' else name}]=..."
        for name, value in asked.items()
        if value is not None
    ]
    return "?" + "&".join(pairs) if pairs else ""


def _path(template: str, ids: tuple[str, ...]) -> str:
    found = iter(ids)
    return re.sub(r"\{\}", lambda _: next(found, "..."), template)


def _ended(method: str, outcome: TellerError | None) -> tuple[int, str]:
    if outcome is None:
        return (201 if method == "POST" else 200), ""
    return (outcome.status if isinstance(outcome, ServiceError) else 0), outcome.code

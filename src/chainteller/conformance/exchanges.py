"""Requests to the deployment under test and what came back, kept as evidence.

Replies are untrusted. They are bounded by ``remote.transport``; JSON is read without floats, and
the API key is removed from them.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from http import HTTPStatus
from typing import Any, Protocol
from urllib.parse import quote, unquote, urlencode

from chainteller.conformance.probes import Probe
from chainteller.domain.json_depth import parse_json
from chainteller.remote.transport import (
    Outgoing,
    Reply,
    ReplyRefused,
    TransportFault,
)

EXCERPT_CHARACTERS = 400
MAXIMUM_UNUSABLE = 3
"""So many requests without a reply, or with one of more than a mebibyte, end the check."""
LONG_REPLY_BYTES = 1024 * 1024
MAXIMUM_PAUSES = 5
MAXIMUM_PAUSE_S = 5.0
REDACTED = "[API key]"
_SHORTEST_SECRET = 8
_UNREADABLE: Any = object()
_HEADERS = ("content-type", "content-length", "www-authenticate", "retry-after", "location")


class Blocked(Exception):
    """A request can't be made, or a reply can't be judged; the message says why."""


class Sender(Protocol):
    """Sends one request, as ``remote.transport.Transport`` does."""

    def send(self, request: Outgoing) -> Reply:
        """Raises TransportFault."""


@dataclass(frozen=True)
class Exchange:
    """One request and its reply; ``fault`` says why there is none that can be used.

    ``is_unanswered`` is set if no reply came at all, or only a part of one. ``unknown``
    is set if the request named an id that the deployment may not know.
    """

    method: str
    path: str
    sent: object = None
    reply: Reply | None = None
    fault: str = ""
    is_unanswered: bool = False
    unknown: bool = False
    received_at: float = 0.0

    @property
    def status(self) -> int:
        return self.reply.status if self.reply is not None else 0

    @cached_property
    def body(self) -> Any:
        """The JSON body, with non-integers as Decimal; see ``is_json``."""
        if self.reply is None:
            return _UNREADABLE
        try:
            return parse_json(self.reply.body, parse_float=Decimal, parse_constant=_no_json)
        except (ValueError, ArithmeticError):
            return _UNREADABLE

    @property
    def is_json(self) -> bool:
        return self.body is not _UNREADABLE

    @property
    def error(self) -> str | None:
        """The code of an error body, None if there is no such code."""
        code = self.body.get("error") if isinstance(self.body, dict) else None
        return code if isinstance(code, str) else None

    @property
    def is_refusal(self) -> bool:
        """Whether the deployment refused; the specification leaves the status of errors open."""
        return self.reply is not None and (
            self.status >= HTTPStatus.BAD_REQUEST or bool(self.error)
        )

    @property
    def is_success(self) -> bool:
        return self.reply is not None and not self.is_refusal

    @property
    def title(self) -> str:
        return f"{self.method} {self.path}"

    def described(self) -> dict[str, object]:
        """What was sent and what came back, as ``--json`` prints it."""
        request = {"method": self.method, "path": self.path, "body": self.sent}
        if self.reply is None:
            return {"request": request, "response": None, "fault": self.fault}
        headers = {
            name: self.reply.headers[name][:EXCERPT_CHARACTERS]
            for name in _HEADERS
            if name in self.reply.headers
        }
        start = self.reply.body[: 4 * EXCERPT_CHARACTERS].decode(errors="replace")
        response = {"status": self.status, "headers": headers, "body": start[:EXCERPT_CHARACTERS]}
        return {"request": request, "response": response, "fault": None}


def _redacted(reply: Reply, secret: str) -> Reply:
    """Remove the API key where the deployment sends it back.

    A shorter one can't be told from other text.
    """
    if len(secret) < _SHORTEST_SECRET:
        return reply
    headers = {name: text.replace(secret, REDACTED) for name, text in reply.headers.items()}
    body = reply.body.replace(secret.encode(), REDACTED.encode())
    return Reply(reply.status, headers, body)


def _no_json(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


@dataclass(frozen=True, slots=True)
class Senders:
    """Senders with the API key, with a made-up key, and without an Authorization header.

    ``secret`` is the API key, which is removed from replies.
    """

    keyed: Sender
    impostor: Sender
    anonymous: Sender
    secret: str


@dataclass
class Session:
    """The exchanges of one check, by probe.

    Args:
        monotonic: seconds on a clock that never goes back.
        pause: sleeps for some seconds.
        wait_s: how long the whole check may wait for time to pass.
        budget_s: after so long, nothing more is sent.
    """

    senders: Senders
    monotonic: Callable[[], float]
    pause: Callable[[float], None]
    wait_s: float = 0.0
    budget_s: float = 120.0
    exchanges: dict[Probe, Exchange] = field(default_factory=dict)
    reasons: dict[Probe, str] = field(default_factory=dict)
    unusable: int = 0
    started_at: float = 0.0

    def __post_init__(self) -> None:
        self.started_at = self.monotonic()
        self.budget_s += self.wait_s

    def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, object] | None = None,
        *,
        query: Mapping[str, str] | None = None,
        sender: Sender | None = None,
        unknown: bool = False,
    ) -> Exchange:
        """Send one request; repeat it after a pause while the deployment limits the rate. Raises
        Blocked: the deployment has stopped answering, or the time is over."""
        if self.unusable >= MAXIMUM_UNUSABLE:
            raise Blocked("the deployment stopped giving usable replies")
        if self.monotonic() - self.started_at > self.budget_s:
            raise Blocked(f"no time left after {self.budget_s:.0f} s")
        outgoing = Outgoing(
            method,
            path,
            tuple((query or {}).items()),
            None if body is None else {"Content-Type": "application/json"},
            None if body is None else json.dumps(body).encode(),
        )
        shown = unquote(path) if unquote(path).isprintable() else path
        if query:
            shown += "?" + urlencode(query, safe="[],")
        made = Exchange(method, shown, body, unknown=unknown)
        try:
            reply = _redacted(
                self._send(sender or self.senders.keyed, outgoing), self.senders.secret
            )
        except ReplyRefused as fault:
            return replace(made, fault=str(fault))
        except TransportFault as fault:
            self.unusable += 1
            return replace(made, fault=f"no reply: {fault}", is_unanswered=True)
        if len(reply.body) > LONG_REPLY_BYTES:
            self.unusable += 1
        return replace(made, reply=reply, received_at=self.monotonic())

    def _send(self, sender: Sender, outgoing: Outgoing) -> Reply:
        for _ in range(MAXIMUM_PAUSES):
            reply = sender.send(outgoing)
            if reply.status != HTTPStatus.TOO_MANY_REQUESTS:
                return reply
            self.pause(_pause_s(reply.headers.get("retry-after", "")))
        return sender.send(outgoing)

    def probe(self, probe: Probe, *request: Any, **more: Any) -> Exchange:
        """Send a request as ``call`` does, and keep the exchange."""
        self.exchanges[probe] = made = self.call(*request, **more)
        return made

    def succeed(self, probe: Probe, *request: Any, **more: Any) -> Exchange:
        """Send a request whose reply later requests need. Raises Blocked: it has no usable
        reply."""
        made = self.probe(probe, *request, **more)
        require_success(made)
        return made

    def keep(self, probe: Probe, made: Exchange) -> Exchange:
        """Keep an exchange that ``call`` made."""
        self.exchanges[probe] = made
        return made

    def wait(self, seconds: float) -> bool:
        """Wait if as much is left of ``--wait``; returns whether it was."""
        if seconds > self.wait_s:
            return False
        if seconds > 0:
            self.pause(seconds)
            self.wait_s -= seconds
        return True


def _pause_s(header: str) -> float:
    seconds = int(header) if header.isascii() and header.isdecimal() and len(header) < 4 else 1
    return min(max(float(seconds), 0.1), MAXIMUM_PAUSE_S)


def require_success(exchange: Exchange) -> None:
    """Raises Blocked, with the reason, unless the deployment did what was asked."""
    if exchange.reply is None:
        raise Blocked(f"{exchange.title}: {exchange.fault}")
    if exchange.is_refusal:
        what = exchange.error or f"status {exchange.status}"
        raise Blocked(f"{exchange.title} was refused: {what}")


def segment(value: object) -> str:
    """An id as a path segment. Raises Blocked: not an id that can be part of a path."""
    if not isinstance(value, str) or not 0 < len(value) <= 200 or value in {".", ".."}:
        raise Blocked("the id isn't a text of 1 to 200 characters")
    if not (value.isascii() and value.isprintable()) or set(value) & set("/\\?#%; "):
        raise Blocked("the id has characters that don't belong in a path")
    return quote(value, safe="")

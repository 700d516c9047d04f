"""Send requests until there is a reply; parse replies into models and errors.

Reads are repeated when the connection fails. Writes are repeated only if the deployment supports
idempotency keys, always with the same key; without a clear answer they raise OutcomeUnknown.
"""

import re
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar
from urllib.parse import urlsplit

from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails, from_json

from chainteller.domain.randomness import SystemRandomness, below
from chainteller.remote.answers import AnotherRecord, NotShown
from chainteller.remote.transport import (
    TIMED_OUT,
    UNCLEAR,
    UNIX,
    NotSent,
    Outgoing,
    Reply,
    ReplyRefused,
    Transport,
    TransportFault,
    Unanswered,
)
from chainteller.service.error_codes import UnknownRefusal, from_wire, is_conclusive
from chainteller.service.errors import (
    ClientError,
    IdempotencyInProgress,
    InsufficientFunds,
    InternalError,
    MarketUnavailable,
    OutcomeUnknown,
    ProviderUnanswered,
    QuoteExpired,
    ReplyUnusable,
    ServiceError,
    ServiceUnreachable,
    TellerError,
)
from chainteller.service.models.base import (
    AmountUnreadable,
    WireModel,
    Written,
    check_amounts,
)
from chainteller.telemetry import tracing
from chainteller.telemetry.tracing import Kind

Value = TypeVar("Value")

ATTEMPTS = 6
MOST_VALUES = 50_000
"""Maximum values in a reply. A page of a hundred records has a few thousand; 4 MiB could contain a
million empty lists, each an object in memory."""
_CONNECTS = 3
_PAUSES_MS = (30, 100, 250, 500, 1000)
_LONGEST_WAIT_S = 2.0
_SPECIFIED = (InsufficientFunds, QuoteExpired, MarketUnavailable)
"""The specification's refusals, with any status: it names none."""
_MAY_BE_DONE = (InternalError, ProviderUnanswered, UnknownRefusal)
"""Other errors that leave open whether the write happened, where the status does."""
_SECONDS = re.compile(r"[0-9]{1,4}")
_TOO_MANY_REQUESTS = 429


class _ErrorBody(WireModel):
    error: str
    message: str = ""
    details: dict[str, Any] = Field(default_factory=dict)


class Sender:
    """Sends requests over a transport until there is an answer or the deadline passes."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport
        self.randomness = SystemRandomness()

    def new_key(self) -> str:
        """A fresh idempotency key: 128 random bits."""
        return self.randomness.bytes(16).hex()

    def read(
        self,
        asked: Outgoing,
        model: Any,
        check: Callable[[Any], Any] = lambda answer: answer,
    ) -> Any:
        """Read the record or list that is asked for; ``check`` completes it or raises ValueError.

        Raises:
            ServiceError: the deployment refused.
            ServiceUnreachable: no answer came.
            ReplyUnusable: the reply doesn't follow the contract.
        """
        try:
            reply = self._answered(asked, ATTEMPTS)
        except TransportFault as fault:
            raise _unread(fault, self.transport.address) from None
        if reply.status >= 400:
            raise _refusal(reply) or _unusable(reply)
        try:
            return check(parsed(model, reply.body))
        except ValueError as fault:
            words = _contradiction(reply) or f"it is not what was asked for: {where(fault)}"
            raise ReplyUnusable(f"The reply cannot be used: {words}.") from None

    def write(
        self,
        asked: Outgoing,
        key: str,
        read: Callable[[Reply], Value],
        *,
        repeatable: bool,
        harmless: bool,
    ) -> Written[Value]:
        """Send a write with its key; ``read`` makes its record of the reply, or raises ValueError.
        One that is ``harmless`` moves nothing.

        Raises:
            ServiceError: the deployment refused; nothing was changed.
            ServiceUnreachable: nothing was sent.
            OutcomeUnknown: it was sent, and the outcome isn't known.
            ReplyUnusable: refused with a reply that doesn't follow the contract.
        """
        try:
            reply = self._answered(asked, ATTEMPTS if repeatable else 1)
        except NotSent as fault:
            raise ServiceUnreachable(
                f"No connection to {self.transport.address} ({fault})."
            ) from None
        except TransportFault as fault:
            raise OutcomeUnknown(f"Sent, but there was no usable answer: {fault}.", key) from None
        if reply.status >= 400:
            raise _refused(reply, key, is_safe=repeatable or harmless)
        try:
            value = read(reply)
        except ValueError as fault:
            words = _contradiction(reply) or f"the answer cannot be used: {where(fault)}"
            raise OutcomeUnknown(f"Sent, but {words}.", key) from None
        replayed = reply.headers.get("idempotent-replayed", "").lower() == "true"
        return Written(value, created=reply.status == 201, replayed=replayed)

    def _answered(self, request: Outgoing, attempts: int) -> Reply:
        """Send until a clear reply. Raises TransportFault; NotSent only if no attempt was sent."""
        ends = time.monotonic() + self.transport.deadline_s
        unclear: TransportFault | None = None
        for attempt in range(attempts):
            last = attempt == attempts - 1
            try:
                reply = self._tried(request, attempt, max(0.05, ends - time.monotonic()))
            except TransportFault as fault:
                if unclear is None or not isinstance(fault, NotSent):
                    unclear = fault
                last = last or _is_final(fault, attempt)
                wait_s = self._backoff_s(attempt)
            else:
                wait_s = self._wait_after(reply, attempt)
                if wait_s == 0 or last or time.monotonic() + wait_s >= ends:
                    is_sent = not isinstance(unclear, NotSent | None)
                    return replace(reply, follows_doubt=is_sent)
                if _leaves_doubt(reply, is_safe=True):
                    unclear = Unanswered(_strange(reply))
            if last or time.monotonic() + wait_s >= ends:
                break
            time.sleep(wait_s)
        raise unclear or Unanswered("no answer")

    def _tried(self, request: Outgoing, attempt: int, within_s: float) -> Reply:
        """Send once, as a span where the request belongs to one. Raises TransportFault."""
        if tracing.current() is None:
            return self.transport.send(_with_trace(request), within_s)
        name = f"{request.method} {request.route}".rstrip()
        attributes = self._attributes | {
            "http.request.method": request.method,
            "url.full": f"{self._attributes['url.full']}{request.route}",
            "url.template": request.route,
        }
        if attempt:
            attributes["http.request.resend_count"] = attempt
        with tracing.span(name, Kind.CLIENT, attributes) as span:
            reply = self.transport.send(_with_trace(request), within_s)
            span.put({"http.response.status_code": reply.status})
            if reply.status >= 400:
                span.fail(_code_of(reply) or str(reply.status))
            return reply

    @cached_property
    def _attributes(self) -> dict[str, str | int]:
        """Which server a request's span is about."""
        address = self.transport.address
        if address.startswith(UNIX):
            return {"url.full": address, "server.address": address.removeprefix(UNIX)}
        found = urlsplit(address)
        port = found.port or (443 if found.scheme == "https" else 80)
        return {"url.full": address, "server.address": found.hostname or "", "server.port": port}

    def _wait_after(self, reply: Reply, attempt: int) -> float:
        """Seconds before the request should be repeated; 0 if the reply is final."""
        refusal = _refusal(reply) if reply.status >= 400 else None
        if refusal is None:
            return self._backoff_s(attempt) if reply.status in {502, 503, 504} else 0
        if reply.status != _TOO_MANY_REQUESTS and not isinstance(refusal, IdempotencyInProgress):
            return 0
        wait_s = 1 if refusal.retry_after_s is None else refusal.retry_after_s
        return wait_s if 0 < wait_s <= _LONGEST_WAIT_S else 0

    def _backoff_s(self, attempt: int) -> float:
        longest_ms = _PAUSES_MS[min(attempt, len(_PAUSES_MS) - 1)]
        return (longest_ms // 2 + below(self.randomness, longest_ms // 2 + 1)) / 1000


def _with_trace(request: Outgoing) -> Outgoing:
    trace = tracing.outgoing()
    return replace(request, headers={**(request.headers or {}), **trace}) if trace else request


def _is_final(fault: TransportFault, attempt: int) -> bool:
    """Whether another attempt would fail in the same way."""
    refused_again = isinstance(fault, NotSent) and attempt + 1 >= _CONNECTS
    return refused_again or isinstance(fault, ReplyRefused)


def parsed(model: Any, body: bytes) -> Any:
    """Parse a deployment's reply into a model.

    Raises:
        ValueError: the reply isn't JSON, has too many values, or doesn't fit the model.
    """
    return fitted(model, _json(body))


def fitted(model: Any, value: Any) -> Any:
    """Validate a reply, without the fields of its records that aren't what they are here: beyond
    the specification, a deployment may mean something else by their names. ``value`` loses them.

    Raises:
        ValueError: it doesn't fit the model.
    """
    adapter = TypeAdapter(model)
    first: ValidationError | None = None
    while True:
        try:
            found = adapter.validate_python(value)
        except ValidationError as fault:
            first = first or fault
            if not _leave_out(value, fault):
                raise first from None
        else:
            check_amounts(found)
            return found


def _json(body: bytes) -> Any:
    """Parsed by itself, because pydantic's errors for JSON input contain a copy of it for each
    missing field. Raises ValueError."""
    if sum(body.count(sign) for sign in (b",", b"[", b"{")) > MOST_VALUES:
        raise ValueError("too many values")
    return from_json(body, allow_inf_nan=False)


def _leave_out(value: Any, fault: ValidationError) -> bool:
    """Remove the wrong fields from all records of a reply; whether there were any. Of a list, the
    fault is about the first wrong record."""
    rows = value.get("data", value) if isinstance(value, dict) else ()
    depth, records = (2, rows) if isinstance(rows, list) else (0, [value])
    wrong = {each["loc"][depth] for each in _errors(fault) if len(each["loc"]) > depth}
    held = [(row, name) for row in records if isinstance(row, dict) for name in wrong & {*row}]
    for row, name in held:
        del row[name]
    return bool(held)


def read_unshown(reply: Reply) -> NotShown:
    """The fields of an answer that the specification doesn't show: an object, or no content. Raises
    ValueError: it's neither, or an error."""
    if reply.status == 204:
        return NotShown({})
    found: dict[str, Any] = parsed(dict[str, Any], reply.body)
    if isinstance(found.get("error"), str):
        raise ValueError("an error")  # noqa: TRY004 - what the callers handle
    return NotShown({name: value for name, value in found.items() if value is not None})


def _refusal(reply: Reply) -> ServiceError | None:
    """The error in a reply, or None if it isn't one as in specification 7."""
    try:
        body = _ErrorBody.model_validate(_json(reply.body))
    except ValueError:
        return None
    refusal = from_wire(body.error, body.message, body.details, reply.status)
    wait = reply.headers.get("retry-after", "")
    refusal.retry_after_s = int(wait) if _SECONDS.fullmatch(wait) else None
    return refusal


def _refused(reply: Reply, key: str, *, is_safe: bool) -> TellerError:
    """The error of a write's error reply: unknown, where the write may have happened."""
    refusal = _refusal(reply)
    is_open = reply.follows_doubt and not (refusal is not None and is_conclusive(refusal))
    if is_open or _leaves_doubt(reply, is_safe=is_safe):
        said = f"{refusal.code}: {refusal.message}" if refusal else f"{_strange(reply)}."
        return OutcomeUnknown(f"Sent, but answered with {said}", key)
    return refusal or _unusable(reply)


def _leaves_doubt(reply: Reply, *, is_safe: bool) -> bool:
    """Whether a write may have happened although it was answered with an error. A status of 500 or
    more leaves that open, whatever the code is: proxies answer so, too. Where a repetition
    ``is_safe``, with our idempotency keys or because nothing moves, the code's own status is
    believed."""
    refusal = _refusal(reply)
    if refusal is None:
        return reply.status >= 500 or reply.status in UNCLEAR
    if isinstance(refusal, IdempotencyInProgress):
        return True
    is_late = reply.status >= 500 or reply.status == TIMED_OUT
    is_ours = is_safe and refusal.status == reply.status
    may_be_done = not is_ours or isinstance(refusal, _MAY_BE_DONE)
    return is_late and may_be_done and not isinstance(refusal, _SPECIFIED)


def _contradiction(reply: Reply) -> str:
    """What contradicts itself in an answer that cannot be used; empty where it's something else."""
    code = _code_of(reply)
    return f"it answered HTTP status {reply.status} with the error {code}" if code else ""


def _code_of(reply: Reply) -> str:
    refusal = _refusal(reply)
    return refusal.code if refusal is not None else ""


def _unread(fault: TransportFault, address: str) -> ClientError:
    if isinstance(fault, NotSent):
        return ServiceUnreachable(f"No connection to {address} ({fault}).")
    if isinstance(fault, Unanswered):
        return ServiceUnreachable(f"No answer from {address}: {fault}.")
    return ReplyUnusable(f"The reply cannot be used: {fault}.")


def _unusable(reply: Reply) -> ReplyUnusable:
    return ReplyUnusable(f"The reply cannot be used: {_strange(reply)}.")


def _strange(reply: Reply) -> str:
    return f"status {reply.status}, and no error as in the specification"


def _errors(fault: ValidationError) -> list[ErrorDetails]:
    return fault.errors(include_url=False, include_input=False, include_context=False)


def where(fault: ValueError) -> str:
    """The first invalid field, without its value."""
    if isinstance(fault, AmountUnreadable):
        return f"{fault} holds no amount"
    if isinstance(fault, AnotherRecord):
        return str(fault)
    if not isinstance(fault, ValidationError):
        return "no JSON"
    first = _errors(fault)[0]
    return ".".join(str(part) for part in first["loc"])[:100] or "no JSON object"

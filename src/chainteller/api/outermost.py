"""The outermost ASGI layer: request ids, log lines, metrics and unforeseen errors.

It creates the context of every request, adds ``X-Request-Id`` and ``API-Version`` to the reply,
writes one log line, counts the request, and answers any unforeseen error with INTERNAL_ERROR.
"""

import logging
import re
import time
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chainteller.api.logs import Line
from chainteller.api.metrics import Metrics
from chainteller.api.peers import Peers
from chainteller.api.protocol import CONNECTION
from chainteller.api.request_context import API_VERSION, RequestContext, set_context
from chainteller.api.responses import error_reply
from chainteller.domain.pasted_secrets import Digits, find_secret
from chainteller.domain.randomness import Randomness
from chainteller.service.errors import InternalError, ServiceError, ValidationFailed

_HEALTH = frozenset({"/healthz", "/readyz"})
"""Answered under any name: a balancer's checks name what they like, and these tell no secret."""
_TRACE = re.compile(
    r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}.*"
)
"""The header ``traceparent`` of W3C Trace Context; later versions may add to it."""
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)
_ALWAYS = (
    (b"api-version", API_VERSION.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
)

_LISTS = frozenset({"accept", "x-forwarded-for", "forwarded"})
"""Headers whose repetitions are one list."""

log = logging.getLogger("chainteller.api")


class Outermost:
    """The outermost ASGI layer, around authentication and routing."""

    def __init__(
        self,
        app: ASGIApp,
        metrics: Metrics,
        randomness: Randomness,
        tell: Callable[[Line], None],
        peers: Peers,
    ) -> None:
        self._app = app
        self._metrics = metrics
        self._randomness = randomness
        self._tell = tell
        self._peers = peers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._http(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        context = self._begin(scope)
        set_context(scope, context)
        started = time.perf_counter()
        connection = scope.get(CONNECTION)

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                if connection is not None:
                    connection.reply_begins(scope)
                context.status = message["status"]
                message["headers"] = [*message["headers"], *_stamps(context)]
            await send(message)

        try:
            if connection is not None and scope["path"] not in _HEALTH:
                connection.require_own_name(context.header("host") or "")
            _known_version(context)
            await self._app(scope, receive, sending)
        except ServiceError as refusal:
            await error_reply(context, refusal)(scope, receive, sending)
        except Exception:
            log.exception("unforeseen", extra={"fields": {"requestId": context.request_id}})
            if not context.status:
                await error_reply(context, unforeseen(context))(scope, receive, sending)
        finally:
            self._finish(scope, context, time.perf_counter() - started)

    def _begin(self, scope: Scope) -> RequestContext:
        headers: dict[str, str] = {}
        repeated = set()
        for raw_name, raw_value in scope["headers"]:
            name = raw_name.decode("latin-1")
            value = raw_value.decode("latin-1")
            if name in headers:
                repeated.add(name)
                value = f"{headers[name]},{value}" if name in _LISTS else value
            headers[name] = value
        offered = headers.get("x-request-id", "")
        taken = offered if _is_request_id(offered) else self._randomness.bytes(8).hex()
        client = self._peers.client((scope.get("client") or ("",))[0], headers)
        return RequestContext(taken, headers, frozenset(repeated), client)

    def _finish(self, scope: Scope, context: RequestContext, seconds: float) -> None:
        method, principal = scope["method"], context.principal
        self._metrics.answered(context.operation, method, context.status, seconds, context.error)
        self._tell(
            Line(
                request_id=context.request_id,
                operation=context.operation,
                method=method,
                status=context.status,
                seconds=seconds,
                client=context.client,
                error=context.error,
                organisation="" if principal is None else principal.actor.organisation,
                key_id="" if principal is None else principal.actor.key_id,
                trace_id=_trace_id(context),
            )
        )


def _is_request_id(offered: str) -> bool:
    """Whether a caller's id for its request may be logged: none that is a wallet's secret."""
    is_id = _REQUEST_ID.fullmatch(offered) is not None
    return is_id and find_secret(offered, Digits.DIGEST) is None


def _trace_id(context: RequestContext) -> str:
    """The id of the caller's trace; empty if it sent none, or one that can't be used."""
    found = _TRACE.fullmatch(context.headers.get("traceparent", ""))
    return found[1] if found is not None and _is_request_id(found[1]) else ""


def unforeseen(context: RequestContext) -> InternalError:
    return InternalError("Something went wrong.", {"requestId": context.request_id})


def _stamps(context: RequestContext) -> list[tuple[bytes, bytes]]:
    return [(b"x-request-id", context.request_id.encode()), *_ALWAYS, *context.reply_headers]


def _known_version(context: RequestContext) -> None:
    asked = context.header("api-version")
    if asked is not None and asked != API_VERSION:
        raise ValidationFailed.of(
            "API-Version", f"The versions offered are: {API_VERSION}.", "UNKNOWN_VERSION"
        )

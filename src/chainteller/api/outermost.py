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
from chainteller.api.metrics import METHODS, Metrics
from chainteller.api.peers import Peers
from chainteller.api.protocol import CONNECTION
from chainteller.api.request_context import API_VERSION, RequestContext, set_context
from chainteller.api.responses import error_reply
from chainteller.domain.pasted_secrets import Digits, find_secret
from chainteller.domain.randomness import Randomness
from chainteller.service.errors import InternalError, ServiceError, ValidationFailed
from chainteller.service.operations import EVENT_STREAM
from chainteller.telemetry import tracing
from chainteller.telemetry.tracing import NONE, Kind

_HEALTH = frozenset({"/healthz", "/readyz"})
"""Answered under any name: a balancer's checks name what they like, and these tell no secret."""
_UNTRACED = _HEALTH | {EVENT_STREAM.path}
"""Requests without a span: checks that are always the same, and one that goes on for hours."""
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
        if scope["path"] in _UNTRACED:
            await self._answer(scope, receive, send, context)
            return
        tracing.pass_on(context.traceparent)
        method = scope["method"] if scope["method"] in METHODS else "HTTP"
        with tracing.span(method, Kind.SERVER, NONE, context.traceparent) as context.span:
            try:
                await self._answer(scope, receive, send, context)
            finally:
                if context.span.trace_id:
                    _describe(method, scope, context)

    async def _answer(
        self, scope: Scope, receive: Receive, send: Send, context: RequestContext
    ) -> None:
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
        found = RequestContext(taken, headers, frozenset(repeated), client)
        found.traceparent = _traceparent(found)
        return found

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
                agent="" if principal is None else principal.actor.agent_id,
                trace_id=context.span.trace_id or context.traceparent[3:35],
                span_id=context.span.span_id,
            )
        )


def _is_request_id(offered: str) -> bool:
    """Whether a caller's id for its request may be logged: none that is a wallet's secret."""
    is_id = _REQUEST_ID.fullmatch(offered) is not None
    return is_id and find_secret(offered, Digits.DIGEST) is None


def _traceparent(context: RequestContext) -> str:
    """The caller's span; empty if it sent none, or one that can't be used. ``tracestate`` isn't
    read: anybody may write anything into it.
    """
    given = context.headers.get("traceparent")
    if given is None or "traceparent" in context.repeated:
        return ""
    found = tracing.read_traceparent(given)
    return found if _is_request_id(found[3:35]) else ""


def _describe(method: str, scope: Scope, context: RequestContext) -> None:
    """Name a request's span. The path is that of the route: ids, and the links of customers, stay
    out, as does the query."""
    span, principal, status = context.span, context.principal, context.status
    attributes: dict[str, str | int] = {
        "http.request.method": "_OTHER" if method == "HTTP" else method,
        "url.scheme": scope["scheme"],
        "network.protocol.version": scope["http_version"],
        "chainteller.operation": context.operation,
        "chainteller.request_id": context.request_id,
    }
    if context.client:
        attributes["client.address"] = context.client
    if status:
        attributes["http.response.status_code"] = status
    if context.route:
        attributes |= {"http.route": context.route, "url.path": context.route}
        span.rename(f"{method} {context.route}")
    if principal is not None:
        actor = principal.actor
        named = {"chainteller.organisation": actor.organisation, "chainteller.key_id": actor.key_id}
        attributes |= {name: each for name, each in named.items() if each}
        if actor.agent_id:
            attributes["enduser.id"] = actor.agent_id
    span.put(attributes)
    if status >= 500 or not status:
        span.fail(context.error or str(status or "no_response"))


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

"""The application, and the one way that every request takes through it.

A request gets its context, is authenticated, finds its handler and is answered; whatever is raised
on the way becomes an error body. The reply gets ``X-Request-Id`` and ``API-Version``, and the
request one log line and its place in the metrics.
"""

import logging
import re
import time
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from chainteller.api.auth import Authentication
from chainteller.api.connections import Connections
from chainteller.api.documentation import Documentation
from chainteller.api.endpoints import Gateway
from chainteller.api.hosts import Hosts
from chainteller.api.limits import RateLimits
from chainteller.api.logs import Line, RequestLines
from chainteller.api.metrics import METHODS, Metrics
from chainteller.api.openapi import describe
from chainteller.api.operating import Operating
from chainteller.api.peers import Peers
from chainteller.api.protocol import CONNECTION, BoundedHttpProtocol
from chainteller.api.request_context import API_VERSION, RequestContext
from chainteller.api.responses import error_reply
from chainteller.api.router import Router
from chainteller.api.signing_pages import SigningPages
from chainteller.api.streaming import EventStreams
from chainteller.api.threads import Threads
from chainteller.api.wrong_keys import WrongKeys
from chainteller.domain.clock import SystemClock
from chainteller.domain.pasted_secrets import Digits, find_secret
from chainteller.domain.randomness import SystemRandomness
from chainteller.service.deployment import Deployment, DeploymentOptions
from chainteller.service.errors import (
    InternalError,
    ServiceError,
    ServiceUnavailable,
    TellerError,
    ValidationFailed,
)
from chainteller.service.operations import EVENT_STREAM, OPERATIONS
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


class App:
    """The ASGI application of one deployment, and the resources that its server closes.

    ``served_as`` is the host that the server listens on.
    """

    def __init__(self, deployment: Deployment, served_as: str = "") -> None:
        options = deployment.options
        self.metrics = Metrics(options.version)
        self.threads = Threads()
        self.connections: Connections[BoundedHttpProtocol] = Connections()
        self.version, self.stop_notice_s = options.version, options.stop_notice_s
        self.peers = Peers(options.trusted_proxies)
        self.hosts = Hosts(options.hosts, served_as, urlsplit(options.public_url).hostname or "")
        rates = options.rates if options.rate_limits else None
        self.limits = RateLimits(rates, deployment.servers)
        self.gateway = Gateway(deployment, self.limits, self.threads)
        self.streams = EventStreams(self.gateway, self.metrics)
        self.request_lines = RequestLines(SystemClock())
        self._randomness = SystemRandomness()
        self._router = self._routed(options)
        wrong_keys = WrongKeys(active=options.rate_limits)
        if options.public_url:
            SigningPages(self.gateway, wrong_keys).add_to(self._router)
        self._authentication = Authentication(deployment, wrong_keys, self.threads)

    def _routed(self, options: DeploymentOptions) -> Router:
        router = Router()
        for operation in OPERATIONS:
            for endpoint in operation.endpoints:
                handler = self.gateway.handler(endpoint, operation)
                router.add(endpoint.method, endpoint.path, handler)
        title = f"{options.bank_name}: trading and verified wallets"
        pages = Documentation(self.gateway, describe(title, options.version, OPERATIONS))
        operating = self.operating = Operating(self.gateway, self.metrics, self.connections)
        router.add(EVENT_STREAM.method, EVENT_STREAM.path, self.streams.answer)
        router.add("GET", "/healthz", operating.healthz)
        router.add("GET", "/readyz", operating.readyz)
        router.add("GET", "/metrics", operating.metrics)
        router.add("GET", "/openapi.json", pages.openapi)
        if options.docs:
            router.add("GET", "/docs", pages.page)
        return router

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        context = self._begin(scope)
        if scope["path"] in _UNTRACED:
            await self._answer(request, context, send)
            return
        tracing.pass_on(context.traceparent)
        method = scope["method"] if scope["method"] in METHODS else "HTTP"
        with tracing.span(method, Kind.SERVER, NONE, context.traceparent) as context.span:
            try:
                await self._answer(request, context, send)
            finally:
                if context.span.trace_id:
                    _describe(method, scope, context)

    async def _answer(self, request: Request, context: RequestContext, send: Send) -> None:
        started = time.perf_counter()
        try:
            try:
                reply = await self._handled(request, context)
            except ServiceError as refusal:
                reply = error_reply(context, refusal)
            except TellerError as fault:
                unavailable = ServiceUnavailable(fault.message, {"reason": fault.code})
                reply = error_reply(context, unavailable)
            await _send(reply, request, context, send)
        except Exception:
            log.exception("unforeseen", extra={"fields": {"requestId": context.request_id}})
            if not context.status:
                told = InternalError("Something went wrong.", {"requestId": context.request_id})
                await _send(error_reply(context, told), request, context, send)
        finally:
            self._finish(request.scope, context, time.perf_counter() - started)

    async def _handled(self, request: Request, context: RequestContext) -> Response:
        """Raises TellerError: why the request isn't answered."""
        scope, asked = request.scope, context.header("api-version")
        connection = scope.get(CONNECTION)
        if connection is not None and scope["path"] not in _HEALTH:
            connection.require_own_name(context.header("host") or "")
        if asked is not None and asked != API_VERSION:
            raise ValidationFailed.of(
                "API-Version", f"The versions offered are: {API_VERSION}.", "UNKNOWN_VERSION"
            )
        await self._authentication.identify(scope, context)
        return await self._router.find(scope, context)(request, context)

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
        client = self.peers.client((scope.get("client") or ("",))[0], headers)
        found = RequestContext(taken, headers, frozenset(repeated), client)
        if "traceparent" in headers and "traceparent" not in repeated:
            # ``tracestate`` isn't read: anybody may write anything into it.
            trace = tracing.read_traceparent(headers["traceparent"])
            found.traceparent = trace if _is_request_id(trace[3:35]) else ""
        return found

    def _finish(self, scope: Scope, context: RequestContext, seconds: float) -> None:
        method, principal = scope["method"], context.principal
        self.metrics.answered(context.operation, method, context.status, seconds, context.error)
        self.request_lines.add(
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


async def _send(reply: Response, request: Request, context: RequestContext, send: Send) -> None:
    """Send a reply with the headers that every one has."""
    scope = request.scope
    connection = scope.get(CONNECTION)
    if connection is not None:
        connection.reply_begins(scope)
    context.status = reply.status_code
    stamp = (b"x-request-id", context.request_id.encode())
    reply.raw_headers += (stamp, *_ALWAYS, *context.reply_headers)
    await reply(scope, request.receive, send)


def _is_request_id(offered: str) -> bool:
    """Whether a caller's id for its request may be logged: none that is a wallet's secret."""
    is_id = _REQUEST_ID.fullmatch(offered) is not None
    return is_id and find_secret(offered, Digits.DIGEST) is None


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

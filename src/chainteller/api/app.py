"""The application: routes, layers and the replies to what no route answers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from chainteller.api import (
    accounts,
    counterparties,
    funding,
    markets,
    ownership,
    quotes,
    records,
    trades,
)
from chainteller.api.auth import Authentication
from chainteller.api.directory import Directory
from chainteller.api.documentation import Documentation
from chainteller.api.exchange import exchange_of
from chainteller.api.limits import RateLimits
from chainteller.api.logs import RequestLines
from chainteller.api.metrics import Metrics
from chainteller.api.openapi import describe
from chainteller.api.operating import Operating
from chainteller.api.operations import Front
from chainteller.api.outermost import Exchanges, unforeseen
from chainteller.api.responses import error_reply
from chainteller.api.streaming import STREAM, EventStreams
from chainteller.api.threads import service_threads
from chainteller.domain.clock import SystemClock
from chainteller.domain.randomness import SystemRandomness
from chainteller.service.deployment import Deployment
from chainteller.service.errors import MalformedRequest, MethodNotAllowed, NotFound

ROUTES = (
    accounts.routes,
    funding.routes,
    markets.routes,
    quotes.routes,
    trades.routes,
    counterparties.routes,
    ownership.routes,
    records.routes,
)
OPERATIONS = tuple(operation for routes in ROUTES for operation, _ in routes.declared)
"""Every operation that acts on the service; the authorization matrix walks over them."""


class App:
    """The ASGI application of one deployment, with what its server must be able to close."""

    def __init__(self, deployment: Deployment) -> None:
        options = deployment.options
        self.metrics = Metrics(options.version)
        self.threads = service_threads()
        self.limits = RateLimits(active=options.rate_limits)
        self.front = Front(deployment, self.limits, self.threads)
        self.streams = EventStreams(self.front, self.metrics)
        self.web = self._web(deployment)
        self.directory = Directory(self.web)
        self._add_operations()
        authenticated = Authentication(self.directory, deployment, self.limits, self.threads)
        self.request_lines = RequestLines(SystemClock())
        self._asgi = Exchanges(
            authenticated, self.metrics, SystemRandomness(), self.request_lines.add
        )

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._asgi(scope, receive, send)

    def _web(self, deployment: Deployment) -> FastAPI:
        @asynccontextmanager
        async def lifespan(_web: FastAPI) -> AsyncIterator[None]:
            yield
            self.threads.shutdown(wait=True, cancel_futures=True)

        web = FastAPI(
            title=f"{deployment.options.bank_name}: trading and verified wallets",
            version=deployment.options.version,
            docs_url=None,
            redoc_url=None,
            openapi_url=None,
            redirect_slashes=False,
            lifespan=lifespan,
            exception_handlers={HTTPException: _no_route, Exception: _unforeseen},
        )
        self._add_own_routes(web, deployment)
        return web

    def _add_operations(self) -> None:
        """Every operation, in FastAPI's routes and in the directory before it."""
        for routes in ROUTES:
            for operation, handler in routes.declared:
                endpoint = self.front.endpoint(operation, handler)
                self.directory.add(operation, endpoint)
                self.web.add_route(
                    operation.path,
                    endpoint,
                    [operation.method],
                    operation.name,
                    include_in_schema=False,
                )

    def _add_own_routes(self, web: FastAPI, deployment: Deployment) -> None:
        document = describe(web.title, web.version, ROUTES)
        pages = Documentation(self.front, document)
        operating = Operating(self.front, self.metrics)
        web.openapi = lambda: document  # type: ignore[method-assign]  # described once, by us
        web.add_route(STREAM.path, self.streams.answer, ["GET"])
        web.add_route("/healthz", operating.healthz, ["GET"])
        web.add_route("/readyz", operating.readyz, ["GET"])
        web.add_route("/metrics", operating.metrics, ["GET"])
        web.add_route("/openapi.json", pages.openapi, ["GET"])
        if deployment.options.docs:
            web.add_route("/docs", pages.page, ["GET"])


async def _no_route(request: Request, fault: Exception) -> Response:
    """No path, or not by this method: then every method that the path does take is named."""
    exchange = exchange_of(request.scope)
    status = fault.status_code if isinstance(fault, HTTPException) else 400
    if status == 404:
        return error_reply(exchange, NotFound("path", request.url.path[:200]))
    if status == 405:
        allowed = allowed_methods(request.app, request.scope["path"])
        return error_reply(
            exchange, MethodNotAllowed("This path does not take it.", {"allowed": allowed})
        )
    return error_reply(exchange, MalformedRequest("The request is malformed.", {"position": 0}))


async def _unforeseen(request: Request, _fault: Exception) -> Response:
    """The reply to a fault of ours; the exchange layer, which sees it next, logs it."""
    exchange = exchange_of(request.scope)
    return error_reply(exchange, unforeseen(exchange))


def allowed_methods(web: FastAPI, path: str) -> list[str]:
    """All methods of all routes that match the path, not only the first one's."""
    found = {
        method
        for route in web.router.routes
        if isinstance(route, Route) and route.path_regex.match(path)
        for method in route.methods or ()
    }
    return sorted(found)

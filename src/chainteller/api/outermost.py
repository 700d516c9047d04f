"""The outermost layer, which nothing gets past unlogged.

It begins every exchange, gives its reply ``X-Request-Id`` and ``API-Version``, writes one log line
for it, counts it, and turns whatever the layers below did not foresee into INTERNAL_ERROR.
"""

import logging
import re
import time
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chainteller.api.exchange import API_VERSION, Exchange, begin_exchange
from chainteller.api.logs import Line
from chainteller.api.metrics import Metrics
from chainteller.api.responses import error_reply
from chainteller.domain.randomness import Randomness
from chainteller.service.errors import InternalError, ServiceError, ValidationFailed

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)
_ALWAYS = (
    (b"api-version", API_VERSION.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
)

log = logging.getLogger("chainteller.api")


class Exchanges:
    """The outermost ASGI layer."""

    def __init__(
        self,
        app: ASGIApp,
        metrics: Metrics,
        randomness: Randomness,
        tell: Callable[[Line], None],
    ) -> None:
        self._app = app
        self._metrics = metrics
        self._randomness = randomness
        self._tell = tell

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._http(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        exchange = self._begin(scope)
        begin_exchange(scope, exchange)
        started = time.perf_counter()

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                exchange.status = message["status"]
                message["headers"] = [*message["headers"], *_stamps(exchange)]
            await send(message)

        try:
            _known_version(exchange)
            await self._app(scope, receive, sending)
        except ServiceError as refusal:
            await error_reply(exchange, refusal)(scope, receive, sending)
        except Exception:
            log.exception("unforeseen", extra={"fields": {"requestId": exchange.request_id}})
            if not exchange.status:
                await error_reply(exchange, unforeseen(exchange))(scope, receive, sending)
        finally:
            self._finish(scope, exchange, time.perf_counter() - started)

    def _begin(self, scope: Scope) -> Exchange:
        headers: dict[str, str] = {}
        repeated = set()
        for raw_name, raw_value in scope["headers"]:
            name = raw_name.decode("latin-1")
            if name in headers:
                repeated.add(name)
            headers[name] = raw_value.decode("latin-1")
        offered = headers.get("x-request-id", "")
        taken = offered if _REQUEST_ID.fullmatch(offered) else self._randomness.bytes(8).hex()
        return Exchange(taken, headers, frozenset(repeated))

    def _finish(self, scope: Scope, exchange: Exchange, seconds: float) -> None:
        method, principal = scope["method"], exchange.principal
        self._metrics.answered(exchange.operation, method, exchange.status, seconds)
        self._tell(
            Line(
                request_id=exchange.request_id,
                operation=exchange.operation,
                method=method,
                status=exchange.status,
                seconds=seconds,
                client=(scope.get("client") or ("",))[0],
                error=exchange.error,
                organisation="" if principal is None else principal.actor.organisation,
                key_id="" if principal is None else principal.actor.key_id,
            )
        )


def unforeseen(exchange: Exchange) -> InternalError:
    return InternalError("An unforeseen error.", {"requestId": exchange.request_id})


def _stamps(exchange: Exchange) -> list[tuple[bytes, bytes]]:
    return [(b"x-request-id", exchange.request_id.encode()), *_ALWAYS, *exchange.reply_headers]


def _known_version(exchange: Exchange) -> None:
    asked = exchange.header("api-version")
    if asked is not None and asked != API_VERSION:
        raise ValidationFailed.of(
            "API-Version", f"The versions offered are: {API_VERSION}.", "UNKNOWN_VERSION"
        )

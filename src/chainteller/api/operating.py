"""Health, readiness and metrics for operators."""

import contextlib
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response

from chainteller.api.connections import Connections
from chainteller.api.endpoints import Gateway
from chainteller.api.metrics import Metrics
from chainteller.api.request_context import RequestContext
from chainteller.api.responses import json_reply
from chainteller.api.threads import OWN_WORK, run
from chainteller.service.deployment import Books, Figure, Health
from chainteller.service.errors import ServiceUnavailable
from chainteller.service.operations import Endpoint, Section

if TYPE_CHECKING:
    from prometheus_client import Metric

METRICS = Endpoint(Section("", "admin", ""), "metrics", "GET /metrics", "Figures for Prometheus")


def _books(books: Books) -> dict[str, Any]:
    """What anybody may know of the books: when they were verified, and which disputes are open."""
    more = f" and {len(books.disputes) - 1} more" if books.disputes[1:] else ""
    return {
        "verifiedAt": books.verified_at,
        "allVerifiedAt": books.wholly_verified_at,
        "breach": f"{books.disputes[0]}{more}" if books.disputes else None,
    }


class Operating:
    """Endpoints for operators: ``/healthz``, ``/readyz`` and ``/metrics``."""

    def __init__(self, gateway: Gateway, metrics: Metrics, connections: Connections[Any]) -> None:
        self._gateway = gateway
        self._metrics = metrics
        self._connections = connections
        self._is_checked = False

    async def healthz(self, _: Request, context: RequestContext) -> Response:
        """Report that the process responds; checks nothing else."""
        context.operation = "healthz"
        return json_reply('{"status":"ok"}')

    async def readyz(self, _: Request, context: RequestContext) -> Response:
        """Report whether requests can be served: 200, or 503 with the reason."""
        context.operation = "readyz"
        if self._connections.is_stopping:
            return json_reply('{"status":"stopping","checks":{}}', 503)
        health = await run(self._gateway.threads, self._health)
        status = "ready" if health.ready else "unavailable"
        body: dict[str, Any] = {"status": status, "checks": dict(health.checks)}
        if health.books is not None:
            body["books"] = _books(health.books)
        if health.simulated:
            body["simulated"] = list(health.simulated)
        if health.suggestion:
            body["suggestion"] = health.suggestion
        return json_reply(json.dumps(body), 200 if health.ready else 503)

    def _health(self) -> Health:
        """What a readiness check finds; whether it passed is a metric."""
        health = self._gateway.deployment.health()
        self._metrics.ready.set(health.ready and not self._connections.is_stopping)
        self._is_checked = True
        return health

    async def metrics(self, _: Request, context: RequestContext) -> Response:
        """Return the metrics in Prometheus' text format, for keys with the scope ``admin``: they
        tell what all organisations do together."""
        context.operation = "metrics"
        self._gateway.permit(context, METRICS)
        return Response(await self.text(), media_type="text/plain; version=0.0.4")

    async def note_process(self) -> None:
        """Note this process's own figures, so that any process reports those of all."""
        threads, metrics = self._gateway.threads, self._metrics
        if not self._is_checked:
            await run(threads, self._health, OWN_WORK)
        metrics.strangers.set(len(self._connections.strangers))
        metrics.key_holders.set(len(self._connections.key_holders))
        metrics.busy_threads.set(threads.busy)
        metrics.waiting.set(threads.waiting)
        metrics.note_process(self._gateway.deployment.process_figures())

    async def text(self) -> bytes:
        """The metrics of all processes, and of the records if the database can be asked.

        Those of another process are at most a second old.
        """
        await self.note_process()
        await run(self._gateway.threads, self._health, OWN_WORK)
        figures: tuple[Figure, ...] = ()
        with contextlib.suppress(ServiceUnavailable):  # /readyz says why
            figures = await run(self._gateway.threads, self._gateway.deployment.figures, OWN_WORK)
        return self._metrics.text(figures)

    def families(self) -> "Iterator[Metric]":
        """The metrics of this process and of the records, for whoever sends them on."""
        self._health()
        figures: tuple[Figure, ...] = ()
        with contextlib.suppress(ServiceUnavailable):  # as above
            figures = self._gateway.deployment.figures()
        return self._metrics.families(figures)

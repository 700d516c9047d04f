"""Health, readiness and metrics for operators."""

import json

from starlette.requests import Request
from starlette.responses import Response

from chainteller.api.endpoints import Gateway
from chainteller.api.metrics import Metrics
from chainteller.api.request_context import context_of
from chainteller.api.responses import error_reply, json_reply
from chainteller.api.threads import run
from chainteller.service.errors import ServiceError
from chainteller.service.operations import ANY_KEY, Endpoint

METRICS = Endpoint(
    operation_id="metrics", route="GET /metrics", summary="Figures for Prometheus", scope=ANY_KEY
)


class Operating:
    """Endpoints for operators: ``/healthz``, ``/readyz`` and ``/metrics``."""

    def __init__(self, gateway: Gateway, metrics: Metrics) -> None:
        self._gateway = gateway
        self._metrics = metrics

    async def healthz(self, request: Request) -> Response:
        """Report that the process responds; checks nothing else."""
        context_of(request.scope).operation = "healthz"
        return json_reply('{"status":"ok"}')

    async def readyz(self, request: Request) -> Response:
        """Report whether requests can be served: 200, or 503 with the reason."""
        context_of(request.scope).operation = "readyz"
        health = await run(self._gateway.threads, self._gateway.deployment.health)
        self._metrics.ready.set(health.ready)
        self._metrics.numbering_delay.set(health.numbering_delay_s)
        status = "ready" if health.ready else "unavailable"
        body = {"status": status, "checks": dict(health.checks)}
        if health.suggestion:
            body["suggestion"] = health.suggestion
        return json_reply(json.dumps(body), 200 if health.ready else 503)

    async def metrics(self, request: Request) -> Response:
        """Return the metrics of this process in Prometheus' text format; any key may read them."""
        context = context_of(request.scope)
        context.operation = "metrics"
        try:
            self._gateway.permit(context, METRICS)
        except ServiceError as refusal:
            return error_reply(context, refusal)
        return Response(self._metrics.text(), media_type="text/plain; version=0.0.4")

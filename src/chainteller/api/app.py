"""The application: the operations, the service's own endpoints, and the layers around them."""

from typing import Any
from urllib.parse import urlsplit

from chainteller.api.auth import Authentication
from chainteller.api.connections import Connections
from chainteller.api.documentation import Documentation
from chainteller.api.endpoints import Gateway
from chainteller.api.hosts import Hosts
from chainteller.api.limits import RateLimits
from chainteller.api.logs import RequestLines
from chainteller.api.metrics import Metrics
from chainteller.api.openapi import describe
from chainteller.api.operating import Operating
from chainteller.api.outermost import Outermost
from chainteller.api.peers import Peers
from chainteller.api.protocol import BoundedHttpProtocol
from chainteller.api.router import Router
from chainteller.api.signing_pages import SigningPages
from chainteller.api.streaming import EventStreams
from chainteller.api.threads import Threads
from chainteller.api.wrong_keys import WrongKeys
from chainteller.domain.clock import SystemClock
from chainteller.domain.randomness import SystemRandomness
from chainteller.service.deployment import Deployment, DeploymentOptions
from chainteller.service.operations import EVENT_STREAM, OPERATIONS


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
        router = self._routed(options)
        wrong_keys = WrongKeys(active=options.rate_limits)
        if options.public_url:
            SigningPages(self.gateway, wrong_keys).add_to(router)
        authenticated = Authentication(router, deployment, wrong_keys, self.threads)
        self._asgi = Outermost(
            authenticated, self.metrics, SystemRandomness(), self.request_lines.add, self.peers
        )

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._asgi(scope, receive, send)

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

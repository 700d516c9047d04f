"""Authentication: checks the API key before the body is read."""

from concurrent.futures import Executor

from starlette.types import ASGIApp, Receive, Scope, Send

from chainteller.api.limits import RateLimits
from chainteller.api.request_context import context_of
from chainteller.api.threads import run
from chainteller.service.deployment import Deployment, Principal
from chainteller.service.errors import Unauthorized

OPEN_PATHS = frozenset({"/healthz", "/readyz", "/docs"})
"""Paths that need no key."""


class Authentication:
    """ASGI layer that looks up the API key and stores the principal in the request context."""

    def __init__(
        self, app: ASGIApp, deployment: Deployment, limits: RateLimits, threads: Executor
    ) -> None:
        self._app = app
        self._deployment = deployment
        self._limits = limits
        self._threads = threads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] not in OPEN_PATHS:
            context = context_of(scope)
            key = key_in(context.headers.get("authorization"), context.repeated)
            address = (scope.get("client") or ("",))[0]
            context.principal = await self._principal(key, address)
        await self._app(scope, receive, send)

    async def _principal(self, key: str, address: str) -> Principal:
        known = self._deployment.recognise(key)
        if known is not None:
            return known
        self._limits.admit(address, key)
        try:
            principal = await run(self._threads, lambda: self._deployment.authenticate(key))
        except Unauthorized:
            self._limits.failed(address)
            raise
        self._limits.accepted(key)
        return principal


def key_in(header: str | None, repeated: frozenset[str] = frozenset()) -> str:
    """The key after ``Bearer`` (RFC 6750; the scheme's case does not matter).

    Raises:
        Unauthorized: MISSING or MALFORMED.
    """
    if header is None:
        raise Unauthorized("MISSING")
    scheme, _, key = header.partition(" ")
    key = key.strip(" ")
    plain = key.isascii() and key.isprintable() and " " not in key and len(key) <= 512
    if scheme.lower() != "bearer" or not key or not plain or "authorization" in repeated:
        raise Unauthorized("MALFORMED")
    return key

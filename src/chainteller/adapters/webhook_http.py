"""Webhooks over HTTP.

Endpoints are untrusted: a host is resolved once for each line, every address that it has must be
one that may be called, and connections are made to the address that was checked. Redirects aren't
followed, answers are bounded in time, and their bodies are thrown away.
"""

from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from chainteller.domain.webhooks import Target, WebhookHosts

if TYPE_CHECKING:
    from chainteller.adapters.webhook_line import Line

DEADLINE_S = 15.0
_RESOLVERS = 16


class HttpWebhooks:
    """Sends messages to hosts that the operator allows."""

    def __init__(self, hosts: WebhookHosts, deadline_s: float = DEADLINE_S) -> None:
        self._hosts, self.deadline_s = hosts, deadline_s
        self._resolvers = ThreadPoolExecutor(_RESOLVERS, "webhook-names")

    @asynccontextmanager
    async def line(self, target: Target) -> AsyncIterator["Line"]:
        """Connections to an endpoint, closed at the end."""
        from chainteller.adapters import bounded  # noqa: PLC0415 - only what sends needs them
        from chainteller.adapters.webhook_line import Line  # noqa: PLC0415

        async with bounded.client(self.deadline_s, f"{target.scheme}:") as client:
            yield Line(client, target, self._hosts, self.deadline_s, self._resolvers)

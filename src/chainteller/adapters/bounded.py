"""Requests to hosts that the operator names and nobody trusts: direct, and bounded in size."""

from typing import Any

import httpx

from chainteller.authorities import authorities


class TooLarge(ValueError):
    """A reply that has more bytes than its kind may have."""


def client(deadline_s: float, address: str = "https:") -> httpx.AsyncClient:
    """Connections without the environment's proxies, with TLS if ``address`` has it."""
    return httpx.AsyncClient(
        trust_env=False,
        timeout=deadline_s,
        verify=authorities() if address.startswith("https:") else False,
        headers={"Accept-Encoding": "identity"},
    )


async def answer_of(
    client: httpx.AsyncClient, method: str, address: str | httpx.URL, most: int, **sent: Any
) -> tuple[int, bytes]:
    """Status and body of a reply. Raises TooLarge: it has more bytes than ``most``; as httpx."""
    async with client.stream(method, address, **sent) as reply:
        found = bytearray()
        async for part in reply.aiter_raw():
            found += part
            if len(found) > most:
                raise TooLarge("its reply has no end")
        return reply.status_code, bytes(found)

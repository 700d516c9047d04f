"""Webhooks over HTTP.

Endpoints are untrusted: a host is resolved once for each line, every address that it has must be
one that may be called, and connections are made to the address that was checked. Redirects aren't
followed, answers are bounded in time, and their bodies are thrown away.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress

import httpx

from chainteller import __version__
from chainteller.adapters import bounded
from chainteller.authorities import why_untrusted
from chainteller.domain.webhooks import DEFAULT_PORTS, Answer, Target, Unsent, WebhookHosts

DEADLINE_S = 15.0
_RESOLVED_WITHIN_S = 5.0
_MOST_READ = 16_384
"""Bytes of an answer's body that are read so that its connection can be used again."""
_READ_WITHIN_S = 1.0
_RESOLVERS = 16


class _Refused(Exception):
    """Why a host isn't connected to."""

    def __init__(self, unsent: Unsent) -> None:
        self.unsent = unsent


class HttpWebhooks:
    """Sends messages to hosts that the operator allows."""

    def __init__(self, hosts: WebhookHosts, deadline_s: float = DEADLINE_S) -> None:
        self._hosts, self.deadline_s = hosts, deadline_s
        self._resolvers = ThreadPoolExecutor(_RESOLVERS, "webhook-names")

    @asynccontextmanager
    async def line(self, target: Target) -> AsyncIterator["_Line"]:
        """Connections to an endpoint, closed at the end."""
        async with bounded.client(self.deadline_s, f"{target.scheme}:") as client:
            yield _Line(self, target, client)

    async def resolve(self, target: Target) -> str:
        """The address to connect to. Raises _Refused: none, or one that may not be called."""
        loop = asyncio.get_running_loop()
        names = loop.run_in_executor(self._resolvers, _addresses, target.host, target.port)
        try:
            async with asyncio.timeout(_RESOLVED_WITHIN_S):
                found = await names
        except (OSError, UnicodeError, TimeoutError):
            raise _Refused(Unsent.UNRESOLVED) from None
        if self._hosts.refusal(target) is not None:
            raise _Refused(Unsent.HOST_NOT_ALLOWED)
        if not all(map(self._hosts.may_connect, found)):
            raise _Refused(Unsent.ADDRESS_REFUSED)
        return found[0]


def _addresses(host: str, port: int) -> list[str]:
    """The addresses of a host, in the system's order. Raises OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(each[4][0]).partition("%")[0] for each in found]


class _Line:
    """Connections of one client to one endpoint."""

    def __init__(self, sender: HttpWebhooks, target: Target, client: httpx.AsyncClient) -> None:
        self._sender, self._target, self._client = sender, target, client
        self._address: asyncio.Task[str] | None = None

    async def post(self, headers: Mapping[str, str], body: bytes) -> Answer:
        """Send a message. Raises nothing that the endpoint does."""
        try:
            async with asyncio.timeout(self._sender.deadline_s):
                if self._address is None:
                    self._address = asyncio.create_task(self._sender.resolve(self._target))
                return await self._post(await asyncio.shield(self._address), headers, body)
        except _Refused as refused:
            return Answer(unsent=refused.unsent)
        except (TimeoutError, httpx.TimeoutException):
            return Answer(unsent=Unsent.TIMED_OUT)
        except httpx.ConnectError as error:
            return Answer(unsent=Unsent.UNTRUSTED if why_untrusted(error) else Unsent.UNREACHABLE)
        except httpx.HTTPError:
            return Answer(unsent=Unsent.BROKEN)

    async def _post(self, address: str, headers: Mapping[str, str], body: bytes) -> Answer:
        scheme, host, port, path = self._target
        sent = {
            "Host": _bracketed(host)
            if port == DEFAULT_PORTS[scheme]
            else f"{_bracketed(host)}:{port}",
            "Content-Type": "application/json",
            "User-Agent": f"chainteller/{__version__}",
            **headers,
        }
        async with self._client.stream(
            "POST",
            f"{scheme}://{_bracketed(address)}:{port}{path}",
            content=body,
            headers=sent,
            extensions={"sni_hostname": host},
        ) as reply:
            with suppress(TimeoutError, httpx.HTTPError):
                async with asyncio.timeout(_READ_WITHIN_S):
                    await _drain(reply)
            return Answer(reply.status_code, retry_after_s=_retry_after(reply.headers))


async def _drain(reply: httpx.Response) -> None:
    """Read a small body, after which its connection is used again; any other is left unread."""
    read = 0
    async for part in reply.aiter_raw():
        read += len(part)
        if read > _MOST_READ:
            return


def _retry_after(headers: httpx.Headers) -> int:
    """The seconds of ``Retry-After``; 0 for a date or nothing."""
    text = headers.get("retry-after", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 0


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host

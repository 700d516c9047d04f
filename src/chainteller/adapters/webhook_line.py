"""Connections to an endpoint of webhooks. They have a module of their own because only a process
that sends needs an HTTP client, whose modules take a sixth of the time of a short command.
"""

import asyncio
import socket
from collections.abc import Mapping
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass, field

import httpx

from chainteller import __version__
from chainteller.authorities import why_untrusted
from chainteller.domain.webhooks import DEFAULT_PORTS, Answer, Target, Unsent, WebhookHosts

_RESOLVED_WITHIN_S = 5.0
_MOST_READ = 16_384
"""Bytes of an answer's body that are read so that its connection can be used again."""
_READ_WITHIN_S = 1.0


class _Refused(Exception):
    """Why a host isn't connected to."""

    def __init__(self, unsent: Unsent) -> None:
        self.unsent = unsent


@dataclass
class Line:
    """Connections of one client to one endpoint. ``resolvers`` look up the addresses of hosts."""

    client: httpx.AsyncClient
    target: Target
    hosts: WebhookHosts
    deadline_s: float
    resolvers: Executor
    _address: asyncio.Task[str] | None = field(default=None, init=False)

    async def post(self, headers: Mapping[str, str], body: bytes) -> Answer:
        """Send a message. Raises nothing that the endpoint does."""
        try:
            async with asyncio.timeout(self.deadline_s):
                if self._address is None:
                    self._address = asyncio.create_task(self._resolved())
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
        scheme, host, port, path = self.target
        sent = {
            "Host": _bracketed(host)
            if port == DEFAULT_PORTS[scheme]
            else f"{_bracketed(host)}:{port}",
            "Content-Type": "application/json",
            "User-Agent": f"chainteller/{__version__}",
            **headers,
        }
        async with self.client.stream(
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

    async def _resolved(self) -> str:
        """The address to connect to. Raises _Refused: none, or one that may not be called."""
        loop = asyncio.get_running_loop()
        names = loop.run_in_executor(self.resolvers, _addresses, self.target.host, self.target.port)
        try:
            async with asyncio.timeout(_RESOLVED_WITHIN_S):
                found = await names
        except (OSError, UnicodeError, TimeoutError):
            raise _Refused(Unsent.UNRESOLVED) from None
        if self.hosts.refusal(self.target) is not None:
            raise _Refused(Unsent.HOST_NOT_ALLOWED)
        if not all(map(self.hosts.may_connect, found)):
            raise _Refused(Unsent.ADDRESS_REFUSED)
        return found[0]


def _addresses(host: str, port: int) -> list[str]:
    """The addresses of a host, in the system's order. Raises OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(each[4][0]).partition("%")[0] for each in found]


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

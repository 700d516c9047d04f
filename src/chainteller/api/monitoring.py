"""The metrics on an address of their own, without a key, for a network of the operator's."""

import asyncio
import contextlib
import re
from collections.abc import Awaitable, Callable

from chainteller.api.hosts import Hosts, arrives_on_loopback
from chainteller.service.errors import ValidationFailed

_DEADLINE_S = 5.0
_AT_ONCE = 16
_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_HOST = re.compile(rb"\r\nhost:([^\r\n]*)", re.IGNORECASE)


class Monitoring:
    """Answers ``GET /metrics`` and nothing else, one request for each connection."""

    def __init__(self, text: Callable[[], Awaitable[bytes]], hosts: Hosts) -> None:
        self._text = text
        self._hosts = hosts
        self._open = 0

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer a connection within the deadline."""
        self._open += 1
        try:
            if self._open <= _AT_ONCE:
                async with asyncio.timeout(_DEADLINE_S):
                    await self._reply(reader, writer)
        except (TimeoutError, OSError, ValueError, asyncio.IncompleteReadError):
            pass  # whoever sends no request gets no reply
        finally:
            self._open -= 1
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _reply(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        line = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ")
        if not self._is_meant(head, writer.get_extra_info("sockname")):
            status, body = "400 Bad Request", b"The service isn't known by this name.\n"
        elif line[:2] == ["GET", "/metrics"]:
            status, body = "200 OK", await self._text()
        else:
            status, body = "404 Not Found", b"The metrics are at /metrics.\n"
        writer.write(
            f"HTTP/1.1 {status}\r\ncontent-type: {_TYPE}\r\ncontent-length: {len(body)}\r\n"
            "connection: close\r\n\r\n".encode()
            + body
        )
        await writer.drain()

    def _is_meant(self, head: bytes, own: object) -> bool:
        """Whether the request names this service; a UNIX socket's ``own`` address is a text."""
        is_guarded = isinstance(own, tuple) and arrives_on_loopback(own[0])
        try:
            for each in _HOST.findall(head):
                self._hosts.require(each.decode("latin-1"), is_guarded=is_guarded)
        except ValidationFailed:
            return False
        return True

"""The metrics on an address of their own, without a key, for a network of the operator's."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

_HEAD_BYTES = 8 * 1024
_DEADLINE_S = 5.0
_AT_ONCE = 16
_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Monitoring:
    """Answers ``GET /metrics`` and nothing else, one request for each connection."""

    def __init__(self, text: Callable[[], Awaitable[bytes]]) -> None:
        self._text = text
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
        found = line[:1] == ["GET"] and line[1:2] == ["/metrics"]
        body = await self._text() if found else b"The metrics are at /metrics.\n"
        status = "200 OK" if found else "404 Not Found"
        writer.write(
            f"HTTP/1.1 {status}\r\ncontent-type: {_TYPE}\r\ncontent-length: {len(body)}\r\n"
            "connection: close\r\n\r\n".encode()
            + body
        )
        await writer.drain()

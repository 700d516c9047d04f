"""Hostile connections: a program that holds thousands of them against one address.

``python -m tests.api.hostile.attack HOST:PORT KEY CONNECTIONS SOURCES SECONDS`` prints how many
connections it opened, by kind. Every connection that the server ends is opened again after
``AGAIN_S``. KEY belongs to a hostile customer: streams and slow bodies use it.
"""

import asyncio
import contextlib
import json
import socket
import struct
import sys
from collections import Counter
from collections.abc import Awaitable, Callable

from chainteller.domain.keys import new_key
from chainteller.domain.randomness import SystemRandomness

AGAIN_S = 2.0
DRIP_S = 0.5
_RESET = struct.pack("ii", 1, 0)
_HOST = b"Host: localhost\r\n"
_LARGE = b"Content-Length: 1000000000\r\n\r\n"

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Behaviour = Callable[[asyncio.StreamReader, asyncio.StreamWriter, bytes], Awaitable[None]]


async def slow_head(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, _: bytes) -> None:
    """A head that never ends, byte by byte."""
    writer.write(b"GET /capabilities HTTP/1.1\r\n" + _HOST + b"X-Slow: ")
    await _drip(writer, b"x")


async def silence(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, _: bytes) -> None:
    """Nothing at all."""
    await reader.read()


async def body_after_refusal(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, _: bytes
) -> None:
    """A body of a gigabyte, sent slowly after its 401."""
    writer.write(b"POST /nothing HTTP/1.1\r\n" + _HOST + _LARGE)
    await _drip(writer, b"x")


async def endless_body(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, _: bytes
) -> None:
    """A body of a gigabyte, sent as fast as the server reads it."""
    writer.write(b"POST /nothing HTTP/1.1\r\n" + _HOST + _LARGE)
    for _piece in range(15_000):
        writer.write(b"x" * 65_536)
        await writer.drain()


async def body_with_a_key(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, key: bytes
) -> None:
    """A body of a valid key, byte by byte."""
    writer.write(
        b"POST /trading-accounts HTTP/1.1\r\n" + _HOST + key
        + b"Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n"
    )  # fmt: skip
    await _drip(writer, b" ")


async def idle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, key: bytes) -> None:
    """One request, and then nothing."""
    writer.write(b"GET /healthz HTTP/1.1\r\n" + _HOST + b"\r\n")
    await reader.read()


async def idle_with_a_key(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, key: bytes
) -> None:
    """One request with a valid key, and then nothing."""
    writer.write(b"GET /capabilities HTTP/1.1\r\n" + _HOST + key + b"\r\n")
    await reader.read()


async def stream(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, key: bytes) -> None:
    """An event stream with a valid key."""
    writer.write(b"GET /events/stream HTTP/1.1\r\n" + _HOST + key + b"\r\n")
    await reader.read()


async def wrong_key(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, key: bytes) -> None:
    """A key that is well formed and unknown."""
    wrong = f"Authorization: Bearer {new_key(SystemRandomness()).text}\r\n".encode()
    writer.write(b"GET /capabilities HTTP/1.1\r\n" + _HOST + wrong + b"\r\n")
    await reader.read()


async def reset(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, _: bytes) -> None:
    """Half a request, and then a reset."""
    writer.write(b"POST /trading-accounts HTTP/1.1\r\n" + _HOST + b"Content-Length: 100\r\n\r\nx")
    await asyncio.sleep(1)
    found: socket.socket = writer.get_extra_info("socket")
    found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)


BEHAVIOURS: tuple[Behaviour, ...] = (
    slow_head,
    silence,
    body_after_refusal,
    endless_body,
    body_with_a_key,
    idle,
    idle_with_a_key,
    stream,
    wrong_key,
    reset,
)


async def _drip(writer: asyncio.StreamWriter, piece: bytes) -> None:
    while True:
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(DRIP_S)


async def attack(
    address: tuple[str, int], key: bytes, connections: int, sources: int, seconds: float
) -> Counter[str]:
    """Hold hostile connections for some time; returns how many were opened, by kind."""
    opened: Counter[str] = Counter()

    async def one(number: int) -> None:
        behave = BEHAVIOURS[number % len(BEHAVIOURS)]
        source = (f"127.0.0.{10 + number % sources}", 0)
        await asyncio.sleep(AGAIN_S * number / connections)
        while True:
            with contextlib.suppress(OSError):
                reader, writer = await asyncio.open_connection(*address, local_addr=source)
                opened[behave.__name__] += 1
                try:
                    await behave(reader, writer, key)
                finally:
                    writer.close()
            await asyncio.sleep(AGAIN_S)

    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
            for number in range(connections):
                group.create_task(one(number))
    return opened


def main(target: str, key: str, connections: str, sources: str, seconds: str) -> None:
    host, _, port = target.partition(":")
    said = f"Authorization: Bearer {key}\r\n".encode()
    opened = asyncio.run(
        attack((host, int(port)), said, int(connections), int(sources), float(seconds))
    )
    sys.stdout.write(json.dumps(opened) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])

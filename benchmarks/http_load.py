"""Requests over kept-alive connections, each answer timed.

The load comes from a process of its own, on uvloop without any HTTP library: it shares the machine
with what it measures and must cost little. What it cost is told with every figure.
"""

import asyncio
import functools
import itertools
import multiprocessing
import socket
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.pool import Pool

import uvloop

Request = bytes
Requests = Request | list[Request]
"""What one client sends: the same again and again, or these, each once."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Requests per second, percentiles in milliseconds, and the load's own share of a core."""

    per_second: float
    p50_ms: float
    p99_ms: float
    failed: int
    client_share: float

    def __str__(self) -> str:
        bad = f"  {self.failed} failed" if self.failed else ""
        return (
            f"{self.per_second:8.0f}/s  p50 {self.p50_ms:7.2f}  p99 {self.p99_ms:7.2f}"
            f"  client {self.client_share:4.0%}{bad}"
        )


def median(figures: Sequence[Figures]) -> Figures:
    """The one in the middle, by requests per second."""
    return sorted(figures, key=lambda each: each.per_second)[len(figures) // 2]


class Line:
    """One connection, to prepare what is then measured."""

    def __init__(self, address: str) -> None:
        self._socket = socket.create_connection(_target(address))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, request: Request) -> tuple[int, bytes]:
        """Status and body."""
        self._socket.sendall(request)
        data = b""
        while (reply := _reply(data)) is None:
            more = self._socket.recv(65_536)
            if not more:
                raise ConnectionError("the server hung up")
            data += more
        return reply

    def close(self) -> None:
        self._socket.close()


def _target(address: str) -> tuple[str, int]:
    host, _, port = address.removeprefix("http://").partition(":")
    return host, int(port)


def _reply(data: bytes) -> tuple[int, bytes] | None:
    """Status and body, once they are complete."""
    head, end, body = data.partition(b"\r\n\r\n")
    if not end:
        return None
    at = head.lower().index(b"content-length:") + 15
    if len(body) < int(head[at:].partition(b"\r\n")[0]):
        return None
    return int(head[9:12]), body


def request(method: str, path: str, key: str, body: str = "") -> Request:
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {key}"]
    if method == "POST":
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode()


class _Client(asyncio.Protocol):
    """Sends the next request as soon as the last one is answered."""

    def __init__(self, requests: Requests, until: float, *, keeps: bool) -> None:
        self._requests = itertools.repeat(requests) if isinstance(requests, bytes) else requests
        self._following = iter(self._requests)
        self._until = until
        self._keeps = keeps
        self._at = 0.0
        self._data = b""
        self._transport: asyncio.Transport | None = None
        self.taken: list[float] = []
        self.bodies: list[bytes] = []
        self.failed = 0
        self.over = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]  # of a stream
        self._send()

    def data_received(self, data: bytes) -> None:
        self._data += data
        reply = _reply(self._data)
        if reply is None:
            return
        self.taken.append(time.perf_counter() - self._at)
        self._data = b""
        if reply[0] >= 300:
            self.failed += 1
        elif self._keeps:
            self.bodies.append(reply[1])
        self._send()

    def _send(self) -> None:
        if self._transport is None:
            return
        following = next(self._following, None)
        self._at = time.perf_counter()
        if following is None or self._at > self._until:
            self._transport.close()
            self.over.set_result(None)
        else:
            self._transport.write(following)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.over.done():
            self.over.set_exception(exc or ConnectionError("the server hung up"))


async def _everyone(
    addresses: list[str], requests: Sequence[Requests], seconds: float, *, keeps: bool
) -> tuple[Figures, list[bytes]]:
    loop = asyncio.get_running_loop()
    began, cpu = time.perf_counter(), time.process_time()
    clients = [_Client(each, began + seconds, keeps=keeps) for each in requests]
    for number, client in enumerate(clients):
        host, port = _target(addresses[number % len(addresses)])
        await loop.create_connection(functools.partial(_same, client), host, port)
    await asyncio.gather(*(client.over for client in clients))
    passed, spent = time.perf_counter() - began, time.process_time() - cpu
    taken = [each for client in clients for each in client.taken]
    percentiles = statistics.quantiles(taken, n=100)
    figures = Figures(
        per_second=len(taken) / passed,
        p50_ms=percentiles[49] * 1000,
        p99_ms=percentiles[98] * 1000,
        failed=sum(client.failed for client in clients),
        client_share=spent / passed,
    )
    return figures, [body for client in clients for body in client.bodies]


def _same(client: _Client) -> _Client:
    return client


def _run(
    addresses: list[str], requests: Sequence[Requests], seconds: float, *, keeps: bool
) -> tuple[Figures, list[bytes]]:
    return uvloop.run(_everyone(addresses, requests, seconds, keeps=keeps))


def load(
    addresses: list[str], requests: Sequence[Requests], seconds: float, *, keeps: bool = False
) -> tuple[Figures, list[bytes]]:
    """One client for each entry, spread over the addresses; none sends after ``seconds``.

    Returns:
        The figures and, if it ``keeps`` them, the bodies of all good answers.
    """
    return _process().apply(_run, (addresses, requests, seconds), {"keeps": keeps})


@functools.cache
def _process() -> Pool:
    """The process that sends, which takes longer to start than most loads."""
    return multiprocessing.get_context("spawn").Pool(1)

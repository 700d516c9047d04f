"""Requests over kept-alive connections from several threads, each answer timed.

The client is raw sockets: it shares the machine with what it measures and must cost little.
"""

import socket
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Request = bytes
Script = Callable[[], Request]


@dataclass(frozen=True, slots=True)
class Figures:
    """Requests per second, and percentiles in milliseconds."""

    per_second: float
    p50_ms: float
    p99_ms: float
    failed: int

    def __str__(self) -> str:
        bad = f"  {self.failed} failed" if self.failed else ""
        return f"{self.per_second:8.0f}/s  p50 {self.p50_ms:7.2f}  p99 {self.p99_ms:7.2f}{bad}"


class Line:
    """One connection."""

    def __init__(self, address: str) -> None:
        host, _, port = address.removeprefix("http://").partition(":")
        self._socket = socket.create_connection((host, int(port)))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, request: Request) -> tuple[int, bytes]:
        """Status and body."""
        self._socket.sendall(request)
        data = b""
        while b"\r\n\r\n" not in data:
            data += self._more()
        head, _, body = data.partition(b"\r\n\r\n")
        length = 0
        for line in head.lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                length = int(line[15:])
        while len(body) < length:
            body += self._more()
        return int(head[9:12]), body

    def _more(self) -> bytes:
        data = self._socket.recv(65_536)
        if not data:
            raise ConnectionError("the server hung up")
        return data

    def close(self) -> None:
        self._socket.close()


def request(method: str, path: str, key: str = "", body: str = "") -> Request:
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost"]
    if key:
        lines.append(f"Authorization: Bearer {key}")
    if method == "POST":
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode()


def repeated(one: Request) -> Iterator[Request]:
    while True:
        yield one


def load(
    addresses: list[str], requests: list[Iterator[Request]], seconds: float
) -> tuple[Figures, list[bytes]]:
    """One client per iterator, spread over the addresses; the figures and all good bodies."""
    taken: list[float] = []
    bodies: list[bytes] = []
    failed: list[int] = []
    start = threading.Barrier(len(requests) + 1)

    def client(number: int, mine: Iterator[Request]) -> None:
        line = Line(addresses[number % len(addresses)])
        start.wait()
        until = time.perf_counter() + seconds
        for one in mine:
            before = time.perf_counter()
            if before > until:
                break
            status, body = line.ask(one)
            taken.append(time.perf_counter() - before)
            (bodies if status < 300 else failed).append(body if status < 300 else status)  # type: ignore[arg-type]  # each list gets its own kind
        line.close()

    threads = [
        threading.Thread(target=client, args=(number, mine)) for number, mine in enumerate(requests)
    ]
    for each in threads:
        each.start()
    start.wait()
    began = time.perf_counter()
    for each in threads:
        each.join()
    passed = time.perf_counter() - began
    percentiles = statistics.quantiles(taken, n=100)
    figures = Figures(
        len(taken) / passed, percentiles[49] * 1000, percentiles[98] * 1000, len(failed)
    )
    return figures, bodies

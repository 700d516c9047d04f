"""A plain load balancer: it passes connections on to servers that are ready."""

import asyncio
import contextlib
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from tests.world.waiting import PATIENCE_S, until

_LOOK_S = 0.2


class Balancer:
    """Passes connections on to servers whose ``/readyz`` returns 200, in turn, but to none of those
    that are drained."""

    def __init__(self, ports: list[int]) -> None:
        self.ready: list[int] = []
        self.drained: set[int] = set()
        self.open: Counter[int] = Counter()
        """Connections by port."""
        self.port = 0
        self._ports = ports
        self._turn = 0
        self._ends: asyncio.Event | None = None

    async def run(self, started: threading.Event) -> None:
        self._ends = asyncio.Event()
        server = await asyncio.start_server(self._pass_on, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._loop = asyncio.get_running_loop()
        started.set()
        while not self._ends.is_set():
            found = [port for port in self._ports if await _is_ready(port)]
            self.ready = [port for port in found if port not in self.drained]
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._ends.wait(), _LOOK_S)
        server.close()

    def drain(self, port: int) -> None:
        """Open no more connections to a server; returns when it has none."""
        self.drained.add(port)
        until(lambda: port not in self.ready and not self.open[port])

    def end(self) -> None:
        assert self._ends is not None
        self._loop.call_soon_threadsafe(self._ends.set)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._turn += 1
        port = self.ready[self._turn % len(self.ready)]
        self.open[port] += 1
        try:
            behind, onward = await asyncio.open_connection("127.0.0.1", port)
            await asyncio.gather(_copy(reader, onward), _copy(behind, writer))
        finally:
            self.open[port] -= 1


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    writer.close()


async def _is_ready(port: int) -> bool:
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        reply = await reader.read(100)
        writer.close()
    except OSError:
        return False
    return reply.startswith(b"HTTP/1.1 200")


@contextmanager
def balancing(ports: list[int]) -> Iterator[Balancer]:
    balancer, started = Balancer(ports), threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(balancer.run(started)), daemon=True)
    thread.start()
    assert started.wait(PATIENCE_S)
    try:
        yield balancer
    finally:
        balancer.end()
        thread.join(PATIENCE_S)


def until_ready(balancer: Balancer, count: int) -> None:
    until(lambda: len(balancer.ready) == count)

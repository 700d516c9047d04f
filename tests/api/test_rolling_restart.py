"""Three servers on one PostgreSQL database behind a load balancer, restarted one after another."""

import asyncio
import contextlib
import http.client
import json
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.world.bank import build
from tests.world.serving import ServerProcess

CLIENTS = 8
ROLLS = 10
NOTICE_S = "1.5"
_LOOK_S = 0.2


class Balancer:
    """Passes connections on to servers whose ``/readyz`` returns 200, in turn."""

    def __init__(self, ports: list[int]) -> None:
        self.ready: list[int] = []
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
            self.ready = [port for port in self._ports if await _is_ready(port)]
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._ends.wait(), _LOOK_S)
        server.close()

    def end(self) -> None:
        assert self._ends is not None
        self._loop.call_soon_threadsafe(self._ends.set)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._turn += 1
        port = self.ready[self._turn % len(self.ready)]
        behind, onward = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(_copy(reader, onward), _copy(behind, writer))


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
    assert started.wait(10)
    try:
        yield balancer
    finally:
        balancer.end()
        thread.join(10)


def until_ready(balancer: Balancer, count: int) -> None:
    ends = time.monotonic() + 60
    while len(balancer.ready) != count:
        assert time.monotonic() < ends
        time.sleep(0.05)


class Clients:
    """Clients that ask for quotes until they are ended."""

    def __init__(self, key: str, port: int) -> None:
        self.answered = [0] * CLIENTS
        self.failed: list[str] = []
        self._said = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        self._port = port
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=self._use, args=(n,)) for n in range(CLIENTS)]
        for each in self._threads:
            each.start()

    def end(self) -> None:
        self._ended.set()
        for each in self._threads:
            each.join(30)

    def _use(self, number: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=20)
        while not self._ended.wait(0.02):
            try:
                status = self._ask(connection)
            except (OSError, http.client.HTTPException) as fault:
                self.failed.append(repr(fault))
                connection.close()
            else:
                self.answered[number] += status == 201
                if status != 201:
                    self.failed.append(str(status))
        connection.close()

    def _ask(self, connection: http.client.HTTPConnection) -> int:
        body = json.dumps({"amount": "10.00", "side": "buy"})
        connection.request("POST", "/trading/markets/sol-usd/quotes", body, self._said)
        reply = connection.getresponse()
        reply.read()
        return reply.status


@pytest.mark.slow
def test_no_request_fails_while_servers_are_restarted(postgres_url: str) -> None:
    world = build(postgres_url)
    key = world.key()
    world.engine.close()
    servers = [ServerProcess(postgres_url, "0", "1", "", NOTICE_S) for _ in range(3)]
    ports = [int(server.address.rpartition(":")[2]) for server in servers]
    with balancing(ports) as balancer:
        until_ready(balancer, 3)
        clients = Clients(key, balancer.port)
        for roll in range(ROLLS):
            for at, port in enumerate(ports):
                servers[at].process.send_signal(signal.SIGTERM)
                assert servers[at].ended()[0] == 0, f"roll {roll}"
                servers[at] = ServerProcess(postgres_url, str(port), "1", "", NOTICE_S)
                until_ready(balancer, 3)
        clients.end()
    for server in servers:
        server.kill()
    assert clients.failed == []
    assert min(clients.answered) > ROLLS

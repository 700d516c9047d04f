"""``serve`` on a real port: in a thread for most tests, as a process for signals and kills."""

import asyncio
import contextlib
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from tests.world.bank import World
from tests.world.waiting import PATIENCE_S

from chainteller.api.app import App
from chainteller.api.listening import Address, url_of
from chainteller.api.server import Server
from chainteller.api.tls import Certificate
from chainteller.domain.options import Rates
from chainteller.engine.deployment import EmbeddedDeployment
from chainteller.service.deployment import Deployment, DeploymentOptions


def deployment(
    world: World, *, rates: Rates | None = None, docs: bool = True
) -> EmbeddedDeployment:
    """Nothing is limited without ``rates``, and wrong keys cost no time."""
    options = DeploymentOptions(
        "0.0.test",
        rate_limits=rates is not None,
        rates=rates or Rates(),
        docs=docs,
        public_url=world.context.options.public_url,
    )
    return EmbeddedDeployment(world.engine, options)


class _PromptServer(Server):
    """Ends as soon as it is asked; uvicorn looks whether it should every 100 ms."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        self._asked = asyncio.Event()
        await super().startup(sockets)

    async def main_loop(self) -> None:
        ticks = 0
        while not await self.on_tick(ticks):
            ticks += 1
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._asked.wait(), 0.1)

    def end(self) -> None:
        """Returns once it accepts nothing and every request and connection has ended.

        Its thread then sleeps in uvicorn for another 100 ms, for which nobody waits.
        """
        self.should_exit = True
        self._loop.call_soon_threadsafe(self._asked.set)
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            if not (self._is_open() or self.server_state.connections or self.server_state.tasks):
                return
            time.sleep(0.001)

    def _is_open(self) -> bool:
        return any(server.is_serving() for server in self.servers)


@contextlib.contextmanager
def served(
    behind: Deployment,
    *,
    ping_s: float = 15.0,
    kind: type[App] = App,
    certificate: Certificate | None = None,
    at: Address | None = None,
) -> Iterator[str]:
    """The address of a server in a thread, until the block ends. No due work is done by it."""
    listener = (at or Address(port=0)).listen()
    accepting = threading.Event()
    app = kind(behind)
    app.streams.ping_s = ping_s
    server = _PromptServer(app, accepting.set, certificate)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    address = url_of(listener, encrypted=certificate is not None)
    thread.start()
    try:
        if not accepting.wait(PATIENCE_S):
            raise AssertionError("the server does not accept requests")
        yield address
    finally:
        server.end()
        app.threads.shutdown(wait=False, cancel_futures=True)
        if isinstance(behind, EmbeddedDeployment):
            behind.stop()


class ServerProcess:
    """A server of its own process on a SQLite file, on the machine's clock."""

    def __init__(self, url: str, *arguments: str) -> None:
        self._errors = tempfile.TemporaryFile(mode="w+", encoding="utf-8")  # noqa: SIM115 - ended or kill closes it
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("process.py")), url, *arguments],
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        self.first_line = self._line()
        self.address = self.first_line.removeprefix("listening on ").strip()

    def _line(self) -> str:
        if self.process.stdout is None:
            raise AssertionError("its stdout is a pipe")
        return self.process.stdout.readline()

    def ended(self) -> tuple[int, str, str]:
        """Exit code, the rest of stdout, and stderr."""
        rest, _ = self.process.communicate(timeout=PATIENCE_S)
        with self._errors:
            self._errors.seek(0)
            return self.process.returncode, rest, self._errors.read()

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate(timeout=PATIENCE_S)
        self._errors.close()

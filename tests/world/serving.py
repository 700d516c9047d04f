"""``serve`` on a real port: in a thread for most tests, as a process for signals and kills."""

import contextlib
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from tests.world.bank import World

from chainteller.api.app import App
from chainteller.api.server import Server, address_of, listen
from chainteller.engine.deployment import EmbeddedDeployment
from chainteller.service.deployment import Deployment, DeploymentOptions

READY_S = 20


def deployment(world: World, *, rate_limits: bool = False, docs: bool = True) -> EmbeddedDeployment:
    options = DeploymentOptions("0.0.test", rate_limits=rate_limits, docs=docs)
    return EmbeddedDeployment(world.engine, options)


@contextlib.contextmanager
def served(behind: Deployment, *, ping_s: float = 15.0) -> Iterator[str]:
    """The address of a server in a thread, until the block ends. No due work is done by it."""
    listener = listen("127.0.0.1", 0)
    accepting = threading.Event()
    app = App(behind)
    app.streams.ping_s = ping_s
    server = Server(app, accepting.set)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    address = address_of(listener)
    thread.start()
    try:
        if not accepting.wait(READY_S):
            raise AssertionError("the server does not accept requests")
        yield address
    finally:
        server.should_exit = True
        thread.join(READY_S)
        app.threads.shutdown(wait=False, cancel_futures=True)
        listener.close()


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
        rest, _ = self.process.communicate(timeout=30)
        with self._errors:
            self._errors.seek(0)
            return self.process.returncode, rest, self._errors.read()

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate(timeout=30)
        self._errors.close()

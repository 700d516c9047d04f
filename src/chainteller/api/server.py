"""Run the application: sockets, processes, signals and the line that reports the address.

uvicorn re-raises the signal that ended it, so an orderly shutdown looks like a crash. The handlers
here are our own: SIGTERM closes the event streams, finishes requests and exits with 0.
"""

import errno
import functools
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, cast

import uvicorn

from chainteller.api.app import App
from chainteller.api.connections import KEY_HOLDER_PLACES, STRANGER_PLACES
from chainteller.api.logs import send_logs_to
from chainteller.api.processes import EXIT_INTERRUPTED, serve_in_processes
from chainteller.api.protocol import KEEP_ALIVE_S, BoundedHttpProtocol
from chainteller.service.deployment import Deployment

DRAIN_S = 10
BACKLOG = 2048
EXIT_USAGE = 2


def serve(
    deployment: Deployment,
    host: str = "127.0.0.1",
    port: int = 8080,
    workers: int = 1,
    log: Path | None = None,
) -> int:
    """Serve until SIGTERM (exit code 0) or SIGINT (130).

    Args:
        deployment: the deployment to serve.
        host: the address to listen on.
        port: 0 selects a free port, which stdout reports.
        workers: number of processes on the socket; more than one needs a shared database.
        log: the log file; None for stderr.
    """
    send_logs_to(log)
    try:
        listener = listen(host, port)
    except OSError as fault:
        sys.stderr.write(_cannot_listen(host, port, fault))
        return EXIT_USAGE
    _allow_many_connections()
    line = f"listening on {address_of(listener)}\n"
    if workers > 1:
        run = functools.partial(run_server, deployment, listener)
        return serve_in_processes(run, workers, lambda: _say(line))
    return run_server(deployment, listener, lambda: _say(line))


def listen(host: str, port: int) -> socket.socket:
    """Open a listening socket. Raises OSError."""
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    listener.set_inheritable(True)
    return listener


def address_of(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class Server(uvicorn.Server):
    """uvicorn with our own signals and an announcement once it accepts requests."""

    def __init__(self, app: App, announce: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=cast("Any", _protocol_of(app)),
                ws="none",
                loop="uvloop" if sys.platform != "win32" else "asyncio",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_keep_alive=int(KEEP_ALIVE_S),
                timeout_graceful_shutdown=DRAIN_S,
            )
        )
        self._app = app
        self._announce = announce
        self.ended_by: int | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._announce()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._app.streams.closing.set()
        await super().shutdown(sockets)
        self._app.request_lines.flush()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {sig: signal.signal(sig, self.handle_exit) for sig in _ENDING}
        try:
            yield
        finally:
            for sig, handler in before.items():
                signal.signal(sig, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 - a signal handler's shape
        if self.ended_by is not None and sig == signal.SIGINT:
            self.force_exit = True
        self.ended_by = self.ended_by or sig
        self.should_exit = True


def _protocol_of(app: App) -> Callable[..., BoundedHttpProtocol]:
    return functools.partial(BoundedHttpProtocol, connections=app.connections, peers=app.peers)


_ENDING = (signal.SIGINT, signal.SIGTERM)


def run_server(
    deployment: Deployment, listener: socket.socket, announce: Callable[[], None]
) -> int:
    """Run one server process."""
    app = App(deployment)
    server = Server(app, announce)
    deployment.start()
    try:
        server.run([listener])
    finally:
        app.threads.shutdown(wait=False, cancel_futures=True)
        deployment.stop()
    return EXIT_INTERRUPTED if server.ended_by == signal.SIGINT else 0


def _say(line: str) -> None:
    sys.stdout.write(line)
    sys.stdout.flush()


def _cannot_listen(host: str, port: int, fault: OSError) -> str:
    what = "is in use" if fault.errno == errno.EADDRINUSE else f"cannot be used: {fault.strerror}"
    return (
        f"CANNOT_LISTEN\nThe address {host}:{port} {what}.\n"
        "Choose another with --host and --port (--port 0 picks a free one).\n"
    )


def _allow_many_connections() -> None:
    if sys.platform == "win32":
        return
    try:
        import resource  # noqa: PLC0415 - only where it exists
    except ImportError:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = STRANGER_PLACES + KEY_HOLDER_PLACES + BACKLOG
    if soft < wanted:
        enough = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (enough, hard))

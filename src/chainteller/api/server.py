"""Run the application: sockets, processes, signals and the line that reports the address.

uvicorn re-raises the signal that ended it, so an orderly shutdown looks like a crash. The handlers
here are our own: SIGTERM closes the event streams, finishes requests and exits with 0.
"""

import asyncio
import errno
import functools
import gc
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, cast

import uvicorn

from chainteller.api.app import App
from chainteller.api.connections import KEY_HOLDER_PLACES, STRANGER_PLACES
from chainteller.api.listening import BACKLOG, Address, remove, url_of
from chainteller.api.logs import JsonLines
from chainteller.api.metric_files import shared_between_processes
from chainteller.api.monitoring import Monitoring
from chainteller.api.processes import ENDING, EXIT_INTERRUPTED, serve_in_processes
from chainteller.api.protocol import KEEP_ALIVE_S, BoundedHttpProtocol
from chainteller.api.tls import Certificate, TlsGate
from chainteller.service.deployment import Deployment
from chainteller.service.errors import CannotListen
from chainteller.telemetry.destinations import Destination

DRAIN_S = 10
_LAST_ACCEPT_S = 0.01
"""Time for connections that the system accepted and this process hasn't yet."""
NOTED_EVERY_S = 1
"""How often a process notes what it uses, for the metrics that another one reports."""


@dataclass(frozen=True, slots=True)
class Serving:
    """How to serve.

    Args:
        address: where to listen; stdout reports it.
        workers: number of processes on the socket; more than one needs a shared database.
        certificate: for TLS; None serves HTTP in the clear.
        metrics: where the metrics are served without a key; None serves them to keys only.
        telemetry: where traces, metrics and logs are sent; None sends none.
    """

    address: Address = field(default_factory=Address)
    workers: int = 1
    certificate: Certificate | None = None
    metrics: Address | None = None
    telemetry: Destination | None = None


def serve(deployment: Deployment, serving: Serving) -> int:
    """Serve until SIGTERM (exit code 0) or SIGINT (130). Raises CannotListen."""
    with ExitStack() as opened:
        listeners = []
        for address in (serving.address, serving.metrics):
            if address is None:
                continue
            try:
                listeners.append(opened.enter_context(address.listen()))
            except OSError as fault:
                raise _cannot_listen(
                    address, fault, is_of_metrics=address is serving.metrics
                ) from None
            opened.callback(remove, address)
        _allow_many_connections()
        return _run(deployment, serving, listeners)


def _run(deployment: Deployment, serving: Serving, listeners: list[socket.socket]) -> int:
    encrypted = serving.certificate is not None
    line = f"listening on {url_of(listeners[0], encrypted=encrypted)}\n"
    run = functools.partial(
        run_server,
        deployment,
        listeners,
        certificate=serving.certificate,
        served_as=serving.address.host,
        telemetry=serving.telemetry,
    )
    if serving.workers == 1:
        return run(lambda: _say(line))
    with shared_between_processes():
        return serve_in_processes(run, serving.workers, lambda: _say(line))


class Server(uvicorn.Server):
    """uvicorn with our own signals and an announcement once it accepts requests."""

    def __init__(
        self, app: App, announce: Callable[[], None], certificate: Certificate | None = None
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=cast("Any", _protocol_of(app, certificate)),
                ws="none",
                loop="uvloop" if sys.platform != "win32" else "asyncio",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_keep_alive=int(KEEP_ALIVE_S),
                timeout_graceful_shutdown=DRAIN_S,
                callback_notify=app.operating.note_process,
                timeout_notify=NOTED_EVERY_S,
            )
        )
        self._app = app
        self._announce = announce
        self._metrics_servers: list[asyncio.Server] = []
        self.ended_by: int | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept requests on the first socket; a second one is for the metrics."""
        first, *rest = sockets or []
        await super().startup([first])
        for each in rest:
            monitoring = Monitoring(self._app.operating.text, self._app.hosts)
            self._metrics_servers.append(await asyncio.start_server(monitoring.answer, sock=each))
        self._announce()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Give notice, accept what already waits, finish what is under way, and end.

        During the notice ``/readyz`` says that the server stops, requests are answered as before,
        and every reply is the last one of its connection, so that clients and load balancers go
        elsewhere.
        """
        self._app.connections.is_stopping = True
        await self._give_notice()
        self._app.streams.closing.set()
        for each in self._metrics_servers:
            each.close()
        await super().shutdown(sockets)
        self._app.request_lines.flush()

    async def _give_notice(self) -> None:
        ends = self._app.stop_notice_s + asyncio.get_running_loop().time() + _LAST_ACCEPT_S
        while not self.force_exit and asyncio.get_running_loop().time() < ends:  # noqa: ASYNC110 - a signal handler sets it
            await asyncio.sleep(_LAST_ACCEPT_S)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {sig: signal.signal(sig, self.handle_exit) for sig in ENDING}
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


def _protocol_of(app: App, certificate: Certificate | None) -> Callable[..., asyncio.Protocol]:
    """What makes the protocol of a new connection."""
    http = functools.partial(
        BoundedHttpProtocol, connections=app.connections, peers=app.peers, hosts=app.hosts
    )
    if certificate is None:
        return http

    def gate(**settings: Any) -> TlsGate:
        return TlsGate(functools.partial(http, **settings), certificate, app.connections)

    return gate


def run_server(
    deployment: Deployment,
    listeners: list[socket.socket],
    announce: Callable[[], None],
    *,
    certificate: Certificate | None = None,
    served_as: str = "",
    telemetry: Destination | None = None,
) -> int:
    """Run one server process.

    What is loaded by now stays for its whole life; the garbage collector needn't look at it again.
    """
    app = App(deployment, served_as)
    server = Server(app, announce, certificate)
    stop_sending = _nothing if telemetry is None else _send(telemetry, app)
    deployment.start()
    gc.collect()
    gc.freeze()
    try:
        server.run(listeners)
    finally:
        app.threads.shutdown(wait=False, cancel_futures=True)
        deployment.stop()
        stop_sending()
    return EXIT_INTERRUPTED if server.ended_by == signal.SIGINT else 0


def _send(telemetry: Destination, app: App) -> Callable[[], None]:
    """Send telemetry of this process; returns what ends that."""
    from chainteller.telemetry.sending import start  # noqa: PLC0415 - an extra

    return start(
        telemetry,
        app.version,
        JsonLines(),
        dropped=app.metrics.count_dropped,
        families=app.operating.families,
    )


def _nothing() -> None:
    """What ends where nothing began."""


def _say(line: str) -> None:
    sys.stdout.write(line)
    sys.stdout.flush()


def _cannot_listen(address: Address, fault: OSError, *, is_of_metrics: bool) -> CannotListen:
    in_use = fault.errno == errno.EADDRINUSE
    what = "is in use" if in_use else f"cannot be used: {fault.strerror or fault}"
    chosen_by = (
        "--host and --port (--port 0 picks a free one)" if address.unix is None else "--unix"
    )
    if is_of_metrics:
        chosen_by = "the setting service.metrics_address"
    return CannotListen(f"The address {address.shown} {what}.", chosen_by)


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

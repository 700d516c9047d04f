"""A proxy in front of a deployment that alters what passes through it."""

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, ClassVar

from tests.world.waiting import PATIENCE_S


@dataclass
class Passing:
    """A request on its way there and its reply on its way back.

    ``notes`` are kept between the requests of one deviation.
    """

    method: str
    path: str
    headers: dict[str, str]
    sent: Any
    notes: dict[str, Any]
    forward: Callable[[], tuple[int, dict[str, str], bytes]]
    key: str = ""
    status: int = 0
    body: Any = None
    reply_headers: dict[str, str] = field(default_factory=dict)

    def pass_on(self) -> None:
        """Let the deployment answer; a second time asks it again."""
        self.status, self.reply_headers, raw = self.forward()
        self.body = json.loads(raw) if raw else None


Alteration = Callable[[Passing], None]


@dataclass
class AlteringProxy:
    """``alteration`` sees every request with its reply; it may change the reply."""

    address: str
    key: str
    alterations: tuple[Alteration, ...] = ()
    notes: dict[str, Any] = field(default_factory=dict)

    def plant(self, *alterations: Alteration) -> None:
        self.alterations = alterations
        self.notes = {}


@contextlib.contextmanager
def altering_proxy(upstream: str, key: str) -> Iterator[AlteringProxy]:
    """A proxy in front of ``upstream``, until the block ends."""
    host = upstream.removeprefix("http://")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        proxy: ClassVar[AlteringProxy]
        disable_nagle_algorithm = True

        def setup(self) -> None:
            super().setup()
            self.upstream = HTTPConnection(host, timeout=PATIENCE_S)

        def finish(self) -> None:
            self.upstream.close()
            super().finish()

        def _answer(self) -> None:
            length = int(self.headers.get("content-length", "0"))
            raw = self.rfile.read(length)
            headers = {
                name: value
                for name, value in self.headers.items()
                if name.lower() in {"authorization", "content-type"}
            }

            def forward() -> tuple[int, dict[str, str], bytes]:
                self.upstream.request(self.command, self.path, raw, headers)
                reply = self.upstream.getresponse()
                return reply.status, dict(reply.getheaders()), reply.read()

            sent = json.loads(raw) if raw else None
            passing = Passing(
                self.command, self.path, headers, sent, self.proxy.notes, forward, self.proxy.key
            )
            passing.pass_on()
            for alter in self.proxy.alterations:
                alter(passing)
            body = b"" if passing.body is None else json.dumps(passing.body).encode()
            with contextlib.suppress(OSError):  # the client may have given up
                self.send_response(passing.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        do_GET = do_POST = do_DELETE = _answer  # noqa: N815 - the names of http.server

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002, ARG002 - as above
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    Handler.proxy = AlteringProxy(f"http://127.0.0.1:{server.server_port}", key)
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield Handler.proxy
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)

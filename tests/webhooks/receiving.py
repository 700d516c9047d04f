"""A receiver of webhooks on a real socket, whose answers a test decides."""

import hmac
import json
import ssl
import threading
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from tests.world.waiting import PATIENCE_S

from chainteller.domain.clock import SystemClock


class Received(NamedTuple):
    """A message as it arrived."""

    id: str
    timestamp_s: int
    signatures: tuple[str, ...]
    body: bytes
    at: int

    @property
    def event(self) -> Any:
        return json.loads(self.body)

    def is_signed_with(self, secret: str) -> bool:
        key = b64decode(secret.removeprefix("whsec_"))
        text = f"{self.id}.{self.timestamp_s}.".encode() + self.body
        expected = f"v1,{b64encode(hmac.digest(key, text, 'sha256')).decode()}"
        return expected in self.signatures


Decide = Callable[[Received], int]


def accept(_: Received) -> int:
    return 204


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_: object) -> None:
        """A sender that was killed is no fault of the receiver."""


class Receiver:
    """``decide`` gives the status of an answer; ``headers`` and ``body`` go with every one."""

    def __init__(self, decide: Decide = accept) -> None:
        self.decide = decide
        self.headers: dict[str, str] = {}
        self.body = b""
        self.is_endless = False
        self.received: list[Received] = []
        self.released = threading.Event()
        """What a decision waits for that hangs."""
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/teller"

    @property
    def ids(self) -> list[str]:
        return [each.id for each in self.received]

    def hang(self, _: Received) -> int:
        self.released.wait(PATIENCE_S)
        return 204

    def encrypt(self, chain: Path, key: Path) -> str:
        """Speak TLS from now on; its address."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chain, key)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        return self.url.replace("http:", "https:")

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()

    def _handler(receiver) -> type[BaseHTTPRequestHandler]:  # noqa: N805 - the handler is self
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                size = int(self.headers["content-length"])
                body = self.rfile.read(size)
                if len(body) < size:
                    return  # the sender was killed
                message = Received(
                    self.headers["webhook-id"],
                    int(self.headers["webhook-timestamp"]),
                    tuple(self.headers["webhook-signature"].split()),
                    body,
                    SystemClock().now(),
                )
                with receiver._lock:
                    receiver.received.append(message)
                status = receiver.decide(message)
                with suppress(OSError):
                    self._answer(status)

            def _answer(self, status: int) -> None:
                self.send_response(status)
                for name, value in receiver.headers.items():
                    self.send_header(name, value)
                if receiver.is_endless:
                    self.end_headers()
                    while not receiver.released.is_set():
                        self.wfile.write(b"x" * 65_536)
                self.send_header("content-length", str(len(receiver.body)))
                self.end_headers()
                self.wfile.write(receiver.body)

            def log_message(self, *_: object) -> None:
                return

        return Handler


@contextmanager
def receiving(decide: Decide = accept) -> Iterator[Receiver]:
    made = Receiver(decide)
    try:
        yield made
    finally:
        made.close()


def is_in_order(events: list[Any]) -> bool:
    """Whether the first arrivals of each record's events are in their order."""
    seen: dict[str, int] = {}
    known: set[int] = set()
    for each in events:
        if each["seq"] in known:
            continue
        known.add(each["seq"])
        if seen.get(each["resource"], -1) > each["seq"]:
            return False
        seen[each["resource"]] = each["seq"]
    return True

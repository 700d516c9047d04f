"""A TCP proxy that cuts connections: before the request, before the reply, or within it."""

import contextlib
import socket
import struct
import threading
from collections import Counter
from collections.abc import Iterator
from enum import Enum

from tests.world.waiting import PATIENCE_S


class Cut(Enum):
    NONE = "none"
    BEFORE = "before the server sees it"
    AFTER = "after the server did it"
    WITHIN = "in the middle of the reply"


class CuttingProxy:
    """``plan`` gives each request its fate; requests are counted, not connections."""

    def __init__(self, target: tuple[str, int], plan: Iterator[Cut]) -> None:
        self._target = target
        self._plan = plan
        self._lock = threading.Lock()
        self.cuts: Counter[Cut] = Counter()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._threads: list[threading.Thread] = []
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in (self._accepting, *self._threads):
            thread.join(timeout=5)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                thread = threading.Thread(target=self._carry, args=(connection,), daemon=True)
                self._threads.append(thread)
                thread.start()

    def _carry(self, client: socket.socket) -> None:
        """One request per connection is enough here: the reply says that it closes."""
        with client, contextlib.suppress(OSError):
            client.settimeout(10)
            request = _whole_request(client)
            if not request:
                return
            fate = self._fate(request)
            if fate is Cut.BEFORE:
                _reset(client)
                return
            with socket.create_connection(self._target, timeout=PATIENCE_S) as server:
                server.sendall(_closing(request))
                answer = b"".join(iter(lambda: server.recv(65_536), b""))
            if fate is Cut.NONE:
                client.sendall(answer)
            else:
                client.sendall(b"" if fate is Cut.AFTER else answer[: len(answer) * 2 // 3])
                _reset(client)

    def _fate(self, request: bytes) -> Cut:
        if request.startswith(b"GET /capabilities"):
            return Cut.NONE
        with self._lock:
            fate = next(self._plan)
            self.cuts[fate] += 1
            return fate


def _whole_request(client: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        chunk = client.recv(65_536)
        if not chunk:
            return b""
        data += chunk
    head, _, body = data.partition(b"\r\n\r\n")
    length = next(
        (
            int(line.split(b":")[1])
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"content-length:")
        ),
        0,
    )
    while len(body) < length:
        body += client.recv(65_536)
    return head + b"\r\n\r\n" + body


def _closing(request: bytes) -> bytes:
    return request.replace(b"Connection: keep-alive", b"Connection: close", 1)


def _reset(client: socket.socket) -> None:
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

"""A line to a server that dies once it has done what it was asked, before its reply is heard."""

import contextlib
import socket
import threading
from collections.abc import Callable

from tests.world.waiting import PATIENCE_S


class KillingProxy:
    """Passes everything on until a reply begins to a request that carries ``word``.

    Then it kills the server, cuts every line without that reply, and refuses connections as a
    machine without a server does, until ``resume``.
    """

    def __init__(self, target: tuple[str, int], word: str, kill: Callable[[], None]) -> None:
        self._target, self._word, self._kill = target, word.encode(), kill
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._port = self._listener.getsockname()[1]
        self.address = f"http://127.0.0.1:{self._port}"
        self.killed = threading.Event()
        self._sockets: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._start(self._accept, self._listener)

    def resume(self) -> None:
        """Accept connections again, now that there is a server; it is not killed again."""
        self._listener = socket.create_server(("127.0.0.1", self._port))
        self._start(self._accept, self._listener)

    def close(self) -> None:
        self._cut()
        for thread in self._threads:
            thread.join(5)

    def _start(self, run: Callable[..., None], *given: object) -> None:
        thread = threading.Thread(target=run, args=given, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = listener.accept()
                try:
                    far = socket.create_connection(self._target, timeout=PATIENCE_S)
                except OSError:
                    near.close()
                    continue
                far.settimeout(None)
                self._sockets += [near, far]
                asked = threading.Event()
                self._start(self._carry_requests, near, far, asked)
                self._start(self._carry_replies, far, near, asked)

    def _carry_requests(
        self, near: socket.socket, far: socket.socket, asked: threading.Event
    ) -> None:
        with contextlib.suppress(OSError):
            while data := near.recv(65_536):
                if self._word in data and not self.killed.is_set():
                    asked.set()
                far.sendall(data)
            far.shutdown(socket.SHUT_WR)

    def _carry_replies(
        self, far: socket.socket, near: socket.socket, asked: threading.Event
    ) -> None:
        with contextlib.suppress(OSError):
            while data := far.recv(65_536):
                if asked.is_set():
                    self._kill()
                    self._cut()
                    self.killed.set()
                    return
                near.sendall(data)
            near.shutdown(socket.SHUT_RDWR)

    def _cut(self) -> None:
        for each in (self._listener, *self._sockets):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        self._sockets.clear()

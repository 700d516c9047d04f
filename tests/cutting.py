"""A line to PostgreSQL that can be cut where it hurts."""

import contextlib
import re
import socket
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from sqlalchemy import make_url

Where = Literal["before", "after"]
_KEY = re.compile(rb"(K\x00\x00\x00\x0c)....", re.DOTALL)
"""What a server says of its process once it has accepted a connection (BackendKeyData)."""


_END = b"P\x00\x00\x00\x10\x00ROLLBACK\x00"
"""The statement that a read ends with, as the protocol writes it."""
_SYNC = b"S\x00\x00\x00\x04"


def _is_end(sent: bytes) -> bool:
    """Whether a client only ends its transaction."""
    return sent.startswith(_END) and sent.find(_SYNC) == len(sent) - len(_SYNC)


def _of_another(told: re.Match[bytes]) -> bytes:
    return told[1] + b"\x7f\xff\xff\x01"


class CuttingProxy:
    """Forwards a unix socket to the server that ``url`` names, until it is told to cut.

    ``cut_at(word, "before")`` ends the next connection that sends the word, instead of passing
    it on; ``"after"`` passes it on and ends the connection without the reply. ``round_trips``
    counts how often a client spoke after the server, on all connections; the end of a read, whose
    answer nobody waits for, isn't counted. As poolers do, it tells the number of
    ``other_process`` than the one that serves a connection, if asked to.
    """

    def __init__(self, url: str, *, other_process: bool = False) -> None:
        self._other_process = other_process
        parsed = make_url(url)
        self._target = parsed
        self._folder = tempfile.TemporaryDirectory(prefix="cut-")
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(Path(self._folder.name) / ".s.PGSQL.5432"))
        self._listener.listen(64)
        self._cut: tuple[bytes, Where] | None = None
        self.cuts = 0
        self.round_trips = 0
        self._told: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._sockets: list[socket.socket] = []
        shown = parsed.set(host=None, port=None).update_query_dict({"host": self._folder.name})
        self.url = shown.render_as_string(hide_password=False)
        self._start(self._accept)

    def cut_at(self, word: str, where: Where) -> None:
        self._cut = (word.encode(), where)

    def close(self) -> None:
        for each in (self._listener, *self._sockets):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(5)
        for each in (self._listener, *self._sockets):
            each.close()
        self._folder.cleanup()

    def _start(self, run: Callable[..., None], *arguments: socket.socket) -> None:
        thread = threading.Thread(target=run, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            far = self._connected()
            self._sockets += [near, far]
            self._start(self._to_server, near, far)
            self._start(self._to_client, far, near)

    def _connected(self) -> socket.socket:
        folder = self._target.query.get("host")
        if isinstance(folder, str) and folder.startswith("/"):
            far = socket.socket(socket.AF_UNIX)
            far.connect(f"{folder}/.s.PGSQL.{self._target.query.get('port', '5432')}")
            return far
        host, port = self._target.host or "127.0.0.1", self._target.port or 5432
        return socket.create_connection((host, port))

    def _to_server(self, near: socket.socket, far: socket.socket) -> None:
        try:
            while data := near.recv(65_536):
                if far not in self._told and not _is_end(data):
                    self._told.add(far)
                    self.round_trips += 1
                cut = self._cut
                if cut is None or cut[0] not in data:
                    far.sendall(data)
                    continue
                self._cut, self.cuts = None, self.cuts + 1
                near.shutdown(socket.SHUT_RDWR)
                if cut[1] == "after":
                    far.sendall(data)
                break
        except OSError:
            pass
        finally:
            with contextlib.suppress(OSError):
                far.shutdown(socket.SHUT_WR)

    def _to_client(self, far: socket.socket, near: socket.socket) -> None:
        try:
            while data := far.recv(65_536):
                self._told.discard(far)
                if self._other_process:
                    data = _KEY.sub(_of_another, data, count=1)
                near.sendall(data)
            near.shutdown(socket.SHUT_RDWR)
        except OSError:
            return

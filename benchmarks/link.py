"""A TCP relay with a delay, which stands for the network between a server and its database.

Every direction is delayed, so a round trip takes two delays longer than without the relay. It
counts round trips: what a client sends before the server says anything is one.
"""

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from multiprocessing.sharedctypes import Synchronized
from queue import Queue
from typing import Any

from sqlalchemy import make_url

_CHUNK = 1 << 18


class Link:
    """A relay in a process of its own, from a free port of this machine to a PostgreSQL server.

    Args:
        url: of a database of that server, over TCP or a Unix socket.
        delay_s: of each direction, in seconds.
    """

    def __init__(self, url: str, delay_s: float) -> None:
        processes = get_context("spawn")
        self._sent: Synchronized[int] = processes.Value("q", 0)
        ours, theirs = processes.Pipe()
        self._process: BaseProcess = processes.Process(
            target=_relay, args=(_address(url), delay_s, self._sent, theirs), daemon=True
        )
        self._process.start()
        place = make_url(url)
        place = place.set(host="127.0.0.1", port=ours.recv(), query={})
        self.url = place.render_as_string(hide_password=False)

    @property
    def round_trips(self) -> int:
        """How many there were, over all connections."""
        return int(self._sent.value)

    def close(self) -> None:
        self._process.terminate()
        self._process.join()


def _address(url: str) -> Any:
    place = make_url(url)
    port = int(place.port or 5432)
    folder = str(place.query.get("host", "")) or (place.host or "")
    return f"{folder}/.s.PGSQL.{port}" if folder.startswith("/") else (folder, port)


def _relay(address: Any, delay_s: float, sent: "Synchronized[int]", ready: Any) -> None:
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    ready.send(listener.getsockname()[1])

    while True:
        near, _ = listener.accept()
        far = socket.socket(socket.AF_UNIX if isinstance(address, str) else socket.AF_INET)
        far.connect(address)
        for each in (near, far):
            with suppress(OSError):
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        turns = _Turns(sent)
        _pump(near, far, delay_s, turns.client_sends)
        _pump(far, near, delay_s, turns.server_sends)


class _Turns:
    """Who spoke last on a connection."""

    def __init__(self, sent: "Synchronized[int]") -> None:
        self._sent = sent
        self._is_server_s = False

    def client_sends(self) -> None:
        if not self._is_server_s:
            self._is_server_s = True
            with self._sent.get_lock():
                self._sent.value += 1

    def server_sends(self) -> None:
        self._is_server_s = False


def _pump(
    source: socket.socket, target: socket.socket, delay_s: float, noted: Callable[[], None]
) -> None:
    """Pass on what arrives, each chunk after the delay."""
    under_way: Queue[tuple[float, bytes]] = Queue()

    def take() -> None:
        with suppress(OSError):
            while chunk := source.recv(_CHUNK):
                noted()
                under_way.put((time.monotonic() + delay_s, chunk))
        under_way.put((0.0, b""))

    def give() -> None:
        with suppress(OSError):
            while (due := under_way.get())[1]:
                time.sleep(max(0.0, due[0] - time.monotonic()))
                target.sendall(due[1])
        for each in (source, target):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    for work in (take, give):
        threading.Thread(target=work, daemon=True).start()

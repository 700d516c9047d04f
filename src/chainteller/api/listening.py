"""Where the service listens: an address and a port, or a UNIX socket."""

import ipaddress
import os
import socket
import stat
from dataclasses import dataclass
from pathlib import Path

BACKLOG = 2048
UNIX_MODE = 0o660
"""Whoever is in the socket's group may connect, for example a proxy."""


@dataclass(frozen=True, slots=True)
class Address:
    """``port`` 0 selects a free one. A UNIX socket has neither host nor port."""

    host: str = "127.0.0.1"
    port: int = 8080
    unix: Path | None = None

    @property
    def shown(self) -> str:
        return f"{self.host}:{self.port}" if self.unix is None else str(self.unix)

    @property
    def stays_on_this_machine(self) -> bool:
        """Whether only programs on this machine can connect."""
        return self.unix is not None or is_loopback(self.host)

    def listen(self) -> socket.socket:
        """Open a listening socket. Raises OSError."""
        listener = _tcp(self.host, self.port) if self.unix is None else _unix(self.unix)
        listener.set_inheritable(True)
        return listener


def address_of(text: str) -> Address:
    """Parse ``HOST:PORT``, ``[HOST]:PORT`` or the absolute path of a UNIX socket.

    Raises:
        ValueError: it is none of them.
    """
    if text.startswith("/"):
        return Address(unix=Path(text))
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65_536:
        raise ValueError("needs HOST:PORT or the absolute path of a UNIX socket")
    return Address(host.strip("[]"), int(port))


def is_loopback(host: str) -> bool:
    """Whether a name or an address is this machine's own; ``localhost`` is taken at its word."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def url_of(listener: socket.socket, *, encrypted: bool = False) -> str:
    """The address that a listener answers at."""
    if isinstance(listener.getsockname(), str):
        return f"unix:{Path(listener.getsockname()).absolute()}"
    host, port = listener.getsockname()[:2]
    scheme = "https" if encrypted else "http"
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


def remove(listener_address: Address) -> None:
    """Remove a UNIX socket's file; nothing happens for an address."""
    if listener_address.unix is not None:
        listener_address.unix.unlink(missing_ok=True)


def _tcp(host: str, port: int) -> socket.socket:
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
    return listener


def _unix(path: Path) -> socket.socket:
    """A socket that a server left behind is replaced; one that is in use isn't."""
    _remove_stale(path)
    listener = _unix_socket()
    try:
        before = os.umask(0o777 & ~UNIX_MODE)
        try:
            listener.bind(str(path))
        finally:
            os.umask(before)
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


def _unix_socket() -> socket.socket:
    """Raises OSError where Python has no UNIX sockets, as on Windows."""
    family = getattr(socket, "AF_UNIX", None)
    if family is None:
        raise OSError("this system offers no UNIX sockets")
    return socket.socket(family, socket.SOCK_STREAM)


def _remove_stale(path: Path) -> None:
    try:
        if not stat.S_ISSOCK(path.lstat().st_mode):
            return
    except OSError:
        return
    with _unix_socket() as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink(missing_ok=True)

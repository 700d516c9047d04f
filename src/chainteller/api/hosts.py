"""Which names a request may name in ``Host``.

A page in a browser can give its own name the address of this machine, and then read what answers
there (DNS rebinding). A name that nobody gave this service is therefore refused. An address is no
such name, and a request without a name names nobody.
"""

import socket
from collections.abc import Iterable
from ipaddress import ip_address

from chainteller.api.peers import plain_address
from chainteller.service.errors import ValidationFailed

ANY = "*"
_LOCAL = "localhost"


class Hosts:
    """Tells names of this service from others.

    Args:
        named: the operator's: names, ``*.`` with a name for all names below it, or ``*``.
        served_as: the host that the service listens on, and that of its public address.
    """

    def __init__(self, named: Iterable[str] = (), *served_as: str) -> None:
        given = tuple(map(_plain, named))
        self._are_named = bool(given)
        self._any = ANY in given
        machine = _plain(socket.gethostname())
        own = {_LOCAL, machine, machine.partition(".")[0], *map(_plain, served_as)}
        self._names = frozenset({*own, *given})
        below = (each.removeprefix(ANY) for each in given if each.startswith("*."))
        self._below = (f".{_LOCAL}", *below)

    def require(self, host: str, *, is_guarded: bool) -> None:
        """Check the value of a ``Host`` header.

        Args:
            host: a name or an address, with or without a port; empty if there is none.
            is_guarded: whether the name counts even if the operator listed none.

        Raises:
            ValidationFailed: it's a name, and none of this service's.
        """
        if self._any or not (is_guarded or self._are_named):
            return
        name = _plain(host)
        is_own = name in self._names or name.endswith(self._below)
        if name and not is_own and not _is_address(name):
            raise ValidationFailed.of(
                "Host",
                "The service isn't known by this name; its setting service.hosts lists its names.",
                "UNKNOWN_HOST",
            )


def arrives_on_loopback(address: str) -> bool:
    """Whether a connection's own address, on this side, is one that only this machine has."""
    try:
        return plain_address(ip_address(address.partition("%")[0])).is_loopback
    except ValueError:
        return False


def _plain(host: str) -> str:
    """A name or an address without its port, as it's compared."""
    bare = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    return bare.strip().removesuffix(".").lower()


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True

"""Which address a request comes from: the peer's, or the one that trusted proxies report.

Proxies report it in ``X-Forwarded-For`` or in ``Forwarded`` (RFC 7239). Only what trusted proxies
wrote counts: the right-most hop that isn't one of them is the client.
"""

import ipaddress
import re
from collections.abc import Iterable, Mapping

UNIX = "unix"
"""How a peer on a UNIX socket is named among the trusted proxies."""

_FOR = re.compile(r'\s*for\s*=\s*(?:"([^"]*)"|([^\s;,"]*))\s*', re.IGNORECASE)

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class Peers:
    """Tells clients from trusted proxies.

    Args:
        trusted: addresses and networks of proxies, and ``unix`` for peers on a UNIX socket.

    Raises:
        ValueError: one of them is neither.
    """

    def __init__(self, trusted: Iterable[str] = ()) -> None:
        named = tuple(trusted)
        self._unix = UNIX in named
        self._networks = tuple(network(each) for each in named if each != UNIX)

    def trusts(self, address: str) -> bool:
        """Whether an address is a trusted proxy's; a UNIX socket's is empty."""
        if not address:
            return self._unix
        parsed = _parsed(address) if self._networks else None
        return parsed is not None and self._holds(parsed)

    def client(self, peer: str, headers: Mapping[str, str]) -> str:
        """The address of the client of a request.

        Args:
            peer: the address that the connection comes from; empty on a UNIX socket.
            headers: by lower-case name, with all values of a repeated one, separated by commas.
        """
        if not self.trusts(peer):
            return peer
        told = {
            self._right_most(peer, hops)
            for hops in (
                _listed(headers.get("x-forwarded-for")),
                _forwarded(headers.get("forwarded")),
            )
            if hops
        }
        # A proxy writes one of the headers and may pass on the other, as the client sent it.
        return told.pop() if len(told) == 1 else peer

    def _right_most(self, peer: str, hops: list[str]) -> str:
        """The right-most hop that isn't a trusted proxy; what can't be read ends the search."""
        last = peer
        for hop in reversed(hops):
            parsed = _parsed(hop)
            if parsed is None:
                return last
            last = str(parsed)
            if not self._holds(parsed):
                break
        return last

    def _holds(self, address: Address) -> bool:
        return any(address in each for each in self._networks)


def network(text: str) -> Network:
    """Parse an address or a network. Raises ValueError."""
    return ipaddress.ip_network(text.strip(), strict=False)


def _listed(header: str | None) -> list[str]:
    return [] if header is None else [each.strip() for each in header.split(",")]


def _forwarded(header: str | None) -> list[str]:
    """The ``for`` of every hop; an empty text for a hop without one."""
    if header is None:
        return []
    hops = []
    for element in header.split(","):
        found = (_FOR.fullmatch(pair) for pair in element.split(";"))
        hops.append(next((match[1] or match[2] or "" for match in found if match), ""))
    return hops


def _parsed(text: str) -> Address | None:
    """An address with or without a port; None for anything else."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        return plain_address(ipaddress.ip_address(text.partition("%")[0]))
    except ValueError:
        return None


def plain_address(address: Address) -> Address:
    """An IPv4 address that is written as an IPv6 one, as IPv4."""
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address

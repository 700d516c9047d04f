"""Webhooks: whom they may call, how a message is signed, and when it's tried again.

Messages are signed as Standard Webhooks says, version 1 with a symmetric secret
(https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
"""

import hmac
import re
from base64 import b64encode
from collections.abc import Container, Iterable
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import NamedTuple
from urllib.parse import urlsplit

from chainteller.domain.clock import DAY

GIVE_UP_AFTER = 3 * DAY
"""How long one event is tried before its endpoint is paused, in microseconds."""
_PAUSES_S = (0.2, 1, 5, 30, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400)
_JITTER = 0.1
_LONGEST_URL = 500
_PATH = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=:@%/-]*", re.ASCII)
_NAME = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*", re.ASCII)
_CLEAR = "http://"
DEFAULT_PORTS = {"https": 443, "http": 80}


class WebhookStatus(StrEnum):
    ACTIVE = "active"
    FAILING = "failing"
    PAUSED = "paused"


class PauseReason(StrEnum):
    OPERATOR = "OPERATOR"
    GONE = "GONE"
    """The endpoint answered 410."""
    FAILED = "FAILED"
    """It didn't accept an event for three days."""


class Unsent(StrEnum):
    """Why there's no HTTP status."""

    HOST_NOT_ALLOWED = "HOST_NOT_ALLOWED"
    UNRESOLVED = "UNRESOLVED"
    ADDRESS_REFUSED = "ADDRESS_REFUSED"
    UNREACHABLE = "UNREACHABLE"
    UNTRUSTED = "UNTRUSTED"
    """Its certificate isn't trusted, or is of another name."""
    TIMED_OUT = "TIMED_OUT"
    BROKEN = "BROKEN"
    """The connection ended, or what came is not HTTP."""
    SECRET_LOST = "SECRET_LOST"  # noqa: S105 - a reason, not a secret
    """The writer's key that the secret was made with was replaced."""
    LOG_ALTERED = "LOG_ALTERED"
    """An event isn't as somebody with the writer's key wrote it, and isn't signed."""
    ENDPOINT_ALTERED = "ENDPOINT_ALTERED"
    """The endpoint isn't as an operator made it: another program wrote to its row."""


class Answer(NamedTuple):
    """What came of a request: a status, or why there is none."""

    status: int | None = None
    unsent: Unsent | None = None
    retry_after_s: int = 0

    @property
    def is_accepted(self) -> bool:
        return self.status is not None and 200 <= self.status < 300

    @property
    def is_gone(self) -> bool:
        return self.status == 410

    @property
    def is_of_endpoint(self) -> bool:
        """Whether it's about the endpoint as a whole, so that no other event need be tried."""
        return self.status in {None, 410, 429, 502, 503, 504}

    def __str__(self) -> str:
        return str(self.unsent or self.status)


class Target(NamedTuple):
    """The parts of an endpoint's URL."""

    scheme: str
    host: str
    port: int
    path: str


def target_of(url: str) -> Target:
    """Take a URL apart. Raises ValueError: it's no address of HTTP, or has a part that an
    endpoint's address may not have. The text says what is needed and repeats nothing of it."""
    try:
        found = urlsplit(url) if url.isascii() and url.isprintable() else None
        port = None if found is None else found.port
    except ValueError:
        found, port = None, None
    if found is None or len(url) > _LONGEST_URL or found.scheme not in DEFAULT_PORTS or port == 0:
        raise ValueError(f"Write https://HOST/PATH, at most {_LONGEST_URL} ASCII characters.")
    if "@" in found.netloc or "?" in url or "#" in url or not _PATH.fullmatch(found.path):
        raise ValueError("Leave out user, query and fragment: the signature shows who sends.")
    host = found.hostname or ""
    if not _NAME.fullmatch(host) and _address(host) is None:
        raise ValueError("Write a host's name or address after https://.")
    port = port or DEFAULT_PORTS[found.scheme]
    return Target(found.scheme, host, port, found.path or "/")


@dataclass(frozen=True, slots=True)
class WebhookHosts:
    """The hosts that an operator lets webhooks call (``service.webhook_hosts``).

    Each is a name, ``*.NAME`` for every name below it, an address or a network. ``http://`` before
    it allows cleartext there. An address that isn't public is called only if it's in an address or
    a network of the list.
    """

    entries: tuple[str, ...] = ()

    def refusal(self, target: Target) -> str | None:
        """Why an endpoint may not be called, or None."""
        allowing = [
            each for each in self.entries if _covers(each.removeprefix(_CLEAR).lower(), target.host)
        ]
        if not allowing:
            return "The operator doesn't allow this host in service.webhook_hosts."
        is_clear = any(each.startswith(_CLEAR) for each in allowing)
        if target.scheme == "http" and not is_clear:
            return "The operator allows this host with https:// only, in service.webhook_hosts."
        return None

    def may_connect(self, address: str) -> bool:
        """Whether an address that a host resolved to may be connected to."""
        found = ip_address(address)
        if _is_public(found):
            return True
        networks = (_network(each.removeprefix(_CLEAR)) for each in self.entries)
        return any(found in each for each in networks if each is not None)


def check_host(entry: str) -> None:
    """Raises ValueError: it's no entry of ``service.webhook_hosts``."""
    bare = entry.removeprefix(_CLEAR)
    if _network(bare) is None and not _NAME.fullmatch(bare.removeprefix("*.")):
        raise ValueError(
            "needs names such as hooks.bank.example or *.bank.example, addresses or networks, "
            f"each with http:// before it where cleartext is allowed, not {entry!r}"
        )


def _covers(entry: str, host: str) -> bool:
    network, address = _network(entry), _address(host)
    if network is not None:
        return address is not None and address in network
    if entry.startswith("*."):
        return host.endswith(entry[1:]) and len(host) >= len(entry)
    return host == entry


def _network(text: str) -> Container[object] | None:
    try:
        return ip_network(text.strip("[]"), strict=False)
    except ValueError:
        return None


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address is of the public internet, in whatever form an IPv4 one is written."""
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if inner is not None:
            return _is_public(inner)
        if address.teredo is not None or address in _SITE_LOCAL:
            return False
    return address.is_global and not (address.is_multicast or address.is_reserved)


_SITE_LOCAL = IPv6Network("fec0::/10")


# Messages


def sign(secret: bytes, message_id: str, timestamp_s: int, body: bytes) -> str:
    """The signature of a message, as ``webhook-signature`` carries it."""
    signed = b".".join((message_id.encode(), str(timestamp_s).encode(), body))
    return f"v1,{b64encode(hmac.digest(secret, signed, 'sha256')).decode()}"


def secret_text(secret: bytes) -> str:
    """A secret as receivers are given it."""
    return f"whsec_{b64encode(secret).decode()}"


def wants(types: Iterable[str], event_type: str) -> bool:
    """Whether an endpoint for these types gets an event; every one if there's no type."""
    wanted = tuple(types)
    below = (each for each in wanted if each.endswith(".*"))
    return (
        not wanted
        or event_type in wanted
        or any(event_type.startswith(each[:-1]) for each in below)
    )


# Progress


def advance(
    window: Iterable[int], answered: Container[int], start: int, end: int
) -> tuple[int, tuple[int, ...]]:
    """How far an endpoint has every event, and which events it has beyond that: of the numbers in
    ``window``, oldest first, those ``answered`` were accepted; it had all up to ``start``
    before."""
    upto, ahead, is_open = start, [], False
    for seq in window:
        if seq not in answered:
            is_open = True
        elif is_open:
            ahead.append(seq)
        else:
            upto = seq
    return (upto, tuple(ahead)) if is_open else (end, ())


def pause_us(attempts: int, retry_after_s: int, random_byte: int) -> int:
    """Microseconds until the next attempt, after so many in which nothing was accepted.

    ``retry_after_s`` is the endpoint's own wish, which counts for a day at most; ``random_byte``
    spreads the attempts of many endpoints.
    """
    planned = _PAUSES_S[min(attempts, len(_PAUSES_S) - 1)]
    spread = 1 + _JITTER * random_byte / 255
    return round(max(planned * spread, min(retry_after_s, _PAUSES_S[-1])) * 1_000_000)

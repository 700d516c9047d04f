"""What arrived on chains, as a file or a service of the operator tells it.

Both give one JSON object, ``{"transfers": [{"hash", "network", "from", "to", "symbol", "amount",
"at", "signedBy", "paidTo", "sentBefore", "service"}]}``, with final transfers alone: what may be
undone doesn't belong there. ``at`` is when the block was made; ``domain.second_method.Seen`` says
what the last four are. They are the operator's, but their contents come from chains: replies are
bounded in size and time, redirects aren't followed, and an entry that can't be read is left out.
"""

import asyncio
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from chainteller.adapters import bounded
from chainteller.adapters.bounded import TooLarge
from chainteller.domain.assets import ASSETS_BY_KEY
from chainteller.domain.clock import format_instant, parse_instant
from chainteller.domain.json_depth import NestedTooDeeply, parse_json
from chainteller.domain.money import AmountInvalid, parse_atoms
from chainteller.domain.second_method import (
    MAXIMUM_SENT,
    ArrivalsUnavailable,
    Awaited,
    Seen,
)
from chainteller.given_files import read_bytes
from chainteller.wallets.addresses import InvalidAddress, parse_address
from chainteller.wallets.family import Network
from chainteller.wallets.networks import known_network

DEADLINE_S = 3.0
PAUSE_S = 30.0
"""How long a service that failed isn't asked again, so that other due work isn't kept waiting."""
MAXIMUM_BYTES = 4 * 1024 * 1024
MAXIMUM_HASH = 128
MAXIMUM_ADDRESSES = 1_000


@dataclass(frozen=True, slots=True)
class FileArrivals:
    """A file that another program of the operator writes."""

    file: Path

    def since(self, awaited: Awaited) -> tuple[Seen, ...]:
        """Raises ArrivalsUnavailable."""
        try:
            content = read_bytes(self.file, MAXIMUM_BYTES)
        except OSError as error:
            raise ArrivalsUnavailable(f"the file can't be read: {error.strerror}") from None
        return _read(content, awaited)


@dataclass(slots=True)
class HttpArrivals:
    """A service of the operator, asked with ``network``, ``address`` and ``since``.

    Messages name its host alone: the rest of the address may hold a key.
    """

    url: str
    deadline_s: float = DEADLINE_S
    pause_s: float = PAUSE_S
    _silent_until: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def since(self, awaited: Awaited) -> tuple[Seen, ...]:
        """Raises ArrivalsUnavailable."""
        host = urlsplit(self.url).hostname
        with self._lock:
            if time.monotonic() < self._silent_until:
                raise ArrivalsUnavailable(f"{host} failed a moment ago and isn't called again yet")
        try:
            return _read(asyncio.run(self._reply(awaited)), awaited)
        except (httpx.HTTPError, TimeoutError, TooLarge, ArrivalsUnavailable) as error:
            with self._lock:
                self._silent_until = time.monotonic() + self.pause_s
            told = isinstance(error, TooLarge | ArrivalsUnavailable)
            why = str(error) if told else type(error).__name__
            raise ArrivalsUnavailable(f"{host}: {why}") from None

    async def _reply(self, awaited: Awaited) -> bytes:
        query = {
            "network": awaited.amount.asset.network,
            "address": awaited.address,
            "since": format_instant(awaited.earliest),
        }
        place = httpx.URL(self.url).copy_merge_params(query)
        async with asyncio.timeout(self.deadline_s), bounded.client(self.deadline_s) as client:
            status, found = await bounded.answer_of(client, "GET", place, MAXIMUM_BYTES)
        if status != httpx.codes.OK:
            raise ArrivalsUnavailable(f"status {status}")
        return found


def _read(content: bytes, awaited: Awaited) -> tuple[Seen, ...]:
    """Raises ArrivalsUnavailable: the document as a whole can't be read."""
    try:
        transfers = parse_json(content)["transfers"]
    except NestedTooDeeply:
        raise ArrivalsUnavailable("it is nested too deeply") from None
    except (ValueError, LookupError, TypeError):
        raise ArrivalsUnavailable("it isn't a JSON object with transfers") from None
    if not isinstance(transfers, list):
        raise ArrivalsUnavailable("its transfers aren't a list")
    return tuple(_transfers(transfers, awaited))


def _transfers(transfers: list[Any], awaited: Awaited) -> Iterator[Seen]:
    known: set[str] = set()
    for each in transfers:
        try:
            seen = _transfer(each, awaited)
        except (ValueError, LookupError, TypeError, AttributeError, InvalidAddress):
            continue
        if seen is not None and seen.hash not in known:
            known.add(seen.hash)
            yield seen


def _transfer(entry: Any, awaited: Awaited) -> Seen | None:
    """A transfer to the awaited wallet; None for any other. Raises ValueError, LookupError,
    TypeError, AttributeError, InvalidAddress: it can't be read."""
    name = awaited.amount.asset.network
    network = known_network(name)
    if network is None or entry["network"] != name:
        return None
    recipient = parse_address(entry["to"], network).canonical
    if recipient != awaited.address:
        return None
    asset = ASSETS_BY_KEY[f"{entry['symbol']}@{name}"]
    spelt = entry["hash"]
    if not (spelt and len(spelt) <= MAXIMUM_HASH and spelt.isascii() and spelt.isalnum()):
        raise ValueError("no transaction's hash")
    try:
        atoms = parse_atoms(entry["amount"], asset)
    except AmountInvalid as error:
        raise ValueError(str(error)) from None
    return Seen(
        spelt,
        parse_address(entry["from"], network).canonical,
        recipient,
        asset.key,
        atoms,
        parse_instant(entry["at"]),
        _addresses(entry["signedBy"], network),
        _addresses(entry["paidTo"], network),
        _count(entry["sentBefore"]),
        _name(entry.get("service")),
    )


def _addresses(entries: Any, network: Network) -> tuple[str, ...]:
    """Canonical addresses, each once, in order. Raises ValueError, TypeError, InvalidAddress."""
    if not isinstance(entries, list) or not 0 < len(entries) <= MAXIMUM_ADDRESSES:
        raise ValueError("no list of addresses")
    return tuple(sorted({parse_address(each, network).canonical for each in entries}))


def _count(number: Any) -> int:
    if type(number) is not int or number < 0:
        raise ValueError("no count")
    return min(number, MAXIMUM_SENT + 1)


def _name(text: Any) -> str:
    """A service's name as it's kept; whatever isn't one still means that there is a service."""
    if text is None:
        return ""
    is_name = isinstance(text, str) and text.isprintable() and 0 < len(text) <= MAXIMUM_HASH
    return text if is_name else "a service"

"""Who may hold a connection: places, shared fairly between addresses, organisations and keys.

A connection is a stranger's until a key on it was accepted. Strangers and key holders have places
of their own, so strangers can't keep key holders out. When all places are taken, a connection of
the largest holder gives way, the one that was silent for the longest time.
"""

import ipaddress
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

STRANGER_PLACES = 500
"""Connections without an accepted key."""
KEY_HOLDER_PLACES = 1000
"""Connections on which a key was accepted, and those of trusted proxies."""
_IPV6_SITE = 64
"""One customer of a network provider has all addresses of this prefix."""


class Member(Protocol):
    """Something that holds a place."""

    @property
    def is_busy(self) -> bool:
        """Whether it can't give way now."""

    def give_way(self) -> None:
        """Leave the place to another one."""


M = TypeVar("M", bound=Member)


@dataclass(frozen=True, slots=True)
class Holder:
    """Whose share a place is: an organisation's key, or an address."""

    group: str
    part: str = ""


@dataclass(slots=True)
class _Group(Generic[M]):
    """The members of one group, by part, the longest silent first."""

    parts: dict[str, OrderedDict[M, None]] = field(default_factory=dict)
    size: int = 0


class Places(Generic[M]):
    """A number of places for connections or streams."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._groups: dict[str, _Group[M]] = {}
        self._holders: dict[M, Holder] = {}

    def __len__(self) -> int:
        return len(self._holders)

    def __contains__(self, member: M) -> bool:
        return member in self._holders

    def count(self, holder: Holder) -> tuple[int, int]:
        """How many places a group has, and how many of them this part of it."""
        group = self._groups.get(holder.group)
        return (0, 0) if group is None else (group.size, len(group.parts.get(holder.part, ())))

    def largest(self) -> int:
        """How many places the largest group has."""
        return max((group.size for group in self._groups.values()), default=0)

    def enter(self, member: M, holder: Holder) -> bool:
        """Give a place to a member; False if all are taken and nobody can give way."""
        if len(self._holders) >= self.number and not self._make_room():
            return False
        group = self._groups.setdefault(holder.group, _Group())
        group.parts.setdefault(holder.part, OrderedDict())[member] = None
        group.size += 1
        self._holders[member] = holder
        return True

    def leave(self, member: M) -> None:
        """Free a member's place; nothing happens if it has none."""
        holder = self._holders.pop(member, None)
        if holder is None:
            return
        group = self._groups[holder.group]
        part = group.parts[holder.part]
        del part[member]
        group.size -= 1
        if not part:
            del group.parts[holder.part]
        if not group.size:
            del self._groups[holder.group]

    def touch(self, member: M) -> None:
        """Note that a member was active just now."""
        holder = self._holders.get(member)
        if holder is not None:
            self._groups[holder.group].parts[holder.part].move_to_end(member)

    def _make_room(self) -> bool:
        for group in sorted(self._groups.values(), key=lambda each: each.size, reverse=True):
            for part in sorted(group.parts.values(), key=len, reverse=True):
                member = _longest_silent(part)
                if member is not None:
                    self.leave(member)
                    member.give_way()
                    return True
        return False


def _longest_silent(part: OrderedDict[M, None]) -> M | None:
    """The first member that isn't busy; None if all are.

    Busy ones on the way aren't silent and go to the end, so that they aren't met again each time.
    """
    for _ in range(len(part)):
        member = next(iter(part))
        if not member.is_busy:
            return member
        part.move_to_end(member)
    return None


class Connections(Generic[M]):
    """The connections of this process."""

    def __init__(self) -> None:
        self.is_stopping = False
        """Whether this server is about to end: every reply is the last one of its connection."""
        self.strangers: Places[M] = Places(STRANGER_PLACES)
        self.key_holders: Places[M] = Places(KEY_HOLDER_PLACES)

    def admit_stranger(self, member: M, address: str) -> bool:
        """Give a new connection a place; False if there is none."""
        return self.strangers.enter(member, Holder(network_of(address)))

    def admit_proxy(self, member: M, address: str) -> bool:
        """Give a trusted proxy's connection a place among the key holders'."""
        return self.key_holders.enter(member, Holder(f"proxy {address}"))

    def recognise(self, member: M, organisation: str, key_id: str) -> bool:
        """Move a connection on which a key was accepted; False if there is no place.

        A connection keeps its place when another key is accepted on it, as through a proxy.
        """
        if member in self.key_holders:
            self.key_holders.touch(member)
            return True
        self.strangers.leave(member)
        return self.key_holders.enter(member, Holder(f"organisation {organisation}", key_id))

    def leave(self, member: M) -> None:
        self.strangers.leave(member)
        self.key_holders.leave(member)


def network_of(address: str) -> str:
    """What counts as one address: an IPv4 address, or the /64 network of an IPv6 address."""
    if ":" not in address:
        return address
    try:
        found = ipaddress.IPv6Address(address.partition("%")[0])
    except ValueError:
        return address
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, _IPV6_SITE), strict=False))

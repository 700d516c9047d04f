"""The private key of an agent on this machine, one for each place."""

import platform
import re
from typing import NamedTuple

from chainteller.kept_secrets import KeptSecret
from chainteller.paths import Paths
from chainteller.settings.place import Place
from chainteller.settings.values import SettingsInvalid

_FORM = re.compile(r"(AGT_[0-9A-Z]{22}) ([0-9a-f]{64}) (\S+)\n?", re.ASCII)


class DeskKey(NamedTuple):
    """An agent's key: ``seed`` is the private key of Ed25519, 32 bytes."""

    agent_id: str
    seed: bytes

    def __repr__(self) -> str:
        return f"DeskKey({self.agent_id})"


def desk_key(paths: Paths, place: Place) -> DeskKey | None:
    """The key that this machine has for a place; None if it has none. Raises SettingsInvalid: it
    was made on another machine, others may read it, or it's no key."""
    kept = _kept(paths, place)
    found = kept.read()
    if found is None:
        return None
    told = _FORM.fullmatch(found)
    if told is None:
        raise SettingsInvalid(
            [f"the agent's key {kept.file} is no key: remove it, and enrol again"]
        )
    if told[3] != _machine():
        raise SettingsInvalid(
            [
                f"the agent's key of {place.label} was made on {told[3]}: enrol this machine "
                "(chainteller agents enroll --replace)"
            ]
        )
    return DeskKey(told[1], bytes.fromhex(told[2]))


def keep(paths: Paths, place: Place, key: DeskKey) -> None:
    """Keep a key in place of the one that was there. Raises OSError."""
    _kept(paths, place).write(f"{key.agent_id} {key.seed.hex()} {_machine()}\n")


def _kept(paths: Paths, place: Place) -> KeptSecret:
    return KeptSecret(paths, place, "agent", "the agent's key")


def _machine() -> str:
    return re.sub(r"\s", "-", platform.node()) or "unnamed"

"""The private key of an agent on this machine, one for each place: in the system's keyring where
there is one, otherwise in a file of the owner's."""

import hashlib
import platform
import re
from pathlib import Path
from typing import NamedTuple

from chainteller.credentials import from_keyring, into_keyring
from chainteller.paths import Paths, private_folder
from chainteller.private_files import how_to_protect, others_may_read, write_atomically
from chainteller.settings.place import Place
from chainteller.settings.values import SettingsInvalid

_SERVICE = "chainteller-agent"
_FORM = re.compile(r"(AGT_[0-9A-Z]{22}) ([0-9a-f]{64}) (\S+)\n?", re.ASCII)


class DeskKey(NamedTuple):
    """An agent's key: ``seed`` is the private key of Ed25519, 32 bytes."""

    agent_id: str
    seed: bytes

    def __repr__(self) -> str:
        return f"DeskKey({self.agent_id})"


def desk_key(paths: Paths, place: Place) -> DeskKey | None:
    """The key that this machine has for a place; None if it has none.

    Raises:
        SettingsInvalid: it was made on another machine, others may read it, or it's no key.
    """
    file = _file(paths, place)
    found = from_keyring(_SERVICE, file.stem)
    if not found:
        try:
            found = file.read_text(encoding="ascii")
            is_shared = others_may_read(file)
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsInvalid([f"the agent's key {file} can't be read: {error}"]) from None
        if is_shared:
            raise SettingsInvalid([f"{file} may be read by others: {how_to_protect(file)}"])
    told = _FORM.fullmatch(found)
    if told is None:
        raise SettingsInvalid([f"the agent's key {file} is no key: remove it, and enrol again"])
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
    file, text = _file(paths, place), f"{key.agent_id} {key.seed.hex()} {_machine()}\n"
    if not into_keyring(_SERVICE, file.stem, text):
        private_folder(file.parent)
        write_atomically(file, text, is_new=False)


def _file(paths: Paths, place: Place) -> Path:
    name = f"{place.profile.name if place.profile else ''}\0{place.address}"
    digest = hashlib.sha256(name.encode()).hexdigest()[:16]
    return paths.config_file.parent / "agents" / f"{digest}.key"


def _machine() -> str:
    return re.sub(r"\s", "-", platform.node()) or "unnamed"

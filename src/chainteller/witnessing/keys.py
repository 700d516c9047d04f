"""The keys that sign checkpoints: a file beside the configuration, never in the database.

The file is JSON, readable by its owner alone. One key pair signs the logs of all organisations,
under the name of each log. After a rotation the former key goes on signing until the next one, so
that every witness and console can be given the new key in time. A retired key keeps its public
half: what it signed is recognised.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from nacl.bindings import crypto_sign_seed_keypair

from chainteller.domain.json_depth import parse_json
from chainteller.paths import private_folder
from chainteller.private_files import read_private, write_atomically
from chainteller.witnessing.errors import SigningKeysUnusable
from chainteller.witnessing.notes import SignerKey, VerifierKey

_LAYOUT = 1
SEED_BYTES = 32


class KeyState(StrEnum):
    """CURRENT and OUTGOING keys sign; a RETIRED one is recognised."""

    CURRENT = "current"
    OUTGOING = "outgoing"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True, repr=False)
class StoredKey:
    """A key pair. ``created`` and ``retired`` are timestamps; a retired key has no seed."""

    public: bytes
    state: KeyState
    created: str
    seed: bytes = b""
    retired: str = ""

    def signer(self, origin: str) -> SignerKey:
        return SignerKey(origin, self.seed)

    def verifier(self, origin: str) -> VerifierKey:
        return VerifierKey(origin, self.public)


@dataclass(frozen=True, slots=True, repr=False)
class SigningKeys:
    """All keys of a deployment, the newest first.

    ``place`` is the address of the database that they were made for.
    """

    keys: tuple[StoredKey, ...]
    deployment: str = ""
    place: str = ""

    def signers(self, origin: str) -> tuple[SignerKey, ...]:
        """The keys that sign the log's checkpoints: one, or two after a rotation."""
        return tuple(each.signer(origin) for each in self.keys if each.seed)

    def verifiers(self, origin: str) -> tuple[VerifierKey, ...]:
        """Every key, retired ones included."""
        return tuple(each.verifier(origin) for each in self.keys)

    def retired(self, origin: str) -> Mapping[VerifierKey, str]:
        """The retired keys, with the time from which they no longer sign."""
        return {each.verifier(origin): each.retired for each in self.keys if each.retired}

    def rotated(self, seed: bytes, at: str) -> "SigningKeys":
        """With a new key; the current one becomes outgoing, and an outgoing one is retired."""
        older = tuple(_aged(each, at) for each in self.keys)
        return replace(self, keys=(_made(seed, at), *older))

    def with_outgoing_retired(self, at: str) -> "SigningKeys":
        """With the current key alone signing."""
        outgoing = KeyState.OUTGOING
        keys = tuple(_retire(each, at) if each.state is outgoing else each for each in self.keys)
        return replace(self, keys=keys)


def _made(seed: bytes, at: str) -> StoredKey:
    return StoredKey(crypto_sign_seed_keypair(seed)[0], KeyState.CURRENT, at, seed)


def _aged(key: StoredKey, at: str) -> StoredKey:
    if key.state is KeyState.CURRENT:
        return replace(key, state=KeyState.OUTGOING)
    return _retire(key, at) if key.state is KeyState.OUTGOING else key


def _retire(key: StoredKey, at: str) -> StoredKey:
    return replace(key, state=KeyState.RETIRED, seed=b"", retired=at)


def load_keys(file: Path) -> SigningKeys | None:
    """Read the file; None where there is none. Raises SigningKeysUnusable: it can't be read, others
    may read it, or it isn't a file of keys."""
    try:
        text = read_private(file)
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is no text"
        raise SigningKeysUnusable(f"{file}: {reason}") from None
    try:
        return _parsed(parse_json(text))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise SigningKeysUnusable(f"{file} is no file of signing keys, or it is damaged") from None


def _parsed(document: Mapping[str, Any]) -> SigningKeys:
    """Raises ValueError, KeyError, TypeError or AttributeError where it isn't what was stored."""
    if document["layout"] != _LAYOUT:
        raise ValueError("an unknown layout")
    keys = tuple(_stored(each) for each in document["keys"])
    if [each.state for each in keys].count(KeyState.CURRENT) != 1:
        raise ValueError("not one current key")
    return SigningKeys(keys, str(document["deployment"]), str(document["place"]))


def _stored(each: Mapping[str, str]) -> StoredKey:
    state, seed = KeyState(each["state"]), bytes.fromhex(each.get("seed", ""))
    key = StoredKey(
        bytes.fromhex(each["public"]), state, each["created"], seed, each.get("retired", "")
    )
    is_whole = bool(key.retired) == (state is KeyState.RETIRED) == (not seed)
    if not is_whole or len(key.public) != SEED_BYTES:
        raise ValueError("half a key")
    if seed and crypto_sign_seed_keypair(seed)[0] != key.public:
        raise ValueError("two halves that do not fit")
    return key


def create_keys(file: Path, seed: bytes, at: str, deployment: str, place: str) -> SigningKeys:
    """Make the file, and perhaps its folder, with its first key, of a ``seed`` of 32 random bytes.
    Raises SigningKeysUnusable: there is one already, or it can't be written."""
    found = load_keys(file)
    if found is not None:
        raise SigningKeysUnusable(
            f"{file} has a key already.", "Make another beside it: chainteller audit key rotate."
        )
    keys = SigningKeys((_made(seed, at),), deployment, place)
    _write(file, keys, is_new=True)
    return keys


def replace_keys(file: Path, keys: SigningKeys) -> None:
    """Write the file anew, all or nothing. Raises SigningKeysUnusable."""
    _write(file, keys, is_new=False)


def _write(file: Path, keys: SigningKeys, *, is_new: bool) -> None:
    document = {
        "layout": _LAYOUT,
        "deployment": keys.deployment,
        "place": keys.place,
        "keys": [_document(each) for each in keys.keys],
    }
    try:
        private_folder(file.parent)
        write_atomically(file, json.dumps(document, indent=1) + "\n", is_new=is_new)
    except FileExistsError:
        raise SigningKeysUnusable(f"{file} was made meanwhile") from None
    except OSError as error:
        raise SigningKeysUnusable(f"{file}: {error.strerror}") from None


def _document(key: StoredKey) -> dict[str, str]:
    stored = {"state": key.state.value, "created": key.created, "public": key.public.hex()}
    more = {"seed": key.seed.hex(), "retired": key.retired}
    return stored | {name: value for name, value in more.items() if value}

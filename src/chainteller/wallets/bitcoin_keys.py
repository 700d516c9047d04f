"""Which addresses a key has on Bitcoin and its relatives, and the script of an address."""

from dataclasses import dataclass
from functools import lru_cache

import base58

from chainteller.wallets.bech32 import decode_segwit, encode_segwit
from chainteller.wallets.curve import curve
from chainteller.wallets.family import Address
from chainteller.wallets.hashes import hash160, tagged_hash
from chainteller.wallets.secp256k1 import FIELD, compress


@dataclass(frozen=True, slots=True)
class Versions:
    """The base58check version bytes and the bech32 prefix of a network's addresses.

    Without a prefix the network has no segwit.
    """

    p2pkh: int
    p2sh: int
    hrp: str = ""

    @property
    def base58_kinds(self) -> dict[int, str]:
        """The kind of address that each version byte stands for."""
        return {self.p2pkh: "p2pkh", self.p2sh: "p2sh"}


# The addresses that a legacy signature can stand for.
KEY_KINDS = frozenset({"p2pkh", "p2sh", "p2wpkh"})


def script_of(address: Address) -> bytes:
    """The scriptPubKey of a checked address."""
    if address.kind in {"p2pkh", "p2sh"}:
        inner = base58.b58decode_check(address.canonical)[1:]
        if address.kind == "p2pkh":
            return b"\x76\xa9\x14" + inner + b"\x88\xac"
        return b"\xa9\x14" + inner + b"\x87"
    _, version, program = decode_segwit(address.canonical)
    opcode = 0x50 + version if version else 0
    return bytes([opcode, len(program)]) + program


def written_address(key: bytes, kind: str, versions: Versions, *, compressed: bool = True) -> str:
    """The p2pkh, p2sh (nested segwit), p2wpkh or p2tr address of x ‖ y.

    p2tr is the BIP-86 address: the key path of a key that commits to no script.
    """
    packed = compress(key) if compressed else b"\x04" + key
    if kind == "p2tr":
        return encode_segwit(versions.hrp, 1, taproot_output(key))
    hashed = hash160(packed)
    if kind == "p2wpkh":
        return encode_segwit(versions.hrp, 0, hashed)
    if kind == "p2sh":
        return hash_address(versions.p2sh, hash160(b"\x00\x14" + hashed))
    return hash_address(versions.p2pkh, hashed)


@lru_cache(256)
def hash_of(address: Address) -> bytes:
    """The 20 bytes of an address of one of the `KEY_KINDS`."""
    start = 3 if address.kind == "p2pkh" else 2
    return script_of(address)[start : start + 20]


def is_of_key(key: bytes, address: Address, *, compressed: bool = True) -> bool:
    """Whether the address is the one of its kind of x ‖ y, which is asked very often."""
    if address.kind == "p2tr":
        return script_of(address)[2:] == taproot_output(key)
    if address.kind not in KEY_KINDS:
        return False
    hashed = hash160(compress(key) if compressed else b"\x04" + key)
    if address.kind == "p2sh":
        hashed = hash160(b"\x00\x14" + hashed)
    return hashed == hash_of(address)


def taproot_output(key: bytes) -> bytes:
    """The x-only output key of BIP-86 for the internal key x ‖ y."""
    y = int.from_bytes(key[32:], "big")
    even = key if y % 2 == 0 else key[:32] + (FIELD - y).to_bytes(32, "big")
    return (curve().plus(even, tagged_hash("TapTweak", key[:32])) or bytes(32))[:32]


def hash_address(version: int, payload: bytes) -> str:
    """The base58check address of the hash of a key or script."""
    return base58.b58encode_check(bytes([version]) + payload).decode()

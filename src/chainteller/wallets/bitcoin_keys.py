"""Which addresses a Bitcoin key has, and which script an address stands for."""

from dataclasses import dataclass
from functools import lru_cache

import base58

from chainteller.wallets.bech32 import decode_segwit, encode_segwit
from chainteller.wallets.curve import curve
from chainteller.wallets.family import Address, Network
from chainteller.wallets.hashes import hash160, tagged_hash
from chainteller.wallets.secp256k1 import compress


@dataclass(frozen=True, slots=True)
class Versions:
    """The bech32 prefix and the base58check version bytes of a network's addresses."""

    hrp: str
    p2pkh: int
    p2sh: int

    @property
    def base58_kinds(self) -> dict[int, str]:
        """The kind of address that each version byte stands for."""
        return {self.p2pkh: "p2pkh", self.p2sh: "p2sh"}


# The addresses that a legacy signature can stand for.
KEY_KINDS = frozenset({"p2pkh", "p2sh", "p2wpkh"})
MAIN, TEST = Versions("bc", 0, 5), Versions("tb", 111, 196)


def versions(network: Network) -> Versions:
    """Those of the main network, or those that all test networks share."""
    return MAIN if network.main else TEST


def script_of(address: Address) -> bytes:
    """The scriptPubKey of a checked Bitcoin address."""
    if address.kind in {"p2pkh", "p2sh"}:
        inner = base58.b58decode_check(address.canonical)[1:]
        if address.kind == "p2pkh":
            return b"\x76\xa9\x14" + inner + b"\x88\xac"
        return b"\xa9\x14" + inner + b"\x87"
    _, version, program = decode_segwit(address.canonical)
    opcode = 0x50 + version if version else 0
    return bytes([opcode, len(program)]) + program


def address_of_key(key: bytes, kind: str, network: Network, *, compressed: bool = True) -> Address:
    """The p2pkh, p2sh (nested segwit), p2wpkh or p2tr address of x ‖ y.

    p2tr is the BIP-86 address: the key path of a key that commits to no script.
    """
    packed = compress(key) if compressed else b"\x04" + key
    if kind == "p2tr":
        return _segwit(1, taproot_output(key), network, "p2tr")
    hashed = hash160(packed)
    if kind == "p2wpkh":
        return _segwit(0, hashed, network, "p2wpkh")
    if kind == "p2sh":
        return _base58(versions(network).p2sh, hash160(b"\x00\x14" + hashed), network, "p2sh")
    return _base58(versions(network).p2pkh, hashed, network, "p2pkh")


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
    return curve().tweaked(key, tagged_hash("TapTweak", key[:32]))


def _segwit(version: int, program: bytes, network: Network, kind: str) -> Address:
    text = encode_segwit(versions(network).hrp, version, program)
    return Address(network, text, text, kind)


def _base58(version: int, payload: bytes, network: Network, kind: str) -> Address:
    text = base58.b58encode_check(bytes([version]) + payload).decode()
    return Address(network, text, text, kind)

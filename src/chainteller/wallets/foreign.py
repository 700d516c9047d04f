"""Name the network that an address is of, by its form and checksum, where it isn't one of ours.

Only forms with a checksum are here: a name is never a guess. The 64 hex digits of Sui and Aptos
are left out, because they may be a private key.
"""

import base64
import binascii
import re
import zlib
from collections.abc import Callable
from hashlib import blake2b, new

import base58

from chainteller.wallets.bech32 import (
    BECH32,
    BECH32M,
    CASHADDR,
    bech32_remainder,
    cashaddr_remainder,
    values_of,
)

_MAX = 128
_BASE58CHECK = {
    b"\x4c": "Dash",
    b"\x10": "Dash",
    b"\x1c\xb8": "Zcash",
    b"\x1c\xbd": "Zcash",
    b"\x06\xa1\x9f": "Tezos",
    b"\x06\xa1\xa1": "Tezos",
    b"\x06\xa1\xa4": "Tezos",
    b"\x02\x5a\x79": "Tezos",
}
_BECH32_PREFIXES = {
    "addr": "Cardano",
    "stake": "Cardano",
    "cosmos": "Cosmos",
    "osmo": "Osmosis",
    "celestia": "Celestia",
    "inj": "Injective",
    "sei": "Sei",
    "thor": "THORChain",
    "kava": "Kava",
    "bnb": "BNB Beacon Chain",
    "zil": "Zilliqa",
    "erd": "MultiversX",
}
_CASHADDR_PREFIXES = {"ecash": "eCash", "kaspa": "Kaspa"}
_STELLAR = re.compile(r"[GM][A-Z2-7]{55}", re.ASCII)
_ALGORAND = re.compile(r"[A-Z2-7]{58}", re.ASCII)
_FILECOIN = re.compile(r"f1[a-z2-7]{39}|f3[a-z2-7]{84}", re.ASCII)
_TON = re.compile(r"[EUk0]Q[-_A-Za-z0-9+/]{46}", re.ASCII)


def foreign_network(text: str) -> str | None:
    """The network of an address as people call it; None where its form isn't known."""
    if not text or len(text) > _MAX or not text.isascii():
        return None
    found = (recognise(text) for recognise in _FORMS)
    return next((each for each in found if each is not None), None)


def _base58check(text: str) -> str | None:
    try:
        raw = base58.b58decode_check(text)
    except ValueError:
        return None
    return _BASE58CHECK.get(raw[:-20])


def _byron(text: str) -> str | None:
    """Cardano's first addresses: CBOR of a tagged byte string and its CRC-32."""
    try:
        raw = base58.b58decode(text)
    except ValueError:
        return None
    if raw[:4] != b"\x82\xd8\x18\x58" or len(raw) < 10:
        return None
    inner, rest = raw[5 : 5 + raw[4]], raw[5 + raw[4] :]
    checks = rest[:1] == b"\x1a" and rest[1:] == zlib.crc32(inner).to_bytes(4, "big")
    return "Cardano" if checks else None


def _bech32(text: str) -> str | None:
    lowered = text.lower()
    prefix, _, data = lowered.rpartition("1")
    values = values_of(data)
    if text not in {lowered, text.upper()} or prefix not in _BECH32_PREFIXES or not values:
        return None
    is_right = bech32_remainder(prefix, values) in {BECH32, BECH32M}
    return _BECH32_PREFIXES[prefix] if is_right else None


def _cashaddr(text: str) -> str | None:
    lowered = text.lower()
    given, colon, data = lowered.rpartition(":")
    values = values_of(data)
    if text not in {lowered, text.upper()} or not values:
        return None
    for prefix, network in _CASHADDR_PREFIXES.items():
        is_named = not colon or given == prefix
        if is_named and cashaddr_remainder(prefix, values) == CASHADDR:
            return network
    return None


def _stellar(text: str) -> str | None:
    if not _STELLAR.fullmatch(text):
        return None
    raw = base64.b32decode(text)
    return "Stellar" if _crc16(raw[:-2]) == int.from_bytes(raw[-2:], "little") else None


def _ton(text: str) -> str | None:
    if not _TON.fullmatch(text):
        return None
    raw = base64.urlsafe_b64decode(text.replace("+", "-").replace("/", "_"))
    return "TON" if _crc16(raw[:-2]) == int.from_bytes(raw[-2:], "big") else None


def _crc16(data: bytes) -> int:
    return binascii.crc_hqx(data, 0)


def _algorand(text: str) -> str | None:
    if not _ALGORAND.fullmatch(text):
        return None
    raw = base64.b32decode(text + "=" * 6)
    return "Algorand" if new("sha512_256", raw[:32]).digest()[-4:] == raw[32:] else None


def _substrate(text: str) -> str | None:
    """Polkadot and its relatives (SS58): prefix, 32 bytes, two bytes of checksum."""
    try:
        raw = base58.b58decode(text)
    except ValueError:
        return None
    if len(raw) not in {35, 36}:
        return None
    checksum = blake2b(b"SS58PRE" + raw[:-2], digest_size=64).digest()[:2]
    return "Polkadot or a related network" if checksum == raw[-2:] else None


def _filecoin(text: str) -> str | None:
    if not _FILECOIN.fullmatch(text):
        return None
    spelt = text[2:].upper()
    raw = base64.b32decode(spelt + "=" * (-len(spelt) % 8))
    if base64.b32encode(raw).rstrip(b"=") != spelt.encode():
        return None
    payload = bytes([int(text[1])]) + raw[:-4]
    return "Filecoin" if blake2b(payload, digest_size=4).digest() == raw[-4:] else None


_FORMS: tuple[Callable[[str], str | None], ...] = (
    _base58check,
    _byron,
    _bech32,
    _cashaddr,
    _stellar,
    _ton,
    _algorand,
    _substrate,
    _filecoin,
)

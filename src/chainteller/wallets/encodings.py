"""Turns one string into the bytes it may stand for, in every spelling of hex, base58, base64."""

import base64
import binascii
import re
from dataclasses import dataclass, replace
from urllib.parse import unquote

import base58

_HEX = re.compile(r"(?:\\?[0\\][xX])?[0-9a-fA-F]+", re.ASCII)
BASE58 = re.compile(r"[1-9A-HJ-NP-Za-km-z]+", re.ASCII)
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]+={0,2}", re.ASCII)
# base58 takes quadratic time; no signature with its text comes near this length.
_MAX_BASE58 = 800


@dataclass(frozen=True, slots=True)
class Candidate:
    """Bytes a paste may stand for, by the encoding hex, base58, base64, array or parts."""

    data: bytes
    encoding: str


@dataclass(frozen=True, slots=True)
class SignatureReading:
    """What a paste may stand for.

    `candidates` are byte strings, the likeliest first. `prefix` is what the family writes in front
    of a signature (BIP-322's smp, ful or pof), or empty. `stated_text` is what the wallet's block
    or JSON says was signed.
    """

    candidates: tuple[Candidate, ...]
    prefix: str = ""
    stated_text: str | None = None


def once_only(reading: SignatureReading) -> SignatureReading | None:
    """The signature of 64 or 65 bytes that the paste repeats without a break, or None."""
    for candidate in reading.candidates:
        data = candidate.data
        for size in (65, 64):
            if len(data) > size and data == data[:size] * (len(data) // size):
                once = Candidate(data[:size], candidate.encoding)
                return SignatureReading((once,), reading.prefix, reading.stated_text)
    return None


def with_key(key: str, reading: SignatureReading) -> SignatureReading:
    """The reading whose signatures follow the public key, in hex, that was pasted with them."""
    raw = bytes.fromhex(key)
    found = [Candidate(raw + c.data, c.encoding) for c in reading.candidates if len(c.data) == 64]
    return replace(reading, candidates=(*found, *reading.candidates))


def decodings(text: str, *, base58_first: bool) -> tuple[Candidate, ...]:
    """Every reading of a string without white space, the likeliest first.

    87 characters of base58 that stand for 64 bytes are also unpadded base64 of 65 bytes (one
    Solana signature in five): `base58_first` says which reading goes first.
    """
    bare = unquote(text) if "%" in text else text
    as_hex = _hex(bare)
    if as_hex is not None and (len(bare) >= 100 or bare[:1] in {"0", "\\"}):
        return (Candidate(as_hex, "hex"),)
    found = [Candidate(data, "base64") for data in _base64(bare)]
    found += [Candidate(data, "base58") for data in _base58(bare)]
    if base58_first:
        found.sort(key=lambda each: each.encoding == "base64")
    if as_hex is not None:
        found.insert(0, Candidate(as_hex, "hex"))
    return tuple(found)


def _hex(text: str) -> bytes | None:
    if not _HEX.fullmatch(text):
        return None
    digits = re.split("[xX]", text)[-1]
    return bytes.fromhex(digits) if len(digits) % 2 == 0 else None


def _base58(text: str) -> list[bytes]:
    if len(text) > _MAX_BASE58 or not BASE58.fullmatch(text):
        return []
    return [base58.b58decode(text)]


def _base64(text: str) -> list[bytes]:
    if not _BASE64.fullmatch(text):
        return []
    bare = text.rstrip("=")
    standard = bare.replace("-", "+").replace("_", "/")
    try:
        return [base64.b64decode(standard + "=" * (-len(standard) % 4), validate=True)]
    except binascii.Error:
        return []

"""Undoes a typing error of one character, where the result is a signature that verifies.

Look-alikes, a doubled character and a missing one are tried, in this order, and only as many as a
budget allows. Nothing that was typed is trusted: verification decides about each attempt.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from chainteller.domain.pasting import without_invisibles
from chainteller.wallets.curve import curve
from chainteller.wallets.ed25519 import is_well_formed
from chainteller.wallets.encodings import Candidate, SignatureReading, decodings
from chainteller.wallets.family import Address, Family
from chainteller.wallets.proof import Proof
from chainteller.wallets.verify import verify_bytes

_TOKEN = re.compile(r"(?<![0-9A-Za-z+/])(?:0[xX])?[0-9A-Za-z+/]{84,134}={0,2}", re.ASCII)
_LOOK_ALIKES = (
    "0OoQD", "1lIi|L", "5Ss", "8B", "2Zz", "6bG", "9gq", "uv", "VU", "ce", "cC", "kK", "wW", "xX",
    "pP", "nm", "rn", "tf", "tT", "4A", "7T1", "3E", "hb", "dcl", "yvY", "jiJ", "aoe",
)  # fmt: skip
_MOST_DECODED = 900
_HEX, _BASE58, _BASE64 = (
    "0123456789abcdef",
    "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
)


@dataclass(frozen=True, slots=True)
class Repair:
    """The signature as it was meant, and the sentence that says what was corrected."""

    proof: Proof
    what: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """`is_complete` is false where the budget ended before all errors of one character."""

    repair: Repair | None
    was_tried: bool
    is_complete: bool = True


@lru_cache(4)
def repair_signature(paste: str, text: str, address: Address) -> Outcome:
    """Look for the one wrong character in what has nearly the length of a signature."""
    tokens = [each[0] for each in _TOKEN.finditer(without_invisibles(paste))]
    if len(tokens) != 1:
        return Outcome(None, was_tried=False)
    message, family = text.encode(), address.network.family
    left, decoded = curve().repairs, _MOST_DECODED
    for candidate, what in _candidates(tokens[0], family):
        decoded -= 1
        for data in _signatures(candidate, family):
            left -= 1
            proof = _verified(message, data, address)
            if proof is not None:
                return Outcome(Repair(proof, what), was_tried=True)
        if left <= 0 or decoded <= 0:
            return Outcome(None, was_tried=True, is_complete=False)
    return Outcome(None, was_tried=True)


def _verified(message: bytes, data: bytes, address: Address) -> Proof | None:
    """Where each way of signing is checked for itself, nobody has typed any but the usual one."""
    family = address.network.family
    if family.prefers_base58:
        probe = family.probe(SignatureReading((Candidate(data, "base58"),)))
        if probe.find([message], [address], thorough=0) is None:
            return None
    return verify_bytes(message, data, "", address)


def _signatures(token: str, family: Family) -> Iterator[bytes]:
    """The bytes of the token that can be a signature of the family."""
    for reading in decodings(token, base58_first=family.prefers_base58):
        size = len(reading.data)
        if is_well_formed(reading.data) if family.prefers_base58 else size in {64, 65}:
            yield reading.data


def _candidates(token: str, family: Family) -> Iterator[tuple[str, str]]:
    head = token[:2] if token[:2] in {"0x", "0X"} else ""
    body = token[len(head) :].rstrip("=")
    padding = token[len(head) + len(body) :]
    alphabet = _alphabet(body, head, family)
    is_whole = any(_signatures(token, family))
    for changed, what in _changes(body, alphabet, is_whole=is_whole):
        yield head + changed + padding, what


def _alphabet(body: str, head: str, family: Family) -> str:
    if head or sum(character in "0123456789abcdefABCDEF" for character in body) >= len(body) - 2:
        return _HEX
    return _BASE58 if family.prefers_base58 else _BASE64


def _changes(body: str, alphabet: str, *, is_whole: bool) -> Iterator[tuple[str, str]]:
    """A whole signature has lost no character and got none: look-alikes alone are tried."""
    known = alphabet + alphabet.upper() if alphabet == _HEX else alphabet
    wrong = [place for place, character in enumerate(body) if character not in known]
    if len(wrong) > 1:
        return
    for place in wrong or range(len(body)):
        yield from _replaced(body, place, _alike(body[place], alphabet))
    if wrong:
        yield from _replaced(body, wrong[0], alphabet)
        yield body[: wrong[0]] + body[wrong[0] + 1 :], f"character {wrong[0] + 1} was left out"
    elif not is_whole:
        yield from _of_other_length(body, alphabet)


def _replaced(body: str, place: int, others: Iterable[str]) -> Iterator[tuple[str, str]]:
    for other in others:
        changed = body[:place] + other + body[place + 1 :]
        yield changed, f'character {place + 1}, "{body[place]}", was read as "{other}"'


def _of_other_length(body: str, alphabet: str) -> Iterator[tuple[str, str]]:
    for place in range(1, len(body)):
        if body[place] == body[place - 1]:
            yield body[:place] + body[place + 1 :], f"character {place + 1} was there twice"
    for place in range(len(body), -1, -1):
        for other in alphabet:
            added = body[:place] + other + body[place:]
            yield added, f'"{other}" was missing before character {place + 1}'


def _alike(character: str, alphabet: str) -> Iterator[str]:
    found = {each for group in _LOOK_ALIKES if character in group for each in group}
    found.add(character.swapcase())
    yield from sorted(each for each in found - {character} if each in alphabet)

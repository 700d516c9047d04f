"""Identifiers: a type prefix, an underscore and 22 characters of Crockford base32 (110 bits)."""

import re
from enum import StrEnum

from chainteller.domain.randomness import Randomness

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_SUFFIX_LENGTH = 22
_PAIRS = tuple(low + high for high in _ALPHABET for low in _ALPHABET)
"""Two letters for each value of ten bits, lower five bits first."""
_PLAUSIBLE = re.compile(r"[A-Za-z0-9_-]{1,40}", re.ASCII)
ID_FORM = "1 to 40 letters, digits, hyphens or underscores"
"""Of what is ``plausible``."""


class Prefix(StrEnum):
    """Type prefixes: those of the specification (section 2), and our own for other records."""

    TRADING_ACCOUNT = "TDA"
    DEPOSIT_TOKEN = "DPT"  # noqa: S105 - an id prefix, not a password
    QUOTE = "QTE"
    TRANSACTION = "TXN"
    COUNTERPARTY = "CPT"
    CHALLENGE = "CHG"
    CLAIM = "CLM"
    STATEMENT = "STM"
    BLOCKCHAIN_ACCOUNT = "BCA"
    EVENT = "EVT"
    CUSTOMER = "CUS"
    DISPUTE = "DSP"
    DECISION = "DEC"
    AGENT = "AGT"
    NOTE = "NTE"
    REQUEST = "REQ"
    WEBHOOK = "WHK"
    WALLET = "WLT"


def new_id(prefix: Prefix, randomness: Randomness) -> str:
    return id_of(prefix, randomness.bytes(14))


def id_of(prefix: Prefix, found: bytes) -> str:
    """The id whose suffix is made of the first 110 bits."""
    number = int.from_bytes(found[:14], "big") >> 2
    pairs = []
    for _ in range(_SUFFIX_LENGTH // 2):
        pairs.append(_PAIRS[number & 1023])
        number >>= 10
    return f"{prefix}_{''.join(pairs)}"


def plausible(text: str) -> bool:
    """Whether ``text`` has the form of an id; only a look-up decides whether it exists.

    Forty characters are enough for every id and an IBAN, and too few for a private key.
    """
    return _PLAUSIBLE.fullmatch(text) is not None


def short(identifier: str) -> str:
    """Abbreviate an id for lists (``TDA_7Q2M..0H2J``)."""
    prefix, _, suffix = identifier.partition("_")
    return f"{prefix}_{suffix[:4]}..{suffix[-4:]}" if len(suffix) > 12 else identifier

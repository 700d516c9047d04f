"""Recognises a private key, recovery phrase or key file that was pasted by mistake.

Erring towards "secret" costs the customer one more paste; erring the other way could put a key
into a log. Only the kind of secret is ever returned, never a part of it.
"""

import base64
import binascii
import re
from itertools import islice

import base58
from nacl.bindings import crypto_sign_seed_keypair

from chainteller.wallets.recovery_words import is_recovery_phrase, looks_like_recovery_phrase
from chainteller.wallets.secret_patterns import find_pattern

_HEX_KEY = re.compile(r"(?:0[xX])?[0-9a-fA-F]{64}", re.ASCII)
_HEX_KEY_WORD = re.compile(rf"(?<![0-9A-Za-z]){_HEX_KEY.pattern}(?![0-9A-Za-z])", re.ASCII)
_UUID = re.compile(r"[0-9a-f-]{1,36}", re.ASCII)
_BETWEEN_PAIRS = re.compile(r"[\s:,-]+")
_BASE58_WORD = re.compile(r"(?<![0-9A-Za-z])[1-9A-HJ-NP-Za-km-z]{40,44}(?![0-9A-Za-z])", re.ASCII)
_BASE58_RUN = re.compile(r"(?<![0-9A-Za-z])[1-9A-HJ-NP-Za-km-z]{50,90}(?![0-9A-Za-z])", re.ASCII)
_KEY_FILE = re.compile(
    r"""["']?\b(?:ciphertext|cipherparams|kdfparams|mnemonic|seed_?phrase|seed|priv(?:ate)?_?key"""
    r"""|secret_?key|xprv|keystore|recovery_?phrase|signing_?key)["']?\s*[:=]""",
    re.IGNORECASE | re.ASCII,
)
# Short names, which only mean a key when one follows.
_NAMED_KEY = re.compile(
    r"""["']?(?<![A-Za-z0-9])(?:pk|sk|priv|private|secret|wif|key|prv|privkey|d)["']?\s*[:=]\s*["']?"""
    r"""(?:0x)?(?:[0-9a-fA-F]{64}|[1-9A-HJ-NP-Za-km-z]{51,52})(?![0-9A-Za-z])""",
    re.IGNORECASE | re.ASCII,
)
_LABEL = re.compile(
    r"(?:private|secret|recovery|seed|mnemonic|backup)[\s_-]*(?:key|phrase|words?|seed)?\s*(?:is|[:=])",
    re.IGNORECASE | re.ASCII,
)
# Words around a key that was copied from a wallet's own page, and around a transaction's hash.
_ABOUT_KEYS = re.compile(
    r"private[\s_-]*key|secret[\s_-]*(?:key|recovery)|never (?:share|disclose)|my key|seed phrase|"
    r"anyone with (?:your|this)|steal|recovery phrase",
    re.IGNORECASE | re.ASCII,
)
_ABOUT_HASHES = re.compile(
    r"\b(?:tx|txn|txid|tx ?hash|transaction|hash|block|explorer|etherscan|tronscan|mempool)\b|/tx/",
    re.IGNORECASE | re.ASCII,
)
# Lists of octets: bare, in brackets, or as the values of {"0": 1, "1": 2}.
_OCTETS = re.compile(
    r"""(?:(?:"\d{1,2}"\s*:\s*)?\d{1,3}\s*,\s*){31,63}(?:"\d{1,2}"\s*:\s*)?\d{1,3}(?!\d)""",
    re.ASCII,
)
_KEYS = re.compile(r'"\d{1,2}"\s*:', re.ASCII)
_HEX_OF_64 = re.compile(r"(?<![0-9a-fA-F])[0-9a-fA-F]{128}(?![0-9a-fA-F])", re.ASCII)
_BASE64_OF_64 = re.compile(r"[A-Za-z0-9+/_-]{86}(?:==)?", re.ASCII)
_PEM = re.compile(r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY", re.ASCII)
HEX_KEY_KIND, WORDS_KIND = "64 hex digits", "twelve words"
_LONGEST_JOINED = 120


class SecretPasted(ValueError):
    """A secret was pasted where a signature was asked for. Carries its kind only."""

    kind: str

    def __init__(self, kind: str) -> None:
        """Keep the kind, one of those named in `find_secret`."""
        self.kind = kind
        super().__init__("a wallet secret was pasted")


def find_secret(text: str) -> str | None:
    """The kind of secret in a cleaned paste of bounded length, or None.

    `HEX_KEY_KIND` is a key or a transaction's hash, which have the same form, and `WORDS_KIND` may
    be a sentence; every other kind is told by its own form, its checksum, its words or the label
    beside it.
    """
    if _PEM.search(text) or _KEY_FILE.search(text) or _LABEL.search(text):
        return "a private key or recovery phrase, as its label says"
    if _NAMED_KEY.search(text) or (has_hex_key(text) and _ABOUT_KEYS.search(text)):
        return "a private key, as its label says"
    if is_recovery_phrase(text):
        return "a recovery phrase"
    if _is_raw_secret(text.strip()) or _has_base58_pair(text):
        return "a secret key of Solana"
    kind = find_pattern(text)
    if kind is not None:
        return kind
    # A key that was copied in groups, or over several lines.
    joined = _BETWEEN_PAIRS.sub("", text)
    kind = find_pattern(joined) if len(joined) <= _LONGEST_JOINED else None
    if kind is not None:
        return kind
    if looks_like_recovery_phrase(text):
        return WORDS_KIND
    return HEX_KEY_KIND if _HEX_KEY.fullmatch(joined) else None


def find_secret_in_key(text: str) -> str | None:
    """As `find_secret`, of a key or an id that a program made: 64 bare hex digits are a hash."""
    if _UUID.fullmatch(text):
        return None
    kind = find_secret(text)
    is_hash = kind == HEX_KEY_KIND and text.isalnum() and "x" not in text.lower()
    return None if is_hash else kind


def hex_keys(text: str) -> list[bytes]:
    """The words of the text that are 32 bytes of hex, at most six, once each."""
    digits = (match[0].lower().removeprefix("0x") for match in _HEX_KEY_WORD.finditer(text))
    return [bytes.fromhex(each) for each in dict.fromkeys(digits)][:6]


def base58_keys(text: str) -> list[bytes]:
    """The words of the text that are 32 bytes of base58, a seed or an address; as `hex_keys`."""
    words = [match[0] for match in islice(_BASE58_WORD.finditer(text), 6)]
    data = [base58.b58decode(word) for word in dict.fromkeys(words)]
    return [each for each in data if len(each) == 32]


def is_about_a_hash(text: str) -> bool:
    """Whether the words around 64 hex digits speak of a transaction and of no key."""
    return bool(_ABOUT_HASHES.search(text)) and not _ABOUT_KEYS.search(text)


def has_hex_key(text: str) -> bool:
    """Whether one of the words of the text is 32 bytes of hex."""
    return _HEX_KEY_WORD.search(text) is not None


def is_solana_secret_key(data: bytes) -> bool:
    """Whether 64 bytes are a seed followed by its own public key, as wallets export it."""
    return len(data) == 64 and crypto_sign_seed_keypair(data[:32])[0] == data[32:]


def _is_raw_secret(text: str) -> bool:
    """Whether the text spells a Solana secret key, or a 32-byte seed as numbers."""
    lists = [match[0] for match in islice(_OCTETS.finditer(text), 8)]
    if lists:
        return any(map(_is_list_of_key, lists))
    in_hex = _HEX_OF_64.search(text.replace("0x", " "))
    if in_hex:
        return is_solana_secret_key(bytes.fromhex(in_hex.group()))
    if not _BASE64_OF_64.fullmatch(text):
        return False
    try:
        standard = text[:86].replace("-", "+").replace("_", "/")
        return is_solana_secret_key(base64.b64decode(standard + "=="))
    except binascii.Error:
        return False


def _is_list_of_key(text: str) -> bool:
    numbers = [int(n) for n in re.findall(r"\d+", _KEYS.sub("", text), re.ASCII)]
    data = bytes(number for number in numbers if number <= 255)
    return len(data) == 32 or is_solana_secret_key(data)


def _has_base58_pair(text: str) -> bool:
    runs = [match.group() for match in islice(_BASE58_RUN.finditer(text), 8)]
    return any(is_solana_secret_key(base58.b58decode(run)) for run in runs)

"""Recognises a private key, recovery phrase or key file that was pasted by mistake.

Erring towards "secret" costs the customer one more paste; erring the other way could put a key
into a log. Only the kind of secret is ever returned, never a part of it.
"""

import re

import base58
from nacl.bindings import crypto_sign_seed_keypair

_HEX_KEY = re.compile(r"(?:0[xX])?[0-9a-fA-F]{64}", re.ASCII)
_EXTENDED_KEY = re.compile(r"(?<![0-9A-Za-z])[a-zA-Z]prv[1-9A-HJ-NP-Za-km-z]{80,}", re.ASCII)
_BASE58_RUN = re.compile(r"(?<![0-9A-Za-z])[1-9A-HJ-NP-Za-km-z]{50,90}(?![0-9A-Za-z])", re.ASCII)
_KEY_FILE = re.compile(
    r"""["']?(?:ciphertext|cipherparams|kdfparams|mnemonic|seed_?phrase|seed|private_?key|secret_?key"""
    r"""|xprv|keystore)["']?\s*[:=]""",
    re.IGNORECASE | re.ASCII,
)
_LABEL = re.compile(
    r"(?:private|secret|recovery|seed|mnemonic|backup)[\s_-]*(?:key|phrase|words?|seed)?\s*(?:is|[:=])",
    re.IGNORECASE | re.ASCII,
)
_PEM = re.compile(r"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY", re.ASCII)
_WORDS = re.compile(r"(?:\d{1,2}[.):]?\s*)?([A-Za-z]{3,8})[,;.]?", re.ASCII)
_PHRASE_LENGTHS = frozenset({12, 15, 18, 21, 24, 25})


class SecretPasted(ValueError):
    """A secret was pasted where a signature was asked for. Carries its kind only."""

    kind: str

    def __init__(self, kind: str) -> None:
        """Keep the kind, one of those named in `find_secret`."""
        self.kind = kind
        super().__init__("a wallet secret was pasted")


def find_secret(text: str) -> str | None:
    """The kind of secret in a cleaned paste of bounded length, or None.

    Kinds: recovery-words, private-key-hex (a transaction hash has the same shape), wif,
    extended-key, solana-secret-key, key-file.
    """
    if _PEM.search(text) or _KEY_FILE.search(text) or _LABEL.search(text):
        return "key-file"
    if _EXTENDED_KEY.search(text):
        return "extended-key"
    if _HEX_KEY.fullmatch(text.strip()):
        return "private-key-hex"
    if is_recovery_phrase(text):
        return "recovery-words"
    return _base58_secret(text)


def has_hex_key(text: str) -> bool:
    """Whether one of the words of the text is 32 bytes of hex."""
    return any(_HEX_KEY.fullmatch(word.strip("\"'`,;:.()")) for word in text.split())


def is_recovery_phrase(text: str) -> bool:
    """Whether the text is 12 to 25 short words and nothing else, numbered or not."""
    words = re.sub(r"(\d[.):]?)\s+", r"\1", text).split()
    if len(words) not in _PHRASE_LENGTHS:
        # Words separated by commas, dashes or underscores only.
        words = [word for word in re.split(r"[\s,;_\-]+", text.strip()) if word]
    return len(words) in _PHRASE_LENGTHS and all(_WORDS.fullmatch(word) for word in words)


def is_solana_secret_key(data: bytes) -> bool:
    """Whether 64 bytes are a seed followed by its own public key, as wallets export it."""
    return len(data) == 64 and crypto_sign_seed_keypair(data[:32])[0] == data[32:]


def _base58_secret(text: str) -> str | None:
    for match in list(_BASE58_RUN.finditer(text))[:8]:
        run = match.group()
        if len(run) in {51, 52}:
            kind = _wif(run)
        else:
            kind = "solana-secret-key" if is_solana_secret_key(base58.b58decode(run)) else None
        if kind is not None:
            return kind
    return None


def _wif(run: str) -> str | None:
    try:
        payload = base58.b58decode_check(run)
    except ValueError:
        # A typo does not make a private key public property: its shape is enough.
        return "wif" if run[0] in "5KL9c" else None
    return "wif" if payload[0] in {0x80, 0xEF, 0xB0} and len(payload) in {33, 34} else None

"""Recognises a private key, recovery phrase or key file that was pasted by mistake.

Erring towards "secret" costs the customer one more paste; erring the other way could put a key
into a log. Only the kind of secret is ever returned, never a part of it.
"""

import base64
import binascii
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
# Lists of octets: bare, in brackets, or as the values of {"0": 1, "1": 2}.
_OCTETS = re.compile(
    r"""(?:(?:"\d{1,2}"\s*:\s*)?\d{1,3}\s*,\s*){31,63}(?:"\d{1,2}"\s*:\s*)?\d{1,3}(?!\d)""",
    re.ASCII,
)
_KEYS = re.compile(r'"\d{1,2}"\s*:', re.ASCII)
_HEX_OF_64 = re.compile(r"(?<![0-9a-fA-F])[0-9a-fA-F]{128}(?![0-9a-fA-F])", re.ASCII)
_BASE64_OF_64 = re.compile(r"[A-Za-z0-9+/_-]{86}(?:==)?", re.ASCII)
_PEM = re.compile(r"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY", re.ASCII)
_NUMBERING = re.compile(r"\d{1,2}[.):]?", re.ASCII)
_WORD = re.compile(r"(?:\d{1,2}[.):])?[A-Za-z]{3,8}\.?", re.ASCII)
_SHORTEST_PHRASE = 12


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
    return "solana-secret-key" if _is_raw_secret(text.strip()) else _base58_secret(text)


def has_hex_key(text: str) -> bool:
    """Whether one of the words of the text is 32 bytes of hex."""
    return any(_HEX_KEY.fullmatch(word.strip("\"'`,;:.()")) for word in text.split())


def is_recovery_phrase(text: str) -> bool:
    """Whether 12 words of 3 to 8 letters follow each other, numbered, listed or bare.

    Sentences are saved by their short words and their signs.
    """
    run = 0
    for token in re.split(r"[\s,;_\-]+", text):
        if not token or _NUMBERING.fullmatch(token):
            continue
        run = run + 1 if _WORD.fullmatch(token) else 0
        if run == _SHORTEST_PHRASE:
            return True
    return False


def is_solana_secret_key(data: bytes) -> bool:
    """Whether 64 bytes are a seed followed by its own public key, as wallets export it."""
    return len(data) == 64 and crypto_sign_seed_keypair(data[:32])[0] == data[32:]


def _is_raw_secret(text: str) -> bool:
    """Whether the text spells a Solana secret key, or a 32-byte seed as numbers."""
    octets = _OCTETS.search(text)
    if octets:
        numbers = [int(n) for n in re.findall(r"\d+", _KEYS.sub("", octets.group()), re.ASCII)]
        data = bytes(number for number in numbers if number <= 255)
        return len(data) == 32 or is_solana_secret_key(data)
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

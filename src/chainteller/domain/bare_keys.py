"""Keys without anything around them: asked alone by what reads addresses and signatures."""

import re

from chainteller.domain.pasting import with_whole_signatures, without_soft_breaks

BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
HEX_KEY = re.compile(
    r"(?:0[xX])?(?:(?:00|[eE][dD])?[0-9a-fA-F]{62,65}|(?!0[23])[0-9a-fA-F]{64}01)", re.ASCII
)
"""The XRP Ledger has 00 or ED before its keys, and Bitcoin's wallets 01 after them; a public key
begins with 02 or 03."""
HEX_KEY_WORD = re.compile(
    rf"(?:(?<![0-9A-Za-z])|(?<=[g-zG-Z_])){HEX_KEY.pattern}(?![0-9a-fA-F])", re.ASCII
)
"""Perhaps with what is glued to it, such as the sign of its base."""
_LEAST_OF_TEXT = 8
"""Different signs of a text of 31; a key that somebody typed may repeat a few."""


def has_hex_key(text: str) -> bool:
    """Whether one of the words of the text is 32 bytes of hex, as near as people copy them."""
    views = (with_whole_signatures(text), without_soft_breaks(text))
    return any(HEX_KEY_WORD.search(each) for each in views)


def is_solana_secret_key(data: bytes) -> bool:
    """Whether 64 bytes are a seed followed by its own public key, as wallets export it."""
    if len(data) != 64:
        return False
    from nacl.bindings import crypto_sign_seed_keypair  # noqa: PLC0415 - for these alone

    return bool(crypto_sign_seed_keypair(data[:32])[0] == data[32:])


def spells_text(data: bytes) -> bool:
    """Whether octets are printable ASCII, which those of a key never are by chance."""
    is_varied = len({*data}) >= _LEAST_OF_TEXT
    return is_varied and data.isascii() and data.decode().isprintable()


def base58(text: str, alphabet: str = BASE58) -> bytes:
    """The bytes of a text of base58; empty where it is none."""
    number = 0
    for sign in text:
        digit = alphabet.find(sign)
        if digit < 0:
            return b""
        number = number * 58 + digit
    zeros = len(text) - len(text.lstrip(alphabet[0]))
    return bytes(zeros) + number.to_bytes((number.bit_length() + 7) // 8, "big")

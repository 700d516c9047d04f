"""Kinds of secrets that may be something else, and what decides."""

from enum import StrEnum

HEX_KEY_KIND = "a private key or a transaction's hash, which look alike"
WORDS_KIND = "twelve words in a row, which may be a recovery phrase"


class Digits(StrEnum):
    """What 64 hex digits are at an entrance: a private key and a hash look alike."""

    KEY = "key"
    """A key, unless the words around them speak of a transaction, a block or a hash."""
    HASH = "hash"
    """A hash, which is looked for, unless the words around them speak of a key."""
    DIGEST = "digest"
    """A hash that a program made its key, where they are without 0x."""
    SIGNATURE = "signature"
    """A key or a hash where they are all of the text, and a part of a signature elsewhere."""

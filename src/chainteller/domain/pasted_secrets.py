"""The one place that recognises private keys, recovery phrases and key files in a text.

Whatever people paste or pass comes here before it is kept, logged, shown or sent
(docs/explanation/wallet_policy.md lists the entrances). Erring towards "secret" costs one more
paste; erring the other way could put a key into a log. Only the kind of secret is ever returned,
never a part of it.
"""

import re
import unicodedata
from enum import StrEnum

from chainteller.domain.pasting import MAX_PASTE, unquoted, without_invisibles

HEX_KEY_KIND = "a private key or a transaction's hash, which look alike"
WORDS_KIND = "twelve words in a row, which may be a recovery phrase"
_SHORTEST = 12
"""Characters of twelve words in Chinese."""
_SHORTEST_OF_LATIN = 20
_HARMLESS = re.compile(
    r"[A-Z]{3}_[0-9A-Z]{22}|(?:0x)?[0-9a-f-]{1,40}|0x[0-9a-fA-F]{40}|[a-z]{1,20}(?:-[a-z]{1,20}){0,3}",
    re.ASCII,
)
"""Ids, random keys of requests, addresses and names of markets: most of what is passed."""


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


def find_secret(text: str, digits: Digits = Digits.KEY) -> str | None:
    """The kind of secret in a text of any length, or None.

    `HEX_KEY_KIND` is a key or a hash, and `WORDS_KIND` may be a sentence; every other kind is told
    by its own form, its checksum, its words or the label beside it.
    """
    shortest = _SHORTEST_OF_LATIN if text.isascii() else _SHORTEST
    if len(text) < shortest or _HARMLESS.fullmatch(text):
        return None
    from chainteller.domain.secret_search import search  # noqa: PLC0415 - most texts are short

    for start in range(0, len(text), MAX_PASTE // 2):
        kind = search(_cleaned(text[start : start + MAX_PASTE]), digits)
        if kind is not None:
            return kind
    return None


def _cleaned(text: str) -> str:
    visible = unquoted(without_invisibles(text))
    return visible if visible.isascii() else unicodedata.normalize("NFKC", visible)

"""The one place that recognises private keys, recovery phrases and key files in a text.

Whatever people paste or pass comes here before it is kept, logged, shown or sent
(docs/explanation/wallet_policy.md lists the entrances). Erring towards "secret" costs one more
paste; erring the other way could put a key into a log. Only the kind of secret is ever returned,
never a part of it.
"""

import re
import unicodedata

from chainteller.domain.pasting import (
    MAX_PASTE,
    unquoted,
    with_whole_signatures,
    without_invisibles,
)
from chainteller.domain.secret_kinds import HEX_KEY_KIND, WORDS_KIND, Digits

__all__ = ["HEX_KEY_KIND", "WORDS_KIND", "Digits", "find_secret"]

_SHORTEST = 12
"""Characters of twelve words in Chinese."""
_SHORTEST_OF_LATIN = 20
_HARMLESS = re.compile(
    r"[A-Z]{3}_[0-9A-Z]{22}|(?:0x)?[0-9a-f-]{1,40}(?:\.[a-z]{1,10})?|0x[0-9a-fA-F]{40}"
    r"|[a-z]{1,20}(?:-[a-z]{1,20}){0,3}",
    re.ASCII,
)
"""Ids, random keys of requests and of a command's steps, addresses and names of markets: most of
what is passed."""
_IDS = re.compile(r"(?<!\S)[A-Z]{3}_[0-9A-Z]{22}(?!\S)", re.ASCII)
_PART = r"(?:-{0,2}[A-Za-z']{1,13}[.,?!]?|[0-9][0-9.,:/-]{0,12})"
_SHORT_SENTENCE = re.compile(rf" *{_PART}(?:(?: {{1,3}}|-){_PART}){{0,9}} *", re.ASCII)
_LEAST_DIGITS = 12
_LEAST_LETTERS = 48
"""Fewer words than a phrase has, no word with digits in it, and fewer letters than twelve words
have where some of the spaces are lost, are the usual search.
"""
_PHRASE_SIGNS = re.compile("[\ufdfa\ufdfb]")
"""Signs of Arabic that NFKC makes sentences of: a page of them takes seconds to search."""


def find_secret(text: str, digits: Digits = Digits.KEY) -> str | None:
    """The kind of secret in a text of any length, or None.

    `HEX_KEY_KIND` is a key or a hash, and `WORDS_KIND` may be a sentence; every other kind is told
    by its own form, its checksum, its words or the label beside it.
    """
    shortest = _SHORTEST_OF_LATIN if text.isascii() else _SHORTEST
    if len(text) < shortest or _HARMLESS.fullmatch(text) or _is_short_sentence(text):
        return None
    from chainteller.domain.secret_search import search  # noqa: PLC0415 - most texts are short

    for start in range(0, len(text), MAX_PASTE // 2):
        kind = search(_cleaned(text[start : start + MAX_PASTE]), digits)
        if kind is not None:
            return kind
    return None


def _is_short_sentence(text: str) -> bool:
    """Of a few words, numbers and ids, such as a command's line or what is searched for."""
    text = _IDS.sub("", text)
    few = sum(map(str.isdigit, text)) < _LEAST_DIGITS
    short = sum(map(str.isalpha, text)) < _LEAST_LETTERS
    return few and short and _SHORT_SENTENCE.fullmatch(text) is not None


def _cleaned(text: str) -> str:
    visible = with_whole_signatures(unquoted(without_invisibles(text)))
    if visible.isascii():
        return visible
    return unicodedata.normalize("NFKC", _PHRASE_SIGNS.sub(" ", visible))

"""Suggestions for misspelt names."""

from collections.abc import Iterable

_LEAST = 0.7
"""Minimum similarity: one wrong or missing letter in a short word, two in a long one. A bad
suggestion is worse than none."""
_LEAST_PART = 0.6


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word most similar to ``word``, or an empty string.

    For dotted names each part must be similar: the same section alone isn't enough.
    """
    from difflib import SequenceMatcher  # noqa: PLC0415 - needed for error messages only

    def likeness(one: str, other: str) -> float:
        return SequenceMatcher(None, one, other).ratio()

    best, found = _LEAST, ""
    for name in known:
        parts = list(zip(word.split("."), name.split("."), strict=False))
        score = likeness(word.casefold(), name.casefold())
        alike = all(likeness(one, other) >= _LEAST_PART for one, other in parts)
        if score >= best and alike and score > (best if found else 0):
            best, found = score, name
    return found

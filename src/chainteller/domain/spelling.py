"""What a misspelt name was probably meant to be."""

from collections.abc import Iterable

_LEAST = 0.7
"""How alike two words must be: a letter missing or wrong in a short word, two in a long one. A
far-fetched guess costs more than none."""
_LEAST_PART = 0.6


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that ``word`` resembles most, or empty.

    In ``section.name`` each part must resemble its own: a shared section is no likeness.
    """
    from difflib import SequenceMatcher  # noqa: PLC0415 - needed for a complaint only

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

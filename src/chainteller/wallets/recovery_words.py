"""Recovery phrases in the ten languages of BIP-39.

A phrase needn't be complete or correct: a run of words of one list, with at most one of twelve
mistyped, is no accident. English words are also recognised by their form, whichever list they are
of (Electrum, Monero, SLIP-39).
"""

import re
import unicodedata
from functools import cache
from importlib.util import find_spec
from pathlib import Path

_OWN = Path(__file__).parent / "wordlists"
_SHORTEST = 12
_MISTYPED = 1
_NUMBERING = re.compile(r"\d{1,2}[.):]?", re.ASCII)
_WORD = re.compile(r"(?:\d{1,2}[.):])?[A-Za-z]{3,8}\.?", re.ASCII)
_IDEOGRAPH = re.compile("[\u4e00-\u9fff]")
_SEPARATORS = re.compile(r"[\s,;_\-\u3000\u3001/|\"'\[\]{}<>()=]+")


def is_recovery_phrase(text: str) -> bool:
    """Whether the text holds a run of twelve recovery words, numbered, listed or bare."""
    tokens = [token for token in _SEPARATORS.split(text) if token and not _is_number(token)]
    if len(tokens) >= _SHORTEST and _has_run_of_words(tokens):
        return True
    ideographs = _IDEOGRAPH.findall(text)
    if len(ideographs) >= _SHORTEST:
        return _in_one_list(ideographs)
    return len(tokens) >= _SHORTEST and _in_one_list([_normal(token) for token in tokens])


def _is_number(token: str) -> bool:
    return _NUMBERING.fullmatch(token) is not None


def _has_run_of_words(tokens: list[str]) -> bool:
    """Sentences are saved by their short words and their signs."""
    run = 0
    for token in tokens:
        run = run + 1 if _WORD.fullmatch(token) else 0
        if run == _SHORTEST:
            return True
    return False


def _normal(token: str) -> str:
    bare = re.sub(r"^\d{1,2}[.):]|[.:!?]$", "", token)
    return unicodedata.normalize("NFKD", bare.lower())


def _in_one_list(words: list[str]) -> bool:
    for known in word_lists():
        hits = [word in known for word in words]
        window = sum(hits[:_SHORTEST])
        for end in range(_SHORTEST, len(hits) + 1):
            if window >= _SHORTEST - _MISTYPED:
                return True
            if end < len(hits):
                window += hits[end] - hits[end - _SHORTEST]
    return False


@cache
def word_lists() -> tuple[frozenset[str], ...]:
    """The lists, in NFKD; loaded when a paste has twelve words."""
    spec = find_spec("eth_account")
    folders = [Path(place) / "hdaccount" / "wordlist" for place in _places(spec)]
    files = [path for folder in (*folders, _OWN) for path in sorted(folder.glob("*.txt"))]
    return tuple(
        frozenset(unicodedata.normalize("NFKD", path.read_text(encoding="utf-8")).split())
        for path in files
    )


def _places(spec: object) -> list[str]:
    return list(getattr(spec, "submodule_search_locations", None) or ())

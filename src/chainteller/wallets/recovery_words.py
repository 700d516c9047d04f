"""Recovery phrases in the ten languages of BIP-39.

A phrase needn't be complete or correct: a run of words of one list, with at most one of twelve
mistyped or missing, is no accident. English words are also recognised by their form, whichever list
they are of (Electrum, Monero, SLIP-39), but prose may have that form.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote_plus

_OWN = Path(__file__).parent / "wordlists"
_SHORTEST = 12
_MISTYPED = _MISSING = 1
# A word that stands so often is no recovery word but something around them.
_REPEATED = 6
# Tables repeat their words.
_DISTINCT = 9
_LETTERS = re.compile(r"[^\W\d_]+")
_NUMBERING = re.compile(r"\d{1,2}[.):]?", re.ASCII)
_WORD = re.compile(r"(?:\d{1,2}[.):])?[A-Za-z]{3,8}\.?", re.ASCII)
# In no list of Electrum, Monero and SLIP-39.
_OF_SENTENCES = frozenset(
    ("the", "and", "for", "our", "his", "her", "its", "are", "was", "were", "had", "has", "not",
     "but", "from", "which", "their", "does")
)  # fmt: skip
_IDEOGRAPH = re.compile("[\u4e00-\u9fff]")
_SEPARATORS = re.compile(r"[\s,;_\-\u3000\u3001/|\"'\[\]{}<>()=]+")


def is_recovery_phrase(text: str) -> bool:
    """Whether the text holds a run of twelve recovery words, numbered, listed or bare."""
    tokens = _tokens(text)
    ideographs = _IDEOGRAPH.findall(text)
    if len(ideographs) >= _SHORTEST - _MISSING:
        return _in_one_list(ideographs)
    if len(tokens) >= _SHORTEST - _MISSING and _in_one_list([_normal(each) for each in tokens]):
        return True
    return any(_in_one_list(words, distinct=_DISTINCT) for words in _bare_words(text))


def looks_like_recovery_phrase(text: str) -> bool:
    """Whether twelve words of 3 to 8 letters follow each other, of whatever list: some prose has
    them too.
    """
    tokens = _tokens(text)
    return len(tokens) >= _SHORTEST and _has_run_of_words(tokens)


def _tokens(text: str) -> list[str]:
    return [token for token in _SEPARATORS.split(text) if token and not _is_number(token)]


def _bare_words(text: str) -> Iterator[list[str]]:
    """The words without whatever signs, numbers and tags stand between them; then also without
    those that stand before each of them, such as a name in a chat.
    """
    composed = unicodedata.normalize("NFC", unquote_plus(text))
    words = [_normal(word) for word in _LETTERS.findall(composed)]
    if len(words) < _SHORTEST - _MISSING:
        return
    yield words
    counts = Counter(words)
    rare = [word for word in words if counts[word] < _REPEATED]
    if len(rare) < len(words):
        yield rare


def _is_number(token: str) -> bool:
    return _NUMBERING.fullmatch(token) is not None


def _has_run_of_words(tokens: list[str]) -> bool:
    """Sentences are saved by their short words and their signs."""
    run = 0
    for token in tokens:
        run = run + 1 if _WORD.fullmatch(token) and token.lower() not in _OF_SENTENCES else 0
        if run == _SHORTEST:
            return True
    return False


def _normal(token: str) -> str:
    bare = re.sub(r"^\d{1,2}[.):]|[.:!?]$", "", token)
    return unicodedata.normalize("NFKD", bare.lower())


def _in_one_list(words: list[str], *, distinct: int = 1) -> bool:
    """Whether a run of the words, with so many distinct ones, is of one list."""
    for known in word_lists():
        hits = [word in known for word in words]
        if sum(hits) < _SHORTEST - _MISTYPED:
            continue
        window = sum(hits[:_SHORTEST])
        for end in range(_SHORTEST, max(len(hits), _SHORTEST) + 1):
            if window >= _SHORTEST - _MISTYPED:
                run = words[end - _SHORTEST : end]
                if len(set(run)) >= distinct:
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

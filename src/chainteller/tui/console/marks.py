"""Which part of a label a typed text matches, so that it can be seen why it was found."""

import re

from rapidfuzz.fuzz import ratio

from chainteller.domain import search_texts
from chainteller.domain.search_texts import LEAST_OF_KEY, folded, key_of

Span = tuple[int, int]
_LEAST_LIKENESS = 60.0
_WORD = re.compile(r"[^\W_]+")


def marked(label: str, typed: str) -> list[Span]:
    """The stretches of a label that a text matches, in order: parts of ids as they are written
    there, beginnings of words, and words that are nearly the same.
    """
    wanted = search_texts.read(typed)
    spans = [
        span
        for ends in (*wanted.ids, *wanted.ends)
        for part in (ends.begin, ends.end)
        for span in _written(label, key_of(part))
    ]
    spans += [span for key in wanted.keys for span in _written(label, key)]
    words = [(match.group(), match.start()) for match in _WORD.finditer(label)]
    for token in dict.fromkeys(search_texts.words_of(typed)):
        spans += _in_words(words, token)
    return _joined(spans)


def _written(label: str, key: str) -> list[Span]:
    """Where an id stands, whatever stands between its letters."""
    if len(key) < LEAST_OF_KEY:
        return []
    pattern = r"[\W_]?".join(map(re.escape, key))
    return [match.span() for match in re.finditer(pattern, label, re.IGNORECASE)][:1]


def _in_words(words: list[tuple[str, int]], token: str) -> list[Span]:
    forms = folded(token)
    begun = [
        (start, start + (len(token) if len(folded(word)[0]) == len(word) else len(word)))
        for word, start in words
        if any(each.startswith(form) for each in folded(word) for form in forms)
    ]
    if begun or len(token) < LEAST_OF_KEY:
        return begun
    likely = [(ratio(forms[0], folded(word)[0]), word, start) for word, start in words]
    best = max(likely, default=(0.0, "", 0))
    return [(best[2], best[2] + len(best[1]))] if best[0] >= _LEAST_LIKENESS else []


def _joined(spans: list[Span]) -> list[Span]:
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found

"""The distinct words of a bank's names, kept in memory to find those that were meant.

There are far fewer of them than names. A letter mask of each word leaves only a few for the
comparison letter by letter.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import chain
from typing import NamedTuple

MOST_EDITS = 2
_END = "$"
_SHORT = 3
"""Letters of a word in which no more than one edit is forgiven."""
_MOST_MATCHES = 200
"""Words that are taken for one that was typed."""
EXACT, PREFIX, INSIDE = 1.0, 0.9, 0.74
_LONGER_PREFIX = 0.08
_ONE_EDIT, _EDIT, _EDIT_OF_FEW = 0.84, 0.16, 0.24
_FEW_LETTERS = 5
"""Letters of a word of which two wrong ones leave little."""
_SAME_LETTER, _LONGER, _MOST_LONGER = 0.02, 0.006, 0.06
_ALMOST_PREFIX, _LONGER_ALMOST, _MOST_ALMOST = 0.7, 0.03, 0.79
_DOUBLED = 0.01
"""What a letter costs that is written once or twice by mistake: Meri, Merriweather."""
_SHORT_NAME = 0.1
"""What an edit costs more in a name of few letters, of which it leaves little."""


class Match(NamedTuple):
    """A word that may have been meant, and how likely it is, up to 1."""

    word: str
    likeness: float


def _squeezed(word: str) -> str:
    """A word with each doubled letter once."""
    return "".join(sign for at, sign in enumerate(word) if word[at - 1 : at] != sign)


def _mask(word: str) -> int:
    return reduce(lambda bits, sign: bits | 1 << (ord(sign) % 61), word, 0)


class Vocabulary:
    """Folded words, sorted."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words = sorted(words)
        self._set = frozenset(self.words)
        self._text = "\n".join(["", *self.words, ""])
        self._masked: dict[tuple[int, str], list[tuple[int, str]]] = defaultdict(list)
        for word in self.words:
            masked = (_mask(word), word)
            for place in (word[0], f"{_END}{word[-1]}", ""):
                self._masked[len(word), place].append(masked)
        self._beginnings: dict[tuple[str, int], list[str]] = {}
        self._squeezed = sorted((_squeezed(word), word) for word in self.words)

    def __contains__(self, word: str) -> bool:
        return word in self._set

    def beginning_with(self, prefix: str) -> Iterator[str]:
        """Words that begin with a text."""
        at = bisect_left(self.words, prefix)
        while at < len(self.words) and self.words[at].startswith(prefix):
            yield self.words[at]
            at += 1

    def beginning_but_for_doubled_letters(self, prefix: str) -> Iterator[str]:
        """Words that begin with a text, whether letters are doubled or not."""
        squeezed = _squeezed(prefix)
        at = bisect_left(self._squeezed, (squeezed, ""))
        while at < len(self._squeezed) and self._squeezed[at][0].startswith(squeezed):
            yield self._squeezed[at][1]
            at += 1

    def with_inside(self, part: str) -> Iterator[str]:
        """Words that have a text in them."""
        at = self._text.find(part)
        while at >= 0:
            begin = self._text.rfind("\n", 0, at) + 1
            end = self._text.find("\n", at)
            yield self._text[begin:end]
            at = self._text.find(part, end)

    def within(self, word: str, edits: int) -> list[tuple[str, int]]:
        """Words that become ``word`` by at most ``edits`` edits, with their number: a letter that
        is missing, wrong or too many, or two that are swapped."""
        found = self._near(word, edits, (word[0], f"{_END}{word[-1]}"))
        return found or self._near(word, edits, ("",))

    def _near(self, word: str, edits: int, places: tuple[str, ...]) -> list[tuple[str, int]]:
        """As ``within``, among words that share a letter in one of these places: both the first
        and the last one are seldom wrong."""
        from rapidfuzz import process  # noqa: PLC0415 - only searches need it
        from rapidfuzz.distance import OSA  # noqa: PLC0415 - as above

        mask, most = _mask(word), 2 * edits
        near = {
            known
            for length in range(len(word) - edits, len(word) + edits + 1)
            for place in places
            for bits, known in self._masked.get((length, place), ())
            if (bits ^ mask).bit_count() <= most
        }
        choices = sorted(near)
        found = process.extract(word, choices, scorer=OSA.distance, score_cutoff=edits, limit=None)
        return [(known, int(distance)) for known, distance, _ in found]

    def almost_beginning_with(self, prefix: str) -> Iterator[str]:
        """Words whose beginning is a text but for one edit, and that share its first letter."""
        from rapidfuzz import process  # noqa: PLC0415 - as above
        from rapidfuzz.distance import OSA  # noqa: PLC0415 - as above

        for length in range(len(prefix) - 1, len(prefix) + 2):
            begun = self._begun(prefix[0], length)
            found = process.extract(
                prefix, begun, scorer=OSA.distance, score_cutoff=1, limit=_MOST_MATCHES
            )
            for beginning, _, _ in found:
                yield from self.beginning_with(beginning)

    def _begun(self, letter: str, length: int) -> list[str]:
        known = self._beginnings.get((letter, length))
        if known is None:
            cut = (word[:length] for word in self.beginning_with(letter) if len(word) > length)
            known = self._beginnings[letter, length] = list(dict.fromkeys(cut))
        return known

    def matches(self, words: Iterable[str], *, forgiving: bool) -> list[Match]:
        """Words that each of some spellings may mean, the likeliest first.

        Args:
            words: spellings of one word, folded.
            forgiving: whether misspelt words are found, too.
        """
        found: dict[str, float] = {}
        for spelt in words:
            likely = [self._as_typed(spelt)]
            if forgiving and len(spelt) >= _SHORT:
                likely.append(self._misspelt(spelt))
            for word, likeness in chain.from_iterable(likely):
                found[word] = max(found.get(word, 0.0), likeness)
        best = sorted(found.items(), key=lambda each: (-each[1], each[0]))
        return [Match(*each) for each in best[:_MOST_MATCHES]]

    def _as_typed(self, spelt: str) -> Iterator[Match]:
        """Words that are, begin with or have in them what was typed."""
        if spelt in self:
            yield Match(spelt, EXACT)
        for word in self.beginning_with(spelt):
            if word != spelt:
                yield Match(word, PREFIX + _LONGER_PREFIX * len(spelt) / len(word))
        if len(spelt) > _SHORT:
            for word in self.beginning_but_for_doubled_letters(spelt):
                share = min(1.0, len(spelt) / len(word))
                yield Match(word, PREFIX + _LONGER_PREFIX * share - _DOUBLED)
        if len(spelt) >= _SHORT:
            for word in self.with_inside(spelt):
                yield Match(word, INSIDE)

    def _misspelt(self, spelt: str) -> Iterator[Match]:
        """Words that are or begin with what was meant; the first letter is seldom wrong, and an
        edit matters less in a long word."""
        for word, count in self.within(spelt, 1 if len(spelt) == _SHORT else MOST_EDITS):
            if count:
                same = _SAME_LETTER if word[0] == spelt[0] else 0.0
                longer = min(_MOST_LONGER, _LONGER * len(word))
                less = _EDIT if len(spelt) > _FEW_LETTERS else _EDIT_OF_FEW
                short = _SHORT_NAME if len(word) <= _SHORT else 0.0
                yield Match(word, _ONE_EDIT - less * (count - 1) + same + longer - short)
        if len(spelt) > _SHORT:
            for word in self.almost_beginning_with(spelt):
                more = _LONGER_ALMOST * (len(spelt) - _SHORT - 1)
                yield Match(word, min(_MOST_ALMOST, _ALMOST_PREFIX + more))

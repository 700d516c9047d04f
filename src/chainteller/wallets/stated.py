"""The texts that a paste may say were signed, the likeliest first.

What was signed is some part of the paste: as it is, or as programs show it, without the signs of a
quotation, from a page's source or a mail's, with the line breaks that were added or doubled. Where
it begins and ends is found by an alignment with the text that was asked for: the place that is most
like it, and the places near its ends where a part can begin or end. What is farther costs more.
"""

import html
import quopri
import re
from collections.abc import Iterable, Iterator
from heapq import nsmallest
from itertools import product

_SHORTEST, _LONGEST, _LONGEST_VIEW = 8, 4000, 6000
_OF_LINE, _MOST_LINES = 20.0, 40
_MOST_PLACES, _MOST_OF_VIEW = 12, 200
_OTHER_VIEW = 3
"""How many times as much a part costs in another view than the paste as it is."""
_QUOTE_SIGN = re.compile(r"^[>|] ?", re.MULTILINE)
_BREAK, _TAG = re.compile(r"<br[^<>]{0,9}>\n?", re.IGNORECASE), re.compile(r"</?[a-z][^<>]{0,200}>")
_ONE_BREAK = re.compile(r"(?<!\n)\n(?!\n)")
# Where a part begins and ends, by kinds: with a line, with the breaks around it, between words, at
# labels, quotation marks and brackets.
_BREAKS, _GAPS = re.compile(r"\s*\n\s*"), re.compile(r" +")
_STARTS = (
    re.compile(r"^[^\S\n]*(?=\S)", re.MULTILINE), _BREAKS, _GAPS,
    re.compile(r"(?<=[\t:=>|(\[{`*_~\"'\u2018\u201c\u201e\u00ab<])[^\S\n]*"),
)  # fmt: skip
_ENDS = (
    re.compile(r"(?<=\S)[^\S\n]*$", re.MULTILINE), _BREAKS, _GAPS,
    re.compile(r"[^\S\n]*(?=[\t<|)\]}`*_~\"'\u2019\u201c\u201d\u00bb>])"),
)  # fmt: skip


def stated_texts(paste: str, ours: str) -> list[str]:
    """Parts of the paste, each once; none where it is longer than anybody needs to say it."""
    found: dict[str, float] = {}
    for number, view in enumerate(dict.fromkeys(_views(paste))):
        for cost, text in _parts(view, ours) if len(view) <= _LONGEST_VIEW else ():
            found.setdefault(text, cost * (_OTHER_VIEW if number else 1))
    for line in _lines(paste.replace("\r\n", "\n")):
        if _SHORTEST <= len(line) <= _LONGEST:
            found.setdefault(line, _OF_LINE)
    return sorted(found, key=found.__getitem__)


def _views(paste: str) -> Iterator[str]:
    """The paste as it is, and as what programs have made it of."""
    text = paste.replace("\r\n", "\n")
    page = html.unescape(_TAG.sub("", _BREAK.sub("\n", text)))
    mail = text
    if "=\n" in text or "=3D" in text or "=20" in text:
        mail = quopri.decodestring(text.encode("utf-8", "replace")).decode("utf-8", "replace")
    yield from (text, _QUOTE_SIGN.sub("", text), page, mail)
    yield from (_ONE_BREAK.sub(" ", text), text.replace("\n\n", "\n"))


def _lines(paste: str) -> Iterator[str]:
    """Lines and paragraphs, and what stands after a label, wherever they are: some wallets show the
    bytes of a text, which are like no text."""
    for line in (*paste.split("\n")[:_MOST_LINES], *paste.split("\n\n")[:_MOST_LINES]):
        yield from (line.strip(), line.partition(":")[2].strip())


def _parts(view: str, ours: str) -> Iterator[tuple[float, str]]:
    """The parts of a view, with their costs."""
    from rapidfuzz.fuzz import partial_ratio_alignment  # noqa: PLC0415 - only diagnoses need it

    place = partial_ratio_alignment(_folded(ours), _folded(view))
    if place is None or place.dest_end - place.dest_start < _SHORTEST:
        return
    starts, ends = _near(place.dest_start, _STARTS, view), _near(place.dest_end, _ENDS, view)
    pairs = sorted((a * b, start, end) for (start, a), (end, b) in product(starts, ends))
    for cost, start, end in pairs[:_MOST_OF_VIEW]:
        if _SHORTEST <= end - start <= _LONGEST:
            yield cost, view[start:end]


def _folded(text: str) -> str:
    """In small letters, with as many characters."""
    lower = text.lower()
    return lower if len(lower) == len(text) else text


def _near(at: int, kinds: Iterable[re.Pattern[str]], view: str) -> list[tuple[int, int]]:
    """The places nearest to one, each with its rank among those of its kind."""
    found: dict[int, int] = {}
    for kind in kinds:
        places = {place for each in kind.finditer(view) for place in each.span()}
        near = nsmallest(_MOST_PLACES, places, key=lambda place: abs(place - at))
        for rank, place in enumerate(near, 1):
            found[place] = min(rank, found.get(place, rank))
    return list(found.items())

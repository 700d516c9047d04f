"""The texts that a paste may say were signed, each with its cost, the likeliest first.

What was signed is some part of the paste: as it is, or as programs show it, without the signs of a
quotation, from a page's source or a mail's, with the line breaks that were added or doubled. Where
it begins and ends is found by an alignment with the text that was asked for: the place that is most
like it, and the places near its ends, or near the ends of all that isn't the signature, where parts
begin and end. What is farther costs more: the cost is minus the logarithm of how likely it is.
"""

import html
import math
import quopri
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from operator import itemgetter

_SHORTEST, _LONGEST, _LONGEST_VIEW = 8, 1500, 6000
_OF_LINE, _MOST_LINES = math.log(20), 40
_MOST_PLACES, _MOST_OF_VIEW = 12, 200
_OTHER_VIEW = 1.5
"""What a part costs more in another view than the paste as it is."""
_LEAST_ALIKE = 35
"""Percent that a place has to be like our text."""
_SIGNATURE = re.compile(
    r"[0-9A-Za-z+/=]{64,}|(?<!\d)(?<!,)(?<!, )(?:\d{1,3},\s{0,2}){62,64}\d{1,3}(?![\d,])", re.ASCII
)
_ALIKE = 8
"""Characters of our text that no signature holds."""
_IN_HEX = re.compile(
    r"(?:0x)?(?:(?:[2-7][0-9a-f]|0[9ad])+|(?!304|[0-9a-f]{128}(?:..)?\Z)(?:[0-9a-f]{2})+)",
    re.ASCII | re.IGNORECASE,
)
"""Of a text, or of bytes that have no signature's form."""
_QUOTE_SIGN = re.compile(r"^[>|] ?", re.MULTILINE)
_BREAK, _TAG = re.compile(r"<br[^<>]{0,9}>\n?", re.IGNORECASE), re.compile(r"</?[a-z][^<>]{0,200}>")
_ONE_BREAK = re.compile(r"(?<!\n)\n(?!\n)")
# A run of blanks is tried once, from its beginning.
_BREAKS, _GAPS = re.compile(r"(?<!\s)\s*\n\s*"), re.compile(r" +")
# Where a part begins and ends, by kinds with their costs: with a line, with the breaks around it,
# between words, at labels, quotation marks and brackets. What is farther costs more.
_STARTS = (
    (0.0, re.compile(r"^[^\S\n]*(?=\S)", re.MULTILINE)), (1.0, _BREAKS), (2.5, _GAPS),
    (0.3, re.compile(r"(?<=: )|(?<=:\n)")),
    (0.5, re.compile(r"(?<=[\t:=>|(\[{`*_~\"'\u2018\u201c\u201e\u00ab<])[^\S\n]*")),
)  # fmt: skip
_ENDS = (
    (0.0, re.compile(r"(?<=\S)[^\S\n]*$", re.MULTILINE)), (1.0, _BREAKS), (2.5, _GAPS),
    (0.5, re.compile(r"(?<![^\S\n])[^\S\n]*(?=[\t<|)\]}`*_~\"'\u2019\u201c\u201d\u00bb>])")),
)  # fmt: skip
_PAIRS = (
    ('"', '"'), ("'", "'"), ("`", "`"), ("<", ">"), ("\u00ab", "\u00bb"),
    ("\u201c", "\u201d"), ("\u201e", "\u201c"), ("\u2018", "\u2019"),
)  # fmt: skip
_OUTERMOST, _DISTANCE, _PAIRED, _CUT = 0.7, 2.0, 0.3, 3.5
# What a blank was that stands for lost white space: beside our text or where it has none, before
# labels, and elsewhere.
_BESIDE = (
    (0.7, " "), (0.7, "\n\n"), (1.1, "\n"), (2.0, "\t"), (2.0, "\u00a0"), (2.5, "\u202f"),
)  # fmt: skip
_LABELLED, _ELSEWHERE = ((0.7, " "), (0.7, "\n")), ((0.1, " "), (2.0, "\n"))
_MARK = re.compile(r"[^\w\s]|\d{1,2}")
_LABEL = re.compile(r" [A-Z]\w*(?: [A-Z]\w*){0,2}:(?= )")
_MOST_NEAR, _CONTEXT, _FEW = 2, 3, 3


def stated_texts(paste: str, ours: str) -> list[tuple[float, str]]:
    """Parts of the paste, each once; none where it is longer than anybody needs to say it."""
    found: dict[str, float] = {}
    views = [each for each in dict.fromkeys(_views(paste)) if len(each) <= _LONGEST_VIEW]
    ranked = sorted((_parts(each, ours) for each in views), key=itemgetter(0), reverse=True)
    for number, (_, parts) in enumerate(ranked):
        for cost, text in parts:
            farther = cost + (_OTHER_VIEW if number else 0)
            found[text] = min(farther, found.get(text, farther))
    for line in _lines(paste.replace("\r\n", "\n")):
        found_in = _SIGNATURE.search(line)
        is_text = not found_in or _IN_HEX.fullmatch(line) or _is_like(found_in[0], ours)
        if is_text and _SHORTEST <= len(line) <= _LONGEST:
            found.setdefault(line, _OF_LINE)
    return sorted((cost, text) for text, cost in found.items())


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


def _place(ours: str, view: str) -> tuple[float, int, int]:
    """How alike the most similar place of a view is, and where it begins and ends."""
    # Only diagnoses need it.
    from rapidfuzz.distance import Indel  # noqa: PLC0415
    from rapidfuzz.fuzz import partial_ratio_alignment  # noqa: PLC0415

    found = partial_ratio_alignment(_folded(ours), _folded(view), score_cutoff=_LEAST_ALIKE)
    if found is None:
        return 0, 0, 0
    start = found.dest_start
    blocks = Indel.opcodes(_folded(ours), _folded(view[start : found.dest_end]))
    same = [each for each in blocks if each.tag == "equal" and each.src_end - each.src_start > 2]
    if not same:
        return 0, 0, 0
    return found.score, start + same[0].dest_start, start + same[-1].dest_end


def _parts(view: str, ours: str) -> tuple[float, list[tuple[float, str]]]:
    """The parts of a view beside the signature, with their costs, after how alike they are."""
    signatures = [each for each in _SIGNATURE.finditer(view) if not _is_like(each[0], ours)]
    begins = [0, *(each.end() for each in signatures)]
    finishes = [*(each.start() for each in signatures), len(view)]
    pieces = [view[a:b] for a, b in zip(begins, finishes, strict=True)]
    score, start, end, piece = max((*_place(ours, each), each) for each in pieces)
    if not score:
        return 0, []
    breaks = [each.span() for each in _BREAKS.finditer(piece)]
    first, last = len(piece) - len(piece.lstrip()), len(piece.rstrip())
    starts = _near(start, _STARTS, piece, [first, *(after for _, after in breaks)])
    ends = _near(-end, _ENDS, piece, [last, *(before for before, _ in reversed(breaks))])
    quoted = ((piece.rfind(a, 0, start), piece.find(b, end)) for a, b in _PAIRS)
    found = [(_PAIRED, before + 1, after) for before, after in quoted if min(before, after) >= 0]
    found += ((a + b, first, last) for (first, a), (last, b) in product(starts, ends))
    pairs = sorted(each for each in found if _SHORTEST <= each[2] - each[1] <= _LONGEST)
    return score, [(cost, piece[start:end]) for cost, start, end in pairs[:_MOST_OF_VIEW]]


def _is_like(word: str, ours: str) -> bool:
    pieces = (ours[at : at + _ALIKE] for at in range(0, len(ours) - _ALIKE + 1, _ALIKE))
    return any(_folded(each) in _folded(word) for each in pieces)


def _folded(text: str) -> str:
    """In small letters, with as many characters."""
    lower = text.lower()
    return lower if len(lower) == len(text) else text


def _near(
    at: int, kinds: Iterable[tuple[float, re.Pattern[str]]], view: str, outer: Sequence[int]
) -> list[tuple[int, float]]:
    """The places of each kind that are nearest to where our text begins, or ends where it is less
    than 0, and the outermost places, with their costs. Few parts lack a piece of our text.
    """
    end = -at if at < 0 else math.inf
    ranked = [(_OUTERMOST, [each for each in outer if each <= at or each >= end])]
    for cost, kind in kinds:
        places = sorted(
            {place for each in kind.finditer(view) for place in each.span()},
            key=lambda place: abs(place - abs(at)),
        )
        ranked.append((cost, [place for place in places if place <= at or place >= end]))
        ranked.append((cost + _CUT, [place for place in places if at < place < end]))
    found: dict[int, float] = {}
    for cost, near in ranked:
        for rank, place in enumerate(near[:_MOST_PLACES], 1):
            farther = cost + _DISTANCE * math.log(rank)
            found[place] = min(farther, found.get(place, farther))
    return list(found.items())


def with_lost_breaks(shown: str, ours: str) -> Iterator[tuple[float, str]]:
    """The line of text with breaks where a page has shown them as blanks, likeliest first: around
    our text, where it has no blank, before labels, and near it."""
    score, start, end = _place(ours, shown)
    gaps = [found.start() for found in re.finditer(" ", shown)] if score else []
    before, after = [at for at in gaps if at <= start], [at for at in gaps if at >= end - 1]
    labels = [
        at.start() for at in _LABEL.finditer(shown) if at.start() in {*before[:-1], *after[1:]}
    ]
    while len(before) > 1 and _MARK.fullmatch(shown[before[-2] + 1 : before[-1]]):
        before.pop()
    # What is on both sides of a blank of ours is in our text.
    within = [
        at
        for at, word in zip(gaps, shown.split(" "), strict=False)
        if start < at < end - 1
        and shown[max(at - _CONTEXT, 0) : at + _CONTEXT + 1] not in ours
        and not _MARK.fullmatch(word)
    ]
    kinds: list[tuple[list[int], tuple[tuple[float, str], ...]]] = [(labels, _LABELLED)]
    places_beside = [each for each in (before[-1:], after[:1], within) if each]
    kinds += [(each, _BESIDE[: _FEW if len(places_beside) > 2 else None]) for each in places_beside]
    near = (*before[:-1][::-1][:_MOST_NEAR], *after[1:][:_MOST_NEAR])
    kinds += [([at], _ELSEWHERE) for at in near if at not in labels]
    places = [at for at, _ in kinds if at]
    rows = product(*(options for at, options in kinds if at))
    for cost, joints in sorted((sum(c for c, _ in row), [j for _, j in row]) for row in rows):
        made = list(shown)
        for group, joint in zip(places, joints, strict=True):
            for at in group:
                made[at] = joint
        yield cost, "".join(made)

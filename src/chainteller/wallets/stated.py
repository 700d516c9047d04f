"""The texts that a paste may say were signed, each with its cost, the likeliest first.

What was signed is some part of the paste: as it is, or as programs show it, without the signs of a
quotation, from a page's source or a mail's, with the line breaks that were added or doubled. Where
it begins and ends is found by an alignment with the text that was asked for: the place that is most
like it, and the places near its ends, or near the ends of all that isn't the signature, where parts
begin and end. What is farther costs more: the cost is minus the logarithm of how likely it is.
"""

import html
import json
import math
import quopri
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache, lru_cache, partial
from itertools import accumulate, chain, islice, pairwise, product, takewhile

from chainteller.domain.secret_spellings import decoded
from chainteller.wallets.alterations import NEAR, TABLES, Apply, Stage, alterations, usual_length

_SHORTEST, _LONGEST, _LONGEST_VIEW = 8, 1500, 6000
_OF_LINE, _MOST_LINES = math.log(20), 40
_MOST_PLACES, _MOST_OF_VIEW = 12, 200
_OTHER_VIEW = 1.0
"""What a part costs more in another view than the paste as it is."""
_LEAST_ALIKE, _MARGIN, _STRAY = 35, 4, 3
"""Percent that a place has to be like our text, the part of its length to look beside it, and how
many times its length a piece of it is at most away."""
_SIGNATURE = re.compile(
    r"(?:0x)?[0-9a-fA-F]{64,}|[0-9A-Za-z+/=_-]{80,}|"
    r"(?<!\d)(?<!,)(?<!, )(?:\d{1,3},\s{0,2}){62,64}\d{1,3}(?![\d,])",
    re.ASCII,
)
_CODED = re.compile(r"(?:[0-9A-Za-z+/_-]{60,}\n)*[0-9A-Za-z+/_-]{16,}={0,2}", re.ASCII)
_SHORTEST_CODED, _BY_CHANCE = 40, 60
"""Lines in base64, and how alike a place has to be, in percent, that they aren't taken for."""
_ALIKE = 8
"""Characters of our text that no signature holds."""
_IN_HEX = re.compile(
    r"(?:0x)?(?:(?:[2-7][0-9a-f]|0[9ad])+|(?!304|[0-9a-f]{128}(?:..)?\Z)(?:[0-9a-f]{2})+)",
    re.ASCII | re.IGNORECASE,
)
"""Of a text, or of bytes that have no signature's form."""
_QUOTE_SIGN = re.compile(r"^[>|] ?", re.MULTILINE)
_BREAK, _TAG = re.compile(r"<br[^<>]{0,9}>\n?", re.IGNORECASE), re.compile("</?[a-z][^<>]{0,200}>")
_SOURCE = re.compile(rf"{_TAG.pattern}|&(?:[lg]t|amp);")
_ONE_BREAK = re.compile(r"(?<!\n)\n(?!\n)")
_NARROWEST, _WIDEST = 60, 80
_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_LINE, _DIGITS = re.compile(r"\S.*"), re.compile(r"\d+")
_LABEL_LINE = re.compile(r".{0,40}:|-----.*-----|\S{26,}")
# A run of blanks is tried once, from its beginning.
_BREAKS, _GAPS = re.compile(r"(?<!\s)\s*\n\s*"), re.compile(r" +")
_NOUNS = [noun for _, noun in TABLES["nouns"]]
_NOUN = re.compile(rf"^[^\S\n]*(?:{'|'.join(_NOUNS)}):\s", re.MULTILINE | re.IGNORECASE)
_HEADING = re.compile(rf"(?<!\S)(?:{'|'.join(map(str.capitalize, _NOUNS))})\s+")
# Where a part begins and ends, by kinds with their costs: with a line, with the breaks around it,
# between words, behind and before a label, at quotation marks and brackets. Farther costs more.
_STARTS = (
    (0.0, re.compile(r"^[^\S\n]*(?=\S)", re.MULTILINE)), (1.0, _BREAKS), (2.5, _GAPS),
    (0.3, re.compile(r"(?<=: )|(?<=:\n)")), (0.2, _NOUN), (0.7, _HEADING),
    (1.0, re.compile(r"(?<= )(?=[A-Z][\w ]{0,20}: )")),
    (0.5, re.compile(r"(?<=[\t:=>|(\[{`*_~\"'\u2018\u201c\u201e\u00ab<])[^\S\n]*")),
)  # fmt: skip
_ENDS = (
    (0.0, re.compile(r"(?<=\S)[^\S\n]*$", re.MULTILINE)), (1.0, _BREAKS), (2.5, _GAPS),
    (0.3, re.compile(r"(?<!\s)\s*\bsig(?:nature|ned)?\W{0,3}\Z", re.IGNORECASE)),
    (0.5, re.compile(r"(?<![^\S\n])[^\S\n]*(?=[\t<|)\]}`*_~\"'\u2019\u201c\u201d\u00bb>])")),
)  # fmt: skip
_PAIRS = (
    ('"', '"'), ("'", "'"), ("`", "`"), ("<", ">"), ("\u00ab", "\u00bb"),
    ("\u201c", "\u201d"), ("\u201e", "\u201c"), ("\u2018", "\u2019"),
)  # fmt: skip
_OUTERMOST, _DISTANCE, _PAIRED, _CUT, _LABEL_OF_PASTE = 0.7, 2.0, 0.3, 3.5, 1.5
_BEHIND_LABEL = re.compile(r":\s*\Z")
_Joints = tuple[tuple[float, str], ...]
# What a blank was that stands for lost white space: beside our text or where it has none, before
# labels, and elsewhere.
_BESIDE = (
    (0.7, " "), (0.7, "\n\n"), (1.1, "\n"), (2.0, "\t"), (2.0, "\u00a0"), (2.0, "  "),
    (2.5, "\u202f"),
)  # fmt: skip
_LABELLED, _ELSEWHERE = ((0.7, " "), (0.7, "\n")), ((0.1, " "), (2.0, "\n"))
# Several labels are lines, and our text beside them is a paragraph.
_LISTED: _Joints = ((0.1, "\n"), (2.3, " "))
_BEHIND_HEAD: _Joints = ((0.5, " "), (1.3, "\n"), (1.6, "\n\n"))
_BESIDE_LIST: _Joints = ((0.1, "\n\n"), (2.3, "\n"), (2.5, " "))
# What is beside other signs: quotations, fences, numbers of lines and the closing words of a mail
# begin lines, and the dashes before its signature end in a blank (RFC 3676).
_CLOSING = re.compile(rf" (?=(?:{'|'.join(words for _, _, words in TABLES['closings'])})\b)")
_SIGNS: tuple[tuple[re.Pattern[str], _Joints], ...] = (
    (re.compile(" (?=> )"), ((0.5, "\n"), (0.9, "\n\n"), (2.3, " "))),
    (re.compile(r"(?<= ```) |(?<=\A```) | (?=```(?: |\Z))"), ((0.1, "\n"), (2.3, " "))),
    (re.compile(" (?=[2-9] )"), ((0.2, "\n"), (2.3, " "))),
    (_CLOSING, ((0.3, "\n\n"), (1.4, "\n"), (2.3, " "))),
    (re.compile("(?<= --) "), ((0.3, " \n"), (1.4, "\n"), (2.3, " "))),
    # French has a blank before these that nothing breaks at, times before AM and PM, and the first
    # half of one that was read in another character set still shows.
    (
        re.compile(r" (?=[:;?!\u00bb](?: |$))|(?<=\u00ab) "),
        ((0.5, "\u00a0"), (1.4, "\u202f"), (1.6, " ")),
    ),
    (re.compile(r" (?=[AP]M\b)"), ((0.6, " "), (0.8, "\u202f"))),
    (re.compile("(?<=\u00c2) "), ((0.1, "\u00a0"), (2.3, " "))),
)
_MARK, _MARKS = (
    re.compile(r"[^\w\s]|\d{1,2}"),
    " \"'`*_~|()[]<>\u201c\u201d\u201e\u00ab\u00bb\u2018\u2019",
)
_LABEL = re.compile(r" [A-Z]\w*(?: [A-Z]\w*){0,2}:(?= )")
_MOST_NEAR, _CONTEXT = 2, 3
# What it costs that a program laid the text out, and how often a break isn't even seen as a blank.
# What is farther, such as a rare break at a rare width, or in several rare places, isn't tried.
_LAID_OUT, _BREAK_UNSEEN, _FARTHEST, _FARTHEST_BREAKS = -1.5, 0.2, 10.0, 6.0
_UNSEEN = dict.fromkeys(
    (0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A), 0xFEFF)
)
_UNSEEN_CHANGES = frozenset({"INVISIBLE_CHARACTERS", "LINE_BREAKS_ADDED", "SPACES_CHANGED"})


def stated_texts(paste: str, ours: str) -> list[tuple[float, str]]:
    """Parts of the paste, each once; none where it is longer than anybody needs to say it."""
    found: dict[str, float] = {}
    # A program that changes line ends changes all of them.
    is_mixed = paste.count("\r\n") < paste.count("\n")
    for farther, whole in _views(paste if is_mixed else paste.replace("\r\n", "\n"), ours):
        view = _without_request(whole, ours)
        for cost, text in chain(_parts(view, ours), _lines(view, ours)):
            found[text] = min(cost + farther, found.get(text, math.inf))
    return sorted((cost, text) for text, cost in found.items())


def shows_text(paste: str, ours: str) -> bool:
    """Whether something in the paste is like our text, or stands for a text."""
    return len(paste) <= _LONGEST_VIEW and _place_of(ours, paste)[0] >= _BY_CHANCE


def _without_request(view: str, ours: str) -> str:
    """Without our text as it was asked for, where something else is like it: who answers a request
    quotes it, and as it is it wasn't signed."""
    from rapidfuzz.distance import LCSseq  # noqa: PLC0415 - as below

    quoted = r"[>|]\s*" + r"[\s>|]+".join(map(re.escape, ours.split()))
    for request in (re.escape(ours), quoted):
        rest = re.sub(request, "\n", view)
        _, start, end = _place_of(ours, rest) if rest != view else (0, 0, 0)
        other = rest[start:end]
        same = LCSseq.similarity(_folded(ours), _folded(other))
        if same > _MOSTLY * len(ours) or _is_coded(other):
            return rest
    return view


_MOSTLY = 0.75
"""The part of our text that has to be in another one for both to be there."""


def _views(paste: str, ours: str) -> list[tuple[float, str]]:
    """The paste as it is, and as what programs have made it of, with their costs.

    What a program did to the whole paste it also did to the lines that our text isn't in.
    """
    _, start, end = _place(ours, paste)
    beside = paste[: paste.rfind("\n", 0, start) + 1] + paste[end:].partition("\n")[2]
    was_there = [is_seen_in(beside) for is_seen_in, _ in _VIEWS]
    likely = paste
    for is_likely, (_, undone) in zip(was_there, _VIEWS, strict=True):
        likely = undone(likely) if is_likely else likely
    views = dict.fromkeys((paste, _unwrapped(paste, start, end)), _OTHER_VIEW) | {likely: 0.0}
    for _, undone in _VIEWS:
        views.setdefault(undone(likely), _OTHER_VIEW)
    return [(cost, view) for view, cost in views.items() if len(view) <= _LONGEST_VIEW]


def _without_quoted_printable(paste: str) -> str:
    if "=\n" in paste or "=3D" in paste or "=20" in paste:
        return quopri.decodestring(paste.encode("utf-8", "replace")).decode("utf-8", "replace")
    return paste


def _unwrapped(paste: str, start: int, end: int) -> str:
    """Without the breaks of a program that wraps lines: our text between these places has none, so
    those in it show for which words there was no room, else a longest line of a usual width."""
    lines, at = paste.split("\n"), 0
    breaks: list[tuple[int, int]] = []
    for before, line in pairwise(lines):
        at += len(before) + 1
        word = line.partition(" ")[0]
        breaks.append((at, len(before) + len(word) if before and word else 0))
    width = max((len(line) for line in lines if " " in line), default=0)
    least = min(
        (needed for place, needed in breaks if needed and start < place < end),
        default=width if _NARROWEST <= width <= _WIDEST else 0,
    )
    joints = (" " if least and needed >= least else "\n" for _, needed in breaks)
    return "".join(chain.from_iterable(zip(lines, chain(joints, [""]), strict=True)))


def _read_literal(found: re.Match[str]) -> str:
    """What a string of JSON or of a program stands for, in its quotation marks."""
    try:
        return f'"{json.loads(found[0], strict=False)}"'
    except ValueError:
        return found[0]


def _are_all_quoted(lines: str) -> bool:
    return bool(_QUOTE_SIGN.search(lines)) and not _UNQUOTED.search(lines)


def _are_all_doubled(lines: str) -> bool:
    return lines.count("\n\n") > _DOUBLED and not _ONE_BREAK.search(lines)


_UNQUOTED = re.compile(r"^(?![>|])\S", re.MULTILINE)
_SOFT_BREAK = re.compile(r"^.{60,75}=$|=[0-9A-F]{2}", re.MULTILINE | re.ASCII)
_FIELD, _DOUBLED = re.compile(r'^[^\S\n]*"\w+": ', re.MULTILINE), 2
_VIEWS: tuple[tuple[Callable[[str], object], Callable[[str], str]], ...] = (
    (
        lambda lines: "\u00a0" in lines and " " not in lines,
        lambda paste: paste.replace("\u00a0", " "),
    ),
    (_are_all_quoted, partial(_QUOTE_SIGN.sub, "")),
    (_SOURCE.search, lambda paste: html.unescape(_TAG.sub("", _BREAK.sub("\n", paste)))),
    (_SOFT_BREAK.search, _without_quoted_printable),
    (_FIELD.search, partial(_LITERAL.sub, _read_literal)),
    (_are_all_doubled, lambda paste: paste.replace("\n\n", "\n")),
)
"""What programs do to a whole paste: how it shows in its lines, and how it's undone."""


def _lines(view: str, ours: str) -> Iterator[tuple[float, str]]:
    """Lines and paragraphs, and what stands after a label, wherever they are: some wallets show the
    bytes of a text, which are like no text. Where nothing is like ours, one of the lines it is."""
    found = dict[str, None]()
    lines = (*view.split("\n")[:_MOST_LINES], *view.split("\n\n")[:_MOST_LINES])
    behind = (line.partition(":")[2] for line in lines)
    for text in map(str.strip, (*lines, *behind, *_SIGNATURE.findall(view))):
        signature = _SIGNATURE.search(text)
        is_text = not signature or _IN_HEX.fullmatch(text) or _is_text(signature[0], ours)
        if is_text and _SHORTEST <= len(text) <= _LONGEST:
            found[text] = None
    is_like = _place(ours, view)[0] >= _BY_CHANCE
    yield from ((_OF_LINE if is_like else math.log(len(found)), text) for text in found)


@lru_cache(64)
def _place(ours: str, view: str) -> tuple[float, int, int]:
    """How alike the most similar place of a view is, and where it begins and ends."""
    # Only diagnoses need it.
    from rapidfuzz.distance import Indel  # noqa: PLC0415
    from rapidfuzz.fuzz import partial_ratio_alignment  # noqa: PLC0415

    found = partial_ratio_alignment(_folded(ours), _folded(view), score_cutoff=_LEAST_ALIKE)
    if found is None:
        return 0, 0, 0
    # What was put into the text makes it longer than the place found.
    start = max(found.dest_start - len(ours) // _MARGIN, 0)
    stop = found.dest_end + len(ours) // _MARGIN
    while True:
        blocks = Indel.opcodes(_folded(ours), _folded(view[start:stop]))
        same = [at for at in blocks if at.tag == "equal" and at.src_end - at.src_start > 2]
        if not same:
            return 0, 0, 0
        spans = [(start + each.dest_start, start + each.dest_end) for each in same]
        first = last = max(range(len(spans)), key=lambda at: spans[at][1] - spans[at][0])
        while last + 1 < len(spans) and _is_near(spans[last + 1], spans[last]):
            last += 1
        while first and _is_near(spans[first - 1], spans[first]):
            first -= 1
        # Where something far away isn't of our text, what is nearer may be.
        if last + 1 < len(spans):
            stop = spans[last + 1][0]
        elif first:
            start = spans[first - 1][1]
        else:
            return found.score, spans[0][0], spans[-1][1]


def _is_near(span: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether a piece is long enough to belong to the next one."""
    gap = max(span[0] - other[1], other[0] - span[1])
    return _STRAY * (span[1] - span[0]) >= gap


def _parts(view: str, ours: str) -> list[tuple[float, str]]:
    """The parts of a view beside the signature, with their costs."""
    signatures = [each for each in _SIGNATURE.finditer(view) if not _is_text(each[0], ours)]
    begins = [0, *(each.end() for each in signatures)]
    finishes = [*(each.start() for each in signatures), len(view)]
    pieces = [(a, b) for a, b in zip(begins, finishes, strict=True) if a < b]
    score, start, end, a, b = max(
        ((*_place_of(ours, view[a:b]), a, b) for a, b in pieces), default=(0, 0, 0, 0, 0)
    )
    if not score:
        return []
    piece = view[a:b]
    outer = _outermost(view, a, b, start, end)
    starts, ends = _near(start, _STARTS, piece), _near(-end, _ENDS, piece)
    # Where the signature has a label, so has the text.
    line = piece.rfind("\n", 0, start) + 1
    if _BEHIND_LABEL.search(piece) and ": " in piece[line:start]:
        starts = [(at, cost + _LABEL_OF_PASTE * (at == line)) for at, cost in starts]
    quoted = ((piece.rfind(a, 0, start), piece.find(b, end)) for a, b in _PAIRS)
    found = [(_PAIRED, before + 1, after) for before, after in quoted if min(before, after) >= 0]
    for (first, one), (last, other) in product((*starts, *outer[0]), (*ends, *outer[1])):
        found.append((one + other, first, last))
    # What is around the text on both sides goes together.
    for (first, one), (last, other) in product(*outer):
        found.append((_OUTERMOST + (one + other) / 2, first, last))
    pairs = sorted(each for each in found if _SHORTEST <= each[2] - each[1] <= _LONGEST)
    return [(cost, piece[start:end]) for cost, start, end in pairs[:_MOST_OF_VIEW]]


def _place_of(ours: str, piece: str) -> tuple[float, int, int]:
    """As `_place`; where nothing is really like ours, the longest text in hex or base64."""
    found = _place(ours, piece)
    coded = _CODED.finditer(piece) if found[0] < _BY_CHANCE else ()
    runs = (each.span() for each in coded if _is_text(each[0], ours))
    start, end = max(runs, key=lambda run: run[1] - run[0], default=(0, 0))
    return (_BY_CHANCE, start, end) if end - start >= _SHORTEST_CODED else found


def _outermost(
    view: str, begin: int, finish: int, start: int, end: int
) -> tuple[list[tuple[int, float]], list[tuple[int, float]]]:
    """Where all that is beside the signature may begin and end, with its lines but not with the
    labels and heads of messages around it, which cost more."""
    piece, numbers = view[begin:finish], Counter(map(_without_digits, view.split("\n")))
    lines = [each.span() for each in _LINE.finditer(piece)]
    before, behind = (
        [each for each in lines if each[1] <= start],
        [each for each in lines if each[0] >= end],
    )

    def is_label(line: tuple[int, int]) -> bool:
        words = piece[slice(*line)].rstrip()
        is_of_signature = (line[1] == len(piece) and finish < len(view)) or (begin and not line[0])
        is_head = numbers[_without_digits(words)] > 1
        return bool(is_of_signature or is_head or _LABEL_LINE.fullmatch(words))

    at = sum(1 for _ in takewhile(is_label, before))
    firsts = [line[0] for line in (*before[at:], *lines[len(before) :][:1], *before[:at])]
    behind.reverse()
    at = sum(1 for _ in takewhile(is_label, behind))
    ours = lines[: len(lines) - len(behind)][-1:]
    lasts = [line[1] for line in (*behind[at:], *ours, *behind[:at])]
    return _ranked(firsts), _ranked([len(piece[:each].rstrip()) for each in lasts])


def _ranked(places: Iterable[int]) -> list[tuple[int, float]]:
    ranks = enumerate(islice(dict.fromkeys(places), _MOST_PLACES), 1)
    return [(place, _OUTERMOST + _DISTANCE * math.log(rank)) for rank, place in ranks]


def _without_digits(line: str) -> str:
    return _DIGITS.sub("0", line.strip()) if line.strip() else line


def _is_like(word: str, ours: str) -> bool:
    pieces = (ours[at : at + _ALIKE] for at in range(0, len(ours) - _ALIKE + 1, _ALIKE))
    return any(_folded(each) in _folded(word) for each in pieces)


def _is_text(run: str, ours: str) -> bool:
    return _is_like(run, ours) or _is_coded(run)


def _is_coded(run: str) -> bool:
    """Whether it stands for a text in hex or base64, as no signature does."""
    with suppress(UnicodeDecodeError):
        return bool(decoded(run.removeprefix("0x")).decode())
    return False


def _folded(text: str) -> str:
    """In small letters, with as many characters."""
    lower = text.lower()
    return lower if len(lower) == len(text) else text


def _near(
    at: int, kinds: Iterable[tuple[float, re.Pattern[str]]], view: str
) -> list[tuple[int, float]]:
    """The places of each kind that are nearest to where our text begins, or ends where it is less
    than 0, with their costs. Few parts lack a piece of our text.
    """
    end = -at if at < 0 else math.inf
    ranked = list[tuple[float, list[int]]]()
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


def with_lost_breaks(shown: str, ours: str) -> Iterator[tuple[float, tuple[str, str, str]]]:
    """The line of text with breaks where a page has shown them as blanks, likeliest first: around
    our text, before labels, and near it. Each in three pieces, the second of which is our text."""
    score, start, end = _place(ours, shown)
    if not score:
        yield 0, ("", shown, "")
        return
    gaps = [found.start() for found in re.finditer(" ", shown)]
    before, after = [at for at in gaps if at <= start], [at for at in gaps if at >= end - 1]
    labels = [
        [at.start() for at in _LABEL.finditer(shown) if at.start() in side]
        for side in (before[:-1], after[1:])
    ]
    all_labels = {*chain.from_iterable(labels)}
    while len(before) > 1 and _MARK.fullmatch(shown[before[-2] + 1 : before[-1]]):
        before.pop()
    beside, of_head = (_BESIDE, _BEHIND_HEAD) if len(all_labels) < 2 else (_BESIDE_LIST,) * 2
    kinds: list[tuple[list[int], _Joints]] = [
        (places, _LISTED if len(places) > 1 else _LABELLED) for places in labels
    ]
    kinds += [([at], _joints(shown, at, beside)) for at in (*before[-1:], *after[:1])]
    heads = [at for at in before[:-1] if shown[at - 1] == ":" and at not in all_labels]
    near = (*before[:-1][::-1][:_MOST_NEAR], *after[1:][:_MOST_NEAR])
    far = [at for at in near if at not in {*all_labels, *heads[:1]}]
    kinds += [([at], _joints(shown, at, _ELSEWHERE)) for at in far]
    kinds += [([at], of_head) for at in heads[:1]]
    places = [at for at, _ in kinds if at]
    begin, finish = (before[-1] + 1 if before else 0), (after[0] if after else len(shown))
    # Marks around a text are put there when it has been laid out.
    finish = begin + len(shown[begin:finish].rstrip(_MARKS))
    begin = finish - len(shown[begin:finish].lstrip(_MARKS))
    rows: list[tuple[float, tuple[str, ...]]] = [(0, ())]
    for _, options in (each for each in kinds if each[0]):
        rows = [
            (cost + more, (*joints, joint))
            for (cost, joints), (more, joint) in product(rows, options)
            if cost + more < _FARTHEST_BREAKS
        ]
    for cost, joints in sorted(rows):
        made = list(shown)
        for group, joint in zip(places, joints, strict=True):
            for at in group:
                made[at] = joint
        yield cost, ("".join(made[:begin]), shown[begin:finish], "".join(made[finish:]))


def _joints(shown: str, at: int, otherwise: _Joints) -> _Joints:
    return next((joints for sign, joints in _SIGNS if sign.match(shown, at)), otherwise)


@lru_cache(64)
def layouts(shown: str, ours: str) -> tuple[tuple[float, str], ...]:
    """What our text may have been that is shown on one line: as it is, with breaks where it has no
    blank, and what programs that lay texts out have made of it, likeliest first."""
    words = shown.split(" ")
    ends = list(accumulate(len(word) + 1 for word in words[:-1]))
    # What is on both sides of a blank of ours is in our text, or is like it.
    same = _same_places(ours, shown)
    within = [
        at - 1
        for at, word in zip(ends, words, strict=False)
        if _folded(shown[max(at - 1 - _CONTEXT, 0) : at + _CONTEXT]) not in _folded(ours)
        and not _MARK.fullmatch(word)
        and not {at - 2, at - 1, at} <= same
    ]
    found = {shown: 0.0}
    for cost, joint in _joints(shown, within[0], _BESIDE) if within else ():
        found.setdefault(_joined_at(shown, within, joint), cost)
    likely: dict[str, float] = defaultdict(float)
    for text in dict.fromkeys((shown, _joined_at(shown, within, ""))):
        for share, change in _layout_steps(usual_length(text)):
            likely[str(change(text))] += share
    as_shown = {made for made in likely if made.split() == words}
    for made in likely.keys() - as_shown:
        likely[made] *= _BREAK_UNSEEN
    everything = math.fsum(likely.values())
    # Breaks that are seen in our words say where the others are.
    of_seen = math.fsum(likely[made] for made in as_shown) if within else everything
    for made, mass in likely.items():
        total = of_seen if made in as_shown else everything
        found.setdefault(made, _LAID_OUT + math.log(total / mass))
    return tuple(sorted((cost, made) for made, cost in found.items()))


def _same_places(ours: str, shown: str) -> set[int]:
    """The places of what is shown that are aligned with the same characters of ours."""
    from rapidfuzz.distance import Indel  # noqa: PLC0415 - as above

    blocks = Indel.opcodes(_folded(ours), _folded(shown))
    same = (range(at.dest_start, at.dest_end) for at in blocks if at.tag == "equal")
    return {*chain.from_iterable(same)}


def without_copy(shown: str, ours: str) -> tuple[str, Callable[[str], Iterator[tuple[float, str]]]]:
    """What is shown with what it has twice only once, and what adds the copy to a layout of that:
    whoever copies a text copies its breaks."""
    at, once, gap = _twice(shown, ours)
    if not once:
        return shown, lambda text: iter([(0.0, text)])
    end = at + len(once)
    before, inside = (len("".join(each.split())) for each in (shown[:at], once))
    place = re.compile(rf"(?:\s*\S){{{before}}}\s*((?:\s*\S){{{inside}}})")
    joints = [(math.log(_ALL_REPEATS / share), joint) for share, joint in TABLES["repeats"]]

    def with_copy(text: str) -> Iterator[tuple[float, str]]:
        found = place.match(text)
        for cost, joint in joints if found else ():
            if found and " ".join(f".{joint}.".split()) == f".{gap}.":
                yield cost, text[: found.end()] + joint + found[1] + text[found.end() :]

    return shown[:end] + shown[end + len(gap) + len(once) :], with_copy


def _twice(shown: str, ours: str) -> tuple[int, str, str]:
    """Where what is there twice is for the first time, what it is, and what is between both."""
    start = _place(ours, shown)[1]
    anchor = shown[start : start + _ANCHOR]
    first = shown.find(anchor)
    other = shown.find(anchor, first + 1)
    if other < 0 or len(anchor) < _ANCHOR:
        return 0, "", ""
    period, stop = other - first, other
    while stop < len(shown) and shown[stop] == shown[stop - period]:
        stop += 1
    while first and shown[first - 1] == shown[first - 1 + period]:
        first -= 1
    once = shown[first : first + period].strip()
    at = shown.index(once, first)
    is_whole = stop >= at + period + len(once)
    return (at, once, shown[at + len(once) : at + period]) if is_whole else (0, "", "")


_ALL_REPEATS = sum(share for share, _ in TABLES["repeats"])
_ANCHOR = 12


def _joined_at(text: str, places: Iterable[int], joint: str) -> str:
    made = list(text)
    for at in places:
        made[at] = joint
    return "".join(made)


@cache
def _layout_steps(length: int) -> list[tuple[float, Apply]]:
    """What changes nothing of a text that can be seen, and not its ends, with its share."""
    return [
        (math.exp(-each.cost), each.apply)
        for each in alterations(length, NEAR)
        if each.finding in _UNSEEN_CHANGES and each.stage is Stage.LAID_OUT
        if each.cost < _FARTHEST
        if is_shown_as(_ANY_TEXT, str(each.apply(_ANY_TEXT)))
    ]


_ANY_TEXT = "Any: text. " * 24


def is_shown_as(shown: str, message: str) -> bool:
    """Whether a wallet may show the message so: white space and invisible characters get lost."""
    return _visible(shown) == _visible(message)


def _visible(text: str) -> str:
    return "".join((text if text.isascii() else text.translate(_UNSEEN)).split())

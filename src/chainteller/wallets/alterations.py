"""What people and programs do to a text on its way into a wallet, as kinds with their parameters.

Nothing here is a text: a kind says what it does to any text, and how often. A text is spelled (its
parts, characters and errors), laid out (lines, markup), selected (cut, labelled, quoted) and passed
on by a tool (ends, lines, encodings), usually in this order. The cost of an alteration is minus the
logarithm of its probability: those of several steps add up. The parameters are in spellings.toml.
"""

import base64
import binascii
import hashlib
import html
import json
import math
import quopri
import re
import shlex
import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import IntEnum
from functools import cache, lru_cache, partial
from importlib.resources import files
from itertools import combinations, product
from typing import Any, NamedTuple
from urllib.parse import quote

from base58 import b58encode_int

from chainteller.wallets.families import FAMILIES
from chainteller.wallets.family import Family
from chainteller.wallets.hashes import double_sha256, keccak256, sha256
from chainteller.wallets.networks import NETWORKS

Apply = Callable[[str], str | bytes]
Option = tuple[float, Apply]
"""How often an alteration happens among those of its kind, and what it does."""
Options = Callable[[int], Iterable[Option]]
"""The options for texts of at most so many characters."""


class Stage(IntEnum):
    """The usual order of what happens."""

    SPELLED, LAID_OUT, SELECTED, PASSED_ON = range(4)


@dataclass(frozen=True, slots=True, eq=False)
class Alteration:
    """One thing that happens to a text.

    `kind` is what happens once at most, `finding` the code of a diagnosis, `what` completes "the
    text it signed ...". `is_late` says that other steps make what it changes.
    """

    kind: str
    stage: Stage
    finding: str
    what: str
    cost: float
    apply: Apply
    is_late: bool = False


class _Kind(NamedTuple):
    """Alterations that differ in their parameters; `weight` compares with those of other kinds."""

    weight: float
    finding: str
    what: str
    options: Options
    kind: str = ""
    is_late: bool = False


_LENGTHS = (64, 256)
"""Where in a text something happens is as likely everywhere in a short one as in a long one."""
NEAR, FAR = 12.0, 14.0
"""The costs of an alteration that a first answer and the longer search just reach."""


def usual_length(text: str) -> int:
    """The length that the text counts as: the next of the usual ones."""
    return next((each for each in _LENGTHS if len(text) <= each), _LENGTHS[-1])


@cache
def alterations(length: int, farthest: float) -> tuple[Alteration, ...]:
    """Those of at most this cost, for a text of one of the usual lengths, the likeliest first."""
    kinds = [(stage, kind) for stage, those in _KINDS.items() for kind in those]
    everything = sum(kind.weight for _, kind in kinds)
    found = []
    for stage, kind in kinds:
        options = list(kind.options(length))
        total = everything * sum(share for share, _ in options) / kind.weight
        for share, apply in options:
            name, cost = kind.kind or kind.what, math.log(total / share)
            if cost < farthest:
                found.append(
                    Alteration(name, stage, kind.finding, kind.what, cost, apply, kind.is_late)
                )
    return tuple(sorted(found, key=lambda each: each.cost))


TABLES: dict[str, Any] = tomllib.loads(
    files("chainteller.wallets").joinpath("spellings.toml").read_text("utf-8")
)

# The parts of our texts, wherever they are: another form of text has the same ones.
_ADDRESS = re.compile(
    r"\b(?:0x[0-9a-fA-F]{40}|(?:bc|tb)1[0-9a-z]{38,59}|[1-9A-HJ-NP-Za-km-z]{32,44}|"
    r"[13mn2][1-9A-HJ-NP-Za-km-z]{25,34})\b",
    re.ASCII,
)
_ID = re.compile(r"CHG_[0-9A-Z]+|(?<=-)[0-9A-Z]{14,40}\Z", re.ASCII)
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
_NETWORK = re.compile(rf"\b(?:{'|'.join(each.name for each in reversed(NETWORKS))})\b")
_SPACE, _HYPHEN = re.compile(" "), re.compile("-")
_SENTENCE = re.compile(r"(?<=[.?!:]) ")
_BREAKS = re.compile(r"\r\n|[\r\n]")
_LETTERS_HYPHEN = re.compile(r"[^\W\d_]{2}-(?=[^\W\d_])")


# What is done to a text, and the options that a table has for it


def _replaced(text: str, old: str, new: str) -> str:
    return text.replace(old, new)


def _enclosed(text: str, begin: str, end: str = "") -> str:
    return begin + text + end


def _part(text: str, start: int | None, stop: int | None, ending: str = "") -> str:
    return text[start:stop] + ending


def _in_part(part: re.Pattern[str], change: Callable[[str], str]) -> Apply:
    return lambda text: part.sub(lambda found: change(found[0]), text)


def _grouped(text: str, size: int, joint: str) -> str:
    return joint.join(_pieces(text, size))


def _with_margin(text: str, sign: str) -> str:
    return "".join(sign + line for line in text.splitlines(keepends=True))


def _translated(text: str, table: Mapping[int, str | int | None]) -> str:
    return text.translate(table)


def _each(*options: Option) -> Options:
    return lambda _: options


def _of(table: str, change: Callable[..., str | bytes], *names: str) -> Options:
    """The rows of a table as the named arguments of a function."""
    return _each(
        *(
            (share, partial(change, **dict(zip(names, row, strict=True))))
            for share, *row in TABLES[table]
        )
    )


def _around(*tables: str) -> Options:
    """Signs around signs: a row of the last table is next to the text; `end` may be left out."""

    def nested(_: int) -> Iterator[Option]:
        for rows in product(*(TABLES[table] for table in tables)):
            yield math.prod([row[0] for row in rows]), partial(_nested, rows=rows)

    return nested


def _nested(text: str, rows: tuple[Any, ...]) -> str:
    end = "".join([row[2] for row in reversed(rows) if len(row) > 2])
    return "".join([row[1] for row in rows]) + text + end


def _both(*options: Options) -> Options:
    return lambda length: (each for those in options for each in those(length))


def _choices(*tables: str) -> Iterator[tuple[float, tuple[Any, ...]]]:
    """What is put together from independent choices."""
    for rows in product(*(TABLES[table] for table in tables)):
        yield math.prod(row[0] for row in rows), tuple(row[1] for row in rows)


def _labels() -> Iterator[tuple[float, str]]:
    """A noun or a request in front of a text, as people write them."""
    for share, words in _choices("before_nouns", "nouns", "after_nouns"):
        label = "".join(words)
        yield 0.6 * share, label[0].upper() + label[1:]
        yield 0.3 * share, label
        yield 0.1 * share, label.upper()
    for share, words in _choices("requests", "of_which", "requested"):
        yield 5 * share, "".join(words)


def _names() -> Iterator[tuple[float, str]]:
    """What programs call a text."""
    for share, (noun, after) in _choices("nouns", "after_nouns"):
        name = noun + after.title().replace(" ", "")
        yield share, name
        yield 0.1 * share, name.upper()


def _normal(rows: Iterable[tuple[float, str]]) -> list[tuple[float, str]]:
    """The same rows with shares that add up to ten, as those of other tables about do."""
    found = list(rows)
    total = sum(share for share, _ in found)
    return [(10 * share / total, words) for share, words in found]


TABLES |= {"labels": _normal(_labels()), "names": _normal(_names())}


# Spelled: the parts of a text in other spellings, its characters, errors of reading and typing


def _dates(_: int) -> Iterator[Option]:
    built = _choices("days", "after_days", "times", "zones")
    usual = [(0.002 * share, "".join(parts)) for share, parts in built if share > 3]
    for share, form in (*usual, *TABLES["instants"]):
        yield share, partial(_dated, form=form, hours=0)
    for hours in TABLES["offsets"]:
        yield 0.4, partial(_dated, form=f"{{0:%Y-%m-%dT%H:%M:%S}}{hours:+03d}:00", hours=hours)
        for share, form in usual[:12]:
            yield 0.1 * share, partial(_dated, form=form, hours=hours)


def _dated(text: str, form: str, hours: int) -> str:
    return _INSTANT.sub(lambda found: _written(found[0], form, hours), text)


@lru_cache(1024)
def _written(instant: str, form: str, hours: int) -> str:
    try:
        at = datetime.fromisoformat(instant) + timedelta(hours=hours)
    except (ValueError, OverflowError):
        return instant
    months = {name: each.split()[at.month - 1] for name, each in TABLES["months"].items()}
    return form.format(at, hour=at.hour % 12 or 12, **months)


def _addresses(_: int) -> Iterator[Option]:
    changes: tuple[tuple[float, Callable[[str], str]], ...] = (
        (6, str.lower), (0.7, str.upper), (0.7, lambda part: part[:2] + part[2:].upper()),
        (1, lambda part: part.removeprefix("0x")), (0.5, partial(_grouped, size=4, joint=" ")),
        *((0.2, partial(_grouped, size=size, joint=mark))
          for size in (4, 8, 10) for mark in "\u200b\u00ad"),
        *((0.6, partial(_middle_missed, start=head, stop=tail, dots=dots))
          for head, tail in ((6, 4), (4, 4), (5, 4), (6, 6), (8, 8), (8, 6), (5, 5), (10, 8))
          for dots in ("...", "\u2026")),
    )  # fmt: skip
    for share, change in changes:
        yield share, _in_part(_ADDRESS, change)


def _grouped_ids(_: int) -> Iterator[Option]:
    yield 1.5, _in_part(_ID, str.lower)
    for size, joint in product((4, 3, 5), " -"):
        yield 0.5, _in_part(_ID, partial(_grouped, size=size, joint=joint))


_CASES = _each(
    (4, str.title), (4, str.capitalize), (4, lambda text: text[:1].lower() + text[1:]),
    (1, lambda text: " ".join(word[:1].upper() + word[1:] for word in text.split(" "))),
    (3, lambda text: re.sub(r"(^|[.:?!] )([a-z])", lambda at: at[1] + at[2].upper(), text)),
    (1, str.swapcase),
)  # fmt: skip
_ALIKE = {
    "0": "Oo", "O": "0Q", "o": "0", "1": "lI", "l": "1I", "I": "l1", "5": "S", "S": "5", "8": "B",
    "B": "8", "2": "Z", "Z": "2", "6": "G", "G": "6C", "_": " -", ":": ";", ";": ":", ".": ",",
    ",": ".", "-": "~\u2013", "~": "-", "q": "g", "g": "q9", "9": "g", "u": "v", "v": "u", "D": "O",
    "Q": "O", "V": "U", "U": "V", "n": "m", "m": "n", "c": "e", "e": "c", "4": "A", "7": "T1",
}  # fmt: skip


def _alike_everywhere(_: int) -> Iterator[Option]:
    for old, new in ((old, new) for old, news in _ALIKE.items() for new in news):
        share = 3 if old + new in {"0O", "O0", "1l", "1I", "l1", "Il", "5S"} else 1
        yield share, partial(_replaced, old=old, new=new)


def _one_error(length: int) -> Iterator[Option]:
    for at in range(length):
        yield 1, partial(_misread, at=at, which=0)
        yield 0.6, partial(_misread, at=at, which=1)
        yield 0.6, lambda text, at=at: text[:at] + text[at + 1 :]  # type: ignore[misc]  # bound
        yield 0.5, lambda text, at=at: text[: at + 1] + text[at:]  # type: ignore[misc]  # bound
        yield 0.4, partial(_swapped, at=at)


def _one_gap(length: int) -> Iterator[Option]:
    """What wraps a text where nobody can know, or a key pressed between two words."""
    for number, (share, form) in product(range(length // 4), TABLES["gaps"]):
        yield share, partial(_with_gap, number=number, form=form)


def _with_gap(text: str, number: int, form: str) -> str:
    places = [at for at, character in enumerate(text) if character in " -"]
    if number >= len(places):
        return text
    at = places[number]
    return text[:at] + form.format(text[at]) + text[at + 1 :]


def _misread(text: str, at: int, which: int) -> str:
    others = _ALIKE.get(text[at : at + 1], "")
    return text[:at] + others[which] + text[at + 1 :] if which < len(others) else text


def _swapped(text: str, at: int) -> str:
    return text[:at] + text[at + 1 : at + 2] + text[at : at + 1] + text[at + 2 :]


def _other_signs(old: str, category: str) -> Options:
    """Every sign of the category that Unicode has, instead of this one."""
    signs = [
        chr(each) for each in range(0xA0, 0xFF00) if unicodedata.category(chr(each)) == category
    ]
    return _each(*((0.2, partial(_replaced, old=old, new=each)) for each in signs))


def _alphabets(_: int) -> Iterator[Option]:
    """Digits of other scripts, letters in Unicode's other styles, keyboards and look-alikes."""
    zeros = [each for each in range(0x660, 0x1100) if unicodedata.decimal(chr(each), 1) == 0]
    tables = [{0x30 + digit: zero + digit for digit in range(10)} for zero in zeros]
    styles: dict[str, dict[int, int]] = {}
    for each in range(0x1D400, 0x1D800):
        style = unicodedata.name(chr(each), "").partition(" CAPITAL ")[0].partition(" SMALL ")[0]
        plain = unicodedata.normalize("NFKC", chr(each))
        styles.setdefault(style.partition(" DIGIT ")[0], {})[ord(plain)] = each
    yield from ((1, partial(_translated, table=each)) for each in (*tables, *styles.values()))
    for share, old, new in TABLES["alphabets"]:
        yield share, partial(_translated, table=str.maketrans(old, new))


_WIDE: dict[int, str | int | None] = {0x20: 0x3000}
_WIDE |= {each: each + 0xFEE0 for each in range(0x21, 0x7F)}
_WIDE_MARKS: dict[int, str | int | None] = {44: 0xFF0C, 46: 0x3002, 58: 0xFF1A, 63: 0xFF1F}
_LIGATURES = {"ffi": "\ufb03", "ffl": "\ufb04", "ff": "\ufb00", "fi": "\ufb01", "fl": "\ufb02"}


def _without(text: str, signs: str) -> str:
    return text.translate(dict.fromkeys(map(ord, signs)))


def _escaped(text: str, signs: str) -> str:
    return text.translate({ord(each): f"\\{each}" for each in signs})


def _ligated(text: str) -> str:
    return re.sub("ff[il]?|f[il]", lambda found: _LIGATURES[found[0]], text)


# Laid out: lines, margins, markup


def _word_wraps(_: int) -> Iterator[Option]:
    usual = {width: share for share, width in TABLES["widths"]}
    for width in range(20, 161):
        for share, head, joint in TABLES["line_breaks"]:
            weight = usual.get(width, 0.15) * share
            yield weight, partial(_wrapped, width=width, head=head, joint=joint)
            if width in usual and width < _LONG_WORD:
                yield weight, partial(_wrapped, width=width, head=head, joint=joint, fills=True)
            if width in usual and share >= 1:
                yield weight, partial(_wrapped, width=width, head=head, joint=joint, hyphens=True)


_LONG_WORD = 60


def _wrapped(
    text: str, width: int, head: str, joint: str, *, fills: bool = False, hyphens: bool = False
) -> str:
    return head + joint.join(_lines(text, width, fills, hyphens))


@lru_cache(1024)
def _lines(text: str, width: int, fills: bool, at_hyphens: bool) -> list[str]:  # noqa: FBT001 - of a cache
    """Lines as browsers, mail programs and terminals break them: at spaces, some of them after a
    hyphen between letters, and anywhere in what is longer than a line, which begins a line of its
    own, or with `fills`, as word processors do, where there is room.
    """
    lines: list[str] = []
    for paragraph in text.split("\n"):
        hyphens = _places_after_hyphens(paragraph) if at_hyphens else []
        start = 0
        while len(paragraph) - start > width:
            space = paragraph.rfind(" ", start, start + width + 1)
            hyphen = max((at for at in hyphens if start < at <= start + width), default=-1)
            end = max(space, hyphen)
            word = paragraph.find(" ", end + 1)
            is_long = (word if word >= 0 else len(paragraph)) - end - 1 > width
            if end <= start or (fills and is_long):
                end = start + width
            lines.append(paragraph[start:end].rstrip(" "))
            start = end + 1 if end == space else end
        lines.append(paragraph[start:])
    return lines


@lru_cache(64)
def _places_after_hyphens(paragraph: str) -> list[int]:
    return [found.end() for found in _LETTERS_HYPHEN.finditer(paragraph)]


def _hard_wraps(_: int) -> Iterator[Option]:
    for share, (width, joint) in _choices("widths", "hard_breaks"):
        yield share, partial(_hard_wrapped, width=width, joint=joint)


def _hard_wrapped(text: str, width: int, joint: str) -> str:
    """Cut anywhere; what stands before the next lines takes of their width (RFC 5545)."""
    return joint.join((text[:width], *_pieces(text[width:], width - len(joint.lstrip("\r\n")))))


def _pieces(text: str, size: int) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text), size))


def _sentences(_: int) -> Iterator[Option]:
    for share, after in ((3, "[.?!]"), (1, "[.?!:]"), (1, "[.]"), (0.5, "[,.?!]")):
        blank = re.compile(f"(?<={after}) ")
        for usual, joint in TABLES["between_sentences"]:
            yield share * usual, partial(blank.sub, joint)


def _hidden_marks(_: int) -> Iterator[Option]:
    for mark in "\u200b\u200e\u2060\ufeff\u00ad":
        for old, form in ((" ", " {}"), (" ", "{} "), (". ", ".{} "), (". ", ". {}"),
                          (": ", ": {}"), ("-", "-{}")):  # fmt: skip
            yield 1, partial(_replaced, old=old, new=form.format(mark))
        yield 0.5, _in_part(_ADDRESS, partial(_enclosed, begin=mark))
        yield 0.5, _in_part(_ADDRESS, partial(_enclosed, begin="", end=mark))


def _quoted_printable(_: int) -> Iterator[Option]:
    for width, joint in product((76, 75, 72, 74, 78), ("=\n", "=\r\n")):
        yield 5 if width == 76 else 0.5, partial(_soft_breaks, width=width, joint=joint)


def _soft_breaks(text: str, width: int, joint: str) -> str:
    """Quoted-printable whose lines, with their "=", have at most `width` characters."""
    coded = quopri.encodestring(text.encode("utf-8", "replace")).decode().replace("=\n", "")
    pieces, start = [], 0
    while len(coded) - start > width:
        end = start + width - 1
        while "=" in coded[end - 2 : end]:
            end -= 1
        pieces.append(coded[start:end])
        start = end
    return joint.join([*pieces, coded[start:]])


def _elements(_: int) -> Iterator[Option]:
    for share, (tag, form) in _choices("tags", "tag_forms"):
        yield share, lambda text, tag=tag, form=form: form.format(tag, html.escape(text))  # type: ignore[misc]  # bound


# Selected: what is copied, and what people put around it


def _ends_missed(length: int) -> Iterator[Option]:
    for number in range(1, length):
        share = 6 / number**1.3 if number < 30 else 0.02
        yield share, partial(_part, start=None, stop=-number)
        yield share, partial(_part, start=number, stop=None)


def _elided(_: int) -> Iterator[Option]:
    """A list shows the beginning and the end."""
    lengths = (4, 5, 6, 8, 10, 12, 15, 16, 20, 24, 25, 30, 32, 40, 50, 60, 80)
    for head, tail, dots in product(lengths, lengths, ("...", "\u2026")):
        yield 3 if head == tail else 1, partial(_middle_missed, start=head, stop=tail, dots=dots)


def _middle_missed(text: str, start: int, stop: int, dots: str) -> str:
    return text[:start] + dots + text[-stop:] if start + stop < len(text) else text


def _few_missed(length: int) -> Iterator[Option]:
    for start, number in product(range(1, length), range(2, 9)):
        yield 1 / number, lambda text, at=start, to=start + number: text[:at] + text[to:]  # type: ignore[misc]  # bound


def _some(text: str, start: int, stop: int | None, end: re.Pattern[str], joint: str) -> str:
    return joint.join(end.split(text)[start:stop]) or text


def _some_words(_: int) -> Iterator[Option]:
    for end, joint in ((_SPACE, " "), (_HYPHEN, "-")):
        some = partial(_some, end=end, joint=joint)
        for n in range(1, 32):
            yield 4 / n, partial(some, start=n, stop=None)
            yield 4 / n, partial(some, start=0, stop=-n)
            yield (
                1,
                lambda text, n=n, end=end, joint=joint: joint.join(  # type: ignore[misc]  # bound
                    word for at, word in enumerate(end.split(text), 1) if at != n
                ),
            )


def _some_sentences(_: int) -> Iterator[Option]:
    for start, stop in combinations(range(6), 2):
        yield 1, partial(_some, start=start, stop=stop, end=_SENTENCE, joint=" ")


def _parts_alone(_: int) -> Iterator[Option]:
    for share, part, mark in (
        (8, _ID, ""),
        (2, _ID, "CHG_"),
        (3, _ADDRESS, ""),
        (0.5, _INSTANT, ""),
    ):
        yield share, partial(_part_alone, part=part, mark=mark)


def _part_alone(text: str, part: re.Pattern[str], mark: str) -> str:
    found = part.search(text)
    return found[0].removeprefix(mark) if found else text


def _with_emoji(_: int) -> Iterator[Option]:
    for (rank, each), mark in product(enumerate(TABLES["emoji"], 2), ("", "\ufe0f")):
        for begin, end in ((f"{each}{mark} ", ""), ("", f" {each}{mark}"), ("", f"{each}{mark}")):
            yield 1 / rank, partial(_enclosed, begin=begin, end=end)


def _repeats(_: int) -> Iterator[Option]:
    for share, joint in TABLES["repeats"]:
        yield share, lambda text, joint=joint: text + joint + text  # type: ignore[misc]  # bound
        yield 0.1 * share, lambda text, joint=joint: joint.join([text] * 3)  # type: ignore[misc]  # bound


# Passed on: ends, lines, encodings, limits


def _json_forms(_: int) -> Iterator[Option]:
    yield 3, json.dumps
    yield 1, partial(json.dumps, ensure_ascii=False)
    yield 0.7, lambda text: json.dumps(json.dumps(text))
    yield 0.7, lambda text: json.dumps(text).replace("/", "\\/")
    yield from (
        (0.3, lambda text, form=form: form.format(json.dumps(text)))
        for form in TABLES["json_values"]
    )
    for share, (key, form) in _choices("names", "json_forms"):
        yield 0.3 * share, lambda text, key=key, form=form: form.format(key, json.dumps(text))  # type: ignore[misc]  # bound


def _settings_lines(_: int) -> Iterator[Option]:
    for share, (key, form) in _choices("names", "block_forms"):
        yield share, lambda text, key=key, form=form: form.format(key, text.replace("\n", "\n  "))  # type: ignore[misc]  # bound


def _link_codes(_: int) -> Iterator[Option]:
    for share, code in (
        (4, partial(_quoted, safe="")), (4, _quoted_plus), (3, partial(_quoted, safe="/")),
        (2, partial(_quoted, safe="!*'()~")), (0.5, partial(_quoted, safe=";/?:@&=+$,!*'()#~")),
        (1, partial(_replaced, old=" ", new="%20")), (1, partial(_replaced, old=" ", new="+")),
    ):  # fmt: skip
        yield share, code
        for key in ("message", "text", "msg") if share == 4 else ():
            yield 0.3, partial(_assigned, key=key, code=code)


def _quoted(text: str, safe: str) -> str:
    """As `quote`, which looks at each character by itself."""
    return text.translate(_quoting(safe)) if text.isascii() else quote(text, safe)


def _quoted_plus(text: str) -> str:
    return _quoted(text, " ").replace(" ", "+")


@cache
def _quoting(safe: str) -> dict[int, str]:
    return {each: quote(chr(each), safe) for each in range(128)}


def _assigned(text: str, key: str, code: Callable[[str], str]) -> str:
    return f"{key}={code(text)}"


def _escapes(_: int) -> Iterator[Option]:
    yield 3, lambda text: json.dumps(text)[1:-1]
    yield 2, lambda text: text.encode("unicode_escape").decode()
    yield 3, partial(_replaced, old="\n", new="\\n")
    yield 1, partial(_replaced, old="\n", new="\\r\\n")
    yield 3, partial(_enclosed, begin="", end="\\n")
    yield 0.5, partial(_enclosed, begin="", end="\\r\\n")
    for share, form in ((1, "\\u{:04x}"), (1, "&#{};"), (0.5, "&#x{:x};")):
        yield share, partial(_in_codes, form=form)
    for how in ("ignore", "replace", "xmlcharrefreplace", "backslashreplace"):
        yield 1, lambda text, how=how: text.encode("ascii", how).decode()  # type: ignore[misc]  # bound


def _in_codes(text: str, form: str) -> str:
    if text.isascii():
        return _numbers(text.encode(), form, "")
    return "".join([form.format(ord(each)) for each in text])


_LITERALS = _each(
    (3, shlex.quote), (3, repr), (3, lambda text: repr(text.encode("utf-8", "replace"))),
    (1, partial(_replaced, old=" ", new="\\ ")), (0.5, lambda text: f"$'{text}'"),
    (3, lambda text: '"{}"'.format(text.replace('"', '""')))
)  # fmt: skip


def _limits(_: int) -> Iterator[Option]:
    for share, length in TABLES["limits"]:
        yield share, partial(_part, start=None, stop=length)
        for dots in ("...", "\u2026"):
            yield 0.3 * share, partial(_shortened, length=length, dots=dots)
            yield 0.1 * share, partial(_shortened, length=length - len(dots), dots=dots)
            for more in TABLES["more"]:
                yield 0.03 * share, partial(_shortened, length=length, dots=f"{dots} {more}")


def _shortened(text: str, length: int, dots: str) -> str:
    return text if len(text) <= length else text[:length].rstrip() + dots


def _codes(*codes: tuple[float, Callable[[bytes], str | bytes]]) -> Options:
    """Of the text's bytes; some programs keep texts in UTF-16."""
    sets = ((1, "utf-8"), (0.1, "utf-16-le"), (0.05, "utf-16-be"))
    return _each(
        *((share * usual, partial(_coded, code=code, name=name))
          for usual, name in sets for share, code in codes)
    )  # fmt: skip


def _coded(text: str, code: Callable[[bytes], str | bytes], name: str) -> str | bytes:
    made = code(text.encode(name, "replace"))
    return made.decode("ascii") if isinstance(made, bytes) and made.isascii() else made


def _in_character_set(text: str, name: str) -> bytes:
    return text.encode(name, "replace")


def _base58(raw: bytes) -> bytes:
    """As `base58.b58encode`, ten digits at a time: a division takes as long as the number is."""
    number, tens = int.from_bytes(raw), list[bytes]()
    while number:
        number, ten = divmod(number, 58**10)
        tens.append(b58encode_int(ten).rjust(10, _ZERO))
    zeros = len(raw) - len(raw.lstrip(b"\0"))
    return _ZERO * zeros + b"".join(reversed(tens)).lstrip(_ZERO)


_ZERO = b"1"


def _hash(raw: bytes, digest: Callable[[bytes], bytes], form: str) -> str:
    return form.format(_digest(digest, raw).hex())


@lru_cache(256)
def _digest(digest: Callable[[bytes], bytes], raw: bytes) -> bytes:
    return digest(raw)


def _frames(_: int) -> Iterator[Option]:
    """What a tool prepared for the wallets of a family, which prepare it once more."""
    for family in FAMILIES:
        for number in range(len(family.framed(b""))):
            yield 1, partial(_framed, family=family, number=number)


def _framed(text: str, family: Family, number: int) -> bytes:
    return _all_framed(family, text)[number]


@lru_cache(256)
def _all_framed(family: Family, text: str) -> Sequence[bytes]:
    return family.framed(text.encode("utf-8", "replace"))


def _uuencoded(raw: bytes) -> bytes:
    return b"".join(binascii.b2a_uu(raw[at : at + 45]) for at in range(0, len(raw), 45))


def _numbers(raw: bytes, form: str, joint: str) -> str:
    return joint.join(map(_forms(form).__getitem__, raw))


@cache
def _forms(form: str) -> list[str]:
    """Each octet in this form."""
    return [form.format(each) for each in range(256)]


_HEX = _codes(
    (4, lambda raw: "0x" + raw.hex()), (3, bytes.hex), (1, lambda raw: raw.hex().upper()),
    (1, lambda raw: "0x" + raw.hex().upper()), (1, lambda raw: raw.hex(" ")),
    (0.3, lambda raw: raw.hex(":")), (0.3, lambda raw: raw.hex(" ").upper()),
    (0.3, partial(_numbers, form="\\x{:02x}", joint="")),
)  # fmt: skip
_BASE64 = _codes(
    (6, base64.b64encode), (2, lambda raw: base64.b64encode(raw).rstrip(b"=")),
    (1, base64.urlsafe_b64encode), (1, base64.encodebytes),
    (1, lambda raw: base64.encodebytes(raw).rstrip(b"\n")),
    (1, lambda raw: b"data:text/plain;base64," + base64.b64encode(raw)),
    (0.3, lambda raw: b"data:text/plain;charset=utf-8;base64," + base64.b64encode(raw)),
)  # fmt: skip
_OTHER_CODES = _codes(
    (1, base64.b32encode), (0.5, lambda raw: base64.b32encode(raw).rstrip(b"=")), (0.7, _uuencoded),
    (0.3, base64.a85encode), (0.3, base64.b85encode), (2, lambda raw: json.dumps(list(raw))),
    (2, lambda raw: "[" + _numbers(raw, "{}", ",") + "]"),
    *((share, partial(_numbers, form=form, joint=joint)) for share, form, joint in (
        (2, "{}", ","), (1, "{}", " "), (1, "{}", ", "), (1, "{:08b}", " "), (0.5, "{:08b}", ""),
    )),
)  # fmt: skip
_HASHES = _codes(
    *((share, partial(_hash, digest=digest, form=form)) for digest in (sha256, keccak256)
      for share, form in ((3, "{}"), (3, "0x{}"))),
    (3, sha256), (3, keccak256), (1, lambda raw: sha256(raw).hex().upper()),
    (0.5, double_sha256), (1, lambda raw: hashlib.sha512(raw).digest()),
)  # fmt: skip


_JOINED = _each(
    (4, lambda text: " ".join(text.split())), (3, partial(_BREAKS.sub, " ")),
    (1.5, partial(_BREAKS.sub, "")), (1.5, str.strip), (1, partial(re.compile(" +").sub, " ")),
    (0.5, str.rstrip), (0.5, partial(_BREAKS.sub, "  ")),
)  # fmt: skip
_CRLF = _each(
    (6, lambda text: text.replace("\r\n", "\n").replace("\n", "\r\n")),
    (0.5, partial(_replaced, old="\n", new="\r")),
)
_KNOWN = _each(
    (4, partial(unicodedata.normalize, "NFKC")), (1, partial(unicodedata.normalize, "NFC")),
    (1, partial(unicodedata.normalize, "NFD")), (2, partial(re.compile(r"[^ -~]").sub, "?")),
)  # fmt: skip
_FRENCH = _each(
    *((share, partial(re.compile(r"(?<=\w)(?=[:;?!](?:\s|\Z))").sub, blank))
      for share, blank in ((1, "\u00a0"), (0.6, "\u202f")))
)  # fmt: skip
_SENTENCES_APART = _each((3, partial(re.compile("(?<=[.?!]) ").sub, "  ")))
_NETWORK_CASES = _each((3, _in_part(_NETWORK, str.capitalize)), (1, _in_part(_NETWORK, str.upper)))
_TYPOGRAPHY = _each(
    (2, partial(_replaced, old="'", new="\u2019")), (4, partial(_translated, table=_WIDE)),
    (1, partial(_replaced, old="...", new="\u2026")), (4, _ligated),
    (2, partial(_translated, table=_WIDE_MARKS)),
)  # fmt: skip

_KINDS: dict[Stage, tuple[_Kind, ...]] = {
    Stage.SPELLED: (
        _Kind(8, "PART_RESPELLED", "has its date in another form", _dates),
        _Kind(6, "PART_RESPELLED", "has the address in another form", _addresses),
        _Kind(2, "PART_RESPELLED", "has its reference in another form",
              _both(_of("id_marks", partial(_replaced, old="CHG_"), "new"), _grouped_ids)),
        _Kind(1.5, "PART_RESPELLED", "has the network in another form", _NETWORK_CASES),
        _Kind(5, "CHARACTERS_REPLACED", "has other signs instead of hyphens",
              _both(_of("hyphens", partial(_replaced, old="-"), "new"), _other_signs("-", "Pd"))),
        _Kind(2, "CHARACTERS_REPLACED", "has typographic, wide or joined letters", _TYPOGRAPHY),
        _Kind(3, "LOWER_CASE_TEXT", "is in small letters", _each((1, str.lower)), "case"),
        _Kind(2, "UPPER_CASE_TEXT", "is in capital letters", _each((1, str.upper)), "case"),
        _Kind(2.5, "CASE_CHANGED", "has other capital letters", _CASES, "case"),
        _Kind(2.5, "CHARACTERS_REPLACED", "has look-alikes of a character", _alike_everywhere),
        _Kind(5, "CHARACTERS_REPLACED", "has one wrong, lost or doubled character", _one_error),
        _Kind(2, "CHARACTERS_REPLACED", "has letters or digits of another alphabet", _alphabets),
        _Kind(4, "SPACES_CHANGED", "has one other space or line break", _one_gap, "gap"),
        _Kind(2, "PUNCTUATION_LOST", "lost its punctuation", _of("signs_lost", _without, "signs")),
    ),
    Stage.LAID_OUT: (
        _Kind(7, "INVISIBLE_CHARACTERS", "has no-break or other spaces",
              _both(_of("spaces", _replaced, "old", "new"), _other_signs(" ", "Zs"), _FRENCH),
              "spaces"),
        _Kind(4, "SPACES_CHANGED", "has other spaces",
              _both(_of("spacing", _replaced, "old", "new"), _SENTENCES_APART), "spaces"),
        _Kind(14, "LINE_BREAKS_ADDED", "was wrapped into lines", _word_wraps, "wrap"),
        _Kind(6, "LINE_BREAKS_ADDED", "was cut into lines", _hard_wraps, "wrap"),
        _Kind(3, "LINE_BREAKS_ADDED", "was broken after its sentences", _sentences, "wrap"),
        _Kind(5, "QUOTED_LINES", "has signs or spaces before its lines",
              _of("margins", _with_margin, "sign")),
        _Kind(4, "INVISIBLE_CHARACTERS", "has an invisible character at an end",
              _around("invisible")),
        _Kind(1, "INVISIBLE_CHARACTERS", "has invisible characters in it", _hidden_marks),
        _Kind(3, "MAIL_ENCODING", "is in a mail's quoted-printable form", _quoted_printable),
        _Kind(8, "MARKUP_ADDED", "has the signs of a chat program around it", _around("markdown")),
        _Kind(4, "MARKUP_ADDED", "has the tags of a page around it", _elements),
        _Kind(3, "MAIL_ENCODING", "holds codes of a web page",
              _both(_of("web_codes", _replaced, "old", "new"), _each((1, html.escape)))),
        _Kind(4, "LITERAL_ESCAPES", "holds backslashes", _of("signs_escaped", _escaped, "signs")),
    ),
    Stage.SELECTED: (
        _Kind(14, "PART_OF_TEXT", "lacks characters at an end", _ends_missed, "part"),
        _Kind(3, "FINAL_PERIOD_LOST", "lost the full stop at its end",
              _each((1, lambda text: text.rstrip("."))), "part"),
        _Kind(6, "PART_OF_TEXT", "lacks words", _some_words, "part"),
        _Kind(2, "PART_OF_TEXT", "lacks its middle", _elided, "part"),
        _Kind(0.7, "PART_OF_TEXT", "lacks some characters", _few_missed, "part"),
        _Kind(8, "PART_OF_TEXT", "is only some of our sentences", _some_sentences, "part"),
        _Kind(8, "PART_OF_TEXT", "is only a part of ours", _parts_alone, "part"),
        _Kind(10, "LABEL_INCLUDED", "has a label in front of it", _both(
            _around("labels", "after_labels"), _around("greetings", "after_greetings"))),
        _Kind(0.8, "TAIL_INCLUDED", "ends in the closing words of a mail",
              _around("after_closings", "closings", "before_closings"), "end"),
        _Kind(10, "QUOTED_TEXT", "has quotation marks or brackets around it", _around("quotes")),
        _Kind(6, "MARKUP_ADDED", "has a mark, a number or a heading in front of it",
              _around("marks"), "mark"),
        _Kind(1.5, "MARKUP_ADDED", "has an emoji beside it", _with_emoji, "mark"),
        _Kind(3, "TEXT_DOUBLED", "is there more than once", _repeats),
        _Kind(2, "SPACES_CHANGED", "ends in another sign", _around("other_ends"), "end"),
    ),
    Stage.PASSED_ON: (
        _Kind(9, "TRAILING_NEWLINE", "ends in a line break", _around("last_breaks"), "last"),
        _Kind(6, "TRAILING_SPACE", "ends in a space", _around("last_spaces"), "last"),
        _Kind(4, "LEADING_SPACE", "begins with a space or line break",
              _around("first_spaces"), "first"),
        _Kind(1, "SURROUNDING_SPACE", "has blanks around it", _around("spaces_around"), "last"),
        _Kind(3, "INVISIBLE_CHARACTERS", "begins with a byte order mark",
              _each((1, "\ufeff{}".format))),
        _Kind(5, "LINE_ENDINGS", "has other line ends", _CRLF, is_late=True),
        _Kind(7, "LINE_BREAKS_LOST", "lost line breaks and doubled spaces", _JOINED, is_late=True),
        _Kind(1, "CHARACTERS_REPLACED", "has only characters that a program knows", _KNOWN,
              is_late=True),
        _Kind(5, "PART_OF_TEXT", "is cut off at a limit", _limits, "limit"),
        _Kind(12, "TEXT_ENCODED", "is written as JSON", _json_forms, "value"),
        _Kind(3, "TEXT_ENCODED", "is written as a setting", _both(
            _around("declarations", "names", "assigned", "literals"), _settings_lines), "value"),
        _Kind(5, "QUOTED_TEXT", "is written as a value of a program",
              _around("containers", "prefixes", "literals"), "value"),
        _Kind(5, "URL_ENCODED_TEXT", "is written as a part of a link", _link_codes, "code"),
        _Kind(5, "LITERAL_ESCAPES", "holds codes for characters", _escapes, "code"),
        _Kind(4, "QUOTED_TEXT", "is quoted as programs do", _LITERALS, "value"),
        _Kind(5, "HEX_OF_TEXT", "is in hex digits", _HEX, "code"),
        _Kind(4, "BASE64_OF_TEXT", "is in base64", _BASE64, "code"),
        _Kind(1, "BASE58_OF_TEXT", "is in base58", _codes((1, _base58)), "code"),
        _Kind(3, "TEXT_ENCODED", "is written in codes", _OTHER_CODES, "code"),
        _Kind(6, "HASH_OF_TEXT_SIGNED", "is its hash", _HASHES, "code"),
        _Kind(4, "DOUBLE_PREFIX", "has the prefix that wallets add", _frames, "code"),
        _Kind(2.5, "UTF16_TEXT", "is in another character set",
              _of("character_sets", _in_character_set, "name"), "code"),
    ),
}  # fmt: skip

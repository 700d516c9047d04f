"""A model of what happens to a text on its way into a wallet.

A text is quoted, wrapped, labelled, cut, doubled and signed off by the programs and people that
pass it on. Each such step is an `Alteration` with a cost, the rarer the higher; what happened may
be several of them, in any order. `journeys` tries them best first: the cheapest sets of steps come
first, and a caller stops when its budget is used up.
"""

import base64
import html
import json
import quopri
import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import combinations
from urllib.parse import quote, quote_plus

import base58

_USUAL, _COMMON, _RARE, _ODD = 1.0, 1.7, 2.6, 4.2
# Several steps cost their sum and this; only cheap steps are combined.
_PAIR, _THREE, _OTHER_ORDER = 0.4, 1.0, 0.5
# What rarely happens together with anything else costs more in company.
_ALONE = {"unicode": 1.5, "code": 0.2}
_MOST_IN_PAIRS, _MOST_IN_THREES, _MOST_IN_OTHER_ORDER = 1.4, 0.7, 2.2
# A run of letters and digits as long as an address; ids of challenges hold an underscore.
_ADDRESS = re.compile(r"(?<!\w)[0-9A-Za-z]{26,}(?!\w)", re.ASCII)


@dataclass(frozen=True, slots=True, eq=False)
class Alteration:
    """One thing that happens to a text.

    `kind` is the family of alterations that exclude each other, `finding` the code of a diagnosis,
    `what` completes "the text it signed ...".
    """

    kind: str
    finding: str
    what: str
    cost: float
    apply: Callable[[str], str | bytes]


@dataclass(frozen=True, slots=True)
class Journey:
    """The bytes that a text became, and the steps that made them, in order."""

    signed: bytes
    steps: tuple[Alteration, ...]


def journeys(text: str) -> Iterator[Journey]:
    """What the text may have become, likeliest first; never the text itself, nothing twice."""
    seen = {text.encode()}
    made: dict[tuple[Alteration, ...], str | bytes | None] = {(): text}
    for recipe in _recipes():
        signed = _applied(recipe, made)
        if signed is None:
            continue
        data = signed.encode("utf-8", "replace") if isinstance(signed, str) else signed
        if data not in seen:
            seen.add(data)
            yield Journey(data, recipe)


def _applied(
    recipe: tuple[Alteration, ...], made: dict[tuple[Alteration, ...], str | bytes | None]
) -> str | bytes | None:
    """None when a step changes nothing, or would have to rewrite what is no text any more.

    `made` keeps what the first steps made of the text, which many recipes share.
    """
    if recipe in made:
        return made[recipe]
    before = _applied(recipe[:-1], made)
    after = recipe[-1].apply(before) if isinstance(before, str) else None
    made[recipe] = result = None if after == before else after
    return result


@cache
def _recipes() -> tuple[tuple[Alteration, ...], ...]:
    """Up to three alterations of different kinds, the cheapest first."""
    singles = sorted(_alterations(), key=lambda each: each.cost)
    rows: list[tuple[float, tuple[Alteration, ...]]] = [(each.cost, (each,)) for each in singles]
    cheap = [each for each in singles if each.cost <= _MOST_IN_PAIRS]
    cheapest = [each for each in singles if each.cost <= _MOST_IN_THREES]
    for steps in (*combinations(cheap, 2), *combinations(cheapest, 3)):
        if len({each.kind for each in steps}) < len(steps):
            continue
        cost = sum(each.cost + _ALONE.get(each.kind, 0.0) for each in steps)
        cost += _PAIR if len(steps) == 2 else _THREE
        usual = tuple(sorted(steps, key=lambda each: _ORDER.index(each.kind)))
        rows.append((cost, usual))
        if len(steps) == 2 and cost <= _MOST_IN_OTHER_ORDER:
            rows.append((cost + _OTHER_ORDER, usual[::-1]))
    rows.sort(key=lambda row: row[0])
    return tuple(recipe for _, recipe in rows)


_ORDER = (
    "unicode", "case", "characters", "spaces", "cut", "quotes", "prefix", "double", "tail", "wrap",
    "lines", "start", "end", "ends", "markup", "code",
)  # fmt: skip


def _alterations() -> Iterator[Alteration]:
    yield from _blank_ends()
    yield from _marked_ends()
    yield from _prefixes()
    yield from _quotes()
    yield from _wrappings()
    yield from _characters()
    yield from _hidden_marks()
    yield from _single_spaces()
    yield from _rewritten()
    yield from _cases()
    yield from _cuts()
    yield from _repeats_and_tails()
    yield from _codes()


def _before(addition: str) -> Callable[[str], str]:
    return lambda text: addition + text


def _after(addition: str) -> Callable[[str], str]:
    return lambda text: text + addition


def _without(lost: str) -> Callable[[str], str]:
    return lambda text: "".join(character for character in text if character not in lost)


def _replace(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new)


INVISIBLE = {
    "\ufeff": "a byte order mark",
    "\u200b": "a zero-width space",
    "\u200e": "a left-to-right mark",
    "\u2060": "a word joiner",
    "\u200d": "a zero-width joiner",
    "\u200c": "a zero-width non-joiner",
    "\u200f": "a right-to-left mark",
    "\u00ad": "a soft hyphen",
}


def _blank_ends() -> Iterator[Alteration]:
    for cost, ending in (
        (0.3, "\n"), (0.4, "\r\n"), (_USUAL, "\n\n"), (_USUAL, "\r\n\r\n"), (_RARE, "\r"),
        (_COMMON, " \n"), (_COMMON, " \r\n"), (_RARE, "\n\n\n"),
    ):  # fmt: skip
        yield Alteration("end", "TRAILING_NEWLINE", "ends in a line break", cost, _after(ending))
    for cost, ending in ((0.4, " "), (_COMMON, "  "), (_COMMON, "\t")):
        yield Alteration("end", "TRAILING_SPACE", "ends in a space", cost, _after(ending))
    for cost, start in (
        (0.8, " "), (_USUAL, "\n"), (_COMMON, "\r\n"), (_COMMON, "\t"), (_COMMON, "  "),
        (_RARE, "\n\n"), (_RARE, "    "), (_RARE, "\r\n\r\n"),
    ):  # fmt: skip
        what = "begins with a space or line break"
        yield Alteration("start", "LEADING_SPACE", what, cost, _before(start))
    for cost, start, end in ((1.2, " ", " "), (_COMMON, "\n", "\n"), (_RARE, "  ", "  ")):
        what = "has blanks around it"
        yield Alteration("ends", "SURROUNDING_SPACE", what, cost, _around(start, end))


def _marked_ends() -> Iterator[Alteration]:
    for mark, name in INVISIBLE.items():
        cost = {"\ufeff": 0.8, "\u200b": _USUAL, "\u200e": _USUAL, "\u2060": _USUAL}.get(mark, 2.0)
        finding = "INVISIBLE_CHARACTERS"
        yield Alteration("start", finding, f"begins with {name}", cost, _before(mark))
        yield Alteration("end", finding, f"ends in {name}", cost, _after(mark))
        what = f"has {name} at both ends"
        yield Alteration("ends", finding, what, cost + 1, _around(mark, mark))
    bidi = (("\u2066", "\u2069"), ("\u2068", "\u2069"), ("\u202a", "\u202c"), ("\u202d", "\u202c"))
    for opening, closing in bidi:
        what = "has direction marks around it"
        yield Alteration("ends", "INVISIBLE_CHARACTERS", what, _RARE, _around(opening, closing))
    for cost, end in ((_COMMON, "\u00a0"), (_COMMON, "\0")):
        what = "ends in an invisible character"
        yield Alteration("end", "INVISIBLE_CHARACTERS", what, cost, _after(end))
    yield Alteration(
        "start", "INVISIBLE_CHARACTERS", "begins with a no-break space", _COMMON, _before("\u00a0")
    )
    for cost, end in ((_COMMON, "\\n"), (_RARE, "\\r\\n")):
        what = "holds a backslash and a letter instead of a line break"
        yield Alteration("end", "LITERAL_ESCAPES", what, cost, _after(end))
    for cost, end in ((_RARE, "."), (_RARE, ","), (_RARE, "!"), (_RARE, ";")):
        yield Alteration("end", "SPACES_CHANGED", f'ends in "{end}"', cost, _after(end))


_LABELS = (
    ("Text to sign", 0.9), ("Message", 0.9), ("Message to sign", _USUAL), ("Text", _USUAL),
    ("Please sign", 1.2), ("Please sign this", 1.4), ("Please sign this message", 1.5),
    ("Sign this", 1.5), ("Sign this message", 1.4), ("Sign", 1.5), ("Sign this text", 1.6),
    ("Please sign this text", 1.6), ("Please sign the following text", 1.8),
    ("Please sign the following message", 1.8), ("Please sign the text below", 2.0),
    ("Please sign the message below", 2.0), ("The text", 1.8), ("The message", 1.8),
    ("Your text", 2.0), ("Your message", 2.0), ("Challenge", 1.5), ("Challenge text", 1.8),
    ("Text for signing", 1.9), ("Message for signing", 2.0), ("To sign", 1.7),
    ("Here is the text", 1.9), ("Here is the message", 2.0), ("Here is the text to sign", 2.0),
    ("Here is the message to sign", 2.0), ("Here it is", 2.2), ("Copy this", 2.1),
    ("Copy this text", 2.1), ("Sign the following", 1.9), ("Sign the following message", 1.8),
    ("Sign the following text", 1.9), ("Sign message", 1.8), ("Signed message", 2.2), ("Msg", 1.9),
    ("message", 1.6), ("text", 1.7), ("Content", 2.4), ("Body", 2.4), ("Note", 2.4), ("Re", 2.3),
    ("Fwd", 2.3), ("Subject", 2.3), ("Nachricht", 2.4), ("Zu signierender Text", 2.4),
    ("Texte", 2.5), ("Mensaje", 2.5), ("Messaggio", 2.5), ("Text zum Signieren", 2.5),
)  # fmt: skip
_GREETINGS = ("Hi", "Hello", "Dear customer", "Dear Customer", "Hi there", "Good morning", "Hey")


def _prefixes() -> Iterator[Alteration]:
    for label, cost in _LABELS:
        for more, separator in ((0.0, ": "), (0.5, ":\n"), (0.8, ":\n\n"), (0.8, ":\r\n"),
                                (0.9, ":"), (1.2, " - "), (1.3, "\n")):  # fmt: skip
            what = f'begins with "{label}"'
            addition = _before(label + separator)
            yield Alteration("prefix", "LABEL_INCLUDED", what, cost + more, addition)
    for greeting in _GREETINGS:
        for more, separator in ((0.0, ",\n"), (0.0, ",\n\n"), (0.4, ", "), (0.8, ",\r\n\r\n")):
            what, addition = f'begins with "{greeting}"', _before(greeting + separator)
            yield Alteration("prefix", "LABEL_INCLUDED", what, 2.4 + more, addition)
    for cost, bullet in ((_COMMON, "- "), (_COMMON, "* "), (_RARE, "\u2022 "), (_RARE, "1. "),
                         (_RARE, "1) "), (_RARE, "# "), (_RARE, "-> ")):  # fmt: skip
        what = "begins with a list's sign"
        yield Alteration("prefix", "LABEL_INCLUDED", what, cost, _before(bullet))


_MARKS = (
    ('""', 0.4), ("\u201c\u201d", 0.7), ("''", 0.8), ("``", 0.8), ("\u201e\u201c", 0.8),
    ("\u00ab\u00bb", 0.8), ("\u2018\u2019", 1.1), ("\u201e\u201d", 1.3), ("<>", 1.1),
    ("\u00bb\u00ab", 1.7), ("\u2039\u203a", 2.0), ("\u201a\u2018", 1.8), ("\u300c\u300d", 2.0),
    ("\u300e\u300f", 2.4), ("()", 1.7), ("[]", 1.7), ("{}", 2.2), ("\u201c\u201c", 2.0),
    ("\u201d\u201d", 1.8), ("\u2019\u2019", 2.4), ("\u00b4\u00b4", 2.4), ("\u300a\u300b", 2.6),
)  # fmt: skip
_MARKDOWN = (("*", 0.9), ("**", 0.9), ("_", 1.2), ("__", 1.7), ("~~", 2.2), ("~", 2.4),
             ("***", 2.2), ("||", 2.3), ("```", 1.1), ('"""', 2.2), ("``", 2.0))  # fmt: skip
_FENCES = (("```\n", "\n```", 0.8), ("```\r\n", "\r\n```", 1.5), ("```\n", "\n```\n", 1.3),
           ("```text\n", "\n```", 1.5), ("```txt\n", "\n```", 2.2), ("~~~\n", "\n~~~", 2.0),
           ("```\n", "```", 1.6), ("```plaintext\n", "\n```", 2.4), ("```", "\n```", 2.0),
           ("\u00ab\u00a0", "\u00a0\u00bb", 1.2), ("\u00ab ", " \u00bb", 1.5),
           ("\u00ab\u202f", "\u202f\u00bb", 1.7), ("<p>", "</p>", 1.9), ("<b>", "</b>", 2.2),
           ("<code>", "</code>", 2.0), ("<pre>", "</pre>", 2.0), ("<div>", "</div>", 2.2),
           ("<span>", "</span>", 2.4), ("&quot;", "&quot;", 1.8), ("<strong>", "</strong>", 2.4),
           ("---\n", "\n---", 2.2), ("\\\"", "\\\"", 2.2), ("\"", "", 2.2), ("", "\"", 2.0),
           ("'", "", 2.6), ("", "'", 2.6), ("", "`", 2.4), ("\u201c", "", 2.5), ("", "\u201d", 2.4),
           ("", ">", 2.6), ("<", "", 2.8), ("-----\n", "\n-----", 2.6))  # fmt: skip


def _around(opening: str, closing: str) -> Callable[[str], str]:
    return lambda text: opening + text + closing


def _quotes() -> Iterator[Alteration]:
    for marks, cost in _MARKS:
        opening, closing = tuple(marks)
        what = f"has {opening}{closing} around it"
        yield Alteration("quotes", "QUOTED_TEXT", what, cost, _around(opening, closing))
    for sign, cost in _MARKDOWN:
        what = f"has {sign} around it"
        yield Alteration("quotes", "MARKUP_ADDED", what, cost, _around(sign, sign))
    for opening, closing, cost in _FENCES:
        finding = "QUOTED_TEXT" if set("\u00ab\"'`\u201c\u201d&") & set(opening + closing) else ""
        finding = "MARKUP_ADDED" if "```" in opening or not finding else finding
        what = f"has {opening.strip()}{closing.strip()} around it"
        yield Alteration("quotes", finding, what, cost, _around(opening, closing))
    yield Alteration(
        "code", "QUOTED_TEXT", "is written as JSON", _RARE,
        lambda text: json.dumps(text, ensure_ascii=False),
    )  # fmt: skip


# Mail programs and windows of terminals, then every other width.
_WORD_WIDTHS = {72: 0.6, 76: 0.6, 78: 0.8, 80: 0.6, 70: 0.9, 64: 0.9, 60: 1.0, 65: 1.1, 74: 1.2,
                40: 1.2, 50: 1.1, 100: 1.1, 120: 1.1, 66: 1.5, 68: 1.5, 75: 1.3, 77: 1.3, 79: 1.2,
                132: 1.7, 998: 1.7}  # fmt: skip
_CUT_WIDTHS = {64: 0.9, 72: 0.8, 76: 0.8, 80: 0.6, 78: 1.1, 70: 1.2, 60: 1.2, 50: 1.3, 40: 1.4,
               100: 1.1, 120: 1.2, 32: 2.2, 65: 1.9, 75: 1.6, 79: 1.6, 132: 2.0}  # fmt: skip
_BREAKS = (("\n", 0.0, "line breaks"), ("\r\n", 0.1, "line breaks"),
           (" \n", 0.4, "format=flowed"), (" \r\n", 0.5, "format=flowed"),
           ("\n> ", 0.6, "quoted lines"), ("\r\n> ", 1.0, "quoted lines"),
           ("<br>", 1.6, "<br>"), ("<br>\n", 1.9, "<br>"), ("<br/>", 2.4, "<br/>"),
           ("\\n", 2.2, "\\n"), ("\n\n", 1.8, "empty lines"), ("\n    ", 2.0, "indented lines"),
           ("\n  ", 2.0, "indented lines"), ("\n\t", 2.3, "indented lines"))  # fmt: skip


def _wrapped(width: int, joint: str) -> Callable[[str], str]:
    def wrap(text: str) -> str:
        head = "> " if joint.endswith("> ") else ""
        return head + joint.join(_lines(text, width, breaks_words=False))

    return wrap


def _filled(width: int, joint: str) -> Callable[[str], str]:
    """As `_wrapped`, and words longer than a line are broken."""
    return lambda text: joint.join(_lines(text, width, breaks_words=True))


@lru_cache(2048)
def _lines(text: str, width: int, *, breaks_words: bool) -> list[str]:
    found: list[str] = []
    for line in text.replace("\r\n", "\n").split("\n"):
        found += textwrap.wrap(
            line, width, break_on_hyphens=False, break_long_words=breaks_words,
            replace_whitespace=False,
        ) or [line]  # fmt: skip
    return found


def _cut_into(width: int, joint: str) -> Callable[[str], str]:
    return lambda text: joint.join(text[i : i + width] for i in range(0, len(text), width))


def _at_sentences(joint: str) -> Callable[[str], str]:
    return lambda text: re.sub(r"(?<=[.:]) ", joint, text)


def _wrappings() -> Iterator[Alteration]:
    finding = "LINE_BREAKS_ADDED"
    for joint, more, name in _BREAKS:
        for width in range(24, 200):
            cost = _WORD_WIDTHS.get(width, 2.4 if width % 5 == 0 or 68 <= width <= 84 else 2.9)
            what = f"was wrapped at {width} characters ({name})"
            yield Alteration("wrap", finding, what, cost + more, _wrapped(width, joint))
            if joint.strip(" ") in {"\n", "\r\n"} and width < 64:
                filled = _filled(width, joint)
                yield Alteration("wrap", finding, what, cost + more + 0.5, filled)
            cut = _CUT_WIDTHS.get(width, 2.6 if width % 5 == 0 or 68 <= width <= 84 else 3.4)
            what = f"was cut into lines of {width} characters ({name})"
            if more < 1.0:
                yield Alteration("wrap", finding, what, cut + more, _cut_into(width, joint))
        what = f"was broken after its sentences ({name})"
        yield Alteration("wrap", finding, what, _USUAL + more, _at_sentences(joint))
        what = f"was broken at every space ({name})"
        yield Alteration("wrap", finding, what, 2.6 + more, _replace(" ", joint))
    for cost, sign in ((0.5, "> "), (0.9, ">"), (_COMMON, ">> "), (_COMMON, "| "), (2.0, "> > "),
                       (2.2, ">>"), (1.6, "    "), (2.2, "  "), (2.0, "\t")):  # fmt: skip
        finding, what = "QUOTED_LINES", f'has "{sign}" before its lines'
        if not sign.strip():
            finding, what = "LINE_BREAKS_ADDED", "has indented lines"
        yield Alteration("lines", finding, what, cost, _line_sign(sign))
    yield Alteration("markup", "LINE_ENDINGS", "has CR LF line ends", 0.6, _crlf)
    yield Alteration("markup", "LINE_ENDINGS", "has LF line ends", _RARE, _replace("\r\n", "\n"))
    for joint in (" ", ""):
        lost = partial(re.sub, r"[\r\n]+", joint)
        yield Alteration("unicode", "LINE_BREAKS_LOST", "lost its line breaks", _USUAL, lost)
    yield Alteration(
        "cut", "FIRST_LINE_ONLY", "is the first line alone", _USUAL,
        lambda text: text.split("\n", 1)[0].removesuffix("\r"),
    )  # fmt: skip
    yield Alteration(
        "code", "LITERAL_ESCAPES", "holds backslashes for line breaks", _COMMON,
        lambda text: text.replace("\r\n", "\\r\\n").replace("\n", "\\n"),
    )  # fmt: skip


def _line_sign(sign: str) -> Callable[[str], str]:
    return lambda text: "".join(sign + line for line in text.splitlines(keepends=True))


def _crlf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def _characters() -> Iterator[Alteration]:
    finding = "INVISIBLE_CHARACTERS"
    space = "\u00a0"
    for cost, old, new, what in (
        (0.5, " ", space, "has no-break spaces"),
        (0.7, ". ", f".{space}", "has a no-break space after its full stops"),
        (1.3, ": ", f":{space}", "has a no-break space after its colon"),
        (1.4, ". ", f".{space} ", "has a no-break space after its full stops"),
        (1.5, ". ", f". {space}", "has a no-break space after its full stops"),
        (1.6, ", ", f",{space}", "has a no-break space after its commas"),
        (2.0, " ", "\u202f", "has narrow no-break spaces"),
        (2.2, " ", "\u2009", "has thin spaces"),
        (2.2, " ", "\u2003", "has wide spaces"),
        (2.2, " ", "\u2002", "has wide spaces"),
        (2.0, " ", "\u3000", "has wide spaces"),
        (2.0, "-", "\u2011", "has no-break hyphens"),
        (1.5, "-", "\u2013", "has dashes instead of hyphens"),
        (2.2, "-", "\u2010", "has other hyphens"),
        (2.2, "-", "\u2014", "has dashes instead of hyphens"),
        (2.4, "-", "\u2212", "has minus signs instead of hyphens"),
        (1.3, "'", "\u2019", "has a typographic apostrophe"),
        (1.5, '"', "\u201d", "has typographic quotes"),
        (2.4, ":", "\uff1a", "has wide colons"),
        (2.4, ".", "\u3002", "has wide full stops"),
        (2.3, "...", "\u2026", "has an ellipsis sign"),
    ):
        code = finding if "space" in what or new == "\u2011" else "CHARACTERS_REPLACED"
        yield Alteration("characters", code, what, cost, _replace(old, new))


def _hidden_marks() -> Iterator[Alteration]:
    finding = "INVISIBLE_CHARACTERS"
    for mark, name in INVISIBLE.items():
        more = 0.0 if mark in "\u200b\u2060\u200e" else 0.7
        for cost, where, put in (
            (1.5, "after its full stops", _replace(". ", f".{mark} ")),
            (1.7, "after its full stops", _replace(". ", f". {mark}")),
            (1.5, "after its spaces", _replace(" ", f" {mark}")),
            (1.6, "before its spaces", _replace(" ", f"{mark} ")),
            (1.5, "before the address", _at_address(mark, "")),
            (1.6, "after the address", _at_address("", mark)),
            (1.8, "around the address", _at_address(mark, mark)),
            (1.7, "after the colon", _replace(": ", f":{mark} ")),
            (1.7, "after the colon", _replace(": ", f": {mark}")),
            (2.0, "in the middle", partial(_in_the_middle, mark=mark)),
        ):
            what = f"has {name} {where}"
            yield Alteration("characters", finding, what, cost + more, put)
        for number in range(40):
            what = f"has {name} at a space"
            after, before = _at_space(number, f" {mark}"), _at_space(number, f"{mark} ")
            yield Alteration("characters", finding, what, 3.4 + more, after)
            yield Alteration("characters", finding, what, 3.6 + more, before)


def _single_spaces() -> Iterator[Alteration]:
    finding, space = "INVISIBLE_CHARACTERS", "\u00a0"
    for number in range(40):
        one = _at_space(number, space)
        yield Alteration("characters", finding, "has a no-break space", 3.0, one)
        two = _at_space(number, "  ")
        yield Alteration("spaces", "SPACES_CHANGED", "has a double space", 3.2, two)
        none = _at_space(number, "")
        yield Alteration("spaces", "SPACES_CHANGED", "lacks a space", 3.3, none)
        line = _at_space(number, "\n")
        yield Alteration("wrap", "LINE_BREAKS_ADDED", "has one line break", 3.0, line)
        for sign in ("\r\n", " \n", "\n\n"):
            one = _at_space(number, sign)
            yield Alteration("wrap", "LINE_BREAKS_ADDED", "has one line break", 3.4, one)


def _rewritten() -> Iterator[Alteration]:
    for cost, change in (
        (_USUAL, _replace(". ", ".  ")), (_USUAL, lambda text: " ".join(text.split())),
        (_USUAL, _replace(" ", "")), (_COMMON, _replace(" ", "  ")), (_COMMON, _replace(". ", ".")),
        (_COMMON, _replace("  ", " ")), (_RARE, _replace(" ", "\t")), (_RARE, _replace(" ", "_")),
        (_RARE, _replace(": ", ":")), (_RARE, _replace(", ", ",")), (_RARE, _replace(":", " :")),
    ):  # fmt: skip
        yield Alteration("spaces", "SPACES_CHANGED", "has other spaces", cost, change)
    for form in ("NFC", "NFD", "NFKC"):
        # Trezor signs the NFC form whatever it is given.
        other = partial(unicodedata.normalize, form)
        yield Alteration("unicode", "UNICODE_FORM", "has its accents encoded otherwise", 1.0, other)
    for cost, lost in ((_COMMON, ","), (_RARE, ":"), (_RARE, "."), (_COMMON, ".:,")):
        what = "lost its punctuation"
        yield Alteration("spaces", "PUNCTUATION_LOST", what, cost, _without(lost))


def _in_the_middle(text: str, mark: str) -> str:
    return text[: len(text) // 2] + mark + text[len(text) // 2 :]


def _at_space(number: int, instead: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        pieces = text.split(" ")
        if number + 1 >= len(pieces):
            return text
        head, tail = pieces[: number + 1], pieces[number + 1 :]
        return " ".join(head) + instead + " ".join(tail)

    return change


def _at_address(before: str, after: str) -> Callable[[str], str]:
    return lambda text: _ADDRESS.sub(lambda found: before + found[0] + after, text)


def _address_case(change: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: _ADDRESS.sub(lambda found: change(found[0]), text)


def _cases() -> Iterator[Alteration]:
    lower, upper, mixed = "LOWER_CASE_TEXT", "UPPER_CASE_TEXT", "CASE_CHANGED"
    for cost, finding, what, change in (
        (0.5, lower, "is in small letters", str.lower),
        (0.7, upper, "is in capital letters", str.upper),
        (0.6, mixed, "has the address in small letters", _address_case(str.lower)),
        (1.1, mixed, "has the address in capital letters", _address_case(str.upper)),
        (1.4, mixed, "has the address in capital letters", _address_case(_upper_digits)),
        (1.5, mixed, "begins with a small letter", lambda t: t[:1].lower() + t[1:]),
        (1.6, mixed, "has capital letters at every word", str.title),
        (1.7, mixed, "has small letters but for the first", str.capitalize),
        (2.0, mixed, "has capital and small letters swapped", str.swapcase),
        (2.0, mixed, "has capital letters at every word", _words_up),
        (2.2, mixed, "begins with a capital letter", lambda t: t[:1].upper() + t[1:]),
        (2.2, mixed, "has a small z in its time", _replace("Z.", "z.")),
        (2.4, mixed, "has a small t in its time", lambda t: re.sub(r"(?<=\d)T(?=\d)", "t", t)),
    ):  # fmt: skip
        yield Alteration("case", finding, what, cost, change)


def _upper_digits(address: str) -> str:
    return address[:2] + address[2:].upper()


def _words_up(text: str) -> str:
    return " ".join(word[:1].upper() + word[1:] for word in text.split(" "))


_CUT_LENGTHS = {160: 0.6, 140: 0.9, 128: 1.0, 120: 1.1, 100: 1.0, 150: 1.1, 200: 1.1, 153: 1.4,
                180: 1.4, 80: 1.4, 64: 1.4, 70: 1.6, 255: 1.6, 76: 1.8, 50: 1.8}  # fmt: skip


def _shortened(length: int, ending: str) -> Callable[[str], str]:
    return lambda text: text[:length] + ending if len(text) > length else text


def _words(which: slice) -> Callable[[str], str]:
    return lambda text: " ".join(text.split(" ")[which]) or text


def _cuts() -> Iterator[Alteration]:
    finding = "PART_OF_TEXT"
    for length in range(1, 320):
        cost = _CUT_LENGTHS.get(length, 3.0 if length % 10 == 0 else 3.7)
        what = f"is cut off after {length} characters"
        yield Alteration("cut", finding, what, cost, _shortened(length, ""))
        if length in _CUT_LENGTHS or length % 10 == 0:
            for more, dots in ((0.9, "..."), (0.9, "\u2026"), (1.4, " ..."), (1.4, " \u2026")):
                yield Alteration("cut", finding, what, cost + more, _shortened(length, dots))
            # As a program that shortens to a length which counts its dots.
            for dots in ("...", "\u2026"):
                short = _shortened(length - len(dots), dots)
                yield Alteration("cut", finding, what, cost + 0.9, short)
    yield Alteration(
        "cut", "FINAL_PERIOD_LOST", "lost the full stop at its end", 0.5,
        lambda text: text.removesuffix("."),
    )  # fmt: skip
    for cost, change in (
        (0.7, lambda text: text.partition(": ")[2] or text),
        (1.2, lambda text: text.partition(". ")[0] + "." if ". " in text else text),
        (1.2, lambda text: text.partition(". ")[2] or text),
        (1.4, lambda text: text.rpartition(". ")[0] + "." if ". " in text else text),
        (1.5, lambda text: text.rpartition(". ")[2]), (1.6, lambda text: text.rpartition(". ")[0]),
        (1.8, lambda text: text.partition(". ")[0]),
        (1.7, lambda text: text.partition("\n")[2] or text),
        (1.8, lambda text: text.rpartition(", ")[0] or text),
        (2.2, lambda text: text[1:]), (2.0, lambda text: text[:-1]), (2.6, lambda text: text[2:]),
    ):  # fmt: skip
        yield Alteration("cut", finding, "is only part of ours", cost, change)
    for number in range(1, 40):
        rest = _words(slice(number, None))
        yield Alteration("cut", finding, "lacks its first words", 3.4, rest)
        most = _words(slice(None, -number))
        yield Alteration("cut", finding, "lacks its last words", 3.2, most)


_SIGNATURES = (
    ("Best regards", 0.7), ("Sent from my iPhone", 0.7), ("Kind regards", 1.2), ("Regards", 1.3),
    ("Thanks", 1.2), ("Thank you", 1.3), ("Best", 1.6), ("Cheers", 1.7), ("Sincerely", 1.6),
    ("Best wishes", 1.7), ("Warm regards", 1.9), ("Many thanks", 1.8), ("Yours sincerely", 1.8),
    ("Sent from my iPad", 1.4), ("Sent from my phone", 1.6), ("Sent from my Android", 1.6),
    ("Sent from my Android phone", 1.9), ("Sent from my Samsung Galaxy smartphone.", 1.9),
    ("Sent from Outlook", 1.9), ("Get Outlook for iOS", 1.6), ("Get Outlook for Android", 1.8),
    ("Sent from Mail for Windows", 1.8), ("Sent from Yahoo Mail", 1.9), ("Sent from Gmail", 2.0),
    ("Sent from Proton Mail", 2.0), ("Sent with Proton Mail secure email.", 2.0),
    ("Your bank", 2.2), ("Example Bank", 1.9), ("Mit freundlichen Gr\u00fc\u00dfen", 1.9),
    ("Von meinem iPhone gesendet", 1.9), ("Viele Gr\u00fc\u00dfe", 2.0), ("Cordialement", 2.0),
    ("Envoy\u00e9 de mon iPhone", 2.0), ("Saludos", 2.0), ("Enviado desde mi iPhone", 2.0),
    ("Cordiali saluti", 2.2), ("Inviato da iPhone", 2.2), ("Sent from my mobile", 2.0),
    ("Sent from my BlackBerry", 2.3), ("Sent via mobile", 2.4), ("Thanks!", 1.8), ("Thx", 2.0),
    ("Thank you!", 1.9), ("BR", 2.2), ("--", 2.2), ("-- ", 2.2), ("KR", 2.6), ("Read more", 2.4),
)  # fmt: skip
_BEFORE_SIGNATURE = (("\n\n", 0.0), ("\n", 0.2), (" ", 0.5), ("\r\n\r\n", 0.4), ("\r\n", 0.6),
                     ("\n-- \n", 0.7), ("\n--\n", 0.7), ("\n\n-- \n", 0.8), ("\n\n--\n", 0.8),
                     (" - ", 1.3), ("\n\n\n", 1.2), ("\r\n-- \r\n", 1.1), ("\r\n--\r\n", 1.3),
                     ("\r\n\r\n-- \r\n", 1.3), (" -- ", 1.6))  # fmt: skip


def _repeated(times: int, joint: str) -> Callable[[str], str]:
    return lambda text: joint.join([text] * times)


def _repeats_and_tails() -> Iterator[Alteration]:
    for cost, joint in (
        (0.7, "\n"), (0.7, ""), (0.7, " "), (1.0, "\n\n"), (1.2, "\r\n"), (1.8, "\r\n\r\n"),
        (2.0, "\n---\n"), (2.2, ", "), (2.4, "\t"), (2.3, "\n> "),
    ):  # fmt: skip
        for times, name, more in ((2, "twice", 0.0), (3, "three times", 1.7)):
            repeated = _repeated(times, joint)
            yield Alteration("double", "TEXT_DOUBLED", f"is there {name}", cost + more, repeated)
    for closing, cost in _SIGNATURES:
        for before, more in _BEFORE_SIGNATURE:
            for after, extra in (("", 0.0), (",", 0.7), (".", 1.3)):
                addition, what = before + closing + after, f'ends in "{closing}"'
                total = cost + more + extra
                yield Alteration("tail", "TAIL_INCLUDED", what, total, _after(addition))


def _codes() -> Iterator[Alteration]:
    for cost, finding, what, change in (
        (0.7, "HEX_OF_TEXT", "is in hex digits", lambda t: t.encode().hex()),
        (0.7, "HEX_OF_TEXT", "is in hex digits", lambda t: "0x" + t.encode().hex()),
        (_COMMON, "HEX_OF_TEXT", "is in hex digits", lambda t: t.encode().hex().upper()),
        (_RARE, "HEX_OF_TEXT", "is in hex digits", lambda t: t.encode().hex(" ")),
        (_RARE, "HEX_OF_TEXT", "is in hex digits", lambda t: "0x" + t.encode().hex().upper()),
        (_USUAL, "BASE64_OF_TEXT", "is in base64", lambda t: base64.b64encode(t.encode())),
        (2.0, "BASE64_OF_TEXT", "is in base64", lambda t: base64.urlsafe_b64encode(t.encode())),
        (2.0, "BASE64_OF_TEXT", "is in base64",
         lambda t: base64.b64encode(t.encode()).rstrip(b"=")),
        (2.4, "BASE64_OF_TEXT", "is in base64", lambda t: base64.encodebytes(t.encode())),
        (1.4, "BASE58_OF_TEXT", "is in base58", lambda t: base58.b58encode(t.encode())),
        (1.4, "UTF16_TEXT", "is in UTF-16", lambda t: t.encode("utf-16-le")),
        (1.6, "UTF16_TEXT", "is in UTF-16", lambda t: t.encode("utf-16")),
        (2.0, "UTF16_TEXT", "is in UTF-16", lambda t: t.encode("utf-16-be")),
        (2.0, "UTF16_TEXT", "is in Latin-1", lambda t: t.encode("latin-1", "replace")),
        (2.0, "UTF16_TEXT", "is in Windows-1252", lambda t: t.encode("cp1252", "replace")),
    ):  # fmt: skip
        yield Alteration("code", finding, what, cost, change)
    for cost, finding, what, rewrite in (
        (0.9, "URL_ENCODED_TEXT", "has link codes", lambda t: quote(t, safe="")),
        (0.9, "URL_ENCODED_TEXT", "has link codes", quote),
        (1.0, "URL_ENCODED_TEXT", "has link codes", _replace(" ", "+")),
        (1.2, "URL_ENCODED_TEXT", "has link codes", _replace(" ", "%20")),
        (1.8, "URL_ENCODED_TEXT", "has link codes", quote_plus),
        (2.0, "URL_ENCODED_TEXT", "has link codes", lambda t: quote(t, safe=":/?&=,.!'()*~-_")),
        (0.7, "MAIL_ENCODING", "holds codes of a web page (&amp;)", _replace("&", "&amp;")),
        (1.0, "MAIL_ENCODING", "holds codes of a web page", html.escape),
        (1.3, "MAIL_ENCODING", "holds codes of a web page", lambda t: html.escape(t, quote=False)),
        (1.5, "MAIL_ENCODING", "holds codes of a web page", _replace("&", "&#38;")),
        (1.3, "MAIL_ENCODING", "holds codes of a web page", _replace("'", "&#39;")),
        (1.5, "MAIL_ENCODING", "holds codes of a web page", _replace("'", "&#x27;")),
        (1.5, "MAIL_ENCODING", "holds codes of a web page", _replace("'", "&apos;")),
        (1.4, "MAIL_ENCODING", "holds codes of a web page", _replace(" ", "&nbsp;")),
        (1.8, "MAIL_ENCODING", "holds codes of a web page", _replace(". ", ".&nbsp;")),
        (1.6, "MAIL_ENCODING", "holds codes of a web page", _replace("\n", "<br>")),
        (1.8, "MAIL_ENCODING", "holds codes of a web page", _replace("\n", "<br>\n")),
        (2.0, "LITERAL_ESCAPES", "holds backslashes", lambda t: json.dumps(t)[1:-1]),
        (1.6, "LITERAL_ESCAPES", "holds backslashes", _replace(".", "\\.")),
        (1.6, "LITERAL_ESCAPES", "holds backslashes", _markdown_escapes),
    ):  # fmt: skip
        yield Alteration("markup", finding, what, cost, rewrite)
    for width in (76, 75, 72, 74, 78, 73, 70, 64, 80):
        for joint, more in (("=\n", 0.0), ("=\r\n", 0.1)):
            what = "is in a mail's quoted-printable form"
            soft = partial(_soft_breaks, width=width, joint=joint)
            cost = (0.7 if width == 76 else 1.7) + more
            yield Alteration("code", "MAIL_ENCODING", what, cost, soft)
    yield Alteration(
        "code", "MAIL_ENCODING", "is in a mail's quoted-printable form", 0.8,
        lambda t: quopri.encodestring(t.encode()),
    )  # fmt: skip
    yield Alteration(
        "code", "MAIL_ENCODING", "is in a mail's quoted-printable form", 1.2,
        lambda t: quopri.encodestring(t.encode()).replace(b"\n", b"\r\n"),
    )  # fmt: skip
    yield Alteration(
        "code", "MAIL_ENCODING", "is in a mail's quoted-printable form", 1.4,
        lambda t: quopri.encodestring(t.encode(), header=True),
    )  # fmt: skip
    yield Alteration(
        "code", "MAIL_ENCODING", "is in a mail's quoted-printable form", 1.6,
        lambda t: quopri.encodestring(t.encode(), quotetabs=True),
    )  # fmt: skip
    for sign in "= ,.-:":
        what = "holds codes of a mail"
        yield Alteration("markup", "MAIL_ENCODING", what, 1.7, _replace(sign, f"={ord(sign):02X}"))


def _markdown_escapes(text: str) -> str:
    return re.sub(r"([_*\-.!()])", r"\\\1", text)


def _soft_breaks(text: str, width: int, joint: str) -> bytes:
    """Quoted-printable whose lines, with their "=", have at most `width` characters."""
    escaped = quopri.encodestring(text.encode()).replace(b"=\n", b"").decode()
    pieces, start = [], 0
    while len(escaped) - start > width:
        end = start + width - 1
        while "=" in escaped[end - 2 : end]:
            end -= 1
        pieces.append(escaped[start:end])
        start = end
    return joint.join([*pieces, escaped[start:]]).encode()

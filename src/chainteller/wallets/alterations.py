"""Every single thing that happens to a text on its way into a wallet, and how often.

Programs and people quote, wrap, label, cut, double and sign off what they pass on. Each way in
which they do it has a weight, and within it every `Alteration` has a share; a cost is minus the
logarithm of both together, so that the costs of several steps add up to how unlikely they are.
"""

import base64
import html
import json
import math
import quopri
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from urllib.parse import quote, quote_plus

import base58

_COMMON, _RARE = 1.7, 2.6
# A difference of 1 within a way means that the one happens 13 times as often as the other.
_STEEPNESS = 2.6
# A run of letters and digits as long as an address; ids of challenges hold an underscore.
_ADDRESS = re.compile(r"\b[0-9A-Za-z]{26,}+\b", re.ASCII)


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


@cache
def alterations() -> tuple[Alteration, ...]:
    """All of them, the likeliest first."""
    found = []
    for weight, way in _WAYS:
        rows = list(way())
        total = math.log(sum(math.exp(-_STEEPNESS * row.cost) for row in rows) / weight)
        found += [replace(row, cost=_STEEPNESS * row.cost + total) for row in rows]
    return tuple(sorted(found, key=lambda row: row.cost))


_MARK_COSTS = {"\ufeff": 0.8, "\u200b": 0.8, "\u200e": 0.9, "\u2060": 0.9}


def _before(addition: str) -> Callable[[str], str]:
    return lambda text: addition + text


def _after(addition: str) -> Callable[[str], str]:
    return lambda text: text + addition


def _without(lost: str) -> Callable[[str], str]:
    nothing = dict.fromkeys(map(ord, lost))
    return lambda text: text.translate(nothing)


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


def _ends() -> Iterator[Alteration]:
    for cost, ending in (
        (0.2, "\n"), (0.4, "\r\n"), (0.7, "\n\n"), (1.3, "\r\n\r\n"), (_RARE, "\r"),
        (_COMMON, " \n"), (_COMMON, " \r\n"), (_RARE, "\n\n\n"),
    ):  # fmt: skip
        yield Alteration("end", "TRAILING_NEWLINE", "ends in a line break", cost, _after(ending))
    for cost, ending in ((0.4, " "), (1.1, "  "), (1.1, "\t")):
        yield Alteration("end", "TRAILING_SPACE", "ends in a space", cost, _after(ending))
    what = "ends in an invisible character"
    yield Alteration("end", "INVISIBLE_CHARACTERS", what, 1.0, _after("\u00a0"))


def _starts() -> Iterator[Alteration]:
    for cost, start in (
        (0.4, " "), (0.5, "\n"), (1.2, "\r\n"), (1.0, "\t"), (1.2, "  "),
        (_RARE, "\n\n"), (_RARE, "    "), (_RARE, "\r\n\r\n"),
    ):  # fmt: skip
        what = "begins with a space or line break"
        yield Alteration("start", "LEADING_SPACE", what, cost, _before(start))
    yield Alteration(
        "start", "INVISIBLE_CHARACTERS", "begins with a no-break space", _COMMON, _before("\u00a0")
    )


def _both_ends() -> Iterator[Alteration]:
    for cost, start, end in ((0.8, " ", " "), (0.9, "\n", "\n"), (_COMMON, "  ", "  "),
                             (_COMMON, "\r\n", "\r\n"), (_COMMON, "\t", "\t")):  # fmt: skip
        what = "has blanks around it"
        yield Alteration("ends", "SURROUNDING_SPACE", what, cost, _around(start, end))


def _marks_at_ends() -> Iterator[Alteration]:
    finding = "INVISIBLE_CHARACTERS"
    for mark, name in INVISIBLE.items():
        cost = _MARK_COSTS.get(mark, 1.4)
        first = 0.1 if mark == "\ufeff" else cost
        # A file has a byte order mark whatever else is in it.
        kind = "file" if mark == "\ufeff" else "mark"
        yield Alteration(kind, finding, f"begins with {name}", first, _before(mark))
        yield Alteration("mark", finding, f"ends in {name}", cost + 0.1, _after(mark))


def _marks_around() -> Iterator[Alteration]:
    finding = "INVISIBLE_CHARACTERS"
    for mark, name in INVISIBLE.items():
        what = f"has {name} at both ends"
        yield Alteration("mark", finding, what, 1.0, _around(mark, mark))
    bidi = (("\u2066", "\u2069"), ("\u2068", "\u2069"), ("\u202a", "\u202c"), ("\u202d", "\u202c"))
    for opening, closing in bidi:
        what = "has direction marks around it"
        yield Alteration("mark", finding, what, 1.5, _around(opening, closing))


def _signs_at_the_end() -> Iterator[Alteration]:
    yield Alteration(
        "end", "INVISIBLE_CHARACTERS", "ends in an invisible character", 1.0, _after("\0")
    )
    for cost, end in ((1.0, "\\n"), (_COMMON, "\\r\\n")):
        what = "holds a backslash and a letter instead of a line break"
        yield Alteration("end", "LITERAL_ESCAPES", what, cost, _after(end))
    for cost, end in ((1.2, "."), (1.4, ","), (1.4, "!"), (1.5, ";")):
        yield Alteration("end", "SPACES_CHANGED", f'ends in "{end}"', cost, _after(end))


_LABELS = (
    ("Text to sign", 0.5), ("Message", 0.5), ("Message to sign", 1.0), ("Text", 0.9),
    ("Please sign", 0.6), ("Please sign this", 1.2), ("Please sign this message", 1.2),
    ("Sign this", 1.1), ("Sign this message", 1.0), ("Sign", 1.4), ("Sign this text", 1.6),
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


_USUAL_LABEL, _USUAL_TAIL = 1.4, 1.4


def _labels() -> Iterator[Alteration]:
    return (each for each in _all_labels() if each.cost <= _USUAL_LABEL)


def _other_labels() -> Iterator[Alteration]:
    return (each for each in _all_labels() if each.cost > _USUAL_LABEL)


def _all_labels() -> Iterator[Alteration]:
    for label, cost in _LABELS:
        for more, separator in ((0.0, ": "), (0.3, ":\n"), (0.7, ":\n\n"), (0.9, ":\r\n"),
                                (0.9, ":"), (1.0, " - "), (1.0, "\n")):  # fmt: skip
            what = f'begins with "{label}"'
            addition = _before(label + separator)
            yield Alteration("prefix", "LABEL_INCLUDED", what, cost + more, addition)


def _greetings() -> Iterator[Alteration]:
    for greeting in _GREETINGS:
        for more, separator in ((0.2, ",\n"), (0.0, ",\n\n"), (0.4, ", "), (0.8, ",\r\n\r\n")):
            what, addition = f'begins with "{greeting}"', _before(greeting + separator)
            yield Alteration("prefix", "LABEL_INCLUDED", what, 1.0 + more, addition)


def _bullets() -> Iterator[Alteration]:
    for cost, bullet in ((1.0, "- "), (1.0, "* "), (1.3, "\u2022 "), (1.5, "1. "),
                         (_COMMON, "1) "), (_COMMON, "# "), (2.0, "-> ")):  # fmt: skip
        what = "begins with a list's sign"
        yield Alteration("prefix", "LABEL_INCLUDED", what, cost, _before(bullet))


_MARKS = (
    ('""', 0.4), ("\u201c\u201d", 0.6), ("''", 0.8), ("``", 0.9), ("\u201e\u201c", 0.8),
    ("\u00ab\u00bb", 0.8), ("\u2018\u2019", 0.9), ("\u201e\u201d", 1.3), ("<>", 1.0),
    ("\u00bb\u00ab", 1.7), ("\u2039\u203a", 2.0), ("\u201a\u2018", 1.8), ("\u300c\u300d", 2.0),
    ("\u300e\u300f", 2.4), ("()", 1.4), ("[]", 1.5), ("{}", 2.2), ("\u201c\u201c", 2.0),
    ("\u201d\u201d", 1.8), ("\u2019\u2019", 2.4), ("\u00b4\u00b4", 2.4), ("\u300a\u300b", 2.6),
)  # fmt: skip
_MARKDOWN = (
    ("*", "*", 0.7), ("**", "**", 0.7), ("_", "_", 1.0), ("`", "`", 0.8), ("```\n", "\n```", 0.7),
    ("```", "```", 0.9), ("```\n", "\n```\n", 1.4), ("~", "~", 1.6), ("~~", "~~", 1.5),
    ("__", "__", 1.6), ("***", "***", 2.0), ("||", "||", 2.0), ("```\r\n", "\r\n```", 1.5),
    ("```text\n", "\n```", 1.5), ("```txt\n", "\n```", 2.2), ("~~~\n", "\n~~~", 2.0),
    ("```\n", "```", 1.7), ("```plaintext\n", "\n```", 2.4), ("```", "\n```", 2.0),
    ("``", "``", 2.0),
)  # fmt: skip
_ODD_PAIRS = (
    ("\u00ab\u00a0", "\u00a0\u00bb", 0.8), ("\u00ab ", " \u00bb", 1.0),
    ("\u00ab\u202f", "\u202f\u00bb", 1.3), ("<p>", "</p>", 1.3), ("<b>", "</b>", 1.6),
    ("<code>", "</code>", 1.5), ("<pre>", "</pre>", 1.5), ("<div>", "</div>", 1.6),
    ("<span>", "</span>", 1.8), ("&quot;", "&quot;", 1.3), ("<strong>", "</strong>", 1.8),
    ("---\n", "\n---", 1.6), ("\\\"", "\\\"", 1.6), ("\"\"\"", "\"\"\"", 1.6), ("\"", "", 1.4),
    ("", "\"", 1.3), ("'", "", 1.8), ("", "'", 1.8), ("", "`", 1.7), ("\u201c", "", 1.7),
    ("", "\u201d", 1.7), ("", ">", 1.8), ("<", "", 2.0), ("-----\n", "\n-----", 2.0),
)  # fmt: skip


def _around(opening: str, closing: str) -> Callable[[str], str]:
    return lambda text: opening + text + closing


def _quotes() -> Iterator[Alteration]:
    for marks, cost in _MARKS:
        opening, closing = tuple(marks)
        what = f"has {opening}{closing} around it"
        yield Alteration("quotes", "QUOTED_TEXT", what, cost, _around(opening, closing))


def _markdown() -> Iterator[Alteration]:
    for opening, closing, cost in _MARKDOWN:
        finding = "QUOTED_TEXT" if opening == "`" else "MARKUP_ADDED"
        what = f"has {opening.strip()}{closing.strip()} around it"
        yield Alteration("markdown", finding, what, cost, _around(opening, closing))


def _odd_quotes() -> Iterator[Alteration]:
    for opening, closing, cost in _ODD_PAIRS:
        quoted = set("\u00ab\"'`\u201c\u201d&") & set(opening + closing)
        finding = "QUOTED_TEXT" if quoted else "MARKUP_ADDED"
        what = f"has {opening.strip()}{closing.strip()} around it"
        yield Alteration("quotes", finding, what, cost, _around(opening, closing))
    yield Alteration(
        "code", "QUOTED_TEXT", "is written as JSON", 1.0,
        lambda text: json.dumps(text, ensure_ascii=False),
    )  # fmt: skip


# Mail programs and windows of terminals, then every other width.
_WORD_WIDTHS = {72: 0.3, 76: 0.4, 80: 0.5, 78: 0.7, 64: 0.9, 70: 0.9, 60: 0.9, 66: 1.0, 74: 1.2,
                65: 1.2, 75: 1.2, 68: 1.2, 77: 1.4, 79: 1.4, 100: 1.0, 120: 1.1, 40: 1.3, 50: 1.3,
                90: 1.4, 132: 2.0}  # fmt: skip
# Mail programs keep lines below 79 characters, and leave room for the signs of later replies.
_MAIL_WIDTHS = {72: 0.3, 76: 0.4, 78: 0.4, 66: 0.5, 74: 0.6, 70: 0.6, 68: 0.9, 64: 1.2, 80: 1.2,
                65: 1.3, 75: 1.2, 77: 1.3, 79: 1.3, 60: 1.4, 73: 1.4, 71: 1.4, 69: 1.5, 67: 1.5,
                100: 2.0}  # fmt: skip
_CUT_WIDTHS = {80: 0.4, 76: 0.5, 64: 0.5, 72: 0.6, 78: 0.9, 70: 0.8, 60: 0.9, 40: 0.9, 50: 1.0,
               100: 0.9, 120: 1.1, 32: 1.4, 65: 1.6, 75: 1.4, 79: 1.4, 132: 2.0}  # fmt: skip
_PLAIN = (("\n", 0.0), ("\r\n", 0.1))
_FLOWED = ((" \n", 0.0), (" \r\n", 0.1))
_QUOTED = (("\n> ", 0.0), ("\n>", 0.6), ("\r\n> ", 0.7), ("\n| ", 1.3), ("\n>> ", 1.3),
           ("\r\n>", 1.4), (" \n> ", 1.6), (" \r\n> ", 1.8))  # fmt: skip
_ODD_BREAKS = (("<br>", 0.2, "<br>"), ("<br>\n", 0.4, "<br>"), ("<br/>", 1.0, "<br/>"),
               ("\\n", 0.6, "\\n"), ("\n\n", 0.2, "empty lines"), ("\n    ", 0.4, "indented"),
               ("\n  ", 0.4, "indented"), ("\n\t", 0.8, "indented"))  # fmt: skip


def _wrapped(width: int, joint: str, *, fills: bool = False) -> Callable[[str], str]:
    """Lines of at most `width` characters; with `fills`, longer words are broken."""
    sign = joint.lstrip(" \r\n") if "\n" in joint else ""
    head = sign if sign.startswith((">", "|")) else ""

    def wrap(text: str) -> str:
        lines = text.replace("\r\n", "\n").split("\n") if "\n" in text else (text,)
        return head + joint.join(piece for line in lines for piece in _lines(line, width, fills))

    return wrap


def _reflowed(width: int, joint: str) -> Callable[[str], str]:
    """As `_wrapped`, after earlier line breaks became spaces, and those at its ends nothing."""
    wrap = _wrapped(width, joint)
    flat = {ord(each): " " for each in "\r\n\t"}
    return lambda text: wrap(text.translate(flat).strip(" ")) if "\n" in text else text


def _lines(line: str, width: int, fills: bool) -> Iterator[str]:  # noqa: FBT001 - asked very often
    start, size = 0, len(line)
    while size - start > width:
        end = line.rfind(" ", start, start + width + 1)
        if end <= start and fills:
            yield line[start : start + width]
            start += width
            continue
        if end <= start:
            end = line.find(" ", start + width)
            if end < 0:
                break
        yield line[start:end].rstrip(" ")
        start = end + 1
    yield line[start:]


def _cut_into(width: int, joint: str) -> Callable[[str], str]:
    return lambda text: joint.join(text[i : i + width] for i in range(0, len(text), width))


def _at_sentences(joint: str) -> Callable[[str], str]:
    return lambda text: re.sub(r"(?<=[.:]) ", joint, text)


def _wraps(
    joints: tuple[tuple[str, float], ...],
    name: str,
    widths: Mapping[int, float],
    wrapped: Callable[[int, str], Callable[[str], str]] = _wrapped,
) -> Callable[[], Iterator[Alteration]]:
    def way() -> Iterator[Alteration]:
        for joint, more in joints:
            for width, cost in widths.items():
                what = f"was wrapped at {width} characters ({name})"
                wrap = wrapped(width, joint)
                yield Alteration("wrap", "LINE_BREAKS_ADDED", what, cost + more, wrap)

    return way


def _reflows(
    joints: tuple[tuple[str, float], ...], widths: Mapping[int, float]
) -> Callable[[], Iterator[Alteration]]:
    return _wraps(joints, "all its lines as one", widths, _reflowed)


def _cut_wraps() -> Iterator[Alteration]:
    for joint, more in _PLAIN:
        for width, cost in _CUT_WIDTHS.items():
            what = f"was cut into lines of {width} characters (line breaks)"
            pieces = _cut_into(width, joint)
            yield Alteration("wrap", "LINE_BREAKS_ADDED", what, cost + more, pieces)


def _odd_wraps() -> Iterator[Alteration]:
    """Every other width, and what rarely ends a line."""
    finding = "LINE_BREAKS_ADDED"
    for joint, more in (
        *_PLAIN,
        *((joint, more + 0.8) for joint, more in (*_FLOWED, *_QUOTED[:3])),
    ):
        for width in range(24, 200):
            near = 0.0 if width % 5 == 0 or 68 <= width <= 84 else 0.3
            what = f"was wrapped at {width} characters"
            wrap = _wrapped(width, joint)
            yield Alteration("wrap", finding, what, 1.0 + near + more, wrap)
            if joint.isspace() and width < 64:
                filled = _wrapped(width, joint, fills=True)
                yield Alteration("wrap", finding, what, 1.6 + near + more, filled)
            what = f"was cut into lines of {width} characters"
            pieces = _cut_into(width, joint)
            yield Alteration("wrap", finding, what, 1.3 + near + more, pieces)
    for joint, more, name in _ODD_BREAKS:
        for width, cost in _WORD_WIDTHS.items():
            what = f"was wrapped at {width} characters ({name})"
            wrap = _wrapped(width, joint)
            yield Alteration("wrap", finding, what, cost + more, wrap)


def _broken_elsewhere() -> Iterator[Alteration]:
    finding = "LINE_BREAKS_ADDED"
    for joint, more in (*_PLAIN, *((joint, more + 0.6) for joint, more, _ in _ODD_BREAKS),
                        *((j, more + 0.9) for j, more in (*_FLOWED, *_QUOTED))):  # fmt: skip
        what = "was broken after its sentences"
        yield Alteration("wrap", finding, what, 0.6 + more, _at_sentences(joint))
        what = "was broken at every space"
        yield Alteration("wrap", finding, what, 1.2 + more, _replace(" ", joint))


def _line_signs() -> Iterator[Alteration]:
    for cost, sign in ((0.2, "> "), (0.7, ">"), (1.3, ">> "), (1.3, "| "),
                       (1.6, "> > "), (1.6, ">>"), (1.4, "    "), (1.7, "  "), (1.7, "\t"),
                       (2.0, "|")):  # fmt: skip
        finding, what = "QUOTED_LINES", f'has "{sign}" before its lines'
        if not sign.strip():
            finding, what = "LINE_BREAKS_ADDED", "has indented lines"
        yield Alteration("lines", finding, what, cost, _line_sign(sign))


def _crlf_ends() -> Iterator[Alteration]:
    yield Alteration("markup", "LINE_ENDINGS", "has CR LF line ends", 0.6, _crlf)


def _lost_breaks() -> Iterator[Alteration]:
    yield Alteration("markup", "LINE_ENDINGS", "has LF line ends", 1.0, _replace("\r\n", "\n"))
    for joint in (" ", ""):
        lost = partial(re.sub, r"[\r\n]+", joint)
        yield Alteration("unicode", "LINE_BREAKS_LOST", "lost its line breaks", 1.0, lost)
    yield Alteration(
        "cut", "FIRST_LINE_ONLY", "is the first line alone", 1.0,
        lambda text: text.split("\n", 1)[0].removesuffix("\r"),
    )  # fmt: skip
    yield Alteration(
        "code", "LITERAL_ESCAPES", "holds backslashes for line breaks", 1.0,
        lambda text: text.replace("\r\n", "\\r\\n").replace("\n", "\\n"),
    )  # fmt: skip


def _line_sign(sign: str) -> Callable[[str], str]:
    return lambda text: "".join(sign + line for line in text.splitlines(keepends=True))


def _crlf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def _no_break_spaces() -> Iterator[Alteration]:
    space = "\u00a0"
    for cost, change, what in (
        (0.2, _replace(" ", space), "has no-break spaces"),
        (0.2, _replace(". ", f".{space}"), "has a no-break space after its full stops"),
        (1.4, _replace(": ", f":{space}"), "has a no-break space after its colon"),
        (1.4, _replace(". ", f".{space} "), "has a no-break space after its full stops"),
        (1.5, _replace(". ", f". {space}"), "has a no-break space after its full stops"),
        (1.4, _replace(", ", f",{space}"), "has a no-break space after its commas"),
        (0.9, _once(". ", f".{space}"), "has a no-break space after its first full stop"),
        (0.9, _once(" ", space), "has a no-break space"),
        (1.6, _replace("  ", f"{space} "), "has no-break spaces"),
        (1.6, _replace("  ", f" {space}"), "has no-break spaces"),
    ):
        yield Alteration("characters", "INVISIBLE_CHARACTERS", what, cost, change)


def _typography() -> Iterator[Alteration]:
    for cost, old, new, what in (
        (0.6, "'", "\u2019", "has a typographic apostrophe"),
        (0.8, "-", "\u2013", "has dashes instead of hyphens"),
        (1.0, "...", "\u2026", "has an ellipsis sign"),
        (1.0, '"', "\u201d", "has typographic quotes"),
        (1.2, "-", "\u2011", "has no-break hyphens"),
        (1.3, "-", "\u2014", "has dashes instead of hyphens"),
        (1.4, "-", "\u2010", "has other hyphens"),
        (1.5, "-", "\u2212", "has minus signs instead of hyphens"),
        (1.7, ":", "\uff1a", "has wide colons"),
        (1.7, ".", "\u3002", "has wide full stops"),
        (1.3, " ", "\u202f", "has narrow no-break spaces"),
        (1.5, " ", "\u2009", "has thin spaces"),
        (1.5, " ", "\u2003", "has wide spaces"),
        (1.5, " ", "\u2002", "has wide spaces"),
        (1.5, " ", "\u3000", "has wide spaces"),
    ):
        code = "INVISIBLE_CHARACTERS" if old == " " or new == "\u2011" else "CHARACTERS_REPLACED"
        kind = "characters" if old == " " else "typography"
        yield Alteration(kind, code, what, cost, _replace(old, new))


def _hidden_marks() -> Iterator[Alteration]:
    for mark, name in INVISIBLE.items():
        more = _MARK_COSTS.get(mark, 1.4) - 0.8
        for cost, where, put in (
            (0.4, "after its first full stop", _once(". ", f".{mark} ")),
            (0.7, "after its full stops", _replace(". ", f".{mark} ")),
            (0.7, "after its full stops", _replace(". ", f". {mark}")),
            (1.0, "after its first full stop", _once(". ", f". {mark}")),
            (0.8, "after its spaces", _replace(" ", f" {mark}")),
            (0.9, "before its spaces", _replace(" ", f"{mark} ")),
            (0.8, "before the address", _at_address(mark, "")),
            (0.9, "after the address", _at_address("", mark)),
            (1.1, "around the address", _at_address(mark, mark)),
            (0.9, "after the colon", _replace(": ", f":{mark} ")),
            (1.0, "after the colon", _replace(": ", f": {mark}")),
            (0.9, "after its first space", _once(" ", f" {mark}")),
            (1.1, "before its first space", _once(" ", f"{mark} ")),
            (1.0, "in the middle", partial(_in_the_middle, mark=mark)),
        ):
            what = f"has {name} {where}"
            yield Alteration("characters", "INVISIBLE_CHARACTERS", what, cost + more, put)


def _marks_at_spaces() -> Iterator[Alteration]:
    for mark, name in INVISIBLE.items():
        more = _MARK_COSTS.get(mark, 1.4) - 0.8
        for number in range(40):
            what = f"has {name} at a space"
            after, before = _at_space(number, f" {mark}"), _at_space(number, f"{mark} ")
            finding = "INVISIBLE_CHARACTERS"
            yield Alteration("characters", finding, what, 1.0 + more, after)
            yield Alteration("characters", finding, what, 1.1 + more, before)


def _single_spaces() -> Iterator[Alteration]:
    finding, space = "INVISIBLE_CHARACTERS", "\u00a0"
    for number in range(40):
        one = _at_space(number, space)
        yield Alteration("characters", finding, "has a no-break space", 1.0, one)
        two = _at_space(number, "  ")
        yield Alteration("spaces", "SPACES_CHANGED", "has a double space", 1.1, two)
        none = _at_space(number, "")
        yield Alteration("spaces", "SPACES_CHANGED", "lacks a space", 1.1, none)
        line = _at_space(number, "\n")
        yield Alteration("wrap", "LINE_BREAKS_ADDED", "has one line break", 1.0, line)
        for sign in ("\r\n", " \n", "\n\n"):
            one = _at_space(number, sign)
            yield Alteration("wrap", "LINE_BREAKS_ADDED", "has one line break", 1.2, one)


def _spacing() -> Iterator[Alteration]:
    for cost, change in (
        (0.6, _replace(". ", ".  ")), (0.7, _replace(" ", "  ")), (1.0, _replace(" ", "")),
        (1.0, lambda text: " ".join(text.split())), (1.1, _replace(". ", ".")),
        (1.0, _replace("  ", " ")), (1.6, _replace(" ", "\t")), (1.6, _replace(" ", "_")),
        (1.4, _replace(": ", ":")), (1.5, _replace(", ", ",")), (1.6, _replace(":", " :")),
    ):  # fmt: skip
        yield Alteration("spaces", "SPACES_CHANGED", "has other spaces", cost, change)


def _unicode_forms() -> Iterator[Alteration]:
    for form in ("NFC", "NFD", "NFKC"):
        # Trezor signs the NFC form whatever it is given.
        other = partial(unicodedata.normalize, form)
        yield Alteration("unicode", "UNICODE_FORM", "has its accents encoded otherwise", 1.0, other)


def _punctuation() -> Iterator[Alteration]:
    for cost, lost in ((1.0, ","), (1.3, ":"), (1.2, "."), (1.0, ".:,")):
        what = "lost its punctuation"
        yield Alteration("spaces", "PUNCTUATION_LOST", what, cost, _without(lost))


def _once(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new, 1)


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


def _address_cases() -> Iterator[Alteration]:
    for cost, what, change in (
        (0.1, "has the address in small letters", _address_case(str.lower)),
        (1.4, "has the address in capital letters", _address_case(str.upper)),
        (1.6, "has the address in capital letters", _address_case(_upper_digits)),
    ):
        yield Alteration("case", "CASE_CHANGED", what, cost, change)


def _cases() -> Iterator[Alteration]:
    lower, upper, mixed = "LOWER_CASE_TEXT", "UPPER_CASE_TEXT", "CASE_CHANGED"
    for cost, finding, what, change in (
        (0.3, lower, "is in small letters", str.lower),
        (0.3, upper, "is in capital letters", str.upper),
        (0.9, mixed, "begins with a small letter", lambda t: t[:1].lower() + t[1:]),
        (1.6, mixed, "has capital letters at every word", str.title),
        (1.6, mixed, "has small letters but for the first", str.capitalize),
        (2.0, mixed, "has capital and small letters swapped", str.swapcase),
        (2.0, mixed, "has capital letters at every word", _words_up),
        (1.8, mixed, "begins with a capital letter", lambda t: t[:1].upper() + t[1:]),
        (1.8, mixed, "has a small z in its time", _replace("Z.", "z.")),
        (2.0, mixed, "has a small t in its time", lambda t: re.sub(r"(?<=\d)T(?=\d)", "t", t)),
    ):  # fmt: skip
        yield Alteration("case", finding, what, cost, change)


def _upper_digits(address: str) -> str:
    return address[:2] + address[2:].upper()


def _words_up(text: str) -> str:
    return " ".join(word[:1].upper() + word[1:] for word in text.split(" "))


_CUT_LENGTHS = {160: 0.1, 140: 0.5, 100: 0.5, 120: 0.7, 128: 0.9, 150: 0.9, 200: 1.1, 153: 1.2,
                180: 1.3, 80: 1.3, 64: 1.4, 70: 1.5, 255: 1.6, 76: 1.7, 50: 1.6}  # fmt: skip


def _shortened(length: int, ending: str) -> Callable[[str], str]:
    return lambda text: text[:length] + ending if len(text) > length else text


def _words(which: slice) -> Callable[[str], str]:
    return lambda text: " ".join(text.split(" ")[which]) or text


_PART = "PART_OF_TEXT"


def _cuts() -> Iterator[Alteration]:
    for length, cost in _CUT_LENGTHS.items():
        what = f"is cut off after {length} characters"
        yield Alteration("cut", _PART, what, cost, _shortened(length, ""))


def _cuts_with_dots() -> Iterator[Alteration]:
    for length, cost in _CUT_LENGTHS.items():
        what = f"is cut off after {length} characters"
        for more, dots in ((0.0, "..."), (0.0, "\u2026"), (0.7, " ..."), (0.8, " \u2026")):
            yield Alteration("cut", _PART, what, cost + more, _shortened(length, dots))
        # As a program that shortens to a length which counts its dots.
        for dots in ("...", "\u2026"):
            short = _shortened(length - len(dots), dots)
            yield Alteration("cut", _PART, what, cost + 0.5, short)


def _lost_ends() -> Iterator[Alteration]:
    yield Alteration(
        "cut", "FINAL_PERIOD_LOST", "lost the full stop at its end", 0.3,
        lambda text: text.removesuffix("."),
    )  # fmt: skip
    for cost, change in (
        (1.2, lambda text: text[:-1]), (1.5, lambda text: text[1:]), (1.5, lambda text: text[:-2]),
        (1.7, lambda text: text[2:]), (1.8, lambda text: text[:-3]),
    ):  # fmt: skip
        yield Alteration("cut", _PART, "is only part of ours", cost, change)


def _parts() -> Iterator[Alteration]:
    for cost, change in (
        (0.7, lambda text: text.partition(": ")[2] or text),
        (0.9, lambda text: text.partition(". ")[0] + "." if ". " in text else text),
        (0.9, lambda text: text.partition(". ")[2] or text),
        (1.0, lambda text: text.rpartition(". ")[0] + "." if ". " in text else text),
        (1.2, lambda text: text.rpartition(". ")[2]), (1.3, lambda text: text.rpartition(". ")[0]),
        (1.3, lambda text: text.partition(". ")[0]),
        (1.5, lambda text: text.partition("\n")[2] or text),
        (1.5, lambda text: text.rpartition(", ")[0] or text),
    ):  # fmt: skip
        yield Alteration("cut", _PART, "is only part of ours", cost, change)


def _cuts_anywhere() -> Iterator[Alteration]:
    for length in range(1, 320):
        cost = 1.0 if length % 10 == 0 else 1.4
        what = f"is cut off after {length} characters"
        yield Alteration("cut", _PART, what, cost, _shortened(length, ""))
        if length % 10 == 0:
            for dots in ("...", "\u2026"):
                yield Alteration("cut", _PART, what, cost + 0.5, _shortened(length, dots))
    for number in range(1, 40):
        rest = _words(slice(number, None))
        yield Alteration("cut", _PART, "lacks its first words", 1.3, rest)
        most = _words(slice(None, -number))
        yield Alteration("cut", _PART, "lacks its last words", 1.2, most)


_SIGNATURES = (
    ("Best regards", 0.5), ("Sent from my iPhone", 0.5), ("Kind regards", 0.7), ("Regards", 0.8),
    ("Thanks", 0.7), ("Thank you", 1.1), ("Best", 1.6), ("Cheers", 1.7), ("Sincerely", 1.6),
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
_BEFORE_SIGNATURE = (("\n\n", 0.0), ("\n", 0.1), (" ", 0.3), ("\r\n\r\n", 0.5), ("\r\n", 0.6),
                     ("\n-- \n", 0.7), ("\n--\n", 0.7), ("\n\n-- \n", 0.8), ("\n\n--\n", 0.8),
                     (" - ", 1.3), ("\n\n\n", 1.2), ("\r\n-- \r\n", 1.1), ("\r\n--\r\n", 1.3),
                     ("\r\n\r\n-- \r\n", 1.3), (" -- ", 1.6))  # fmt: skip


def _repeated(times: int, joint: str) -> Callable[[str], str]:
    return lambda text: joint.join([text] * times)


def _repeats(times: int, name: str) -> Callable[[], Iterator[Alteration]]:
    def way() -> Iterator[Alteration]:
        for cost, joint in (
            (0.5, "\n"), (0.5, ""), (0.5, " "), (0.8, "\n\n"), (1.1, "\r\n"), (1.4, "\r\n\r\n"),
            (1.8, "\n---\n"), (2.0, ", "), (2.1, "\t"), (2.1, "\n> "),
        ):  # fmt: skip
            repeated = _repeated(times, joint)
            yield Alteration("double", "TEXT_DOUBLED", f"is there {name}", cost, repeated)

    return way


def _tails() -> Iterator[Alteration]:
    return (each for each in _all_tails() if each.cost <= _USUAL_TAIL)


def _other_tails() -> Iterator[Alteration]:
    return (each for each in _all_tails() if each.cost > _USUAL_TAIL)


def _all_tails() -> Iterator[Alteration]:
    for closing, cost in _SIGNATURES:
        for before, more in _BEFORE_SIGNATURE:
            for after, extra in (("", 0.0), (",", 0.7), (".", 1.3)):
                addition, what = before + closing + after, f'ends in "{closing}"'
                total = cost + more + extra
                yield Alteration("tail", "TAIL_INCLUDED", what, total, _after(addition))


def _hex_and_bases() -> Iterator[Alteration]:
    for cost, finding, what, change in (
        (0.4, "HEX_OF_TEXT", "is in hex digits", _hex),
        (0.4, "HEX_OF_TEXT", "is in hex digits", lambda t: "0x" + _hex(t)),
        (1.3, "HEX_OF_TEXT", "is in hex digits", lambda t: _hex(t).upper()),
        (1.8, "HEX_OF_TEXT", "is in hex digits", lambda t: t.encode().hex(" ")),
        (1.8, "HEX_OF_TEXT", "is in hex digits", lambda t: "0x" + _hex(t).upper()),
        (0.2, "BASE64_OF_TEXT", "is in base64", _base64),
        (1.6, "BASE64_OF_TEXT", "is in base64",
         lambda t: base64.urlsafe_b64encode(t.encode()).decode()),
        (1.6, "BASE64_OF_TEXT", "is in base64", lambda t: _base64(t).rstrip("=")),
        (1.8, "BASE64_OF_TEXT", "is in base64",
         lambda t: base64.encodebytes(t.encode()).decode()),
        (1.2, "BASE58_OF_TEXT", "is in base58", lambda t: base58.b58encode(t.encode()).decode()),
    ):  # fmt: skip
        yield Alteration("code", finding, what, cost, change)


def _hex(text: str) -> str:
    return text.encode().hex()


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _character_sets() -> Iterator[Alteration]:
    for cost, what, change in (
        (0.7, "is in UTF-16", lambda t: t.encode("utf-16-le")),
        (0.9, "is in UTF-16", lambda t: t.encode("utf-16")),
        (1.1, "is in UTF-16", lambda t: t.encode("utf-16-be")),
        (1.2, "is in Latin-1", lambda t: t.encode("latin-1", "replace")),
        (1.2, "is in Windows-1252", lambda t: t.encode("cp1252", "replace")),
    ):
        yield Alteration("code", "UTF16_TEXT", what, cost, change)


def _links() -> Iterator[Alteration]:
    for cost, rewrite in (
        (0.8, lambda t: quote(t, safe="")), (0.8, quote), (0.9, _replace(" ", "+")),
        (0.9, _replace(" ", "%20")), (1.3, quote_plus),
        (1.5, lambda t: quote(t, safe=":/?&=,.!'()*~-_")),
    ):  # fmt: skip
        yield Alteration("markup", "URL_ENCODED_TEXT", "has link codes", cost, rewrite)


def _web_codes() -> Iterator[Alteration]:
    what = "holds codes of a web page"
    for cost, rewrite in (
        (0.5, _replace("&", "&amp;")), (0.5, html.escape),
        (0.9, lambda t: html.escape(t, quote=False)), (1.2, _replace("&", "&#38;")),
        (1.0, _replace("'", "&#39;")), (1.2, _replace("'", "&#x27;")),
        (1.2, _replace("'", "&apos;")), (1.2, _replace(" ", "&nbsp;")),
        (1.5, _replace(". ", ".&nbsp;")), (1.2, _replace("\n", "<br>")),
        (1.4, _replace("\n", "<br>\n")),
    ):  # fmt: skip
        yield Alteration("markup", "MAIL_ENCODING", what, cost, rewrite)


def _escapes() -> Iterator[Alteration]:
    for cost, rewrite in (
        (1.0, lambda t: json.dumps(t)[1:-1]), (1.0, _replace(".", "\\.")), (1.0, _markdown_escapes),
    ):  # fmt: skip
        yield Alteration("markup", "LITERAL_ESCAPES", "holds backslashes", cost, rewrite)


def _quoted_printable() -> Iterator[Alteration]:
    what = "is in a mail's quoted-printable form"
    for cost, encoded in (
        (0.1, _printable),
        (0.7, lambda t: _crlf(_printable(t))),
        (1.2, lambda t: quopri.encodestring(t.encode(), header=True).decode()),
        (1.3, lambda t: quopri.encodestring(t.encode(), quotetabs=True).decode()),
    ):
        yield Alteration("mail", "MAIL_ENCODING", what, cost, encoded)
    for width in (76, 75, 72, 74, 78, 73, 70, 64, 80):
        for joint, more in (("=\n", 0.0), ("=\r\n", 0.1)):
            soft = partial(_soft_breaks, width=width, joint=joint)
            cost = (1.0 if width == 76 else 1.7) + more
            yield Alteration("mail", "MAIL_ENCODING", what, cost, soft)
    for sign in "= ,.-:":
        what = "holds codes of a mail"
        yield Alteration("markup", "MAIL_ENCODING", what, 1.5, _replace(sign, f"={ord(sign):02X}"))


def _printable(text: str) -> str:
    return quopri.encodestring(text.encode()).decode()


def _markdown_escapes(text: str) -> str:
    return re.sub(r"([_*\-.!()])", r"\\\1", text)


def _soft_breaks(text: str, width: int, joint: str) -> str:
    """Quoted-printable whose lines, with their "=", have at most `width` characters."""
    escaped = _printable(text).replace("=\n", "")
    pieces, start = [], 0
    while len(escaped) - start > width:
        end = start + width - 1
        while "=" in escaped[end - 2 : end]:
            end -= 1
        pieces.append(escaped[start:end])
        start = end
    return joint.join([*pieces, escaped[start:]])


_WAYS: tuple[tuple[float, Callable[[], Iterator[Alteration]]], ...] = (
    (1.0, _ends), (0.9, _starts), (0.3, _both_ends), (1.3, _marks_at_ends), (0.03, _marks_around),
    (0.08, _signs_at_the_end), (1.0, _labels), (0.15, _other_labels), (0.1, _greetings),
    (0.05, _bullets), (1.1, _quotes), (1.0, _markdown), (0.1, _odd_quotes),
    (1.0, _wraps(_PLAIN, "line breaks", _WORD_WIDTHS)),
    (0.9, _wraps(_FLOWED, "format=flowed", _MAIL_WIDTHS)),
    (0.9, _wraps(_QUOTED, "quoted lines", _MAIL_WIDTHS)), (0.9, _cut_wraps),
    (0.8, _reflows(_PLAIN, _WORD_WIDTHS)), (0.6, _reflows(_FLOWED, _MAIL_WIDTHS)),
    (0.6, _reflows(_QUOTED, _MAIL_WIDTHS)),
    (0.1, _odd_wraps), (0.1, _broken_elsewhere), (0.5, _line_signs), (0.6, _crlf_ends),
    (0.05, _lost_breaks), (1.0, _no_break_spaces), (0.25, _typography), (0.4, _hidden_marks),
    (0.08, _marks_at_spaces), (0.15, _single_spaces), (0.35, _spacing), (0.08, _unicode_forms),
    (0.08, _punctuation), (1.0, _address_cases), (1.0, _cases), (1.0, _cuts),
    (0.3, _cuts_with_dots), (0.45, _lost_ends), (0.15, _parts), (0.1, _cuts_anywhere),
    (0.9, _repeats(2, "twice")), (0.04, _repeats(3, "three times")), (1.0, _tails),
    (0.35, _other_tails), (0.8, _hex_and_bases), (0.08, _character_sets), (0.12, _links),
    (0.8, _web_codes), (0.08, _escapes), (0.9, _quoted_printable),
)  # fmt: skip

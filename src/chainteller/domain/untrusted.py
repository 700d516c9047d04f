"""Sanitise untrusted text for terminals and spreadsheets.

Terminals execute control characters anywhere in a text, so a customer's name could set the
clipboard or hide digits of an address. What a terminal executes and what shows nothing is replaced
by U+FFFD. Characters are chosen by their properties in Unicode 15.0.

Joiners (U+200C, U+200D) are part of how Persian, Hindi and other languages are written. They stay
between letters of such scripts, and ``marked`` replaces them there, too.
"""

import re
import unicodedata

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

EXECUTED = ((0x0000, 0x001F), (0x007F, 0x009F), (0x2028, 0x2029), (0xD800, 0xDFFF))
"""General categories Cc, Zl, Zp and Cs."""
IGNORABLE = (
    (0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5),
    (0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164),
    (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
"""Default_Ignorable_Code_Point, which includes the Hangul fillers and all variation selectors."""
FORMATS = ((0xFFF9, 0xFFFB), (0x13430, 0x1343F))
"""General category Cf without Prepended_Concatenation_Mark, as far as it isn't ignorable."""
BLANK = ((0x16FE4, 0x16FE4), (0x1D159, 0x1D159))
"""A filler of the Khitan small script and a musical note without a head, which show nothing."""

JOINERS = "\u200c\u200d"
_JOINED = (
    (0x0600, 0x07FF), (0x0840, 0x08FF), (0x0900, 0x0DFF), (0x1000, 0x109F), (0x1780, 0x18AF),
    (0xA8E0, 0xA8FF), (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F), (0xFB50, 0xFDFF), (0xFE70, 0xFEFC),
)  # fmt: skip
"""Blocks of scripts that need joiners: Arabic and its relatives, the scripts of India, Burmese,
Khmer and Mongolian."""


def _characters(*tables: tuple[tuple[int, int], ...]) -> str:
    return "".join(f"{chr(first)}-{chr(last)}" for table in tables for first, last in table)


# Compiled on first use, because the first frame of the console doesn't need it.
_UNSAFE = f"[{_characters(EXECUTED, IGNORABLE, FORMATS, BLANK)}]"
_JOINABLE = _characters(_JOINED)
_SAFE_JOINER = f"(?<=[{_JOINABLE}])[{JOINERS}](?=[{_JOINABLE}])"

_BEGIN_FORMULAS = frozenset("=+-@\uff1d\uff0b\uff0d\uff20")
"""With their fullwidth forms, which spreadsheets of some languages take for the same."""
_NEGATIVE = r"-[0-9][0-9,]*(\.[0-9]+)?"


def printable(text: str) -> str:
    """Make ``text`` a single line without characters that a terminal executes or hides."""

    def replaced(match: re.Match[str]) -> str:
        return match[0] if _joins_letters(match) else _REPLACEMENT

    return re.sub(_UNSAFE, replaced, text)


def marked(text: str) -> str:
    """Like ``printable``, with joiners replaced everywhere: for ids, addresses and labels."""
    return re.sub(_UNSAFE, _REPLACEMENT, text)


def _joins_letters(match: re.Match[str]) -> bool:
    """Whether a match is a joiner between two letters of a script that needs it."""
    found = re.compile(_SAFE_JOINER).match(match.string, match.start())
    if found is None:
        return False
    beside = match.string[match.start() - 1], match.string[match.end()]
    return all(unicodedata.category(each)[0] in "LM" for each in beside)


def printable_json(text: str) -> str:
    """Escape what a terminal executes or hides in a JSON document on one line.

    JSON itself escapes only the controls below U+0020 (RFC 8259, section 7).
    """
    import json  # noqa: PLC0415 - not for the console's first frame

    return re.sub(_UNSAFE, lambda found: json.dumps(found[0])[1:-1], text)


def printable_lines(text: str) -> str:
    """Like ``printable``, but keep line feeds."""
    return "\n".join(printable(line) for line in text.split("\n"))


def spreadsheet_cell(text: str) -> str:
    """Make ``text`` a single line that a spreadsheet doesn't evaluate.

    Formulas get an apostrophe in front (OWASP, CSV injection); negative numbers stay numbers.
    """
    shown = printable(text)
    written = shown.strip()
    is_formula = written[:1] in _BEGIN_FORMULAS and len(written) > 1
    return f"'{shown}" if is_formula and not re.fullmatch(_NEGATIVE, shown) else shown

"""Sanitise untrusted text for terminals and spreadsheets.

Terminals execute control characters anywhere in a text, so a customer's name could set the
clipboard or hide digits of an address. C0, C1, DEL, bidirectional, zero-width and tag characters
are replaced by U+FFFD.
"""

import re

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
# Compiled on first use, because the first frame of the console doesn't need it.
_UNSAFE = (
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)

_BEGIN_FORMULAS = frozenset("=+-@")
_NEGATIVE = r"-[0-9][0-9,]*(\.[0-9]+)?"


def printable(text: str) -> str:
    """Make ``text`` a single line without characters that a terminal executes or hides."""
    return re.sub(_UNSAFE, _REPLACEMENT, text)


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
    is_formula = shown[:1] in _BEGIN_FORMULAS and len(shown) > 1
    return f"'{shown}" if is_formula and not re.fullmatch(_NEGATIVE, shown) else shown

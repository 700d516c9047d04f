"""Text from elsewhere, made harmless before it reaches a terminal or a spreadsheet.

A terminal obeys control characters wherever they stand, so a customer's name could set the
clipboard or hide digits of an address. C0, C1, DEL, bidirectional and zero-width characters and
tag characters are shown as U+FFFD.
"""

import re

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
# Compiled by ``re`` at the first use: the console's first frame needs it for nothing.
_UNSAFE = (
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)

_BEGIN_FORMULAS = frozenset("=+-@")
_NEGATIVE = r"-[0-9][0-9,]*(\.[0-9]+)?"


def printable(text: str) -> str:
    """One line of ``text`` without anything that a terminal would obey or hide."""
    return re.sub(_UNSAFE, _REPLACEMENT, text)


def printable_lines(text: str) -> str:
    """As ``printable``, with line feeds kept."""
    return "\n".join(printable(line) for line in text.split("\n"))


def spreadsheet_cell(text: str) -> str:
    """One line of ``text`` that a spreadsheet shows and never computes: what would begin a formula
    stands behind an apostrophe (OWASP, CSV injection). A negative number stays a number.
    """
    shown = printable(text)
    is_formula = shown[:1] in _BEGIN_FORMULAS and len(shown) > 1
    return f"'{shown}" if is_formula and not re.fullmatch(_NEGATIVE, shown) else shown

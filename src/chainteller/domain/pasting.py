"""Undoes what terminals, mail programs and chat windows do to a pasted string."""

import re

MAX_PASTE = 20_000
"""Characters of a paste that are looked at."""
# Characters nobody types on purpose and nobody sees: zero-width, joiners, direction marks, BOM.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe0f\ufeff]"
)
# A string that was turned into JSON twice.
_NESTED_QUOTES = 3
_SOFT_BREAK = re.compile(r"=\r?\n")
_BROKEN_RUN = re.compile(
    r"(?<![0-9A-Za-z+/_-])[0-9A-Za-z+/_-]+(?:=\r?\n[0-9A-Za-z+/_-]+)+", re.ASCII
)
_FULL_LINE, _SHORTEST_SIGNATURE = 69, 84
"""Characters of a line before its soft break (RFC 2045: 76 with it), and of 64 bytes in base58."""
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_QUOTES = {
    '"': '"',
    "'": "'",
    "`": "`",
    "\u201c": "\u201d",
    "\u2018": "\u2019",
    "\u201e": "\u201c",
    "\u00ab": "\u00bb",
    "<": ">",
}


def without_invisibles(text: str) -> str:
    """The text without zero-width characters and control characters other than line breaks."""
    return _CONTROL.sub("", _INVISIBLE.sub("", text))


def without_soft_breaks(text: str) -> str:
    """The text without the line breaks that quoted-printable puts where no line ended."""
    return _SOFT_BREAK.sub("", text)


def with_whole_signatures(text: str) -> str:
    """The text without the soft line breaks in what is as long as a signature.

    A part of it that stands alone in a line may look like a key. A short line that ends in "=" is
    one in base64.
    """

    def whole(run: re.Match[str]) -> str:
        line = text.rfind("\n", 0, run.start()) + 1
        joined = without_soft_breaks(run[0])
        is_full = text.index("=", run.start()) - line >= _FULL_LINE
        return joined if is_full and len(joined) >= _SHORTEST_SIGNATURE else run[0]

    return _BROKEN_RUN.sub(whole, text)


def unquoted(text: str) -> str:
    """The text without blank ends, a trailing comma or semicolon, and the quotes around it."""
    bare = text.strip().rstrip(",;").strip().removeprefix("\\").replace('\\"', '"')
    for _ in range(_NESTED_QUOTES):
        if len(bare) < 2 or _QUOTES.get(bare[0]) != bare[-1]:
            break
        bare = bare[1:-1].strip()
    return bare.rstrip(",;").strip()

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


def unquoted(text: str) -> str:
    """The text without blank ends, a trailing comma or semicolon, and the quotes around it."""
    bare = text.strip().rstrip(",;").strip().removeprefix("\\").replace('\\"', '"')
    for _ in range(_NESTED_QUOTES):
        if len(bare) < 2 or _QUOTES.get(bare[0]) != bare[-1]:
            break
        bare = bare[1:-1].strip()
    return bare.rstrip(",;").strip()

"""The answer that a pane begins with: what is so now, and what to tell the customer."""

from collections.abc import Sequence

from chainteller.records.formats import Piece
from chainteller.tui.dialogs.boxes import wrapped
from chainteller.tui.widgets.lines import EMPTY, Line, line


def answered(now: Sequence[Line], words: str, rest: Sequence[Line], width: int) -> list[Line]:
    """The lines of a pane: what is so now, ``words`` for the customer, and the rest."""
    return [*now, *say(words, width), EMPTY, *rest]


def now_lines(status: Piece, words: str, width: int, key: str = "", tone: str = "") -> list[Line]:
    """How far a record is, and what can still be done, with the key that does it."""
    rows = wrapped(words, max(width - _LABEL - len(key) - 2, _LABEL))
    shown = [line(" " * _LABEL, (each, tone)) for each in rows]
    if key and rows:
        shown[-1] = line(" " * _LABEL, (f"{rows[-1]}  ", tone), (key, "key"))
    return [line(("NOW  ", "key"), status), *shown]


def say(words: str, width: int) -> list[Line]:
    """What to tell the customer, in lines of ``width`` cells; nothing where there is no text."""
    if not words:
        return []
    first, *more = wrapped(words, max(width - _LABEL, _LABEL))
    indent = " " * _LABEL
    return [
        line(("SAY  ", "key"), (first, "accent")),
        *(line(indent, (each, "accent")) for each in more),
    ]


_LABEL = len("SAY  ")

"""A refusal on the screen: what happened, what didn't, which key comes next."""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from chainteller.tui.widgets.lines import Line, Lines, line

if TYPE_CHECKING:
    from chainteller.tui.failures import Failure


def failure_lines(failure: "Failure", width: int, *, names_next: bool = True) -> list[Line]:
    """What happened and what didn't, the facts that say more, and the key that goes on."""
    code, room = f" [x] {failure.code}  ", max(width - _INDENT - 1, _LEAST)
    first = max(width - len(code), _LEAST)
    said, *more = textwrap.wrap(failure.sentences, first) or [""]
    more = textwrap.wrap(" ".join(more), room)
    told = [line((code, "bad strong"), said), *_indented(more, "")]
    told += _indented(_rows(failure.told, width - _INDENT), "muted")
    if names_next:
        told += _indented(textwrap.wrap(failure.next_step, room), "accent")
    return told


def _indented(rows: Sequence[str], tone: str) -> list[Line]:
    return [line(" " * _INDENT, (row, tone)) for row in rows]


_INDENT, _LEAST = len(" [x] "), 20


def _rows(facts: tuple[str, ...], width: int) -> list[str]:
    """As many facts in a row as fit."""
    rows: list[str] = []
    for fact in facts:
        if rows and len(rows[-1]) + 2 + len(fact) < width:
            rows[-1] += f"  {fact}"
        else:
            rows.append(fact)
    return rows


class FailurePanel(Lines):
    DEFAULT_CSS = """
    FailurePanel { display: none; height: auto; background: $panel; }
    FailurePanel.shown { display: block; }
    """

    def __init__(self) -> None:
        super().__init__(id="failure")
        self.failure: Failure | None = None
        self.row = ""
        self._names_next = True

    @property
    def is_shown(self) -> bool:
        return self.failure is not None

    def explain(self, failure: "Failure", row: str = "", *, names_next: bool = True) -> None:
        """Show a refusal; without its next step while that stands beside an open field.

        ``row`` is the id of the record that was selected, empty where none was.
        """
        self.failure, self.row, self._names_next = failure, row, names_next
        self._draw()
        self.add_class("shown")

    def name_next(self) -> None:
        """The field is closed, and the key of the next step works again."""
        if not self._names_next:
            self._names_next = True
            self._draw()

    def on_resize(self) -> None:
        self._draw()

    def _draw(self) -> None:
        if self.failure is not None:
            width = self.screen.size.width
            self.show(failure_lines(self.failure, width, names_next=self._names_next))

    def hide(self) -> None:
        self.failure = None
        self.remove_class("shown")

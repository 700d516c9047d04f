"""A refusal on the screen: what happened, what it means, which key comes next."""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from chainteller.tui.widgets.lines import Line, Lines, line

if TYPE_CHECKING:
    from chainteller.tui.failures import Failure


def failure_lines(failure: "Failure", width: int, *, names_next: bool = True) -> list[Line]:
    """The three parts, wrapped; facts without room beside the first stand under it, none cut in
    two.
    """
    code = f" [x] {failure.code}  "
    what, *more = textwrap.wrap(failure.what, max(width - len(code), _LEAST)) or [""]
    head = [line((code, "bad strong"), what), *_wrapped("", more, "")]
    rows = _rows(failure.told, width - _INDENT)
    if len(rows) == 1 and not more and len(code) + len(what) + 3 + len(rows[0]) <= width:
        head, rows = [line(*head[0].left, (f"  {rows[0]}", "muted"))], []
    room = max(width - _INDENT - 1, _LEAST)
    told = [*head, *_wrapped("", rows, "muted")]
    told += _wrapped("means", textwrap.wrap(failure.meaning, room), "")
    if names_next:
        told += _wrapped("next", textwrap.wrap(failure.next_step, room), "accent")
    return told


def _wrapped(part: str, rows: Sequence[str], tone: str) -> list[Line]:
    """The rows of one part under each other, beside its name."""
    margins = (f"     {part}", *("" for _ in rows))
    return [
        line((margin.ljust(_INDENT), "muted"), (row, tone))
        for margin, row in zip(margins, rows, strict=False)
    ]


_INDENT, _LEAST = len("     means  "), 20


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

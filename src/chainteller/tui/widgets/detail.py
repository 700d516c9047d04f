"""The pane of a selected record: its facts, and what may be said about it where there is room."""

from collections.abc import Callable, Sequence
from functools import partial

from textual.geometry import Size

from chainteller.tui.widgets.lines import EMPTY, Fill, Line, Lines, ScrolledLines, nothing_below


def _fixed(facts: Sequence[Line], width: int) -> Sequence[Line]:  # noqa: ARG001 - as facts of a width
    """The same facts in any width."""
    return facts


def _nothing(width: int) -> Sequence[Line]:  # noqa: ARG001 - as what is really shown
    return ()


LEAST_WIDTH = 39
"""Cells of a detail beside its list: whole ids and amounts with their labels."""
OfWidth = Callable[[int], Sequence[Line]]


class Detail(ScrolledLines):
    """Facts, and below them a part that stands only where all of both can be seen.

    Both may be given for the width that they are shown in.
    """

    def __init__(self, *, id: str, classes: str = "detail-side") -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, classes=classes)
        self._facts: OfWidth = _nothing
        self._below: OfWidth = _nothing
        self._otherwise: tuple[Line, ...] = ()
        self._fill_rest: Fill = nothing_below

    def tell(
        self,
        facts: Sequence[Line] | OfWidth,
        below: OfWidth = _nothing,
        otherwise: Sequence[Line] = (),
    ) -> None:
        """``below`` gives its lines for a width in cells; ``otherwise`` stands for those that do
        not fit.
        """
        self._facts = facts if callable(facts) else partial(_fixed, tuple(facts))
        self._below, self._otherwise = below, tuple(otherwise)
        self._fill(self.size)

    def fill_below(self, fill: Fill) -> None:
        """Use the room under all of it for what ``fill`` gives."""
        self._fill_rest = fill
        self._fill(self.size)

    @property
    def facts_text(self) -> str:
        """The same in a window of any size."""
        return "\n".join(shown.plain for shown in self._facts(LEAST_WIDTH))

    def on_resize(self) -> None:
        self._fill(self.size)

    def _fill(self, size: Size) -> None:
        facts = tuple(self._facts(size.width or LEAST_WIDTH))
        whole = (*facts, *self._below(size.width))
        fits = len(whole) <= size.height
        shown = whole if fits else (*facts, *self._otherwise)
        free = size.height - len(shown) - 1
        rest = self._fill_rest(size.width, free) if free > 0 and facts else ()
        self.show((*shown, EMPTY, *rest[:free]) if rest else shown)


class Filled(Lines):
    """Room that other widgets leave: it shows what its fill gives for the size that it has."""

    DEFAULT_CSS = "Filled { display: none; height: 1fr; }"

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._fill: Fill = nothing_below

    def fill_with(self, fill: Fill) -> None:
        """Show what ``fill`` gives from now on."""
        self._fill = fill
        self.on_resize()

    def on_resize(self) -> None:
        width, rows = self.size
        self.show(self._fill(width, rows) if width and rows else ())

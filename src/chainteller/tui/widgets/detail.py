"""The pane of a selected record."""

from collections.abc import Callable, Sequence

from chainteller.tui.widgets.lines import Line, Lines, ScrolledLines

LEAST_WIDTH = 39
"""Cells of a detail beside its list: whole ids and amounts with their labels."""
OfWidth = Callable[[int], Sequence[Line]]
Fill = Callable[[int, int], Sequence[Line]]
"""Lines for (columns, lines) of free room: as many as there are to show, and no more than fit."""


def _of_width(lines: Sequence[Line] | OfWidth) -> OfWidth:
    return lines if callable(lines) else lambda _width: lines


class Detail(ScrolledLines):
    """The lines of a record, in any width that the pane has."""

    def __init__(self, *, id: str, classes: str = "detail-side") -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, classes=classes)
        self._shown = self._copied = _of_width(())

    def tell(
        self, shown: Sequence[Line] | OfWidth, copied: Sequence[Line] | OfWidth | None = None
    ) -> None:
        """Show lines; ``copied`` are those that a copy of the facts has, if it's others."""
        self._shown = _of_width(shown)
        self._copied = self._shown if copied is None else _of_width(copied)
        self.on_resize()

    @property
    def facts_text(self) -> str:
        """The same in a window of any size."""
        return "\n".join(shown.plain for shown in self._copied(LEAST_WIDTH))

    def on_resize(self) -> None:
        self.show(self._shown(self.size.width or LEAST_WIDTH))


class Filled(Lines):
    """Room that other widgets leave: it shows what its fill gives for the size that it has."""

    DEFAULT_CSS = "Filled { display: none; height: 1fr; }"

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._fill: Fill | None = None

    def fill_with(self, fill: Fill | None) -> None:
        """Show what ``fill`` gives from now on; None leaves the room free."""
        self._fill = fill
        self.on_resize()

    def on_resize(self) -> None:
        width, rows = self.size
        self.show(self._fill(width, rows) if self._fill is not None and width and rows else ())

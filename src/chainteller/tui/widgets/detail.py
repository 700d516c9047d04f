"""The pane of a selected record: its facts, and what may be said about it where there is room."""

from collections.abc import Callable, Sequence

from textual.geometry import Size

from chainteller.tui.widgets.lines import EMPTY, Fill, Line, Lines, ScrolledLines, nothing_below


def _nothing(width: int) -> Sequence[Line]:  # noqa: ARG001 - as what is really shown
    return ()


class Detail(ScrolledLines):
    """Facts, and below them a part that stands only where all of both can be seen."""

    def __init__(self, *, id: str, classes: str = "detail-side") -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, classes=classes)
        self._facts: tuple[Line, ...] = ()
        self._below: Callable[[int], Sequence[Line]] = _nothing
        self._otherwise: tuple[Line, ...] = ()
        self._fill_rest: Fill = nothing_below

    def tell(
        self,
        facts: Sequence[Line],
        below: Callable[[int], Sequence[Line]] = _nothing,
        otherwise: Sequence[Line] = (),
    ) -> None:
        """``below`` gives its lines for a width in cells; ``otherwise`` stands for those that do
        not fit.
        """
        self._facts, self._below, self._otherwise = tuple(facts), below, tuple(otherwise)
        self._fill(self.size)

    def fill_below(self, fill: Fill) -> None:
        """Use the room under all of it for what ``fill`` gives."""
        self._fill_rest = fill
        self._fill(self.size)

    @property
    def facts_text(self) -> str:
        """The same in a window of any size."""
        return "\n".join(shown.plain for shown in self._facts)

    def on_resize(self) -> None:
        self._fill(self.size)

    def _fill(self, size: Size) -> None:
        whole = (*self._facts, *self._below(size.width))
        fits = len(whole) <= size.height
        shown = whole if fits else (*self._facts, *self._otherwise)
        free = size.height - len(shown) - 1
        rest = self._fill_rest(size.width, free) if free > 0 and self._facts else ()
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

"""A guide under the top bar: what a training session or the tour has to say now."""

from collections.abc import Callable, Sequence

from chainteller.tui.widgets.lines import Line, Lines, line

REDRAW_S = 0.5
HEIGHT = 4


class GuidePanel(Lines):
    """Asks ``read`` (given its width) for its lines twice a second; only changes are painted."""

    DEFAULT_CSS = f"GuidePanel {{ height: {HEIGHT}; background: $panel; }}"

    def __init__(self, read: Callable[[int], Sequence[Line]]) -> None:
        super().__init__([line()] * HEIGHT, id="guide")
        self._read = read

    def on_mount(self) -> None:
        self.set_interval(REDRAW_S, self.redraw)

    def on_resize(self) -> None:
        self.redraw()

    def redraw(self) -> None:
        rows = [*self._read(self.size.width), *[line()] * HEIGHT]
        self.show(rows[:HEIGHT])

"""What lies under other widgets: arranged, and looked at only where they leave a gap."""

from typing import TYPE_CHECKING, Any, TypeVar

from rich.style import Style
from textual.containers import Container
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.filter import LineFilter


TitledWidget = TypeVar("TitledWidget", bound=Widget)


def titled(title: str, widget: TitledWidget) -> TitledWidget:
    """``widget`` with the title of its frame, where the style sheet gives it one."""
    widget.border_title = title
    widget.add_class("titled", update=False)  # it is styled when it is mounted
    return widget


class Blank:
    """Stands before a widget without border, padding or content of its own among the bases: one
    empty line is made and painted as often as needed, where Textual would make each anew.
    """

    if TYPE_CHECKING:
        background_colors: Any

        def get_line_filters(self) -> Sequence[LineFilter]:
            """The widget's."""

    def render_lines(self, crop: Region) -> list[Strip]:
        background = self.background_colors[1]
        strip = Strip.blank(crop.width, Style.from_color(None, background.rich_color))
        for line_filter in self.get_line_filters():
            strip = strip.apply_filter(line_filter, background)
        return [strip] * crop.height


class Ground(Blank, Container):
    """A container that shows nothing but its children."""

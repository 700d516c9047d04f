"""A refusal on the screen: what happened, what it means, which key comes next."""

from chainteller.tui.failures import Failure
from chainteller.tui.widgets.lines import Line, Lines, line


def failure_lines(failure: Failure, width: int) -> list[Line]:
    """Three lines; amounts that the first has no room for stand in place of its words."""
    what, told = f"  {failure.what}", f"  {failure.told}" if failure.told else ""
    if len(f" [x] {failure.code}{what}{told}") > width and told:
        what = ""
    return [
        line((f" [x] {failure.code}", "bad strong"), what, (told, "muted")),
        line(("     means  ", "muted"), failure.meaning),
        line(("     next   ", "muted"), (failure.next_step, "accent")),
    ]


class FailurePanel(Lines):
    DEFAULT_CSS = """
    FailurePanel { display: none; height: 3; background: $panel; }
    FailurePanel.shown { display: block; }
    """

    def __init__(self) -> None:
        super().__init__(id="failure")
        self.failure: Failure | None = None

    @property
    def is_shown(self) -> bool:
        return self.failure is not None

    def explain(self, failure: Failure) -> None:
        self.failure = failure
        self.show(failure_lines(failure, self.app.size.width))
        self.add_class("shown")

    def hide(self) -> None:
        self.failure = None
        self.remove_class("shown")

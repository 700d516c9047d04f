"""A refusal on the screen: what happened, what it means, which key comes next."""

from typing import TYPE_CHECKING

from chainteller.tui.widgets.lines import Line, Lines, line

if TYPE_CHECKING:
    from chainteller.tui.failures import Failure


def failure_lines(failure: "Failure") -> list[Line]:
    return [
        line(
            (f" [x] {failure.code}", "bad strong"),
            "  ",
            failure.what,
            ("  " + failure.told, "muted"),
        ),
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

    def explain(self, failure: "Failure") -> None:
        self.failure = failure
        self.show(failure_lines(failure))
        self.add_class("shown")

    def hide(self) -> None:
        self.failure = None
        self.remove_class("shown")

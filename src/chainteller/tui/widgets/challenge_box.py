"""The text to be signed, where a mouse can select it: the selection has no line breaks in it."""

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from chainteller.records.formats import clean
from chainteller.tui.widgets.lines import Line, Lines, line


class ChallengeBox(Vertical):
    DEFAULT_CSS = """
    ChallengeBox { height: auto; }
    ChallengeBox > Lines { height: auto; }
    ChallengeBox > Static { height: auto; padding: 0 1; border: solid $line; }
    ChallengeBox.empty { display: none; }
    """

    def __init__(self, *, id: str, classes: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, classes=classes)
        self._text = ""

    def compose(self) -> ComposeResult:
        yield Lines([line()], classes="challenge-head")
        yield Static("", markup=False)
        yield Lines(classes="challenge-how")

    def show(self, head: Line, text: str, how: list[Line]) -> None:
        """Without a text there is no box."""
        self.set_class(not text, "empty")
        self.query_one(".challenge-head", Lines).show([head])
        self.query_one(".challenge-how", Lines).show(how)
        if text != self._text:
            self._text = text
            self.query_one(Static).update(clean(text))

"""The floor of the stack: a Textual application with one line of text."""

from textual.app import App, ComposeResult
from textual.widgets import Static


class Empty(App[None]):
    def compose(self) -> ComposeResult:
        yield Static("READY")


Empty().run()

"""The field of Wallets: a paste into it is submitted whole and never shown."""

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input

from chainteller.tui.messages import FieldSubmitted
from chainteller.tui.widgets.field import Field, FieldBar, FieldText

SIGNATURE = "signature"
_SUBMITTED = frozenset({SIGNATURE, "address"})
_LONGEST = 20_001


class PasteField(Field):
    """Where a terminal has no bracketed paste, a signature arrives as keys: they show as dots,
    because what is pasted by mistake may be a secret.
    """

    BINDINGS: ClassVar[list[BindingType]] = []

    def prepare(self, purpose: str, value: str, *, amount: bool) -> None:
        self.max_length = _LONGEST
        self.password = purpose == SIGNATURE
        super().prepare(purpose, value, amount=amount)

    def on_paste(self, event: events.Paste) -> None:
        if self.purpose not in _SUBMITTED:
            return
        event.stop()
        event.prevent_default()
        self.post_message(FieldSubmitted(self.purpose, event.text))


class PasteFieldBar(FieldBar):
    def compose(self) -> ComposeResult:
        yield FieldText(id="field-label")
        yield PasteField()
        yield FieldText(id="field-note")

    def clear(self) -> None:
        """Take away what was typed, and say nothing of it."""
        field = self.query_one(Field)
        with field.prevent(Input.Changed):
            field.value = ""

    def close(self) -> None:
        super().close()
        self.clear()

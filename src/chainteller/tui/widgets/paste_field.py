"""The field of Wallets: a pasted signature is submitted whole and never shown."""

from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.widgets import Input

from chainteller.domain.assets import Asset
from chainteller.tui.messages import FieldPasted, FieldSubmitted
from chainteller.tui.widgets.field import Field, FieldBar

SIGNATURE, ADDRESS, STATEMENT = "signature", "address", "statement"
_LONGEST = 20_001


class PasteField(Field):
    """Where a terminal has no bracketed paste, a signature arrives as keys: they show as dots,
    because what is pasted by mistake may be a secret.
    """

    BINDINGS: ClassVar[list[BindingType]] = []

    def prepare(self, purpose: str, value: str, *, asset: Asset | None) -> None:
        self.max_length = _LONGEST
        self.password = purpose == SIGNATURE
        super().prepare(purpose, value, asset=asset)

    def on_paste(self, event: events.Paste) -> None:
        if self.purpose not in {SIGNATURE, ADDRESS, STATEMENT}:
            return
        event.stop()
        event.prevent_default()
        pasted = FieldSubmitted if self.purpose == SIGNATURE else FieldPasted
        self.post_message(pasted(self.purpose, event.text))


class PasteFieldBar(FieldBar):
    FIELD = PasteField

    def fill(self, text: str) -> None:
        """Show a pasted text; enter is still to come."""
        field = self.field
        field.value = text
        field.cursor_position = len(text)

    def clear(self) -> None:
        """Take away what was typed, and say nothing of it."""
        field = self.field
        with field.prevent(Input.Changed):
            field.value = ""

    def close(self) -> None:
        super().close()
        self.clear()

"""The one inline field of a screen: an amount, a filter, a search."""

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Input

from chainteller.records.formats import Piece
from chainteller.tui.messages import FieldChanged, FieldClosed, FieldStepped, FieldSubmitted
from chainteller.tui.widgets.lines import Lines, line

AMOUNT = r"[0-9]*\.?[0-9]*"
_LONGEST = 120


class Field(Input):
    """An input that keeps only what its purpose takes.

    As an amount field it takes digits, one point and editing keys; left, right and tab belong to
    the screen. It selects its content when it gets the keyboard, so that typing replaces it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", show=False)]
    DEFAULT_CSS = """
    Field, Field:focus { border: none; height: 1; padding: 0; background: $panel; }
    """

    def __init__(self, *, id: str = "field") -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, compact=True, select_on_focus=True, max_length=_LONGEST)
        self.cursor_blink = False
        self.purpose = ""

    @property
    def is_amount(self) -> bool:
        return self.restrict == AMOUNT

    def prepare(self, purpose: str, value: str, *, amount: bool) -> None:
        self.purpose = purpose
        self.restrict = AMOUNT if amount else None
        with self.prevent(Input.Changed):
            self.value = value
        self.cursor_position = len(value)

    def action_cursor_left(self, select: bool = False) -> None:  # noqa: FBT001, FBT002 - Textual's signature
        self._step(-1, select=select)

    def action_cursor_right(self, select: bool = False) -> None:  # noqa: FBT001, FBT002 - Textual's signature
        self._step(1, select=select)

    def _step(self, step: int, *, select: bool) -> None:
        if self.is_amount and not select:
            self.post_message(FieldStepped(self.purpose, step))
        elif step < 0:
            super().action_cursor_left(select)
        else:
            super().action_cursor_right(select)

    def action_close(self) -> None:
        self.post_message(FieldClosed(self.purpose))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(FieldSubmitted(self.purpose, event.value))

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(FieldChanged(self.purpose, event.value))

    def on_paste(self, event: events.Paste) -> None:
        """A pasted amount may carry grouping; anything else that is no amount is dropped whole."""
        if not self.is_amount:
            return
        event.stop()
        event.prevent_default()
        pasted = event.text.strip().replace(",", "")
        if pasted and pasted.replace(".", "", 1).isascii() and pasted.replace(".", "", 1).isdigit():
            self.value = pasted
            self.cursor_position = len(pasted)


class FieldBar(Horizontal):
    """Label, field and what stands behind it, on one line; hidden until it is opened."""

    DEFAULT_CSS = """
    FieldBar { display: none; height: 1; background: $panel; }
    FieldBar.open { display: block; }
    FieldBar > #field-label, FieldBar > #field-note { width: auto; background: $panel; }
    FieldBar > Field { width: 1fr; min-width: 18; }
    """

    def compose(self) -> ComposeResult:
        yield FieldText(id="field-label")
        yield Field()
        yield FieldText(id="field-note")

    @property
    def is_open(self) -> bool:
        return self.has_class("open")

    @property
    def purpose(self) -> str:
        return self.query_one(Field).purpose if self.is_open else ""

    @property
    def value(self) -> str:
        return self.query_one(Field).value

    def open(
        self,
        purpose: str,
        label: tuple[Piece, ...],
        *,
        value: str = "",
        note: tuple[Piece, ...] = (),
        amount: bool = False,
    ) -> None:
        """Show the field and give it the keyboard."""
        field = self.query_one(Field)
        field.prepare(purpose, value, amount=amount)
        self.query_one("#field-label", FieldText).show([line((" ", ""), *label, " ")])
        self.query_one("#field-note", FieldText).show([line(" ", *note, " ")])
        self.add_class("open")
        field.disabled = False
        self.screen.set_focus(field)
        field.select_all()

    def close(self) -> None:
        """Hide the field; the screen's keys work again."""
        self.remove_class("open")
        self.query_one(Field).disabled = True


class FieldText(Lines):
    """One line as wide as its text."""

    def get_content_width(self, container: object, viewport: object) -> int:  # noqa: ARG002 - Textual's signature
        shown = self.lines[0].left if self.lines else ()
        return sum(len(text) for text, _ in shown)

    def show(self, lines: object) -> None:
        super().show(lines)  # type: ignore[arg-type]  # same argument as the base
        self.refresh(layout=True)

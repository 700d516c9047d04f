"""The one inline field of a screen: an amount, a filter, a search."""

import re
import textwrap
from collections.abc import Callable
from typing import ClassVar, NamedTuple

from rich.cells import cell_len
from textual import events
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input

from chainteller.domain.assets import Asset
from chainteller.domain.money import AmountInvalid, format_atoms, parse_typed
from chainteller.domain.untrusted import printable
from chainteller.records.formats import Piece, money
from chainteller.tui.messages import FieldChanged, FieldClosed, FieldStepped, FieldSubmitted
from chainteller.tui.widgets.lines import Lines, line
from chainteller.tui.widgets.ordered_input import OrderedInput

_LONGEST = 120
"""Characters of a field: more than the longest amount has, so that no text cut here is one."""
_SHARE = re.compile(r"([1-9][0-9]?|100)%")
_LEAST_CELLS = 18
"""Cells of the input; a note that leaves it less stands below it."""
_UNFINISHED = frozenset("0123456789.,")
"""Of these alone is what may still become an amount."""


class Field(OrderedInput):
    """An input for one purpose.

    In an amount field (``asset`` is set) every character is kept as typed; left, right and tab
    belong to the screen. It selects its content when it gets the keyboard, so that typing replaces
    it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", show=False)]
    DEFAULT_CSS = """
    Field, Field:focus { border: none; height: 1; padding: 0; background: $panel; }
    """

    def __init__(self, *, id: str = "field") -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, select_on_focus=True, max_length=_LONGEST)
        self.cursor_blink = False
        self.purpose = ""
        self.asset: Asset | None = None

    def prepare(self, purpose: str, value: str, *, asset: Asset | None) -> None:
        self.purpose, self.asset = purpose, asset
        with self.prevent(Input.Changed):
            self.value = value
        self.cursor_position = len(value)

    def action_cursor_left(self, select: bool = False) -> None:  # noqa: FBT001, FBT002 - Textual's signature
        self._step(-1, select=select)

    def action_cursor_right(self, select: bool = False) -> None:  # noqa: FBT001, FBT002 - Textual's signature
        self._step(1, select=select)

    def _step(self, step: int, *, select: bool) -> None:
        if self.asset is not None and not select:
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
        """A pasted amount replaces the field's content, whole: Textual drops all but one line.

        Line breaks and tabs show as spaces, other control characters as U+FFFD; neither is part
        of an amount.
        """
        if self.asset is None:
            return
        event.stop()
        event.prevent_default()
        self.value = printable(re.sub(r"\s", " ", event.text[:_LONGEST]))
        self.cursor_position = len(self.value)


class FieldContents(NamedTuple):
    """What an open field is for and what was typed into it, to open it again."""

    purpose: str
    label: tuple[Piece, ...]
    value: str
    note: tuple[Piece, ...]
    asset: Asset | None
    optional: bool


class FieldBar(Vertical):
    """Label, field and note on one line; hidden until it is opened.

    Below an amount is what it was read as, ``= 1,500.00 USD``, or why it is refused. Nothing else
    is ever submitted: the value of an amount field is the amount that was read back.
    """

    DEFAULT_CSS = """
    FieldBar { display: none; height: auto; background: $panel; }
    FieldBar.open { display: block; }
    FieldBar > Horizontal { height: 1; }
    FieldBar #field-label, FieldBar #field-note { width: auto; background: $panel; }
    FieldBar Field { width: 1fr; min-width: 18; }
    FieldBar > #field-read-back { display: none; background: $panel; }
    FieldBar.amount > #field-read-back, FieldBar.noted > #field-read-back { display: block; }
    """
    FIELD: ClassVar[type[Field]] = Field
    served: Callable[[], str] = str
    """Gives the id of the account that is being served."""
    whole: Callable[[], str] = str
    """Gives all there is of what the amount is of, of which ``50%`` is a share; empty where shares
    aren't taken."""
    owner_id = ""
    """Id of the account that was served when the field was opened."""
    _label: tuple[Piece, ...] = ()
    _note: tuple[Piece, ...] = ()
    _optional = False
    """Whether nothing at all may be submitted instead of an amount."""
    _said = ("", "")
    """What stands below the field, and its tone."""
    _offered = ""
    """The amount that the field was filled with, as an offer."""
    refused = ""
    """The amount that was refused, until another one is typed."""

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.field = self.FIELD()
        self._before, self._after = FieldText(id="field-label"), FieldText(id="field-note")
        self._below = Lines([line()], id="field-read-back")

    def _mount_once(self) -> None:
        """The first frame doesn't wait for what is hidden until it's opened."""
        if not self.children:
            row = Horizontal()
            self.mount(row, self._below)
            row.mount(self._before, self.field, self._after)

    @property
    def is_open(self) -> bool:
        return self.has_class("open")

    @property
    def purpose(self) -> str:
        return self.field.purpose if self.is_open else ""

    @property
    def value(self) -> str:
        return self.field.value

    @property
    def amount(self) -> str:
        """The amount in the field as it is sent; empty while it is none."""
        asset = self.field.asset
        try:
            return self._parse(self.value, asset) if asset is not None else ""
        except AmountInvalid:
            return ""

    def _parse(self, typed: str, asset: Asset) -> str:
        """The amount that was typed, or the share of all there is. Raises AmountInvalid."""
        share, whole = _SHARE.fullmatch(typed.strip()), self.whole()
        if share is not None and whole:
            typed = format_atoms(parse_typed(whole, asset).atoms * int(share[1]) // 100, asset)
        return str(parse_typed(typed, asset))

    @property
    def is_untouched(self) -> bool:
        """Whether the field is open and nothing but an offer is in it."""
        return self.is_open and self.value in {"", self._offered}

    @property
    def contents(self) -> FieldContents:
        """The open field, as it can be opened again."""
        field = self.field
        return FieldContents(
            field.purpose, self._label, field.value, self._note, field.asset, self._optional
        )

    def reopen(self, contents: FieldContents) -> None:
        """Open the field as it was; what was typed isn't selected, so that typing goes on."""
        purpose, label, value, note, asset, optional = contents
        self.open(purpose, label, value=value, note=note, asset=asset, goes_on=True)
        if asset is not None:
            self.expect(asset, optional=optional)

    def open(  # noqa: PLR0913 - what a field can be opened with
        self,
        purpose: str,
        label: tuple[Piece, ...],
        *,
        value: str = "",
        note: tuple[Piece, ...] = (),
        asset: Asset | None = None,
        is_offer: bool = False,
        goes_on: bool = False,
    ) -> None:
        """Show the field and give it the keyboard; with ``asset`` it takes an amount of it.

        Where ``value`` is an offer, an enter that was typed before it came accepts it. The next
        character replaces the value, or goes on after it.
        """
        self._label, self._note, self.owner_id = label, note, self.served()
        self._offered, self.refused = (value if is_offer else ""), ""
        self._mount_once()
        field = self.field
        field.select_on_focus = not goes_on
        field.prepare(purpose, value, asset=asset)
        self._optional = False
        self._before.show([line((" ", ""), *label, " ")])
        self._said = ("", "")
        self.add_class("open")
        self.set_class(asset is not None, "amount")
        self._place_note()
        self._read_back()
        field.disabled = False
        self.screen.set_focus(field)
        if goes_on:
            field.cursor_position = len(value)
        else:
            field.select_all()

    def expect(self, asset: Asset, *, optional: bool = False) -> None:
        """Take an amount of ``asset`` from here on; with ``optional``, also none at all."""
        self.field.asset, self._optional = asset, optional
        self._read_back()

    def submitted(self, typed: str) -> str | None:
        """The value to hand on for what was typed; None when it is refused, beside the field."""
        asset = self.field.asset
        if asset is None or (self._optional and not typed):
            return typed
        if not typed and self.value == self._offered:
            typed = self._offered
        try:
            return self._parse(typed, asset)
        except AmountInvalid as error:
            self._say_refused(str(error))
            return None

    def refuse(self, reason: str) -> None:
        """Say why the amount was refused; typing replaces it."""
        self.refused = self.value
        self._say_refused(reason)
        self.field.select_all()

    def _say_refused(self, reason: str) -> None:
        self._say(f"[x] {reason}   esc closes this line", "bad")

    def on_field_changed(self) -> None:
        self._read_back()

    def _read_back(self) -> None:
        """What an amount is read as; what no further key makes one is refused at once."""
        asset = self.field.asset
        if asset is None:
            self._say("", "")
            return
        try:
            self._say(f"= {money(self._parse(self.value, asset), asset.symbol)}", "strong")
        except AmountInvalid as error:
            if not _UNFINISHED.issuperset(self.value):
                self._say_refused(str(error))
            else:
                leave = "   esc closes this line" if self.value else ""
                half = ", or 50%" if self.whole() else ""
                said = f"{asset.symbol} amount, for example 1500 or 1,500.00{half}{leave}"
                self._say(said.strip(), "muted")

    def on_resize(self) -> None:
        """A line that was hidden before it had a width is wrapped again."""
        self._place_note()
        self._say(*self._said)

    @property
    def _width(self) -> int:
        return self.size.width or self.screen.size.width

    def _place_note(self) -> None:
        """Beside the input where it fits, else below, whole: nobody reads half an amount."""
        around = sum(cell_len(text) for text, _ in (*self._label, *self._note))
        is_below = around + _LEAST_CELLS + len("    ") > self._width and bool(self._note)
        self.set_class(is_below, "noted")
        self._after.show([line()] if is_below else [line(" ", *self._note, " ")])

    def _say(self, text: str, tone: str) -> None:
        self._said = (text, tone)
        note = "".join(each for each, _ in self._note) if self.has_class("noted") else ""
        width = max(_LEAST_CELLS, self._width - 2)
        rows = [line((f" {row}", "muted")) for row in textwrap.wrap(note, width)]
        self._below.show(rows + [line((f" {row}", tone)) for row in textwrap.wrap(text, width)])

    def close(self) -> None:
        """Hide the field; the screen's keys work again."""
        self.remove_class("open")
        self.field.disabled = True


class FieldText(Lines):
    """One line as wide as its text."""

    def get_content_width(self, container: object, viewport: object) -> int:  # noqa: ARG002 - Textual's signature
        shown = self.lines[0].left if self.lines else ()
        return sum(len(text) for text, _ in shown)

    def show(self, lines: object) -> None:
        super().show(lines)  # type: ignore[arg-type]  # same argument as the base
        self.refresh(layout=True)

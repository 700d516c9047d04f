"""The question before money moves: one sentence, and only ``y`` says yes."""

from collections.abc import Callable
from dataclasses import dataclass

from textual import events
from textual.app import ComposeResult

from chainteller.records.formats import Piece, cents, same_amount
from chainteller.tui.dialogs.dialog import Dialog
from chainteller.tui.widgets.bars import LEAST_HEIGHT, LEAST_WIDTH, TooSmall
from chainteller.tui.widgets.lines import Lines, StatedLines, line

_RETYPED = "0123456789."


@dataclass(frozen=True, slots=True)
class Ask:
    """``sentence`` names amounts and account; ``facts`` are further lines.

    With ``retype`` the amount must be typed once more before ``y`` counts.
    """

    sentence: str
    facts: tuple[str, ...] = ()
    retype: str = ""


def retype_above(limit_cents: int, usd: str, amount: str = "") -> str:
    """The amount to retype: ``amount``, worth ``usd``, or ``usd`` itself; empty up to the limit."""
    return (amount or usd) if cents(usd) > limit_cents else ""


class Question(Dialog[bool]):
    """Answers True for ``y`` alone; everything else is deaf or no. Enter never confirms."""

    DEFAULT_CSS = """
    Question { align: left bottom; background: $background 0%; }
    Question > #question {
        width: 100%; height: auto; background: $panel; border-top: solid $warning;
        padding: 0 1;
    }
    """

    def __init__(self, asked: Ask, deafen: Callable[[], None]) -> None:
        super().__init__()
        self._asked = asked
        self._deafen = deafen
        self._typed = ""
        self._refused = False
        """Whether ``y`` was pressed before the amount was typed again."""

    def compose(self) -> ComposeResult:
        yield StatedLines(id="question")
        yield TooSmall()

    def on_mount(self) -> None:
        self._deafen()
        self._draw()

    @property
    def _confirmed(self) -> bool:
        return not self._asked.retype or same_amount(self._typed, self._asked.retype)

    def _draw(self) -> None:
        rows = [line((self._asked.sentence, "strong"))]
        rows += [line((fact, "muted")) for fact in self._asked.facts]
        if self._asked.retype:
            rows.append(
                line(
                    f"above the desk's limit: type the amount again, {self._asked.retype}: ",
                    (self._typed + "_", "accent"),
                    self._verdict(),
                )
            )
        yes = ("y", "key") if self._confirmed else ("y", "muted")
        rows.append(
            line(
                yes,
                (" = yes   ", "muted"),
                ("n", "key"),
                ("/", "muted"),
                ("esc", "key"),
                (" = no", "muted"),
            )
        )
        self.query_one("#question", Lines).show(rows)

    def _verdict(self) -> Piece:
        if self._confirmed:
            return ("  matches", "good")
        return ("  not the same", "bad") if self._refused else ("", "")

    def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        if event.key == "ctrl+q":
            self.app.exit()
        elif event.key in {"n", "escape"}:
            self._answer(yes=False)
        elif not self._visible_enough():
            return
        elif event.key == "y":
            self._agree()
        elif self._asked.retype:
            self._type(event)

    def _agree(self) -> None:
        if self._confirmed:
            self._answer(yes=True)
        else:
            self._refused = True
            self._draw()

    def _visible_enough(self) -> bool:
        """Nobody says yes to what the window cannot show."""
        size = self.app.size
        return size.width >= LEAST_WIDTH and size.height >= LEAST_HEIGHT

    def _type(self, event: events.Key) -> None:
        if event.key == "backspace":
            self._typed = self._typed[:-1]
        elif event.character and event.character in _RETYPED:
            self._typed += event.character
        self._refused = False
        self._draw()

    def _answer(self, *, yes: bool) -> None:
        self._deafen()
        self.dismiss(yes)

"""Confirmations: one sentence with its facts, and only ``y`` says yes.

A confirmation with a ``Watch`` follows the records that it is about: it changes with them, and
closes with the reason when what it asks for can't be done any more.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

from textual import events
from textual.app import App, ComposeResult
from textual.signal import Signal

from chainteller.domain.money import UNKNOWN_ASSET, AmountInvalid, parse_atoms, parse_typed
from chainteller.records.formats import Piece, grouped
from chainteller.service.errors import (
    ReplyUnusable,
    ServiceUnavailable,
    ServiceUnreachable,
    TellerError,
)
from chainteller.tui.dialogs.dialog import Dialog
from chainteller.tui.service_calls import Later
from chainteller.tui.widgets.bars import LEAST_HEIGHT, LEAST_WIDTH, TooSmall
from chainteller.tui.widgets.lines import Lines, StatedLines, line, wrapped

_CENT = 10 ** (UNKNOWN_ASSET.decimals - 2)
_HIGH, _WIDTH = 50, 110
"""Lines of a window whose last ones are far from the record, and cells of a box in its middle."""
_LONGEST = 70
"""Characters of the longest amount, with its groups."""
_NOT_HEARD = (ServiceUnreachable, ServiceUnavailable, ReplyUnusable)
"""Failures to read a record that say nothing about it."""

Fact = str | Callable[[int], str]
"""A line of a question; a function of the present instant where the line tells time."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A question to the agent.

    Attributes:
        sentence: Names the record and the amount.
        facts: Further lines.
        retype: The amount that must be typed once more before ``y`` counts; empty for none.
        last_at: The last instant at which it can be done; None where there is none.
        too_late: Why it can't be done after ``last_at``.
    """

    sentence: str
    facts: tuple[Fact, ...] = ()
    retype: str = ""
    last_at: int | None = None
    too_late: TellerError | None = None

    def headed(self, fact: str) -> "Ask":
        """The same question with another fact above the others."""
        return replace(self, facts=(fact, *self.facts))

    def told(self, now: int) -> tuple[str, ...]:
        """The facts as lines."""
        return tuple(fact if isinstance(fact, str) else fact(now) for fact in self.facts)

    def is_like(self, other: "Ask", now: int) -> bool:
        """Whether an agent who read one has read the other."""
        mine, others = ((each.sentence, each.told(now), each.retype) for each in (self, other))
        return mine == others


@dataclass(frozen=True, slots=True)
class Watch:
    """How an open question follows what it is about.

    Attributes:
        now: The present instant.
        require: Raises if the question may not be answered any more; takes no time.
        renew: Reads the records and returns the question as it is now, None where it never
            changes; raises TellerError where it can't be done any more.
        signals: When to read again.
        ticks: Whether facts that tell time are drawn each second.
    """

    now: Callable[[], int]
    require: Callable[[], None]
    renew: Callable[[], Awaitable[Ask | None]]
    signals: tuple[Signal[Any], ...] = ()
    ticks: bool = True


def retype_above(limit_cents: int, usd: str, amount: str = "") -> str:
    """The amount to retype: ``amount``, worth ``usd``, or ``usd`` itself; empty up to the limit.

    An amount that can't be read counts as above the limit.
    """
    try:
        is_above = parse_atoms(usd, UNKNOWN_ASSET, allow_zero=True) > limit_cents * _CENT
    except AmountInvalid:
        is_above = True
    return (amount or usd) if is_above else ""


def is_same_amount(typed: str, amount: str) -> bool:
    """Whether a typed text is ``amount``; False for what is no amount."""
    try:
        return parse_typed(typed, UNKNOWN_ASSET).atoms == parse_atoms(amount, UNKNOWN_ASSET)
    except AmountInvalid:
        return False


class Question(Dialog[bool | TellerError]):
    """Answers True for ``y`` alone, or why it was closed; enter never confirms."""

    DEFAULT_CSS = """
    Question { align: left bottom; background: $background 0%; }
    Question > #question {
        width: 100%; height: auto; background: $panel; border-top: solid $warning;
        padding: 0 1;
    }
    Question.-high { align: center middle; }
    Question.-high > #question { width: 110; max-width: 100%; border: solid $warning; }
    """

    def __init__(self, asked: Ask, deafen: Callable[[], None], watch: Watch | None = None) -> None:
        super().__init__()
        self._asked = asked
        self._deafen = deafen
        self._watch = watch
        self._typed = ""
        self._refused = False
        """Whether ``y`` was pressed before the amount was typed again."""
        self._ignored = ""
        """What is said of the key that was pressed last, if it didn't answer."""
        self._unheard = ""
        """Code of the failure to read the records again, while they can't be read."""
        self._is_reading = False
        self._is_painted = False
        """Whether a frame has shown the question as it is now."""

    def compose(self) -> ComposeResult:
        yield StatedLines(id="question")
        yield TooSmall()

    def on_resize(self) -> None:
        self._draw()

    def on_mount(self) -> None:
        self._has_other_words()
        self._draw()
        if self._watch is not None:
            for signal in self._watch.signals:
                signal.subscribe(self, self._look_again)
            if self._watch.ticks:
                self.set_interval(1.0, self._tick)

    # -- what it is about ---------------------------------------------------------------------

    def _is_over(self) -> bool:
        """Close with the reason if it can't be done any more; whether it was closed."""
        watch, asked = self._watch, self._asked
        if watch is None or self.answered:
            return self.answered
        try:
            watch.require()
        except TellerError as error:
            self._close(error)
        if asked.last_at is not None and watch.now() > asked.last_at:
            self._close(asked.too_late)
        return self.answered

    def _tick(self) -> None:
        if not self._is_over():
            self._draw()

    def _look_again(self, _: object) -> None:
        if not self._is_over() and not self._is_reading:
            self._is_reading = True
            self.run_worker(Later(self._renew), group="renew")

    async def _renew(self) -> None:
        if self._watch is None:
            return
        try:
            asked = await self._watch.renew()
        except _NOT_HEARD as error:
            self._unheard = error.code
        except TellerError as error:
            self._close(error)
            return
        else:
            self._unheard = ""
            self._show(asked or self._asked, self._watch.now())
        finally:
            self._is_reading = False
        if not self.answered:
            self._draw()

    def _show(self, asked: Ask, now: int) -> None:
        """Ask what is to be asked now. Keys that were meant for other words are dropped."""
        if not asked.is_like(self._asked, now):
            self._has_other_words()
        if asked.retype != self._asked.retype:
            self._typed = ""
        self._asked = asked

    def _has_other_words(self) -> None:
        """Nobody has read it before it is painted, however long that takes."""
        self._is_painted = False
        self._deafen()
        self.call_after_refresh(self._painted)

    def _painted(self) -> None:
        self._is_painted = True
        self._deafen()

    # -- what is shown ------------------------------------------------------------------------

    @property
    def _confirmed(self) -> bool:
        return not self._asked.retype or is_same_amount(self._typed, self._asked.retype)

    def _draw(self) -> None:
        now = self._watch.now() if self._watch is not None else 0
        width, height = self.app.size
        is_high = height >= _HIGH
        self.set_class(is_high, "-high")
        width = min(width, _WIDTH) - 4 if is_high else width - 2
        rows = [line((row, "strong")) for row in wrapped(self._asked.sentence, width)]
        rows += [
            line((row, "muted")) for fact in self._asked.told(now) for row in wrapped(fact, width)
        ]
        if self._unheard:
            rows.append(line((f"Not up to date: {self._unheard}", "warn")))
        if self._ignored:
            rows.append(line((self._ignored, "warn")))
        if self._asked.retype:
            wanted = grouped(self._asked.retype)
            rows.append(
                line(
                    f"Type the amount again, {wanted}: ",
                    (self._typed + "_", "accent"),
                    self._verdict(),
                )
            )
        yes = ("y", "key") if self._confirmed else ("y", "muted")
        rows.append(
            line(
                yes,
                (" = yes   " if self._confirmed else " = yes once it matches   ", "muted"),
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
        return ("  the amounts differ", "bad") if self._refused else ("", "")

    def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        if event.key == "ctrl+q":
            self.app.exit()
        elif event.key in {"n", "escape"}:
            self._answer(yes=False)
        elif not self._is_painted:
            self.came_too_early(event.key)
        elif not self._visible_enough():
            return
        elif event.key == "y":
            self._agree()
        elif self._asked.retype and (event.is_printable or event.key in _TYPES):
            self._type(event)
        else:
            self._ignore(event)

    def came_too_early(self, key: str) -> None:
        if not self._ignored and (key in _ANSWERS or self._asked.retype):
            self._ignored = f"{key} came too early. Press it again."
            if self.is_mounted:
                self._draw()

    def _ignore(self, event: events.Key) -> None:
        """Say that a key isn't passed on. A ``y`` that was typed behind it doesn't count."""
        key = event.character or event.key if event.is_printable else event.key
        self._ignored = f"{key} does nothing here. Answer y or n."
        self._deafen()
        self._draw()

    def _agree(self) -> None:
        if self._is_over():
            return
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
        """Take a key of the amount; enter, which never confirms, says whether it matches."""
        if event.key == "enter":
            self._refused = not self._confirmed
            self._draw()
            return
        if event.key == "backspace":
            self._typed = self._typed[:-1]
        elif event.key == "ctrl+u":
            self._typed = ""
        elif event.character and event.is_printable:
            self._typed = (self._typed + event.character)[:_LONGEST]
        self._refused, self._ignored = False, ""
        self._draw()

    def _close(self, reason: TellerError | None) -> None:
        self._deafen()
        self.dismiss(reason or False)

    def _answer(self, *, yes: bool) -> None:
        self._deafen()
        self.dismiss(yes)


_ANSWERS = frozenset({"y", "n", "escape"})
_TYPES = frozenset({"enter", "backspace", "ctrl+u"})
"""Keys that type an amount, besides printable ones."""


class QuestionOpen(TellerError):
    """A second question while another one waits for its answer."""

    code = "QUESTION_OPEN"
    next_step = "Answer the open question, then press the key again."


async def ask(app: App[Any], question: Question) -> bool:
    """Show a question and wait, from a worker, for the answer.

    Raises:
        QuestionOpen: another one is open, whose answer this one would take.
        TellerError: what ended the question before it was answered.
    """
    if any(isinstance(each, Question) and not each.answered for each in app.screen_stack):
        raise QuestionOpen("Another question was open, so this one wasn't asked. Nothing was sent.")
    answer: bool | TellerError | None = await app.push_screen_wait(question)
    if isinstance(answer, TellerError):
        raise answer
    return bool(answer)

"""The lines around every screen: top bar, title, status line and footer."""

import re
import textwrap
from collections.abc import Callable, Sequence

from rich.cells import cell_len
from textual import events
from textual.geometry import Region
from textual.strip import Strip

from chainteller.records.formats import Piece, clean
from chainteller.tui.commands import SCREENS, SHORT_NAMES, Hint
from chainteller.tui.messages import KeyClicked
from chainteller.tui.widgets.lines import Line, Lines, line

_LONG = tuple(f" {number} {name.capitalize()}" for number, name in enumerate(SHORT_NAMES, start=1))
_SHORT = tuple(f" {number}{short}" for number, short in enumerate(SHORT_NAMES.values(), start=1))
_NAMELESS = tuple(f" {number}" for number in range(1, len(SHORT_NAMES) + 1))
_WIDE = 110
_DIGIT = re.compile("[0-9]")
LEAST_WIDTH, LEAST_HEIGHT = 60, 16


class TopBar(Lines):
    """Where the agent is, on which deployment, and how it answers."""

    DEFAULT_CSS = "TopBar { height: 1; background: $surface; }"

    def __init__(self) -> None:
        super().__init__(id="top")
        self._shown: tuple[int, tuple[Piece, ...], tuple[Piece, ...]] = (0, (), ())
        self._has_digits = True
        self._left: list[Piece] = []

    def place(self, current: int, deployment: Sequence[Piece], reach: Sequence[Piece]) -> None:
        """``current`` is the screen's number from 1; 0 is none of them."""
        self._shown = (current, tuple(deployment), tuple(reach))
        self._draw()

    def name_keys(self, *, on: bool) -> None:
        """Show the digits that switch screens; while a field is open they are typed into it."""
        if on != self._has_digits:
            self._has_digits = on
            self._draw()

    def on_resize(self) -> None:
        self._draw()

    def _draw(self) -> None:
        """The screens' names, then the label, give way to what may not be cut: mode, alerts, reach.
        The label of a place stays before names of screens that aren't shown."""
        current, deployment, reach = self._shown
        right = (*reach, (" ", ""))
        room = self.size.width - _cells(right) - 1
        label_free = _unlabelled(deployment)
        tries = [
            *([(deployment, _LONG)] if self.size.width >= _WIDE else []),
            (deployment, _SHORT),
            *([(deployment, _named(current))] if label_free != tuple(deployment) else []),
            (label_free, _SHORT),
        ]
        shown = (_left(current, kept, names) for kept, names in tries)
        least = _left(current, label_free, _NAMELESS)
        self._left = next((each for each in shown if _cells(each) <= room), least)
        left = self._left if self._has_digits else _without_digits(self._left)
        self.show([line(*left, right=right)])

    def on_click(self, event: events.Click) -> None:
        """The names come last on the left."""
        event.prevent_default()
        end = _cells(self._left)
        for screen, (name, _) in zip(reversed(SCREENS), reversed(self._left), strict=False):
            start = end - cell_len(name)
            if start <= event.x < end:
                self.post_message(KeyClicked(f"app.command('desk.{screen}')"))
            end = start


def _named(current: int) -> tuple[str, ...]:
    """The digits of the screens, with the name of the one that is shown."""
    numbered = enumerate(zip(_SHORT, _NAMELESS, strict=True), start=1)
    return tuple(short if number == current else digit for number, (short, digit) in numbered)


def _left(current: int, deployment: Sequence[Piece], names: Sequence[str]) -> list[Piece]:
    pieces: list[Piece] = [(" ", ""), *deployment]
    for number, name in enumerate(names, start=1):
        pieces.append((name, "key" if number == current else "muted"))
    return pieces


def _without_digits(left: Sequence[Piece]) -> list[Piece]:
    """The names of the screens alone, where they stood."""
    others, names = left[: -len(SCREENS)], left[-len(SCREENS) :]
    return [*others, *((_DIGIT.sub(" ", name, count=1), tone) for name, tone in names)]


def _cells(pieces: Sequence[Piece]) -> int:
    return sum(cell_len(clean(text)) for text, _ in pieces)


def _unlabelled(deployment: Sequence[Piece]) -> tuple[Piece, ...]:
    """Without the place's own name, which comes second and is muted, if there is one."""
    named = len(deployment) > 1 and deployment[1][1] == "muted" and deployment[1][0].strip() != "rw"
    return (deployment[0], *deployment[2:]) if named else tuple(deployment)


class UnderWay(Lines):
    """What was begun and isn't over, on every screen: a request that can still be taken back, and
    those without an answer, under their customers' names.
    """

    DEFAULT_CSS = """
    UnderWay { display: none; height: auto; background: $panel; }
    UnderWay.shown { display: block; }
    """

    def __init__(self) -> None:
        super().__init__(id="under-way")

        self._told: list[tuple[str, str]] = []
        self._painted: Callable[[], None] | None = None

    def tell(self, held: str, unanswered: Sequence[str], painted: Callable[[], None]) -> None:
        """Show what is held back and each request without an answer, if any, none of it cut;
        ``painted`` is called when a frame has what is held back.
        """
        told = [(held, "warn")] if held else []
        self._painted = painted if held else None
        self._told = [*told, *((f"[?] {each}", "bad") for each in unanswered)]
        self._draw()
        self.set_class(bool(self._told), "shown")

    def on_resize(self) -> None:
        self._draw()

    def render_lines(self, crop: Region) -> list[Strip]:
        strips = super().render_lines(crop)
        if self._painted is not None and crop.height >= len(self.lines) > 0:
            painted, self._painted = self._painted, None
            painted()
        return strips

    def _draw(self) -> None:
        width = max(self.screen.size.width, LEAST_WIDTH) - 2
        self.show(
            [
                line((f" {row}", tone))
                for text, tone in self._told
                for row in textwrap.wrap(text, width, subsequent_indent="    ")
            ]
        )


class StatusLine(Lines):
    """The newest thing that happened; the event log keeps all of them."""

    DEFAULT_CSS = "StatusLine { height: 1; }"

    def __init__(self) -> None:
        super().__init__([line("")], id="status")
        self._log_width = 0

    def tell(self, text: str, tone: str, unread: int) -> None:
        right: tuple[Piece, ...] = ((f" !{unread} ", "muted"),) if unread else ()
        self._log_width = _cells(right)
        self.show([line((f" {text}", tone), right=right)])

    def on_click(self, event: events.Click) -> None:
        event.prevent_default()
        if event.x >= self.size.width - self._log_width:
            self.post_message(KeyClicked("app.command('desk.log')"))


class HintBar(Lines):
    """The keys that work here, most needed first; what does not fit is in ``?``.

    A word that begins with a slash goes on with its key: ``left/right market``.
    """

    DEFAULT_CSS = "HintBar { height: 1; background: $surface; }"

    def __init__(self) -> None:
        super().__init__([line("")], id="hints")
        self._hints: tuple[Hint, ...] = ()
        self._typing = False
        self._spans: list[tuple[int, int, str]] = []

    def on_resize(self) -> None:
        self._draw()

    def change(self, hints: Sequence[Hint], *, typing: bool) -> None:
        """Other keys; ``typing`` is while a field takes all that can be typed."""
        if (tuple(hints), typing) != (self._hints, self._typing):
            self._hints, self._typing = tuple(hints), typing
            self._draw()

    def _draw(self) -> None:
        go, keys = ("ctrl+p", "f1") if self._typing else (":", "?")
        right = ((go, "key"), (" go  ", "muted"), (keys, "key"), (" keys ", "muted"))
        width = self.size.width
        help_at = width - len(f"{keys} keys ")
        go_at = help_at - len(f"{go} go  ")
        room = go_at - 2
        kept = list(self._hints)
        while kept and sum(len(key) + len(word) + 3 for key, word, _, _ in kept) > room:
            kept.remove(max(reversed(kept), key=lambda hint: hint[3]))
        pieces: list[Piece] = [(" ", "")]
        self._spans = [
            (go_at, help_at, "app.command('desk.palette')"),
            (help_at, width, "app.command('desk.help')"),
        ]
        at = 1
        for key, word, action, _ in kept:
            hint = f"{key}{word}" if word.startswith("/") else f"{key} {word}"
            shown, _, does = hint.partition(" ")
            pieces += [(shown, "key"), (f" {does}  ", "muted")]
            width = len(hint) + 2
            self._spans.append((at, at + width, action))
            at += width
        self.show([line(*pieces, right=right)])

    def on_click(self, event: events.Click) -> None:
        event.prevent_default()
        for start, end, action in self._spans:
            if start <= event.x < end:
                self.post_message(KeyClicked(action))


class TooSmall(Lines):
    """Shown instead of everything below 60x16; the screen behind keeps its state."""

    DEFAULT_CSS = "TooSmall { display: none; height: auto; }"

    def __init__(self) -> None:
        rows: list[Line] = [
            line(("This window is too small.", "strong")),
            line(("The console needs 60 x 16.", "muted")),
            line(("Make it larger to continue. Nothing is lost.", "muted")),
        ]
        super().__init__(rows, id="too-small")

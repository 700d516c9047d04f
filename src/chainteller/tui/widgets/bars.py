"""The lines around every screen: top bar, title, status line and footer."""

from collections.abc import Sequence

from textual import events

from chainteller.tui.formats import Piece
from chainteller.tui.messages import KeyClicked
from chainteller.tui.widgets.lines import Line, Lines, line

NAMES = ("Accounts", "Markets", "Quote", "Trades", "Wallets")
_SHORT = ("Acc", "Mkt", "Quo", "Trd", "Wal")
_WIDE = 110
LEAST_WIDTH, LEAST_HEIGHT = 60, 16


class TopBar(Lines):
    """Where the agent is, on which deployment, and how it answers."""

    DEFAULT_CSS = "TopBar { height: 1; background: $surface; }"

    def __init__(self) -> None:
        super().__init__(id="top")
        self._shown: tuple[int, tuple[Piece, ...], tuple[Piece, ...]] = (0, (), ())

    def place(self, current: int, deployment: Sequence[Piece], reach: Sequence[Piece]) -> None:
        """``current`` is the screen's number from 1; 0 is none of the five."""
        self._shown = (current, tuple(deployment), tuple(reach))
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    def _draw(self) -> None:
        current, deployment, reach = self._shown
        wide = self.size.width >= _WIDE
        gap = "  " if wide else " "
        pieces: list[Piece] = [(" ", ""), *deployment, (gap, "")]
        for number, name in enumerate(NAMES if wide else _SHORT, start=1):
            text = f" {number} {name} " if wide else f" {number}{name}"
            pieces.append((text, "key" if number == current else "muted"))
        self.show([line(*pieces, right=(*reach, (" ", "")))])


class StatusLine(Lines):
    """The newest thing that happened; the event log keeps all of them."""

    DEFAULT_CSS = "StatusLine { height: 1; }"

    def __init__(self) -> None:
        super().__init__([line("")], id="status")

    def tell(self, text: str, tone: str, unread: int) -> None:
        right: tuple[Piece, ...] = ((f" !{unread} ", "muted"),) if unread else ()
        self.show([line((f" {text}", tone), right=right)])


class HintBar(Lines):
    """The keys that work here, most needed first; what does not fit is in ``?``.

    A word that begins with a slash goes on with its key: ``left/right market``.
    """

    DEFAULT_CSS = "HintBar { height: 1; background: $surface; }"

    def __init__(self, hints: Sequence[tuple[str, str, str, int]]) -> None:
        super().__init__([line("")], id="hints")
        self._hints = tuple(hints)
        self._spans: list[tuple[int, int, str]] = []

    def on_resize(self) -> None:
        self._draw()

    def change(self, hints: Sequence[tuple[str, str, str, int]]) -> None:
        """Other keys: (shown key, word, action, rank)."""
        if tuple(hints) != self._hints:
            self._hints = tuple(hints)
            self._draw()

    def _draw(self) -> None:
        go, keys = (" go  ", "muted"), (" keys ", "muted")
        room = self.size.width - 15
        kept = list(self._hints)
        while kept and sum(len(key) + len(word) + 3 for key, word, _, _ in kept) > room:
            kept.remove(max(reversed(kept), key=lambda hint: hint[3]))
        pieces: list[Piece] = [(" ", "")]
        self._spans = []
        at = 1
        for key, word, action, _ in kept:
            hint = f"{key}{word}" if word.startswith("/") else f"{key} {word}"
            shown, _, does = hint.partition(" ")
            pieces += [(shown, "key"), (f" {does}  ", "muted")]
            width = len(hint) + 2
            self._spans.append((at, at + width, action))
            at += width
        self.show([line(*pieces, right=((":", "key"), go, ("?", "key"), keys))])

    def on_click(self, event: events.Click) -> None:
        for start, end, action in self._spans:
            if start <= event.x < end:
                self.post_message(KeyClicked(action))


class TooSmall(Lines):
    """Shown instead of everything below 60x16; the screen behind keeps its state."""

    DEFAULT_CSS = "TooSmall { display: none; height: auto; }"

    def __init__(self) -> None:
        rows: list[Line] = [
            line(("This window is too small.", "strong")),
            line(("The desk needs 60 x 16.", "muted")),
            line(("Nothing is lost: make it larger.", "muted")),
        ]
        super().__init__(rows, id="too-small")

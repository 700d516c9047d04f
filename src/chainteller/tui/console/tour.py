"""``demo --tour``: the desk leads through itself with its own keys; any key takes over."""

import asyncio
import contextlib
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.widget import Widget

from chainteller.records.formats import Piece
from chainteller.tui.console.app import Console
from chainteller.tui.service_calls import Later
from chainteller.tui.start import ConsoleSettings, Start
from chainteller.tui.textual_fixes.app import press_keys
from chainteller.tui.widgets.guide_panel import GuidePanel
from chainteller.tui.widgets.lines import Line, line, wrapped

_OWN = frozenset({"f5", "f6", "ctrl+q"})
_SETTLE_S = 0.4
"""How long the desk may take over the tour's last key before the next key is a person's."""


@dataclass(frozen=True, slots=True)
class Step:
    """``keys`` are pressed one by one (``wait:N``: milliseconds); then ``reads_s`` seconds."""

    says: str
    reads_s: int
    keys: tuple[str, ...] = ()


def read_tour(path: Path) -> tuple[Step, ...]:
    """The steps of a tour file."""
    tables = tomllib.loads(path.read_text(encoding="utf-8"))["step"]
    return tuple(
        Step(each["says"], int(each["reads_s"]), tuple(each.get("keys", ()))) for each in tables
    )


def run_tour(start: Start, look: ConsoleSettings, steps: Sequence[Step]) -> int:
    """Run the console with the tour; its exit code as of any console."""
    console = TourConsole(start, look, steps)
    try:
        console.run()
    finally:
        if console.desk.started is not None:
            console.desk.started.close()
    return console.return_code or 0


class TourConsole(Console):
    CSS_PATH = "app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f5", "hand_over", show=False, priority=True),
        Binding("f6", "next_step", show=False, priority=True),
    ]

    def __init__(self, start: Start, look: ConsoleSettings, steps: Sequence[Step]) -> None:
        self.steps = tuple(steps)
        self.at = 0
        self._pressing = False
        self._leads = asyncio.Event()
        self._leads.set()
        self._disturbed = asyncio.Event()
        self._reads_until = 0.0
        super().__init__(start, look._replace(panel=self._panel))

    @property
    def leading(self) -> bool:
        """Whether the tour has the desk; else a person has."""
        return self._leads.is_set()

    def _panel(self) -> Widget:
        return GuidePanel(self._guide)

    def _guide(self, width: int) -> list[Line]:
        """Where the tour is, its words, and who has the desk."""
        step = self.steps[min(self.at, len(self.steps) - 1)]
        words = [*wrapped(step.says, max(20, width - 2)), "", ""]
        left = max(0, round(self._reads_until - monotonic()))
        place = f" TOUR {min(self.at + 1, len(self.steps))} of {len(self.steps)}"
        if self.at >= len(self.steps):
            state: Piece = ("you have control", "good")
        elif self.leading:
            state = (f"next in {left} s" if left else "watch", "muted")
        else:
            state = ("you have control", "warn strong")
        keys = ("   f5 pause/continue  f6 next ", "muted")
        rows = [line(f" {row}") for row in words[:3]]
        return [line((place, "strong"), "   ", state, right=(keys,)), *rows]

    async def _started(self) -> None:
        await super()._started()
        self.run_worker(Later(self._lead), group="tour")

    async def _lead(self) -> None:
        while self.at < len(self.steps):
            step = self.steps[self.at]
            if await self._press(step.keys):
                await self._let_read(step.reads_s)
            if self.leading:
                self.at += 1
            await self._leads.wait()

    async def _press(self, keys: Sequence[str]) -> bool:
        """Press the step's keys; False when a person took over on the way."""
        self._pressing = True
        try:
            for key in keys:
                if not self.leading:
                    return False
                await press_keys(self, [key])
            await asyncio.sleep(_SETTLE_S if keys else 0)
        finally:
            self._pressing = False
        return True

    async def _let_read(self, seconds: int) -> None:
        self._reads_until = monotonic() + seconds
        self._disturbed.clear()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._disturbed.wait(), seconds)
        self._reads_until = 0.0

    async def on_event(self, event: events.Event) -> None:
        """A key that the tour does not press itself takes over."""
        pressed = isinstance(event, events.Key) and not event.is_forwarded and not self._pressing
        if pressed and isinstance(event, events.Key) and event.key not in _OWN:
            self._take_over()
        await super().on_event(event)

    def action_hand_over(self) -> None:
        """Hold the tour, or hand the desk back to it: it begins its step again."""
        if self.leading:
            self._take_over()
        else:
            self._leads.set()

    def _take_over(self) -> None:
        self._leads.clear()
        self._disturbed.set()

    def action_next_step(self) -> None:
        """On to the next step at once."""
        self._leads.set()
        self._disturbed.set()

"""An open box over a live screen costs few bytes, and the terminal shows what Textual paints."""

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pyte
import pytest
from rich.console import Console as RichConsole
from tests.tui.conftest import Bench, press, settle
from textual._compositor import CompositorUpdate
from textual.app import App
from textual.screen import Screen

from chainteller.tui.console.app import Console
from chainteller.tui.dialogs.boxes import CopyBox
from chainteller.tui.dialogs.choice import Choice
from chainteller.tui.dialogs.code import CodeBox
from chainteller.tui.dialogs.question import Ask, Question
from chainteller.tui.statements import PeriodDialog

MOST_BYTES_A_SECOND = 1_500
SECONDS = 2
WIDTH, HEIGHT = 120, 40


class Line:
    """What goes to the terminal, and what the terminal then shows."""

    def __init__(self) -> None:
        self.sent = 0
        self.screen = pyte.Screen(WIDTH, HEIGHT)
        self._stream = pyte.Stream(self.screen)
        self._console = RichConsole(
            color_system="truecolor", force_terminal=True, legacy_windows=False, width=WIDTH
        )

    def take(self, app: App[None], screen: Screen[Any], update: object) -> None:  # noqa: ARG002 - Textual's signature
        if isinstance(update, CompositorUpdate) and not app._batch_count:
            text = update.render_segments(self._console)
            self.sent += len(text.encode())
            self._stream.feed(text)

    def looks(self) -> list[list[tuple[str, str]]]:
        rows = (self.screen.buffer[y] for y in range(HEIGHT))
        return [[(row[x].data, row[x].bg) for x in range(WIDTH)] for row in rows]


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Line:
    made = Line()

    def display(app: App[None], screen: Screen[Any], update: object) -> None:
        made.take(app, screen, update)

    monkeypatch.setattr(App, "_display", display)
    return made


async def _copy_box(app: Console) -> None:
    async def save(name: str, text: str) -> None:
        """Nothing is saved here."""

    app.push_screen(CopyBox("COPY", "a text\nof two lines", "copied", save))


async def _question(app: Console) -> None:
    app.push_screen(Question(Ask("WITHDRAW 1.00 USD?", ("to the bank",)), app.deafen))


async def _code(app: Console) -> None:
    app.push_screen(CodeBox("MESSAGE TO SIGN", ["▀▄█" * 9] * 14))


async def _choice(app: Console) -> None:
    app.push_screen(Choice("EXPORT", "one of these", ["one", "two"]))


async def _period(app: Console) -> None:
    app.push_screen(PeriodDialog("all accounts", app.desk.today))


BOXES: dict[str, str | Callable[[Console], Any]] = {
    "text for the customer": "t",
    "event log": "exclamation_mark",
    "keys": "question_mark",
    "palette": "colon",
    "note": "n",
    "handover": "h",
    "copy": _copy_box,
    "question": _question,
    "code": _code,
    "choice": _choice,
    "period": _period,
}


async def _one_second(bench: Bench, app: Console) -> None:
    """Prices, clocks and ages go on under the box."""
    bench.world.advance(1)
    await app._poller.poll(now=True)
    for screen in app.screen_stack:
        tick = getattr(screen, "_tick", None)
        if tick is not None:
            tick()
    app.desk.on_change.publish(("price",))
    for _ in range(5):
        await asyncio.sleep(0.01)  # answers come from threads
        await _rest(app)


@pytest.mark.forms(4)
@pytest.mark.parametrize("box", BOXES)
async def test_an_open_box_costs_few_bytes(bench: Bench, wire: Line, box: str) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    opened = BOXES[box]
    async with app.run_test(size=(WIDTH, HEIGHT)) as pilot:
        await settle(pilot)
        await press(pilot, "2")
        behind = app.screen
        if isinstance(opened, str):
            await press(pilot, opened)
        else:
            await opened(app)
            await settle(pilot)
        assert app.screen is not behind
        before = wire.sent
        for _ in range(SECONDS):
            await _one_second(bench, app)
        sent = (wire.sent - before) / SECONDS
        assert sent <= MOST_BYTES_A_SECOND
        _shows_what_is_painted(app, wire)


async def _rest(app: Console) -> None:
    for screen in app.screen_stack:
        cast("Any", screen)._on_timer_update()


def _shows_what_is_painted(app: Console, wire: Line) -> None:
    """Nothing that changed under the box was left out."""
    shown = wire.looks()
    whole = Line()
    whole.take(
        app,
        app.screen,
        app.screen._compositor.render_update(full=True, screen_stack=app._background_screens),
    )
    assert shown == whole.looks()

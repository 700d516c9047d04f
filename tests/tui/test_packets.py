"""Keys in any packets: esc is one key, and no money moves before the screen has shown it."""

import asyncio
import re
import string
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import cast

import pytest
from tests.tui.conftest import Bench, make_bench, press, seen
from tests.tui.packets import Terminal, Witness, Writes, arrange, console, run
from tests.tui.test_hostile_fields import FIELDS
from tests.tui.wallet_case import Case
from tests.world.waiting import PATIENCE_S
from textual.widgets import Input

from chainteller.tui.console.app import DEAF_S
from chainteller.tui.console.event_log import LogScreen
from chainteller.tui.console.palette import DeskPalette
from chainteller.tui.desk_screen import DeskScreen
from chainteller.tui.dialogs.dialog import Dialog
from chainteller.tui.dialogs.question import Ask, Question

SEQUENCES = (16, 57, 60, 2194)
"""Each kept keys until their time was up, sent a deposit that no frame had shown, or opened a
question over a choice."""
OPENING = (
    "e", "v", "h", "L", "+", "F", "n", "w5\r", "P|S", "P|F", "P|e", "4|C", "6|e", "a|e",
    "b50\r|X",
)  # fmt: skip
"""What opens something, most of it after the service was asked; at a bar the console rests."""
EVERY = string.printable.strip() + " é"
SCREENS = {f"screen {number}": (str(number),) for number in range(1, 8)}
BOXES = {"text for the customer": ("1", "t"), "event log": ("1", "exclamation_mark")}
OPEN = {**SCREENS, **BOXES, **FIELDS}
"""Every screen with its field closed, boxes without a field, and every field open."""
del OPEN["nothing open"]


@pytest.fixture
def witness() -> Iterator[Witness]:
    with pytest.MonkeyPatch.context() as patch:
        yield Witness(patch)


@pytest.mark.parametrize(
    "numbers",
    [
        SEQUENCES,
        pytest.param(range(300), marks=pytest.mark.thorough),
        pytest.param(range(10_000), marks=pytest.mark.slow),
    ],
    ids=["few", "hundreds", "thousands"],
)
async def test_random_packets_move_no_money_that_was_not_shown(
    bench: Bench, witness: Witness, numbers: Sequence[int]
) -> None:
    arrange(bench)
    await run(bench, witness, "1", numbers)
    assert witness.unshown == []
    assert witness.late == []
    assert witness.stuck == []
    assert witness.writes


async def test_keys_behind_the_esc_of_a_dialog_that_is_still_to_be_painted_go_on_at_once(
    bench: Bench, witness: Witness
) -> None:
    arrange(bench)
    await run(bench, witness, "1", (2376,))
    assert (witness.late, witness.stuck) == ([], [])


async def test_yes_counts_after_the_question_was_painted_however_long_that_takes(
    bench: Bench, witness: Witness
) -> None:
    arrange(bench)
    async with console(bench, witness) as terminal:
        await press(terminal.pilot, "w", "5")
        terminal.send("\r")
        async with asyncio.timeout(PATIENCE_S):
            while len(terminal.app.screen_stack) == 1:  # noqa: ASYNC110 - no frame may pass
                await asyncio.sleep(0)
        time.sleep(DEAF_S)  # noqa: ASYNC251 - the console stands still before it paints
        terminal.send("y")
        await terminal.rest()
        assert witness.writes == {}
        await press(terminal.pilot, "y")
    assert [*witness.writes] == ["withdraw"]
    assert witness.unshown == []


async def test_a_list_that_comes_meanwhile_lets_no_key_past_a_deposit_that_no_frame_has_shown(
    bench: Bench, witness: Witness
) -> None:
    arrange(bench)
    async with console(bench, witness) as terminal:
        await press(terminal.pilot, "d", "7")
        terminal.send("\rb")
        async with asyncio.timeout(PATIENCE_S):
            while not terminal.app.typed_ahead.is_holding:  # noqa: ASYNC110 - before it's answered
                await asyncio.sleep(0)
        terminal.app.release_keys(by_rows=True)
        await terminal.rest()
    assert witness.writes == {"deposit": 1}
    assert witness.unshown == []


async def test_a_key_behind_one_that_opens_something_is_for_what_opens(
    bench: Bench, witness: Witness
) -> None:
    arrange(bench)
    async with console(bench, witness) as terminal:
        await press(terminal.pilot, "d", "7", "enter", "b", "escape")
        for typed in OPENING:
            await terminal.home()
            *first, opens = typed.split("|")
            for each in first:
                terminal.send(each)
                await terminal.rest()
            below = [*terminal.app.screen_stack]
            terminal.send(f"{opens}!")  # elsewhere, it opens the event log
            await terminal.rest()
            *rest, shown = terminal.app.screen_stack
            assert rest == below, typed
            assert isinstance(shown, Dialog), typed
            assert not isinstance(shown, LogScreen), typed
    assert (witness.late, [*witness.writes]) == ([], ["deposit"])


async def test_a_question_never_opens_over_another_one(bench: Bench, witness: Witness) -> None:
    arrange(bench)
    async with console(bench, witness) as terminal:
        await press(terminal.pilot, "w", "5", "enter")
        screen = cast("DeskScreen", terminal.app.screen_stack[0])

        async def ask_too() -> None:
            await screen.desk.confirm(Ask("CANCEL the withdrawal?"))

        screen.write("cancellation", ask_too)
        await terminal.rest()
        assert sum(isinstance(each, Question) for each in terminal.app.screen_stack) == 1
        await press(terminal.pilot, "n")
        assert "this one wasn't asked" in seen(terminal.app)


@pytest.mark.forms(5)
@pytest.mark.parametrize("opened", [each for each in FIELDS if each != "nothing open"])
async def test_keys_that_edit_a_field_are_never_overtaken(bench: Bench, opened: str) -> None:
    bench.open(2, deposit="500.00")
    bench.world.advance(1)
    Case(bench, "alice-ethereum")
    async with console(bench, Writes()) as terminal:
        await press(terminal.pilot, *OPEN[opened])
        field = terminal.app.focused
        assert isinstance(field, Input)
        terminal.send("123\x154455\x7f\x7f66\x1b[D\x1b[D7")
        await terminal.rest()
        arrows_move = getattr(field, "asset", None) is None
        assert field.value == ("44766" if arrows_move else "44667")


@pytest.mark.parametrize("steps", ["\t", "\t\x1b[C", "\x1b[C\t\x1b[D\t\t", "7\t"])
async def test_an_amount_behind_another_side_or_market_is_the_one_of_the_quote(
    bench: Bench, steps: str
) -> None:
    bench.open(2, deposit="500.00")
    async with console(bench, Writes()) as terminal:
        await press(terminal.pilot, "b")
        terminal.send(f"{steps}0.25\x7f4")
        await terminal.rest()
        assert getattr(terminal.app.focused, "value", "") == "0.24"
        assert "[sell]" in seen(terminal.app)


@pytest.mark.parametrize("opened", ["deposit", "withdrawal"])
async def test_keys_that_step_nowhere_hold_nothing_up(bench: Bench, opened: str) -> None:
    bench.open(2, deposit="500.00")
    async with console(bench, Writes()) as terminal:
        await press(terminal.pilot, *OPEN[opened])
        terminal.send("1\x1b[D2\t3")
        await terminal.rest()
        assert getattr(terminal.app.focused, "value", "") == "123"


@pytest.mark.parametrize("late", ["esc", "the end of an earlier palette"])
async def test_a_key_behind_esc_waits_until_the_palette_has_heard_it(
    bench: Bench, late: str
) -> None:
    async with console(bench, Writes()) as terminal:
        app = terminal.app
        await press(terminal.pilot, "colon")
        earlier = cast("DeskPalette", app.screen)
        await press(terminal.pilot, "escape", "colon")
        field, heard, painted = app.focused, asyncio.Event(), asyncio.Event()
        assert field is not None
        field.call_later(heard.wait)
        terminal.send("\x1b4")
        if late != "esc":
            earlier.nothing_chosen()
        app.call_later(app.call_after_refresh, painted.set)
        async with asyncio.timeout(PATIENCE_S):
            await painted.wait()
        waits = app.typed_ahead.has_keys
        heard.set()
        await terminal.rest()
        assert (waits, app.current_mode) == (True, "trades")


# -- esc and a key ----------------------------------------------------------------------------


async def together(terminal: Terminal, text: str) -> None:
    terminal.send(f"\x1b{text}")


async def apart(terminal: Terminal, text: str) -> None:
    """The key comes when nothing is left of what esc did."""
    terminal.send("\x1b")
    await terminal.rest()
    terminal.send(text)


OF_ITS_OWN = re.compile(r"[0-9a-f]{32}|into /.*")
"""What each bank has of its own on the screen: hashes, and its folder."""
Way = Callable[[Terminal, str], Awaitable[None]]


async def ends(folder: Path, opened: str, keys: str, way: Way) -> str:
    """How the console looks, and what it sent, after each key behind esc; on a bank of its own."""
    found, layer = [], Writes()
    for bench in make_bench(folder):
        bench.open(2, deposit="500.00")
        bench.world.advance(1)
        Case(bench, "alice-ethereum")
        left = [*keys]
        while left:
            async with console(bench, layer) as terminal:
                while left and terminal.app.return_code is None:
                    await press(terminal.pilot, *OPEN[opened])
                    if isinstance(terminal.app.focused, Input):
                        terminal.send("7")
                    await way(terminal, left[0])
                    await terminal.rest()
                    app = terminal.app
                    stack = [type(each).__name__ for each in app.screen_stack]
                    value = getattr(app.focused, "value", "")
                    state = f"{stack} {value!r} {layer.writes}"
                    shown = OF_ITS_OWN.sub("", seen(app))
                    found.append(f"{left.pop(0)} {state}\n{shown}")
                    await terminal.home()
    return "\n\n".join(found)


@pytest.mark.parametrize("opened", OPEN)
@pytest.mark.parametrize(
    "keys",
    ["b", *(pytest.param(EVERY[at::3], marks=pytest.mark.thorough) for at in range(3))],
    ids=["few", "first", "second", "third"],
)
@pytest.mark.forms(2)
async def test_esc_and_a_key_at_once_end_as_one_after_the_other(
    tmp_path: Path, opened: str, keys: str
) -> None:
    """However they're cut into reads, they're the same two keys: ``test_terminal_input.py``."""
    outcomes: list[str] = []
    for way in (together, apart):
        folder = tmp_path / str(len(outcomes))  # as long as the other: its name is in a box
        folder.mkdir()
        outcomes.append(await ends(folder, opened, keys, way))
    assert outcomes[0] == outcomes[1]

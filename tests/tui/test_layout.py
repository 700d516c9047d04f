"""Large windows are used: no screen has a large empty rectangle while there is data to fill it."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from tests.tui.conftest import Bench, press, seen, settle
from tests.tui.frames import MOST_EMPTY, cut_beside_room, empty_share, frame_of, largest_empty
from tests.tui.pictures.conftest import base, sample_bench
from tests.tui.pictures.test_desk import people
from textual.pilot import Pilot

from chainteller.tui.console.app import Console

__all__ = ["base", "sample_bench"]

pytestmark = pytest.mark.needs("picture")
SIZES = [(120, 40), (200, 60)]
WALK = {
    "accounts": (),
    "markets": ("2",),
    "quote": ("1", "b", *"500", "enter"),
    "trades": ("4",),
    "wallets": ("5",),
    "transfers": ("6",),
    "audit": ("1", "a"),
    "customer": ("P",),
}
"""The keys that lead from each screen to the next one."""


async def _walk(pilot: Pilot[Any]) -> AsyncIterator[tuple[str, list[str]]]:
    await settle(pilot)
    for name, keys in WALK.items():
        await press(pilot, *keys)
        yield name, frame_of(pilot.app)


def _waste(name: str, rows: list[str]) -> list[str]:
    """What is wrong with a frame, in words."""
    share, cut = empty_share(rows), cut_beside_room(rows)
    empty = f"{name}: {share:.0%} empty at {largest_empty(rows)}"
    return [*([empty] if share > MOST_EMPTY else ()), *(f"{name}: {row}" for row in cut)]


@pytest.mark.thorough
@pytest.mark.parametrize("size", SIZES)
async def test_large_windows_of_the_sample_bank_are_used(
    sample_bench: Bench, size: tuple[int, int]
) -> None:
    app = sample_bench.console()
    async with app.run_test(size=size) as pilot:
        found = [each async for name, rows in _walk(pilot) for each in _waste(name, rows)]
    assert not found, "\n".join(found)


@pytest.mark.thorough
async def test_without_what_is_around_a_screen_the_measurement_fails(sample_bench: Bench) -> None:
    app = sample_bench.console()
    async with app.run_test(size=(200, 60)) as pilot:
        await settle(pilot)
        app.desk.surroundings = None
        empty = {name: empty_share(rows) async for name, rows in _walk(pilot)}
    assert empty["quote"] > MOST_EMPTY
    assert empty["transfers"] > MOST_EMPTY


async def test_a_quote_uses_a_large_window(bench: Bench) -> None:
    people(bench)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, *WALK["quote"])
        frame = frame_of(app)
    assert not _waste("quote", frame)
    assert all(title in "\n".join(frame) for title in ("─ Order ─", "─ Quote ─", "─ Market ─"))


def test_the_largest_empty_rectangle_is_measured() -> None:
    assert largest_empty(["abc ", "a   ", "    "]) == (1, 1, 3, 2)
    assert largest_empty(["xx", "xx"]).cells == 0
    assert empty_share(["x   ", "x   "]) == 0.75
    assert cut_beside_room(["Barnaby Merr…       1.00", "Barnaby Merr…  1.00", "whole"]) == [
        "Barnaby Merr…       1.00"
    ]


def _texts(app: Console, wanted: Callable[[str], bool]) -> list[str]:
    return [row for row in seen(app).splitlines() if wanted(row)]


async def test_small_windows_have_no_frames_and_no_strip(bench: Bench) -> None:
    bench.open(1)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert _texts(app, lambda row: row.startswith(" Desk "))
        assert _texts(app, lambda row: row.startswith("╭─ Accounts ─"))
        await pilot.resize_terminal(80, 24)
        await settle(pilot)
        assert not _texts(app, lambda row: row.startswith((" Desk ", "╭")))
        assert "ACCOUNTS" in seen(app).splitlines()[1]

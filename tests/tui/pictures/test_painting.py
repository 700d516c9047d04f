"""What a picture shows is what the terminal shows, and only that decides it."""

import re
from html import unescape

from tests.tui.conftest import Bench, press, seen, settle
from tests.tui.pictures.painting import CELL, MARGIN, ROW, paint
from tests.tui.pictures.test_desk import people


def _read_back(picture: str, width: int, height: int) -> list[str]:
    """The texts of a picture, put where it puts them."""
    rows = [[" "] * width for _ in range(height)]
    for at, words in re.findall(r'<text y="([\d.]+)">(.*)</text>', picture):
        y = int((float(at) - MARGIN) // ROW)
        for x, text in re.findall(r'<tspan x="(\d+)"[^>]*>([^<]*)</tspan>', words):
            start = (int(x) - MARGIN) // CELL
            for place, letter in enumerate(unescape(text), start):
                rows[y][place] = letter
    return ["".join(row).rstrip() for row in rows]


async def test_a_picture_holds_every_character_at_its_place(bench: Bench) -> None:
    people(bench)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for keys in ((), ("2",), ("question_mark",)):
            await press(pilot, *keys)
            assert _read_back(paint(app), 120, 40) == seen(app).splitlines()


async def test_a_theme_looks_the_same_from_the_start_and_when_it_is_changed_to(
    bench: Bench,
) -> None:
    people(bench)
    pictures = []
    for first in ("light", "dark"):
        app = bench.console(theme=first)
        async with app.run_test(size=(100, 30)) as pilot:
            await settle(pilot)
            await press(pilot, "2")
            await press(pilot, "1")
            app.action_use_theme("light")
            await settle(pilot)
            pictures.append(paint(app))
    assert pictures[0] == pictures[1]

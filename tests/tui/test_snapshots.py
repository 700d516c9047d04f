"""How every screen looks at three sizes. After a look: ``--snapshot-update`` accepts a change."""

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from tests.tui.conftest import Bench, answer, press, settle
from textual.pilot import Pilot

from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest


class SvgSnapshot(SingleFileSnapshotExtension):
    """One SVG per picture; nothing else is written, so no report can hold an environment."""

    file_extension = "svg"
    _write_mode = WriteMode.TEXT


SIZES = [(80, 24), (100, 30), (120, 40)]


def _people(bench: Bench) -> None:
    for number in range(1, 7):
        bench.open(number, deposit=f"{number * 250}.00")
        bench.world.advance(60)
    account = bench.open(7, deposit="1750.00")
    bench.world.advance(60)
    for amount in ("100.00", "75.50"):
        asked = QuoteRequest(amount=amount, side="buy", trading_account_id=account.id)
        quote = bench.service.create_quote("sol-usd", asked).value
        bench.service.execute_quote(quote.id, ExecuteRequest(trading_account_id=account.id))
        bench.world.advance(11)
        bench.world.advance(90)


async def _walk(pilot: Pilot[Any], look: Any) -> None:
    """Visit the screens as an agent does, and take a picture of each."""
    await settle(pilot)
    look("accounts")
    await press(pilot, "d", *"1000")
    look("deposit")
    await press(pilot, "enter")
    await press(pilot, "2")
    look("markets")
    await press(pilot, "1", "b")
    await press(pilot, "enter")
    look("quote")
    await press(pilot, "X")
    look("question")
    await answer(pilot, "y")
    look("trades")
    await press(pilot, "enter")
    look("trade")
    await press(pilot, "escape", "t")
    look("customer-text")
    await press(pilot, "escape")
    await press(pilot, "question_mark")
    look("keys")
    await press(pilot, "escape", "1", "plus")
    look("customers")
    await press(pilot, "escape")
    await press(pilot, "w", *"90000", "enter")
    await press(pilot, *"90000")
    look("retype")
    await answer(pilot, "y")
    look("refusal")


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_every_screen_looks_as_it_did(
    bench: Bench, snapshot: SnapshotAssertion, size: tuple[int, int]
) -> None:
    _people(bench)
    app = bench.console()
    pictures: dict[str, str] = {}

    def look(name: str) -> None:
        pictures[name] = app.export_screenshot(title="chainteller")

    async with app.run_test(size=size) as pilot:
        await _walk(pilot, look)
    for name, picture in pictures.items():
        assert picture == snapshot(extension_class=SvgSnapshot, name=name)


@pytest.mark.parametrize("theme", ["light", "high-contrast"])
async def test_other_themes_look_as_they_did(
    bench: Bench, snapshot: SnapshotAssertion, theme: str
) -> None:
    _people(bench)
    app = bench.console(theme=theme)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        picture = app.export_screenshot(title="chainteller")
        assert picture == snapshot(extension_class=SvgSnapshot, name=theme)

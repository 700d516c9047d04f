"""The desk when something is missing, refused, late or closed."""

from pathlib import Path
from typing import Any

import pytest
from tests.tui.conftest import Bench, answer, make_bench, press, settle, until
from tests.tui.pictures.album import Album, Format, Look, in_two_formats
from tests.tui.pictures.test_desk import PROFILES
from tests.tui.unsteady_service import Unsteady
from textual.pilot import Pilot

from chainteller.domain.options import EngineOptions
from chainteller.service.errors import ServiceUnreachable
from chainteller.tui.console.app import Console
from chainteller.tui.quote.screen import QuoteScreen
from chainteller.tui.start import StartedDesk

pytestmark = pytest.mark.thorough

CLOSED = EngineOptions(rate_limits=False, maintenance=("eth-usd",))


@in_two_formats
async def test_trouble_looks_as_it_did(album: Album, form: Format, tmp_path: Path) -> None:
    for bench in make_bench(tmp_path, CLOSED):
        bench.open(1, deposit="250.00")
        bench.open(2, deposit="20000.00")
        service = Unsteady(bench.deployment)
        app = bench.console(service)
        async with app.run_test(size=form.size) as pilot:
            await settle(pilot)
            await _amounts(pilot, album.of(pilot))
            await _quotes(pilot, album.of(pilot), bench, service)
        await _no_place(bench, album, form)
    album.compare()


async def _amounts(pilot: Pilot[Any], take: Look) -> None:
    """An amount above the desk's limit, and one above what is there."""
    await press(pilot, "d", *"15000", "enter")
    await press(pilot, *"15000")
    await take("retype")
    await press(pilot, "escape")
    await press(pilot, "w", *"90000", "enter")
    await take("refusal")
    await press(pilot, "escape", "t")
    await take("refusal-text")
    await press(pilot, "escape")
    await press(pilot, "escape")
    await press(pilot, "slash", *"nobody", "enter")
    await take("accounts-no-match")
    await press(pilot, "slash", *"DDA-1", "enter")


async def _quotes(pilot: Pilot[Any], take: Look, bench: Bench, service: Unsteady) -> None:
    console = pilot.app
    assert isinstance(console, Console)
    await press(pilot, "b", *"1000", "enter")
    assert console.desk.served is not None
    console.desk.served.look_soon()  # as a poll does, however slowly the keys were typed
    await take("shortfall")
    await answer(pilot, "y")
    screen = pilot.app.screen
    assert isinstance(screen, QuoteScreen)
    bench.world.advance(275)
    screen._tick()
    await settle(pilot)
    await take("expiring")
    bench.world.advance(60)
    screen._tick()
    await settle(pilot)
    await take("expired")
    await press(pilot, "enter")
    await take("renewed")
    service.loses_answers = True
    await press(pilot, "X")
    await answer(pilot, "y")
    screen.look_for_trades()
    await settle(pilot)
    await take("unknown")
    await press(pilot, "2", "down")
    await take("market-closed")
    service.is_silent = True
    await press(pilot, "r")
    await until(lambda: console.desk.connection.state == "failed")
    await settle(pilot)
    await take("no-answer")


async def _no_place(bench: Bench, album: Album, form: Format) -> None:
    def start() -> StartedDesk:
        raise ServiceUnreachable("bank.example does not answer.")

    app = Console(start, bench.settings._replace(profiles=PROFILES, profile="branch-7"))
    async with app.run_test(size=form.size) as pilot:
        await settle(pilot, started=False)
        await album.of(pilot, started=False)("unreachable")

"""Ages of live data, and the mark on data that is no longer refreshed."""

import re
from typing import Any, TypeVar, cast

import pytest
from tests.tui.conftest import Bench, press, seen, settle, until
from tests.tui.test_under_way import Stopped
from tests.tui.unsteady_service import Unsteady
from textual.pilot import Pilot

from chainteller.service import operations as op
from chainteller.service.errors import ServiceUnreachable
from chainteller.service.operations import Call
from chainteller.tui.console.app import Console
from chainteller.tui.markets.screen import MarketsScreen
from chainteller.tui.quote.screen import QuoteScreen

Answer = TypeVar("Answer")


class Cut(Unsteady):
    """With ``is_silent`` the prices do not come either."""

    def call(self, call: Call[Answer]) -> Answer:
        if self.is_silent and call.operation in {op.MARKETS, op.PRICES}:
            raise ServiceUnreachable("No connection.")
        return super().call(call)


class Gone(Unsteady):
    """With ``is_silent`` nothing is answered."""

    def call(self, call: Call[Answer]) -> Answer:
        if self.is_silent:
            raise ServiceUnreachable("No connection.")
        return super().call(call)


def _age(shown: str) -> str:
    """The far end of the line of sol-usd."""
    found = re.search(r"^.sol-usd .*?(\S+)$", shown, re.MULTILINE)
    return found[1] if found else ""


async def test_prices_of_a_place_that_does_not_answer_grow_old(bench: Bench) -> None:
    bench.open(1)
    line = Cut(bench.service)
    app = bench.console(line)
    async with app.run_test(size=(110, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "2")
        line.is_silent = True
        await press(pilot, "r")
        bench.world.advance(75)
        assert isinstance(app.screen, MarketsScreen)
        app.screen._tick()
        await settle(pilot)
        assert re.fullmatch(r"1m1\ds", _age(seen(app)))


@pytest.mark.needs("buying-power")
@pytest.mark.parametrize("keys", [("1",), ("P",)], ids=["account", "customer"])
async def test_a_balance_is_told_as_of_when_it_was_read(
    bench: Bench, keys: tuple[str, ...]
) -> None:
    bench.open(1, deposit="500.00")
    line = Gone(bench.service)
    app = bench.console(line)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, *keys)
        line.is_silent = True
        bench.world.advance(180)
        await press(pilot, "t")
        told = " ".join(seen(app).replace("\u2502", " ").split())
        assert "You can buy for up to 500.00 USD, as of 20 November 2026, 12:00 UTC." in told


async def test_the_price_beside_a_quote_is_renewed_or_says_its_age(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    line = Cut(bench.service)
    app = bench.console(line)
    async with app.run_test(size=(110, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b", *"100", "enter")
        bench.world.advance(20)
        price = bench.service.market("sol-usd").current_price
        assert f"market now {price}" in await _next_second(pilot)
        line.is_silent = True
        bench.world.advance(20)
        assert re.search(rf"market 2\ds ago {price}", await _next_second(pilot))


async def _next_second(pilot: Pilot[Any]) -> str:
    """What Quote shows after a poll and a tick."""
    app = cast("Console", pilot.app)
    app.desk.on_poll.publish(None)
    await settle(pilot)
    cast("QuoteScreen", app.screen)._tick()
    await settle(pilot)
    return seen(app)


@pytest.mark.forms(1)
@pytest.mark.parametrize("screen", ["2", "3"])
async def test_the_top_bar_has_the_time_of_the_newest_prices(bench: Bench, screen: str) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(110, 40)) as pilot:
        await settle(pilot)
        await press(pilot, screen)
        before = app.desk.last_answer
        bench.world.advance(5)
        app.desk.on_poll.publish(None)
        await settle(pilot)
        assert app.desk.last_answer > before
        assert app.desk.last_answer in seen(app).splitlines()[0]


async def test_the_top_bar_does_not_say_live_while_an_answer_is_late(bench: Bench) -> None:
    bench.open(1)
    service = Stopped(bench.service, op.EVENTS)
    service.goes_on.set()
    app = bench.console(service, poll_interval_s=0.05)

    def says(text: str) -> bool:
        return re.search(text, seen(app).splitlines()[0]) is not None

    async with app.run_test(size=(110, 40)):
        await until(lambda: says("live .*Z"))
        service.goes_on.clear()
        await until(lambda: says(r"no answer for \d+ s  .*Z"))
        assert not says("live")
        service.goes_on.set()
        await until(lambda: says("live .*Z"))

"""A quote's life on the screen: it runs out, it is renewed, and an unanswered one is looked for."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.tui.conftest import Bench, answer, make_bench, press, seen, settle

from chainteller.domain.actors import Actor
from chainteller.engine.bank import EngineOptions
from chainteller.engine.engine import Engine
from chainteller.service.errors import OutcomeUnknown
from chainteller.service.interface import Service
from chainteller.tui.screens.quote import QuoteScreen
from chainteller.tui.screens.trades import TradesScreen
from chainteller.tui.start import StartedDesk


async def test_an_expired_quote_is_renewed_by_enter_and_shows_what_changed(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b")
        await press(pilot, "enter")
        assert isinstance(app.screen, QuoteScreen)
        first = app.screen.state.quote
        bench.world.advance(275)
        app.screen._tick()
        await pilot.pause()
        assert "EXPIRING" in seen(app)
        bench.world.advance(60)
        app.screen._tick()
        await pilot.pause()
        assert "EXPIRED" in seen(app)
        await press(pilot, "X")
        assert "no live quote" in seen(app)
        await press(pilot, "enter")
        assert first is not None
        assert f"was {first.price}" in seen(app)
        assert "QUOTED, NOT EXECUTED" in seen(app)


async def test_a_limit_that_never_resets_says_nothing_of_when(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b", *"999999", "enter")
        assert "LIMIT_EXCEEDED" in seen(app)
        assert "None" not in seen(app)


class AnswerLost:
    """The deployment behind a line that loses the answer to an execution."""

    def __init__(self, service: Service, *, arrives: bool) -> None:
        self._service, self._arrives = service, arrives
        self.executions = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._service, name)

    def execute_quote(self, quote_id: str, request: Any, *, idempotency_key: str) -> Any:
        self.executions += 1
        if self._arrives:
            self._service.execute_quote(quote_id, request, idempotency_key=idempotency_key)
        raise OutcomeUnknown("No answer came within 10 s.", idempotency_key)


async def test_an_unanswered_execution_is_locked_and_looked_for(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    lost = AnswerLost(bench.service, arrives=True)
    app = bench.console(lost)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b")
        await press(pilot, "enter")
        await press(pilot, "X")
        await answer(pilot, "y")
        assert "UNKNOWN" in seen(app)
        await press(pilot, "X")
        await press(pilot, "enter")
        assert lost.executions == 1
        assert isinstance(app.screen, QuoteScreen)
        app.screen.look_for_trade()
        await settle(pilot)
        assert isinstance(app.screen, TradesScreen)
    assert len(bench.service.trades(account.id).data) == 1


async def test_an_execution_that_never_arrived_ends_with_the_quote(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    app = bench.console(AnswerLost(bench.service, arrives=False))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b")
        await press(pilot, "enter")
        await press(pilot, "X")
        await answer(pilot, "y")
        assert isinstance(app.screen, QuoteScreen)
        app.screen.look_for_trade()
        await settle(pilot)
        assert "UNKNOWN" in seen(app)
        bench.world.advance(301)
        app.screen.look_for_trade()
        await settle(pilot)
        assert "it was not executed" in seen(app)
    assert bench.service.trades(account.id).data == ()


async def test_market_and_side_change_from_inside_the_amount_field(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b")
        assert "[buy]" in seen(app)
        assert "[sol-usd]" in seen(app)
        await press(pilot, "right")
        assert "[btc-usd]" in seen(app)
        await press(pilot, "tab")
        assert "[sell]" in seen(app)
        await press(pilot, "escape", "3")
        assert app.current_mode == "quote"


async def test_a_watched_market_rings_when_it_reopens(tmp_path: Path) -> None:
    closed = EngineOptions(rate_limits=False, maintenance=("sol-usd",))
    for bench in make_bench(tmp_path, closed):
        bench.open(1, deposit="500.00")
        app = bench.console()
        async with app.run_test(size=(120, 40)) as pilot:
            await settle(pilot)
            await press(pilot, "b")
            await press(pilot, "enter")
            assert "MARKET_UNAVAILABLE" in seen(app)
            await press(pilot, "t")
            assert "Trading in this asset is paused" in seen(app)
            await press(pilot, "escape", "m", "r")
            assert app.desk.watched == {"sol-usd"}
            reopened = replace(bench.world.bank, options=EngineOptions(rate_limits=False))
            app.begin(StartedDesk(Engine(reopened, Actor(name="op01"))))
            await press(pilot, "r")
            assert "sol-usd is open" in seen(app)
            assert app.desk.watched == set()

"""What the console says about the service is true: its start, its prices, its last answer."""

import threading
from typing import TypeVar

from tests.tui.conftest import Bench, answer, press, seen, settle, until
from tests.world.waiting import PATIENCE_S

from chainteller.records.accounts import ListedAccount
from chainteller.service import operations as op
from chainteller.service.interface import Service
from chainteller.service.layers import Next, layered
from chainteller.service.models.markets import Market
from chainteller.service.models.pages import ListQuery, Page
from chainteller.service.operations import Call
from chainteller.tui.console.app import Console
from chainteller.tui.start import StartedDesk
from chainteller.tui.widgets.paged_list import PAGE_ROWS, PagedList

Answer = TypeVar("Answer")


def _without_prices(service: Service) -> Service:
    """The markets while no price source answers."""

    def none(call: Call[Answer], onward: Next) -> Answer:
        if call.operation is op.MARKETS:
            return Page[Market].whole(())  # type: ignore[return-value]  # the operation's answer
        return onward(call)

    return layered(service, none)


async def test_a_tall_window_raises_no_alarm_while_the_service_starts(bench: Bench) -> None:
    """More rows than the first page are asked for before there is anybody to ask."""
    for number in range(1, 4):
        bench.open(number)
    rows: list[ListedAccount] = list(bench.service.trading_accounts(ListQuery()).data)
    may_start = threading.Event()

    def start() -> StartedDesk:
        may_start.wait(PATIENCE_S)
        return StartedDesk(bench.service, "test bank", bench.service.capabilities())

    settings = bench.settings._replace(glimpse=lambda _: (rows * 20, PAGE_ROWS * 2))
    app = Console(start, settings)
    async with app.run_test(size=(200, 60)) as pilot:
        await until(lambda: app.screen.query_one(PagedList).total == PAGE_ROWS * 2)
        app.screen.query_one(PagedList).move_to(PAGE_ROWS + 5)
        await settle_starting(app)
        assert "SERVICE_UNAVAILABLE" not in seen(app)
        assert "starting" in seen(app).splitlines()[0]
        may_start.set()
        await settle(pilot)
        assert "[x]" not in seen(app)
        assert "SERVICE_UNAVAILABLE" not in "\n".join(told.text for told in app.desk.log)


async def test_a_key_that_was_typed_before_the_start_is_told_what_is_true_after_it(
    bench: Bench,
) -> None:
    may_start = threading.Event()

    def start() -> StartedDesk:
        may_start.wait(PATIENCE_S)
        return StartedDesk(bench.service, "test bank", bench.service.capabilities())

    app = Console(start, bench.settings)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("d")
        await until(lambda: "starting" in seen(app))
        may_start.set()
        await until(lambda: "no account is selected" in seen(app))


async def settle_starting(app: Console) -> None:
    """Until the list has painted rows of the page that nobody has, and asked for it."""
    await until(lambda: "..." in seen(app))
    await until(lambda: all(worker.group in {"start", "libraries"} for worker in app.workers))


async def test_markets_without_a_price_say_so_and_no_quote_is_asked_for(bench: Bench) -> None:
    bench.open(1, deposit="100.00")
    app = bench.console(_without_prices(bench.service))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "2")
        assert "No prices at the moment" in seen(app)
        assert "[x]" not in seen(app)
        await press(pilot, "3", "b", "enter")
        shown = seen(app)
        assert "UNSUPPORTED_MARKET" not in shown
        assert "No prices at the moment" in shown
    assert bench.service.quotes(ListQuery()).data == ()


async def test_the_time_beside_live_is_that_of_the_last_answer(bench: Bench) -> None:
    bench.open(1)
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for _ in range(3):
            bench.world.advance(240)
            before = seen(app).splitlines()[0][-9:]
            app.poll_now()  # an answer without any news
            await settle(pilot)
            assert seen(app).splitlines()[0][-9:] == app.desk.last_answer > before


async def test_a_refusal_is_an_answer_and_silence_is_none(bench: Bench) -> None:
    account = bench.open(1)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        first = app.desk.last_answer
        bench.world.advance(60)
        await press(pilot, "w", *"5", "enter")
        if "INSUFFICIENT_FUNDS" not in seen(app):  # nobody says what can be spent
            await answer(pilot, "y")
        assert "[x] INSUFFICIENT_FUNDS" in seen(app)
        assert app.desk.last_answer > first
    assert bench.service.withdrawals(account.id).data == ()

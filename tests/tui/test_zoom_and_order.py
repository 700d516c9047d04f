"""``z`` gives the whole screen to what is selected, ``o`` steps through the orders of a list."""

import pytest
from tests.tui.conftest import Bench, press, seen, settle
from tests.tui.wallet_case import Case

from chainteller.tui.markets.screen import SAMPLES_EVERY
from chainteller.tui.widgets.lines import Lines
from chainteller.tui.widgets.paged_list import PagedList


@pytest.mark.forms(1)
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_z_shows_the_detail_alone_and_esc_the_list_again(
    bench: Bench, size: tuple[int, int]
) -> None:
    bench.open(1, deposit="100.00")
    app = bench.console()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        for back in ("escape", "z"):
            await press(pilot, "z")
            assert not app.screen.query_one(PagedList).is_on_screen
            assert app.screen.query_one("#detail", Lines).size.width > size[0] // 2 - 4
            await press(pilot, back)
            assert app.screen.query_one(PagedList).is_on_screen
            assert app.current_mode == "accounts"


async def test_z_stays_when_the_window_changes(bench: Bench) -> None:
    bench.open(1, deposit="100.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "z")
        await pilot.resize_terminal(130, 44)
        await settle(pilot)
        assert not app.screen.query_one(PagedList).is_on_screen


@pytest.mark.forms(1)
@pytest.mark.parametrize(("screen", "hidden"), [("2", "#list"), ("3", "#form")])
async def test_z_works_on_markets_and_quote(bench: Bench, screen: str, hidden: str) -> None:
    bench.open(1, deposit="100.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, screen)
        await press(pilot, "z")
        assert not app.screen.query_one(hidden).is_on_screen
        await press(pilot, "escape")
        assert app.screen.query_one(hidden).is_on_screen


@pytest.mark.forms(1)
@pytest.mark.needs("prices")
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_chart_of_an_opened_market_has_its_prices_and_goes_on_with_them(
    bench: Bench, size: tuple[int, int]
) -> None:
    bench.open(1)
    for _ in range(4):
        bench.world.advance(30)
    app = bench.console()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "2", "enter")
        chart = app.screen.query_one("#chart", Lines)
        assert "12:02:00" in chart.plain_text
        for _ in range(SAMPLES_EVERY + 1):
            bench.world.advance(30)
            app.desk.on_poll.publish(None)
            await settle(pilot)
        assert "12:07:00" in chart.plain_text


async def test_slash_on_markets_searches_everything(bench: Bench) -> None:
    bench.open(1)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "2")
        await press(pilot, "slash", *"DDA1", "enter")
        assert app.current_mode == "accounts"


async def test_wallets_that_wait_for_something_come_first(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum", "bob-ethereum")
    case.claim("alice-ethereum")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "5")
        first = [row.key for row in app.screen.query_one(PagedList).rows_held]
        await press(pilot, "o")
        assert "order: waiting first" in seen(app)
        then = [row.key for row in app.screen.query_one(PagedList).rows_held]
        assert sorted(then) == sorted(first)
        assert "[3/5]" in app.screen.query_one(PagedList).rows_held[1].cells[2][0]


async def test_a_short_list_is_whole_again_after_z(bench: Bench) -> None:
    bench.open(1)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "2", "down", "down", "z")
        bench.world.advance(5)
        app.desk.on_poll.publish(None)
        await settle(pilot)
        await press(pilot, "escape")
        rows = [row.lstrip("│> ").split()[0] for row in seen(app).splitlines()[5:8]]
        assert rows == ["sol-usd", "btc-usd", "eth-usd"]


@pytest.mark.needs("paging")
async def test_a_long_list_stays_where_it_was_through_z(bench: Bench) -> None:
    account = bench.open(1)
    for _ in range(30):
        bench.deposit(account, "1.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "4", "a", *["down"] * 5)
        before = seen(app)
        await press(pilot, "z", "escape")
        assert seen(app) == before


@pytest.mark.needs("paging")
async def test_a_window_made_larger_leaves_no_room_below_a_list(bench: Bench) -> None:
    account = bench.open(1)
    for _ in range(28):
        bench.deposit(account, "1.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "4", "a", "end")
        assert app.screen.query_one(PagedList).top > 0
        await pilot.resize_terminal(80, 44)
        await settle(pilot)
        assert app.screen.query_one(PagedList).top == 0


async def test_home_and_end_and_the_page_keys_move_on_markets(bench: Bench) -> None:
    bench.open(1)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "2")
        for key, place in (("end", 2), ("home", 0), ("pagedown", 2), ("pageup", 0)):
            await press(pilot, key)
            assert app.screen.query_one(PagedList).cursor == place


async def test_wallets_are_filtered_of_one_account_and_of_all(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum", "bob-ethereum")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "5")
        assert "2 wallets" in seen(app)
        await press(pilot, "slash", *"none", "enter")
        assert "0 of 2 wallets" in seen(app)
        assert 'No matches for "none"' in seen(app)
        await press(pilot, "escape", "0", "slash", *"none", "enter")
        assert "in the newest 100  /none" in seen(app)
        assert 'No matches for "none"' in seen(app)
        await press(pilot, "slash", *["backspace"] * 4, *case.account.id[:7], "enter")
        assert [row.key for row in app.screen.query_one(PagedList).rows_held] == [case.account.id]


@pytest.mark.forms(1)
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_enter_opens_the_detail_of_a_market(bench: Bench, size: tuple[int, int]) -> None:
    bench.open(1)
    app = bench.console()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "2", "down", "enter")
        assert not app.screen.query_one(PagedList).is_on_screen
        assert "btc-usd  bitcoin" in seen(app)
        assert app.screen.query_one("#chart", Lines).is_on_screen
        await press(pilot, "escape")
        assert app.screen.query_one(PagedList).is_on_screen
        assert app.current_mode == "markets"
        await pilot.click(PagedList, offset=(4, 2))
        await pilot.click(PagedList, offset=(4, 2))
        await settle(pilot)
        assert not app.screen.query_one(PagedList).is_on_screen


@pytest.mark.needs("prices")
async def test_a_chart_is_drawn_anew_for_another_width(bench: Bench) -> None:
    bench.open(1)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "2")
        for width in (90, 140):
            await pilot.resize_terminal(width, 40)
            await settle(pilot)
            chart = app.screen.query_one("#chart", Lines)
            assert width - 12 < max(map(len, chart.plain_text.splitlines())) <= width
            assert "\u2026" not in chart.plain_text

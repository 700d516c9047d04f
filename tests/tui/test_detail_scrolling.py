"""Details in small windows: everything in them can be read, and they turn to nobody else."""

import pytest
from tests.tui.conftest import Bench, press, seen, settle
from textual.events import MouseScrollDown

from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.tui.accounts.screen import AccountsScreen
from chainteller.tui.trades.screen import TradesScreen
from chainteller.tui.widgets.detail import Detail
from chainteller.tui.widgets.paged_list import PagedList

PARTS = ("BALANCES", "ACTIVITY", "WALLETS", "LIMITS", "NOTES")


def _busy(bench: Bench) -> None:
    account = bench.open(1)
    bench.open(2)
    for _ in range(9):
        bench.deposit(account, "10.00")


@pytest.mark.forms(1)
@pytest.mark.needs("transactions")
@pytest.mark.parametrize("keys", [("pagedown",) * 3, ("down",) * 30, ("end",)])
async def test_every_part_of_the_detail_is_reached_by_keys(
    bench: Bench, keys: tuple[str, ...]
) -> None:
    _busy(bench)
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "enter")
        first = seen(app)
        assert "more lines below  down" in first
        assert "NOTES" not in first
        served, pages = app.desk.customer.account_id, [first]
        for key in keys:
            await press(pilot, key)
            pages.append(seen(app))
        assert all(any(part in page for page in pages) for part in PARTS)
        assert "NOTES" in pages[-1]
        assert "more lines above  up" in pages[-1]
        assert "below" not in pages[-1]
        assert app.desk.customer.account_id == served, "the arrows turn to nobody else"
        await press(pilot, "home")
        assert seen(app) == first


@pytest.mark.needs("transactions")
async def test_the_wheel_scrolls_the_detail_beside_the_list_too(bench: Bench) -> None:
    _busy(bench)
    app = bench.console()
    async with app.run_test(size=(120, 24)) as pilot:
        await settle(pilot)
        assert isinstance(app.screen, AccountsScreen)
        pane, listed = app.screen.query_one(Detail), app.screen.query_one(PagedList)
        cursor = listed.cursor
        assert "NOTES" not in seen(app)
        for _ in range(12):
            await pilot._post_mouse_events([MouseScrollDown], pane, offset=(3, 3))
        await settle(pilot)
        assert "NOTES" in seen(app)
        assert listed.cursor == cursor
        await press(pilot, "down")
        assert "more lines above" not in seen(app), "another customer's detail begins at its top"
        assert "NOTES" in app.screen.main_text(), "what is copied is whole"


async def test_a_detail_that_fits_has_no_hint_and_the_arrows_stay_on_the_customer(
    bench: Bench,
) -> None:
    _busy(bench)
    app = bench.console()
    async with app.run_test(size=(100, 60)) as pilot:
        await settle(pilot)
        await press(pilot, "enter")
        served = app.desk.customer.account_id
        await press(pilot, "down", "down")
        assert "NOTES" in seen(app)
        assert "more lines" not in seen(app)
        assert app.desk.customer.account_id == served


async def test_a_detail_alone_gives_way_to_the_list_when_its_record_leaves_it(
    bench: Bench,
) -> None:
    account = bench.open(1, deposit="500.00")
    for amount in ("50.00", "60.00"):
        asked = QuoteRequest(amount=amount, side="buy", trading_account_id=account.id)
        quote = bench.service.create_quote("sol-usd", asked).value
        bench.service.execute_quote(quote.id, ExecuteRequest(trading_account_id=account.id))
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "4", "f", "enter")
        screen = app.screen
        assert isinstance(screen, TradesScreen)
        assert screen.has_class("detail-open")
        await press(pilot, "C")
        await press(pilot, "y")
        assert screen.paged.total == 1
        assert not screen.has_class("detail-open")

"""Trades are followed by themselves and cancelled with one question."""

import pytest
from tests.tui.conftest import Bench, answer, press, seen, settle

from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.tui.screens.trades_filter import Wanted, wanted
from chainteller.tui.widgets.paged_list import PagedList


def _buy(bench: Bench, account_id: str) -> str:
    asked = QuoteRequest(amount="100.00", side="buy", trading_account_id=account_id)
    quote = bench.service.create_quote("sol-usd", asked).value
    request = ExecuteRequest(trading_account_id=account_id)
    return bench.service.execute_quote(quote.id, request).value.id


async def test_a_trade_that_executed_meanwhile_is_refused_in_three_parts(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    _buy(bench, account.id)
    app = bench.console()
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "4")
        bench.world.advance(11)
        await press(pilot, "C")
        await answer(pilot, "y")
        shown = seen(app)
        assert "TRADE_NOT_CANCELLABLE" in shown
        assert "means" in shown
        assert "next" in shown
        await press(pilot, "t")
        assert "can no longer be cancelled" in seen(app)


async def test_the_filter_narrows_as_it_is_typed(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    first = _buy(bench, account.id)
    bench.world.advance(60)
    bench.world.advance(60)
    second = _buy(bench, account.id)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "4", "slash", *"settl")
        shown = seen(app)
        assert "/settl" in shown
        assert app.screen.query_one(PagedList).total == 1
        assert first in shown
        await press(pilot, *["backspace"] * 5, *"eth")
        assert "nothing matches eth" in seen(app)
        await press(pilot, *["backspace"] * 3, *second[-6:].lower())
        shown = seen(app)
        assert second in shown
        assert "in the newest 100" in shown
        assert app.screen.query_one(PagedList).total == 1
        await press(pilot, "enter", "escape")
        assert app.screen.query_one(PagedList).total == 2
        assert app.current_mode == "trades"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("buy sol", Wanted(side="buy", market="sol-usd")),
        ("SETTLED", Wanted(status="settled")),
        ("s", Wanted(words=("s",))),
        ("buy sell", Wanted(side="buy", words=("sell",))),
        ("txn_01 b", Wanted(words=("txn_01", "b"))),
    ],
)
def test_a_word_that_begins_one_name_only_stands_for_it(typed: str, meant: Wanted) -> None:
    assert wanted(typed) == meant


async def test_customer_text_names_amounts_and_no_codes(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    _buy(bench, account.id)
    app = bench.console()
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "4")
        await press(pilot, "t")
        assert "Your order to buy SOL for 100.00 USD is being processed" in seen(app)

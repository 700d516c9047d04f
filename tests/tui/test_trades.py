"""Trades are followed by themselves and cancelled with one question."""

from tests.tui.conftest import Bench, answer, press, seen, settle

from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest


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


async def test_customer_text_names_amounts_and_no_codes(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    _buy(bench, account.id)
    app = bench.console()
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "4")
        await press(pilot, "t")
        assert "Your order to buy SOL for 100.00 USD is being processed" in seen(app)

"""The available balance after an order: exact, and masked in privacy mode."""

import re

import pytest
from tests.tui.conftest import Bench, answer, press, seen, settle

from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.tui.quote.screen import QuoteScreen
from chainteller.tui.quote.view import total

SIZES = [(80, 24), (100, 30), (120, 40)]


@pytest.mark.parametrize(
    ("amount", "other", "sign", "found"),
    [
        ("1250.00", "1000", -1, "250.00"),
        ("0.074197252837392432", "0.000000000000000001", -1, "0.074197252837392431"),
        ("9999999999999999.000000000000000001", "1", 1, "10000000000000000.000000000000000001"),
        ("1.50", "1.5", -1, "0.00"),
        ("10.00", "10.01", -1, "-0.01"),
        ("10.00", ".5", -1, "9.50"),
        ("10.00", "5.", -1, "5.00"),
        ("10.00", "", -1, None),
        ("10.00", ".", -1, None),
        ("-", "1", 1, None),
        ("9" * 5000, "1", 1, None),
    ],
)  # fmt: skip
def test_sums_are_exact(amount: str, other: str, sign: int, found: str | None) -> None:
    assert total(amount, other, sign=sign) == found


@pytest.mark.forms(1)
@pytest.mark.parametrize("size", SIZES)
async def test_what_is_left_follows_the_amount_and_stands_with_the_quote(
    bench: Bench, size: tuple[int, int]
) -> None:
    bench.open(1, deposit="1250.00")
    app = bench.console()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "b")
        assert "after   0.00 USD   all of it" in seen(app)
        await press(pilot, *"1000")
        assert "250.00 USD" in seen(app)
        await press(pilot, "0")
        assert "short   8,750.00 USD   a deposit is offered" in seen(app)
        await press(pilot, "backspace", "enter")
        (row,) = [row for row in seen(app).splitlines() if "available after" in row]
        assert row.rstrip(" │").endswith("250.00 USD")
        await press(pilot, "X")
        await answer(pilot, "y")
        await press(pilot, "3")
        assert "EXECUTED" in seen(app)
        assert "available after" not in seen(app), "it is counted already"
        assert "short" not in seen(app)


async def test_a_sale_says_what_is_left_and_the_dollars(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    asked = QuoteRequest(amount="200.00", side="buy", trading_account_id=account.id)
    bought = bench.service.create_quote("sol-usd", asked).value
    execute = ExecuteRequest(trading_account_id=account.id)
    bench.service.execute_quote(bought.id, execute)
    bench.world.advance(11)
    bench.world.advance(60)
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "s")
        assert f"SOL {bought.asset_bought.amount} available" in seen(app)
        assert seen(app).count("available") == 1
        await press(pilot, *"1", "enter")
        screen = app.screen
        assert isinstance(screen, QuoteScreen)
        quote = screen.state.quote
        assert quote is not None
        units = total(bought.asset_bought.amount, "1", sign=-1)
        dollars = total("300.00", quote.asset_bought.amount)
        (row,) = [row for row in seen(app).splitlines() if "available after" in row]
        assert row.split() == ["available", "after", units, "SOL", "and", "USD", dollars]
        executed = bench.service.execute_quote(quote.id, execute).value
        bench.world.advance(11)
        bench.world.advance(60)
        assert executed.id
        assert bench.service.trading_account(account.id).buying_power == dollars


async def test_what_is_left_is_masked_while_balances_are_hidden(bench: Bench) -> None:
    bench.open(1, deposit="1250.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b", *"1000", "enter")
        assert seen(app).count("250.00 USD") == 1, "what is left, once"
        await app.run_action("command('palette.hide')")
        await settle(pilot)
        assert "250.00 USD" not in seen(app)
        assert "available after" in seen(app)
        assert "••••• USD" in seen(app)
        await app.run_action("command('palette.hide')")
        await settle(pilot)
        assert "250.00 USD" in seen(app)


@pytest.mark.needs("buying-power", "customer-names")
async def test_a_pasted_quote_is_shown_for_the_customer_that_it_was_made_for(bench: Bench) -> None:
    opened = {bench.open(number, deposit=f"{number}250.00").id for number in (1, 2)}
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "3")
        assert isinstance(app.screen, QuoteScreen)
        account = app.desk.customer.account
        assert account is not None
        (other,) = opened - {account.id}
        asked = QuoteRequest(amount="50.00", side="buy", trading_account_id=other)
        quote = bench.service.create_quote("sol-usd", asked).value
        app.screen.find(quote.id)
        await settle(pilot)
        assert app.desk.customer.account_id == other
        shown = seen(app)
        assert f"  {other} " in shown.splitlines()[2]
        assert quote.id in shown
        power = bench.service.trading_account(other).buying_power
        assert power is not None
        left = total(power, "50", sign=-1)
        (row,) = [row for row in shown.splitlines() if "available after" in row]
        assert row.replace(",", "").rstrip(" │").endswith(f" {left} USD")
        assert "[ok] balance  " in shown
        assert "[ok] live" in shown


async def test_what_a_quote_is_checked_against_does_not_follow_the_form(bench: Bench) -> None:
    bench.open(1, deposit="100.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b", *"60", "enter")
        (now,) = re.findall(r"market now .*", seen(app))
        await press(pilot, "right")
        assert "[btc-usd]" in seen(app)
        assert now.rstrip() not in seen(app), "its quote is put away"
        await press(pilot, "left")
        assert now.rstrip() in seen(app)
        await press(pilot, "tab")
        assert "[buy]" not in seen(app)
        assert now.rstrip() not in seen(app), "its quote is put away"
        account = app.desk.customer.account
        assert account is not None
        quoted = QuoteRequest(amount="50.00", side="buy", trading_account_id=account.id)
        other = bench.service.create_quote("sol-usd", quoted).value
        bench.service.execute_quote(other.id, ExecuteRequest(trading_account_id=account.id))
        await press(pilot, "tab", "r")
        assert "[x] short 10.00 USD" in seen(app)


@pytest.mark.parametrize(
    ("typed", "amount"), [("50%", "250.00"), (" 100%", "500.00"), ("33%", "165.00")]
)
async def test_a_share_of_all_there_is_is_an_amount(bench: Bench, typed: str, amount: str) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    keys = [{"%": "percent_sign", " ": "space"}.get(each, each) for each in typed]
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b", *keys)
        assert f"= {amount} USD" in seen(app)
        await press(pilot, "enter")
        assert isinstance(app.screen, QuoteScreen)
        assert app.screen.state.amount == amount
        await press(pilot, "escape", "1", "w", *keys, "enter")
        assert f"WITHDRAW {amount} USD" in seen(app)


async def test_a_share_is_rounded_down_and_refused_where_it_means_nothing(bench: Bench) -> None:
    bench.open(1, deposit="0.99")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "w", *"50", "percent_sign")
        assert "= 0.49 USD" in seen(app)
        await press(pilot, "escape")
        for typed in ("d50", "w0", "w101", "w1.5"):
            await press(pilot, *typed, "percent_sign", "enter")
            assert "[x] Use only digits" in seen(app)
            await press(pilot, "escape", "escape")

"""Balances over time: from the account's own transactions, in steps, or not at all."""

from decimal import Decimal
from pathlib import Path
from typing import TypeVar

import pytest
from tests.tui.conftest import Bench, press, seen, settle
from tests.world.samples import loaded_bank

from chainteller.domain.actors import Actor
from chainteller.engine.core.unit_of_work import UnitOfWork, work_unit
from chainteller.engine.engine import Engine
from chainteller.engine.operations import deposits
from chainteller.service import operations as op
from chainteller.service.layers import Next, layered
from chainteller.service.models.accounts import Token, TokenBalance, TradingAccount
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.service.operations import Call
from chainteller.tui.balance_history import History, history, read_history
from chainteller.tui.charts import step_blocks

Answer = TypeVar("Answer")


def _followed(bench: Bench, account_id: str) -> History | None:
    found = bench.service.transactions(account_id, ListQuery(limit=100))
    return history(bench.service.token_balances(account_id).data, found.data, complete=True)


def _buy(bench: Bench, account_id: str, amount: str) -> None:
    asked = QuoteRequest(amount=amount, side="buy", trading_account_id=account_id)
    quote = bench.service.create_quote("sol-usd", asked).value
    bench.service.execute_quote(quote.id, ExecuteRequest(trading_account_id=account_id))
    bench.world.advance(60)
    bench.world.advance(60)


def _take_back(bench: Bench, account: TradingAccount, amount: str) -> None:
    """The bank takes the deposit of this amount back."""
    found = bench.service.deposits(account.id).data
    deposit = next(each for each in found if each.amount == amount)

    def run(tx: UnitOfWork) -> bool:
        deposits.claw_back(tx, deposit.id, "unpaid")
        return True

    work_unit(bench.world.context, Actor(name="core"), run)


def test_follows_every_asset_back_to_nothing(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    bench.world.advance(600)
    _buy(bench, account.id, "100.00")
    found = _followed(bench, account.id)
    assert found is not None
    cash, sol = found.series
    assert [str(value) for _, value in cash.steps] == ["500.00", "400.00"]
    assert (cash.asset, sol.asset) == ("USD", "SOL")
    assert cash.before == sol.before == 0
    held = {row.token.symbol: row.total for row in bench.service.token_balances(account.id).data}
    assert str(sol.now) == held["SOL"]


def test_what_came_to_nothing_moved_nothing(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    asked = QuoteRequest(amount="100.00", side="buy", trading_account_id=account.id)
    quote = bench.service.create_quote("sol-usd", asked).value
    request = ExecuteRequest(trading_account_id=account.id)
    trade = bench.service.execute_quote(quote.id, request).value
    bench.service.cancel_trade(account.id, trade.id)
    found = _followed(bench, account.id)
    assert found is not None
    assert [str(value) for _, value in found.series[0].steps] == ["500.00"]


def test_a_course_that_does_not_add_up_is_not_drawn(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    transactions = bench.service.transactions(account.id).data
    more = TokenBalance(token=Token(symbol="BUSD1", network="bank"), amount="700.00")
    found = history([more], transactions, complete=True)
    assert found is not None
    assert (found.series, found.incomplete) == ((), ("USD",))


@pytest.mark.parametrize(
    ("spent", "steps"),
    [
        ("100.00", ["500.00", "800.00", "700.00", "200.00"]),
        ("400.00", ["500.00", "800.00", "400.00", "0.00"]),
        ("800.00", ["500.00", "800.00", "0.00", "0.00"]),
    ],
)
def test_a_deposit_taken_back_takes_what_is_left(
    bench: Bench, spent: str, steps: list[str]
) -> None:
    account = bench.open(1, deposit="500.00")
    bench.world.advance(600)
    bench.deposit(account, "300.00")
    bench.world.advance(600)
    _buy(bench, account.id, spent)
    _take_back(bench, account, "500.00")
    found = _followed(bench, account.id)
    assert found is not None
    cash = found.series[0]
    assert [value for _, value in cash.steps] == [Decimal(step) for step in steps]
    assert cash.asset == "USD"
    assert cash.before == 0
    assert not found.incomplete


def test_what_several_deposits_taken_back_took_is_not_guessed(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    bench.deposit(account, "300.00")
    bench.world.advance(600)
    _buy(bench, account.id, "350.00")
    _take_back(bench, account, "300.00")
    _take_back(bench, account, "500.00")
    found = _followed(bench, account.id)
    assert found is not None
    assert ([each.asset for each in found.series], found.incomplete) == (["SOL"], ("USD",))


def test_a_deposit_taken_back_among_the_newest_transactions_is_not_guessed(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    bench.world.advance(600)
    _buy(bench, account.id, "100.00")
    _take_back(bench, account, "500.00")
    rows = bench.service.transactions(account.id).data
    found = history(bench.service.token_balances(account.id).data, rows, complete=False)
    assert found is not None
    assert found.incomplete == ("USD",)


def test_all_sample_accounts_add_up(tmp_path: Path) -> None:
    bank = loaded_bank(tmp_path)
    service = Engine(bank, Actor(name="op01"))
    told = 0
    for account in service.trading_accounts(ListQuery(limit=100)).data:
        rows = service.transactions(account.id, ListQuery(limit=100))
        whole = rows.pagination.total <= len(rows.data)
        balances = service.token_balances(account.id).data
        found = history(balances, rows.data, complete=whole)
        if found is not None:
            assert found.incomplete == ()
            told += 1
    assert told > 50
    bank.database.close()


def test_a_step_is_a_step_and_begins_at_zero() -> None:
    steps = ((4, Decimal(100)), (8, Decimal(50)))
    assert step_blocks(Decimal(0), steps, 0, 10, 10, 1) == ["   ████▄▄▄"]
    tall = step_blocks(Decimal(0), steps, 0, 10, 10, 2)
    assert tall == ["   ████   ", "   ███████"]
    assert step_blocks(Decimal(0), (), 0, 10, 4, 1) == ["    "]


class Counted:
    """How often the transactions were asked for, and for how many."""

    def __init__(self) -> None:
        self.pages: list[int] = []

    def __call__(self, call: Call[Answer], onward: Next) -> Answer:
        if call.operation is op.TRANSACTIONS and isinstance(call.query, ListQuery):
            self.pages.append(call.query.limit)
        return onward(call)


@pytest.mark.needs("transactions")
async def test_the_chart_stands_where_it_fits_and_asks_once(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    _buy(bench, account.id, "100.00")
    counted = Counted()
    app = bench.console(layered(bench.deployment, counted))
    async with app.run_test(size=(119, 44)) as pilot:
        await settle(pilot)
        assert "Balances over time" not in seen(app)
        await press(pilot, "z")
        assert "BALANCES OVER TIME" in seen(app)
        await press(pilot, "r")
        await press(pilot, "r")
        assert counted.pages.count(100) == 1


async def test_no_chart_and_no_question_where_it_does_not_fit(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    _buy(bench, account.id, "100.00")
    counted = Counted()
    app = bench.console(layered(bench.deployment, counted))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "enter")
        assert "BALANCES OVER TIME" not in seen(app)
        assert 100 not in counted.pages


@pytest.mark.needs("transactions")
async def test_a_hidden_balance_has_no_picture(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    _buy(bench, account.id, "100.00")
    app = bench.console()
    async with app.run_test(size=(120, 44)) as pilot:
        await settle(pilot)
        await press(pilot, "z")
        assert "BALANCES OVER TIME" in seen(app)
        await pilot.app.run_action("command('palette.hide')")
        await settle(pilot)
        assert "BALANCES OVER TIME" not in seen(app)
        await pilot.app.run_action("command('palette.hide')")
        await settle(pilot)
        assert "BALANCES OVER TIME" in seen(app)


@pytest.mark.parametrize("count", [0, 1])
def test_without_transactions_there_is_no_history(count: int) -> None:
    balance = TokenBalance(token=Token(symbol="USD", network="fiat"), amount="1.00")
    assert history([balance] * count, [], complete=True) is None


@pytest.mark.parametrize("amount", ["", "a lot", "NaN", "Infinity"])
def test_an_amount_that_is_no_number_draws_nothing(bench: Bench, amount: str) -> None:
    account = bench.open(1, deposit="500.00")
    balance = TokenBalance.model_construct(token=Token(symbol="USD", network="fiat"), amount=amount)
    assert read_history(bench.service, account.id, [balance]) is None

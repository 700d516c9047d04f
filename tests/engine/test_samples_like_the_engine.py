"""The sample data is written in bulk; here the engine does the same deeds one by one.

Both must leave the same rows: journals, balances, versions, counters, events, audit and jobs.
Only generated ids, hashes and the names of the agents differ.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.world.samples import history

from chainteller.adapters.prices_simulated import SimulatedPrices
from chainteller.adapters.venue_simulated import SimulatedVenue
from chainteller.domain.actors import WORKER, Actor
from chainteller.domain.assets import DEPOSIT_TOKEN_USD, SOL, USDC_SOLANA
from chainteller.domain.clock import HOUR, MINUTE, SECOND, ManualClock, parse_instant
from chainteller.domain.money import Amount
from chainteller.domain.quoting import FeeSchedule, Side
from chainteller.domain.randomness import SeededRandomness
from chainteller.domain.trades import Rejection
from chainteller.engine import deposits, payouts
from chainteller.engine.context import EngineContext, EngineOptions
from chainteller.engine.engine import Engine
from chainteller.engine.samples import funding, loading, opening, plot, trading
from chainteller.engine.samples.books import Books
from chainteller.engine.samples.people import BankAccount, Habit, Person
from chainteller.engine.samples.story import Story
from chainteller.engine.samples.world import DESK, Account, World
from chainteller.engine.unit_of_work import UnitOfWork, work_unit
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.funding import Currency, DepositRequest, WithdrawalRequest
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.storage.database import open_database

START = parse_instant("2026-11-19T09:00:00Z")
PERSON = Person(
    "CUS_1", "CU-000001", "Ann Example", "enhanced", has_accepted_terms=True, control=None,
    habit=Habit.REGULAR, accounts=(BankAccount("DDA-1", "checking", 5_000_000),),
)  # fmt: skip
DPT = Currency(type="deposit-token-currency", id="DPT_USD")
USDC = Currency(type="stablecoin-currency", symbol="USDC", network="solana")
REFUSAL = Rejection("NO_LIQUIDITY", "The liquidity provider could not fill the whole order.")


class RefusingVenue:
    def decide(self, trade_id: str) -> Rejection | None:  # noqa: ARG002 - the port's signature
        return REFUSAL


@pytest.fixture
def banks(tmp_path: Path) -> Iterator[tuple[EngineContext, EngineContext]]:
    both = tuple(
        EngineContext(
            open_database(f"sqlite:///{tmp_path / name}.db"),
            ManualClock(START),
            SeededRandomness(name),
            SimulatedPrices("42"),
            SimulatedVenue(),
            EngineOptions(),
        )
        for name in ("engine", "samples")
    )
    yield both[0], both[1]
    for bank in both:
        bank.database.close()


def in_samples(bank: EngineContext, happen: Callable[[World, dict[str, Any]], None]) -> None:
    def work(tx: UnitOfWork) -> bool:
        world = World(
            tx.organisation_id, Books({}), bank.randomness, bank.feed, FeeSchedule(),
            bank.options, START,
        )  # fmt: skip
        (row,) = opening.customer(world, PERSON)
        happen(world, row)
        loading._write(tx.connection, world)
        return True

    assert work_unit(bank, Actor(), work)


class ByHand:
    """The engine, moved from instant to instant."""

    def __init__(self, bank: EngineContext) -> None:
        in_samples(bank, lambda _world, _row: None)
        self.context = bank
        self.engine = Engine(bank, Actor(name=DESK[0]))
        self.account = ""

    def at(self, instant: int) -> Engine:
        assert isinstance(self.context.clock, ManualClock)
        self.context.clock.set(instant)
        return self.engine

    def work(self, instant: int, **changed: Any) -> None:
        self.at(instant)
        assert Engine(replace(self.context, **changed), Actor(name=DESK[0])).run_due() >= 1

    def decree(self, instant: int, deed: Callable[[UnitOfWork], None]) -> None:
        self.at(instant)

        def work(tx: UnitOfWork) -> bool:
            deed(tx)
            return True

        assert work_unit(self.context, WORKER, work)

    def deposit(self, instant: int, currency: Currency, amount: str) -> str:
        request = DepositRequest(amount=amount, currency=currency)
        return self.at(instant).deposit(self.account, request).value.id

    def withdraw(self, instant: int, currency: Currency, amount: str) -> str:
        request = WithdrawalRequest(amount=amount, currency=currency)
        return self.at(instant).withdraw(self.account, request).value.id

    def trade(self, instant: int, side: Side, amount: str, after: int) -> str:
        request = QuoteRequest(amount=amount, side=side, trading_account_id=self.account)
        quote = self.at(instant).create_quote("sol-usd", request).value
        execute = ExecuteRequest(trading_account_id=self.account)
        return self.at(instant + after).execute_quote(quote.id, execute).value.id


def by_hand(bank: EngineContext) -> None:
    hand, t = ByHand(bank), START
    request = OpenTradingAccount(bank_account_id="DDA-1", bank_account_type="checking")
    hand.account = hand.at(t).open_trading_account(request).value.id
    hand.deposit(t + MINUTE, DPT, "1500.00")
    hand.deposit(t + 2 * MINUTE, USDC, "250.50")
    hand.trade(t + 10 * MINUTE, Side.BUY, "1600.10", 9 * SECOND)
    hand.work(t + 10 * MINUTE + 20 * SECOND)
    hand.work(t + 10 * MINUTE + 41 * SECOND)
    hand.trade(t + 20 * MINUTE, Side.SELL, "3.1234", 9 * SECOND)
    hand.work(t + 20 * MINUTE + 20 * SECOND)
    hand.work(t + 20 * MINUTE + 41 * SECOND)
    cancelled = hand.trade(t + 30 * MINUTE, Side.BUY, "100.00", 9 * SECOND)
    hand.at(t + 30 * MINUTE + 11 * SECOND).cancel_trade(hand.account, cancelled)
    hand.trade(t + 40 * MINUTE, Side.BUY, "50.00", 9 * SECOND)
    hand.work(t + 40 * MINUTE + 19 * SECOND, venue=RefusingVenue())
    returned = hand.withdraw(t + 50 * MINUTE, DPT, "200.00")
    hand.work(t + 50 * MINUTE + 5 * SECOND)
    hand.work(t + 50 * MINUTE + 10 * SECOND)
    hand.decree(t + HOUR, lambda tx: payouts.bounce(tx, returned, "Returned by the bank."))
    cancelled = hand.withdraw(t + 70 * MINUTE, USDC, "20.00")
    hand.at(t + 70 * MINUTE + SECOND).cancel_withdrawal(hand.account, cancelled)
    failed = hand.withdraw(t + 80 * MINUTE, DPT, "10.00")
    message = "The bank's core system refused the payment."
    hand.decree(
        t + 80 * MINUTE + 5 * SECOND, lambda tx: payouts.fail(tx, failed, "BANK_REFUSED", message)
    )
    slow = replace(hand.context, options=EngineOptions(deposit_delay_s=60))
    hand.engine = Engine(slow, hand.engine.actor)
    failed = hand.deposit(t + 90 * MINUTE, DPT, "75.00")
    hand.engine = Engine(bank, hand.engine.actor)
    hand.decree(t + 91 * MINUTE, lambda tx: deposits.fail(tx, failed, "BANK_REFUSED", message))
    hand.work(t + 92 * MINUTE)
    hand.trade(t + 2 * HOUR, Side.BUY, "250.00", 20 * SECOND)
    hand.withdraw(t + 3 * HOUR, DPT, "200.00")
    returned = hand.deposit(t + 4 * HOUR, DPT, "90.00")
    hand.decree(t + 5 * HOUR, lambda tx: deposits.claw_back(tx, returned, "Returned by the bank."))


def told(world: World, bank_account: dict[str, Any]) -> None:
    t = START
    account = opening.open_account(world, PERSON, bank_account, t)
    _fund(world, account)
    for start, side, sold in (
        (t + 10 * MINUTE, Side.BUY, 160_010),
        (t + 20 * MINUTE, Side.SELL, 3_123_400_000),
    ):
        trade = _executed(world, account, side, sold, start)
        trading.fill(world, account, trade, start + 20 * SECOND)
        trading.settle(world, account, trade, start + 41 * SECOND)
    trade = _executed(world, account, Side.BUY, 10_000, t + 30 * MINUTE)
    trading.cancel(world, account, trade, t + 30 * MINUTE + 11 * SECOND)
    trade = _executed(world, account, Side.BUY, 5_000, t + 40 * MINUTE)
    trading.fail(world, trade, t + 40 * MINUTE + 19 * SECOND, REFUSAL)
    _pay_out(world, account)
    row = funding.deposit(world, account, DEPOSIT_TOKEN_USD, 7_500, t + 90 * MINUTE)
    funding.fail_deposit(world, account, row, t + 91 * MINUTE)
    story = Story(world)
    plot._processing_trade(story, account, t + 2 * HOUR + 20 * SECOND)
    plot._pending_withdrawal(story, account, t + 3 * HOUR)
    story.run()
    row = funding.deposit(world, account, DEPOSIT_TOKEN_USD, 9_000, t + 4 * HOUR)
    funding.complete_deposit(world, account, row, t + 4 * HOUR)
    funding.return_deposit(world, account, row, t + 5 * HOUR)


def _fund(world: World, account: Account) -> None:
    for token, cents, at in (
        (DEPOSIT_TOKEN_USD, 150_000, START + MINUTE),
        (USDC_SOLANA, 25_050, START + 2 * MINUTE),
    ):
        row = funding.deposit(world, account, token, cents, at)
        funding.complete_deposit(world, account, row, at)


def _executed(world: World, account: Account, side: Side, sold: int, at: int) -> dict[str, Any]:
    quoted = trading.quote(world, account, "sol-usd", side, sold, at)
    trade = trading.execute(world, account, quoted, at + 9 * SECOND)
    assert trade is not None
    return trade


def _pay_out(world: World, account: Account) -> None:
    t = START + 50 * MINUTE
    row = funding.withdraw(world, account, DEPOSIT_TOKEN_USD, 20_000, t)
    assert row is not None
    funding.send(world, account, row, t + 5 * SECOND)
    funding.complete_withdrawal(world, account, row, t + 10 * SECOND)
    funding.return_withdrawal(world, account, row, START + HOUR)
    t = START + 70 * MINUTE
    row = funding.withdraw(world, account, USDC_SOLANA, 2_000, t)
    assert row is not None
    funding.cancel_withdrawal(world, account, row, t + SECOND)
    t = START + 80 * MINUTE
    row = funding.withdraw(world, account, DEPOSIT_TOKEN_USD, 1_000, t)
    assert row is not None
    funding.fail_withdrawal(world, account, row, t + 5 * SECOND)


ORDERS = {
    "event": "seq", "audit": "seq", "trading_account": "id", "bank_account": "id",
    "quote": "created", "trade": "ordinal", "transfer": "direction, ordinal",
    "journal": "at, kind", "posting": "code, asset, account_version", "job": "run_at",
    "ledger_account": "code, asset", "customer": "id",
}  # fmt: skip
LEFT_OUT = {"hash", "previous_hash"}


def test_samples_are_the_rows_that_the_engine_would_have_written(
    banks: tuple[EngineContext, EngineContext],
) -> None:
    done, written = banks
    by_hand(done)
    in_samples(written, told)
    expected, found = (history(bank, ORDERS, LEFT_OUT) for bank in (done, written))
    for table in ORDERS:
        assert found[table] == expected[table], table


def test_amounts_of_the_scenario_mean_what_they_say() -> None:
    assert str(Amount(3_123_400_000, SOL)) == "3.1234"

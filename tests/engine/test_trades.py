"""A trade from execution to its end: every transition, every refusal."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.refusals import details, refusal
from tests.world.engines import (
    START,
    USDC_ETHEREUM,
    USDC_SOLANA,
    FixedPrices,
    Venue,
    World,
    make_world,
)
from tests.world.files import sealed
from tests.world.told import statements

from chainteller.domain.actors import WORKER, Actor
from chainteller.domain.clock import MINUTE, SECOND, format_instant
from chainteller.domain.trades import Rejection, TradeStatus
from chainteller.engine.core.unit_of_work import UnitOfWork, work_unit
from chainteller.engine.operations import settlement
from chainteller.engine.verification.full_pass import verify
from chainteller.storage.queries import markets


def step(world: World, seconds: float) -> None:
    world.clock.advance(round(seconds * SECOND))
    world.engine.run_due()


def test_a_buy_is_held_filled_and_settled(world: World) -> None:
    trade = world.buy("1000.00")
    assert (trade.status, trade.cancellable, trade.version) == ("processing", True, 1)
    assert world.balances() == {"BUSD1@bank": ("4000.00", "1000.00", "0.00")}
    step(world, 10)
    executed = world.engine.trade(world.account, trade.id)
    assert (executed.status, executed.cancellable, executed.version) == ("executed", False, 2)
    assert world.balances()["SOL@solana"][2] == trade.amount
    step(world, 20)
    settled = world.engine.trade(world.account, trade.id)
    assert (settled.status, settled.version) == ("settled", 3)
    assert world.balances() == {
        "BUSD1@bank": ("4000.00", "0.00", "0.00"),
        "SOL@solana": (trade.amount, "0.00", "0.00"),
    }
    assert verify(world.database) == ()


@pytest.mark.parametrize(("early", "status"), [(1, "processing"), (0, "executed")])
def test_a_fill_is_due_at_its_microsecond(world: World, early: int, status: str) -> None:
    trade = world.buy()
    world.clock.set(START + 10 * SECOND - early)
    world.engine.run_due()
    assert world.engine.trade(world.account, trade.id).status == status


def test_a_sell_brings_dollars(world: World) -> None:
    bought = world.buy("1000.00").amount
    world.settle()
    quote = world.quote(bought, "sell")
    world.execute(quote)
    assert world.balances()["SOL@solana"] == ("0.00", bought, "0.00")
    world.settle()
    assert world.balances()["USD@fiat"] == (quote.asset_bought.amount, "0.00", "0.00")
    assert verify(world.database) == ()


@pytest.mark.parametrize(("short", "executes"), [(0, True), (1, False)])
def test_the_exact_balance_is_enough_and_a_cent_less_is_not(
    empty_world: World, short: int, executes: bool
) -> None:
    world = empty_world
    world.open()
    world.deposit(f"{100 - short / 100:.2f}" if short else "100.00")
    quote = world.quote("100.00")
    if executes:
        assert world.execute(quote).status == "processing"
        return
    error = refusal(world.execute, quote)
    assert error.code == "INSUFFICIENT_FUNDS"
    assert details(error) == {"available": "99.99", "required": "100.00", "currency": "USD"}
    assert world.engine.quote(quote.id).status == "open"


@pytest.mark.parametrize("more", [0, 1])
def test_the_exact_holding_sells_and_an_atom_more_does_not(world: World, more: int) -> None:
    world.buy("1000.00")
    world.settle()
    have = world.balances()["SOL@solana"][0]
    whole, fraction = have.split(".")
    atoms = int(whole + fraction.ljust(9, "0")) + more
    asked = f"{atoms // 10**9}.{atoms % 10**9:09d}"
    quote = world.quote(asked, "sell")
    if not more:
        assert world.execute(quote).status == "processing"
        return
    error = refusal(world.execute, quote)
    assert details(error) == {
        "available": have,
        "required": quote.asset_sold.amount,
        "currency": "SOL",
    }


def test_cash_equivalents_are_drawn_in_their_order_and_given_back_as_they_were(
    empty_world: World,
) -> None:
    world = empty_world
    world.open()
    world.deposit("10.00")
    world.deposit("20.00", USDC_SOLANA)
    world.deposit("30.00", USDC_ETHEREUM)
    before = world.balances()
    trade = world.buy("45.00")
    assert {asset: held for asset, (_, held, _) in world.balances().items()} == {
        "BUSD1@bank": "10.00",
        "USDC@solana": "20.00",
        "USDC@ethereum": "15.00",
    }
    world.engine.cancel_trade(world.account, trade.id)
    assert world.balances() == before
    assert verify(world.database) == ()


def test_cancelling_gives_everything_back_and_may_be_repeated(world: World) -> None:
    before = world.balances()
    trade = world.buy("123.45")
    cancelled = world.engine.cancel_trade(world.account, trade.id)
    assert (cancelled.value.status, cancelled.created) == ("cancelled", False)
    assert world.balances() == before
    assert world.engine.cancel_trade(world.account, trade.id).value == cancelled.value
    step(world, 3600)
    assert world.engine.trade(world.account, trade.id) == cancelled.value
    assert world.balances() == before


@pytest.mark.parametrize(("seconds", "status"), [((10,), "executed"), ((10, 20), "settled")])
def test_an_executed_trade_stands(world: World, seconds: tuple[int, ...], status: str) -> None:
    trade = world.buy()
    for each in seconds:
        step(world, each)
    error = refusal(world.engine.cancel_trade, world.account, trade.id)
    assert error.code == "TRADE_NOT_CANCELLABLE"
    assert details(error) == {
        "tradeId": trade.id,
        "status": status,
        "executedAt": format_instant(START + 10 * SECOND),
    }


def test_a_rejected_trade_fails_and_gives_everything_back(tmp_path: Path) -> None:
    world = make_world(tmp_path / "bank.db", venue=Venue(Rejection("NO_LIQUIDITY", "None left.")))
    world.open()
    world.deposit("500.00")
    trade = world.buy("100.00")
    step(world, 10)
    failed = world.engine.trade(world.account, trade.id)
    assert failed.status == "failed"
    assert failed.failure_reason is not None
    assert failed.failure_reason.model_dump() == {"code": "NO_LIQUIDITY", "message": "None left."}
    assert world.balances() == {"BUSD1@bank": ("500.00", "0.00", "0.00")}
    error = refusal(world.engine.cancel_trade, world.account, trade.id)
    assert details(error) == {"tradeId": trade.id, "status": "failed", "executedAt": None}
    assert verify(world.database) == ()


@pytest.mark.parametrize(("closed_for", "status"), [(890, "executed"), (920, "failed")])
def test_a_closed_market_is_waited_for_fifteen_minutes(
    world: World, closed_for: int, status: str
) -> None:
    trade = world.buy()
    with sealed(world.database) as rows:
        markets.close(rows, "sol-usd", "HALTED", START + closed_for * SECOND)
    step(world, 880)
    while world.clock.now() < START + 16 * MINUTE:
        step(world, 5)
        if world.engine.trade(world.account, trade.id).status != "processing":
            break
    waited = [row for row in world.engine.audit().data if row.action == "work.put_back"]
    until = format_instant(START + 15 * MINUTE)
    assert [(row.object, row.inputs) for row in waited] == [
        (trade.id, {"kind": "trade.fill", "dueAt": until})
    ]
    ended = world.engine.trade(world.account, trade.id)
    assert ended.status == status
    if status == "failed":
        assert ended.failure_reason is not None
        assert ended.failure_reason.code == "FILL_TIMEOUT"
        assert world.balances() == {"BUSD1@bank": ("5000.00", "0.00", "0.00")}
    assert verify(world.database) == ()


def test_a_round_trip_at_a_constant_price_loses(tmp_path: Path) -> None:
    world = make_world(tmp_path / "bank.db", feed=FixedPrices())
    world.open()
    world.deposit("1000.00")
    bought = world.buy("1000.00").amount
    world.settle()
    world.execute(world.quote(bought, "sell"))
    world.settle()
    assert float(world.balances()["USD@fiat"][0]) < 990  # a comparison of size, not of money


def test_every_change_of_a_trade_is_told_once(world: World) -> None:
    trade = world.buy()
    world.settle()
    told = [each.type for each in world.engine.events().data if each.resource == trade.id]
    assert told == ["trade.processing", "trade.executed", "trade.settled"]


@pytest.mark.parametrize("work", [settlement.fill, settlement.settle])
def test_due_work_that_is_done_twice_has_one_effect(
    world: World, work: Callable[[UnitOfWork, str], None]
) -> None:
    trade = world.buy()
    world.settle()
    before = world.balances()

    def again(tx: UnitOfWork) -> bool:
        work(tx, trade.id)
        return True

    assert work_unit(world.context, Actor(name="worker"), again)
    assert world.balances() == before
    assert verify(world.database) == ()


def test_a_write_follows_the_logs_once_however_often_it_compares(world: World) -> None:
    trade = world.buy("10.00")

    def work(tx: UnitOfWork) -> bool:
        return all(settlement.locked(tx, trade.id, TradeStatus.PROCESSING) for _ in range(3))

    with statements(world.database) as told:
        assert work_unit(world.context, WORKER, work)
    assert sum("number >= " in sql for sql, _ in told) == 2  # its own and the deployment's

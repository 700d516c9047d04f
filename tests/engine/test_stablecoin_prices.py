"""The peg guard (engine, money model, rule 8): a stablecoin off its dollar pays for nothing."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tests.world.engines import DPT, USDC_ETHEREUM, USDC_SOLANA, World, make_world

from chainteller.domain.assets import USDC_SOLANA as SOLANA_DOLLAR
from chainteller.domain.assets import Asset
from chainteller.engine.engine import Engine
from chainteller.engine.verification.full_pass import verify
from chainteller.service.errors import InsufficientFunds, MarketUnavailable


@dataclass
class Pegs:
    bps: int = 0

    def deviation_bps(self, asset: Asset, at: int) -> int:  # noqa: ARG002 - the same at any time
        return self.bps if asset == SOLANA_DOLLAR else 0


@pytest.fixture
def pegs() -> Pegs:
    return Pegs()


@pytest.fixture
def world(tmp_path: Path, pegs: Pegs) -> Iterator[World]:
    """An account with 500.00 USDC on solana and 100.00 of the bank's own deposit token."""
    made = make_world(tmp_path / "bank.db")
    made.engine = Engine(replace(made.context, pegs=pegs))
    made.open()
    made.deposit("500.00", USDC_SOLANA)
    made.deposit("100.00", DPT)
    yield made
    made.close()


@pytest.mark.parametrize("bps", [50, -50, 0])
def test_a_stablecoin_within_fifty_basis_points_is_a_dollar(
    world: World, pegs: Pegs, bps: int
) -> None:
    pegs.bps = bps
    assert world.engine.trading_account(world.account).buying_power == "600.00"
    assert world.buy("600.00").status == "processing"


@pytest.mark.parametrize("bps", [51, -51, -900])
def test_beyond_fifty_basis_points_it_pays_for_no_trade(world: World, pegs: Pegs, bps: int) -> None:
    quote = world.quote("600.00")
    pegs.bps = bps
    with pytest.raises(MarketUnavailable) as refused:
        world.execute(quote)
    assert refused.value.details["reason"] == "PEG_DEVIATION"
    assert refused.value.details["market"] == "sol-usd"
    assert world.engine.trading_account(world.account).buying_power == "100.00"


def test_what_other_money_covers_is_still_traded_and_leaves_the_stablecoin_alone(
    world: World, pegs: Pegs
) -> None:
    pegs.bps = -300
    world.buy("100.00")
    assert world.balances()["USDC@solana"] == ("500.00", "0.00", "0.00")
    assert world.balances()["BUSD1@bank"] == ("0.00", "100.00", "0.00")


def test_too_little_even_at_par_is_insufficient_funds_without_the_stablecoin(
    world: World, pegs: Pegs
) -> None:
    pegs.bps = -300
    with pytest.raises(InsufficientFunds) as refused:
        world.buy("700.00")
    assert refused.value.details["available"] == "100.00"


def test_it_is_neither_bought_nor_paid_out_at_par(world: World, pegs: Pegs) -> None:
    pegs.bps = -300
    with pytest.raises(MarketUnavailable) as deposit:
        world.deposit("10.00", USDC_SOLANA)
    with pytest.raises(MarketUnavailable) as withdrawal:
        world.withdraw("10.00", USDC_SOLANA)
    with pytest.raises(MarketUnavailable):
        world.withdraw("200.00", DPT)
    assert deposit.value.details["market"] == "usdc-usd"
    assert withdrawal.value.details["market"] == "usdc-usd"
    assert world.deposit("10.00", USDC_ETHEREUM).status == "completed"
    assert world.withdraw("60.00", DPT).status == "processing"


def test_what_is_held_already_is_filled_at_its_price(world: World, pegs: Pegs) -> None:
    trade = world.buy("550.00")
    pegs.bps = -900
    world.clock.advance(60_000_000)
    world.engine.run_due()
    world.clock.advance(60_000_000)
    world.engine.run_due()
    assert world.engine.trade(world.account, trade.id).status == "settled"
    assert not verify(world.database)


def test_par_comes_back_with_the_peg(world: World, pegs: Pegs) -> None:
    pegs.bps = -300
    quote = world.quote("600.00")
    pegs.bps = -20
    assert world.execute(quote).status == "processing"

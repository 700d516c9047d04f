"""Withdrawals to an unverified wallet: on hold, reviewed, sent, confirmed or given back."""

import pytest
from tests.refusals import details, refusal
from tests.world.engines import START, USDC_SOLANA, World

from chainteller.domain.actors import Actor
from chainteller.domain.clock import HOUR, SECOND, format_instant
from chainteller.engine.core.unit_of_work import UnitOfWork, work_unit
from chainteller.engine.operations import payouts
from chainteller.engine.verification.full_pass import verify
from chainteller.service.models.counterparties import OpenBlockchainAccount, RegisterCounterparty
from chainteller.service.models.funding import Destination, Transfer, WithdrawalRequest

ADDRESS = "DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hy"


@pytest.fixture
def destination(world: World) -> Destination:
    """A wallet registered just now, and 100.00 USDC on its network."""
    world.deposit("100.00", USDC_SOLANA)
    opened = world.engine.open_blockchain_account(
        OpenBlockchainAccount(trading_account_id=world.account, network="solana")
    )
    registered = world.engine.register_counterparty(
        RegisterCounterparty(address=ADDRESS, network="solana")
    )
    return Destination(
        type="counterparty",
        counterparty_id=registered.value.id,
        blockchain_account_id=opened.value.id,
    )


def withdraw(world: World, destination: Destination, amount: str = "40.00") -> Transfer:
    request = WithdrawalRequest(amount=amount, currency=USDC_SOLANA, destination=destination)
    return world.engine.withdraw(world.account, request).value


def step(world: World, seconds: int) -> None:
    world.clock.advance(seconds * SECOND)
    world.engine.run_due()


def status(world: World, withdrawal: Transfer) -> str:
    return world.engine.withdrawal_record(world.account, withdrawal.id).status


def operate(world: World, withdrawal: Transfer, work: str) -> None:
    def run(tx: UnitOfWork) -> bool:
        getattr(payouts, work)(tx, withdrawal.id, "REFUSED", "No.")
        return True

    work_unit(world.context, Actor(name="core"), run)


@pytest.mark.parametrize("early", [1, 0])
def test_a_new_wallet_waits_its_hold_out(
    world: World, destination: Destination, early: int
) -> None:
    world.clock.set(START + 24 * HOUR - early)
    if not early:
        assert withdraw(world, destination).status == "reviewing"
        return
    error = refusal(withdraw, world, destination)
    assert error.code == "DESTINATION_ON_HOLD"
    assert details(error)["availableAt"] == format_instant(START + 24 * HOUR)


def test_a_reviewed_withdrawal_is_sent_and_confirmed(
    world: World, destination: Destination
) -> None:
    step(world, 24 * 3_600)
    withdrawal = withdraw(world, destination)
    assert withdrawal.review is not None
    assert verify(world.database) == ()
    for seconds, expected in ((7_200, "processing"), (5, "sent"), (5, "completed")):
        step(world, seconds)
        assert status(world, withdrawal) == expected
        assert verify(world.database) == ()
    assert world.balances()["USDC@solana"] == ("60.00", "0.00", "0.00")


@pytest.mark.parametrize(
    ("steps", "work", "expected"),
    [
        ((7_200,), "fail", "failed"),
        ((7_200, 5), "fail", "failed"),
    ],
)
def test_what_does_not_arrive_comes_back(
    world: World, destination: Destination, steps: tuple[int, ...], work: str, expected: str
) -> None:
    step(world, 24 * 3_600)
    withdrawal = withdraw(world, destination)
    for seconds in steps:
        step(world, seconds)
    operate(world, withdrawal, work)
    assert status(world, withdrawal) == expected
    assert world.balances()["USDC@solana"] == ("100.00", "0.00", "0.00")
    step(world, 86_400)
    assert status(world, withdrawal) == expected
    assert verify(world.database) == ()


def test_only_the_named_asset_pays_a_wallet(world: World, destination: Destination) -> None:
    step(world, 24 * 3_600)
    error = refusal(withdraw, world, destination, "100.01")
    assert error.code == "INSUFFICIENT_FUNDS"
    assert details(error) == {"available": "100.00", "required": "100.01", "currency": "USDC"}

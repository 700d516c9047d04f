"""Withdrawals to a customer's wallet from the console."""

import re

import pytest
from tests.tui.conftest import Bench, answer, press, seen, settle
from tests.tui.wallet_case import ALICE, BOB, LARGE, Case, wallets

from chainteller.records.formats import grouped
from chainteller.service.models.funding import Currency, WithdrawalRequest


@pytest.mark.needs("withdrawals")
async def test_a_withdrawal_to_a_verified_wallet_asks_with_the_whole_address(
    bench: Bench,
) -> None:
    case = Case(bench, "alice-ethereum")
    case.link("alice-ethereum")
    case.fund("80.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "6", "end")
        await wallets(pilot)
        await press(pilot, "w")
        assert "80.00 USDC available" in seen(app)
        assert "at most" not in seen(app), "the balance is the smaller bound"
        await press(pilot, *"12.5", "enter")
        shown = seen(app)
        assert "WITHDRAW 12.50 USDC (about 12.50 USD) to a wallet?" in shown
        assert f"to {ALICE} on ethereum" in shown, "not to the bank account of the customer"
        await press(pilot, "enter")
        assert case.withdrawals == []
        await answer(pilot, "y")
        await press(pilot, "6")
        (chosen,) = (each for each in seen(app).splitlines() if each.startswith(">"))
        assert "0xf39F..2266" in chosen, "it opens on the one just requested"
    assert case.withdrawals == [("12.50", ALICE, True)]


@pytest.mark.needs("limits")
async def test_what_a_wallet_may_not_receive_is_said_before_anything_is_asked(
    bench: Bench,
) -> None:
    case = Case(bench, "alice-ethereum")
    case.fund("1500.00")
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        await press(pilot, "w")
        assert "DESTINATION_ON_HOLD" in seen(app)
        bench.world.advance(25 * 3_600)
        await press(pilot, "escape", "w")
        await press(pilot, *"1200", "enter")
        assert "LIMIT_EXCEEDED" in seen(app)
        await press(pilot, *"2000", "enter")
        assert "INSUFFICIENT_FUNDS" in seen(app)
    assert case.withdrawals == []


@pytest.mark.needs("limits")
@pytest.mark.parametrize("size", [(60, 20), (80, 24), (100, 30), (120, 40)])
@pytest.mark.parametrize("held", ["1500.00", "987654.00"])
async def test_what_may_leave_is_whole_beside_the_amount_or_below_it(
    bench: Bench, size: tuple[int, int], held: str
) -> None:
    case = Case(bench, "alice-ethereum")
    case.fund(held)
    bench.world.advance(25 * 3_600)
    app = bench.console()
    async with app.run_test(size=size) as pilot:
        await wallets(pilot)
        await press(pilot, "w")
        shown = " ".join(seen(app).split())
        assert f"at most 1,000.00 USD now {grouped(held)} USDC available" in shown
        assert "USDC amount, for example" in shown
        await press(pilot, *"12")
        shown = " ".join(seen(app).split())
        assert f"{grouped(held)} USDC available" in shown
        assert "= 12.00 USDC" in shown


@pytest.mark.needs("limits")
async def test_accounts_offers_the_wallets_with_their_class_and_what_may_leave(
    bench: Bench,
) -> None:
    case = Case(bench, "alice-ethereum", "bob-ethereum", "alice-solana")
    case.link("bob-ethereum")
    case.fund("80.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "w", "right")
        shown = seen(app)
        assert "Verified 1P  at most 50,000.00 USD" in shown
        assert "ethereum  not verified  on hold for 24:00:00" in shown
        assert "solana  not verified  no assets on its network" in shown
        await press(pilot, "escape")
        bench.world.advance(24 * 3_600)
        await press(pilot, "w", "right")
        found = re.search(r"(\d)  \S+  \w+  not verified  at most 1,000.00 USD", seen(app))
        assert found is not None
        await press(pilot, found[1])
        await press(pilot, *"5", "enter")
        shown = " ".join(seen(app).split())
        assert "a wallet that is not verified, so it's held first" in shown
        await answer(pilot, "n")
        await press(pilot, "w", "right")
        await press(pilot, "1")
        await press(pilot, *"5", "enter")
        assert BOB in seen(app)
        await answer(pilot, "y")
    assert case.withdrawals == [("5.00", BOB, True)]


@pytest.mark.needs("limits")
async def test_what_is_used_of_a_limit_and_what_is_left_are_told_apart(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    case.link("alice-ethereum")
    token = Currency(type="deposit-token-currency", id="DPT_USD")
    bench.service.withdraw(
        case.trading_account_id, WithdrawalRequest(amount="30.00", currency=token)
    )
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await settle(pilot)
        assert re.search(r"own bank account +30 used of 100,000", seen(app))
        await wallets(pilot)
        assert re.search(r"24 hours +200,000.00 USD left of 200,000.00", seen(app))


async def test_with_no_wallet_selected_the_key_says_what_it_wants(bench: Bench) -> None:
    Case(bench)
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "5", "w")
        assert "no wallet is selected" in seen(app)
        await press(pilot, "down")
        assert "no wallet is selected" not in seen(app)

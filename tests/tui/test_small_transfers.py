"""Wallets: what an agent does where the customer's wallet can't sign."""

import re

import pytest
from tests.tui.conftest import Bench, press, seen, settle
from tests.tui.wallet_case import ADDRESSES, LARGE, Case, palette, wallets
from textual import events
from textual.pilot import Pilot

from chainteller.service.models.pages import ListQuery
from chainteller.tui.queries import account_sheet, open_challenges

SENDS_EXACTLY, ROUNDS = "alice-ethereum", "bob-ethereum"


async def later(bench: Bench, pilot: Pilot[None], seconds: int) -> None:
    """Time passes, and what comes due is done."""
    bench.world.advance(seconds)
    await settle(pilot)
    await press(pilot, "r")


@pytest.mark.needs("blockchain-accounts", "small-transfers")
async def test_a_wallet_is_verified_by_the_transfer_that_the_customer_was_asked_for(
    bench: Bench,
) -> None:
    case = Case(bench, SENDS_EXACTLY)
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        await palette(pilot, "small transfer")
        (asked,) = case.service.small_transfers(case.account.id).data
        shown = seen(app)
        assert asked.recipient == asked.sender
        for part in ("[3/5] transfer", "SMALL TRANSFER", f"{asked.amount} ETH", "to itself"):
            assert part in shown
        assert "[3/5] transfer    2:00:00" in shown
        assert "2:00:00 left" in shown
        assert re.search(rf"\[ok\] 2 transfer requested +{asked.id[:8]}", shown)
        assert "MESSAGE TO SIGN" not in shown, "one way at a time"
        assert "v verify" not in shown
        await press(pilot, "t")
        assert f"exactly {asked.amount} ETH" in seen(app)
        await press(pilot, "escape")
        await press(pilot, "enter")
        assert "waiting for the small transfer" in seen(app)

        await later(bench, pilot, 60)
        assert "[5/5] enter link" in seen(app)
        assert "The wallet sent the exact amount to" in seen(app)
        assert "[ok] 3 customer sends" in seen(app)
        await press(pilot, "enter")
        assert "[ok] Verified 1P" in seen(app)
        assert "transfer, medium" in seen(app)
        assert "and for medium evidence" in seen(app)
        assert case.types == ["VerifiedCounterparty1P"]
        # The message that the customer couldn't sign is still open, and asks for nothing.
        (message,) = case.service.challenges(case.account.id).data
        assert message.status == "open"
        assert "[3/5] signature" not in seen(app)
        sheet = account_sheet(
            bench.service, case.account.trading_account_id, app.desk.now, app.desk.offers
        )
        assert open_challenges(bench.service, sheet) == ()
        assert "2 transfer requested" in seen(app)
        await press(pilot, "enter")
        assert "already verified" in seen(app)
        bench.world.advance(1)
        case.challenge(SENDS_EXACTLY)
        await press(pilot, "r")
        assert "[3/5] signature" in seen(app)
        assert "2 message created" in seen(app)
        newest = case.newest(SENDS_EXACTLY)
        assert open_challenges(bench.service, sheet) == (newest,)


@pytest.mark.needs("blockchain-accounts", "small-transfers", "ownership-statements")
async def test_a_wrong_amount_is_named_and_a_statement_waits_for_a_person(bench: Bench) -> None:
    case = Case(bench, ROUNDS)
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        await palette(pilot, "small transfer")
        await later(bench, pilot, 60)
        assert "The wallet sent another amount to" in seen(app)
        await press(pilot, "t")
        assert "sent something to itself" in seen(app)
        await press(pilot, "escape")

        await palette(pilot, "ownership statement")
        await press(pilot, "enter")
        await press(pilot, *"mine", "enter")
        (made,) = case.service.ownership_statements(case.account.id).data
        assert (made.statement, made.status) == ("mine", "reviewing")
        assert "It doesn't verify the wallet." in seen(app)
        await press(pilot, "1")
        app.post_message(events.Paste(made.id))
        await settle(pilot)
        assert app.current_mode == "wallets"
        assert made.counterparty_id in app.screen.object_id()  # type: ignore[attr-defined]  # Wallets
        await press(pilot, "1", "colon", *made.id, "enter")
        assert app.current_mode == "wallets"
    assert case.types == []
    (known,) = bench.service.counterparties(ListQuery()).data
    assert known.address == ADDRESSES[ROUNDS]

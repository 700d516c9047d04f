"""Wallets: from an address to a verified wallet, and every way in which a signature fails."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.tui.conftest import REPOSITORY, Bench, make_bench, press, seen, settle
from textual import events
from textual.pilot import Pilot

from chainteller.service.models.counterparties import Challenge
from chainteller.service.models.pages import ListQuery
from chainteller.tui.app import Console
from chainteller.tui.screens.wallets import WalletsScreen
from chainteller.wallets.simulated import sample_wallets, sign_sample

WALLETS = sample_wallets(REPOSITORY / "sample_data" / "wallets.toml")
ALICE = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
BOB = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
ALICE_SOLANA = "FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z"
SIZES = [(80, 24), (100, 30), (120, 40)]
SMALL_AND_LARGE = [(80, 24), (120, 40)]
SECRET = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    yield from make_bench(tmp_path)


def signed(name: str, challenge: Challenge, mistake: str | None = None) -> str:
    return sign_sample(name, challenge.challenge, wallets=WALLETS, mistake=mistake)


def newest(bench: Bench) -> Challenge:
    (account,) = bench.service.blockchain_accounts(ListQuery()).data
    return bench.service.challenges(account.id).data[0]


async def paste(pilot: Pilot[None], text: str) -> None:
    pilot.app.post_message(events.Paste(text))
    await settle(pilot)


async def opened(pilot: Pilot[None]) -> None:
    """Wallets, with a blockchain account on ethereum."""
    await settle(pilot)
    await press(pilot, "5")
    await press(pilot, "plus")
    await press(pilot, "enter")


async def registered(pilot: Pilot[None], address: str = ALICE, *, network: str = "1") -> None:
    await press(pilot, "plus")
    await paste(pilot, address)
    if network:
        await press(pilot, network)


def screen(app: Console) -> WalletsScreen:
    assert isinstance(app.screen, WalletsScreen)
    return app.screen


@pytest.mark.parametrize("size", SMALL_AND_LARGE)
async def test_from_an_address_to_a_verified_wallet(bench: Bench, size: tuple[int, int]) -> None:
    bench.open(1, deposit="100.00")
    app = bench.console()
    async with app.run_test(size=size) as pilot:
        await opened(pilot)
        await registered(pilot, BOB)
        await press(pilot, *(["enter"] if size[0] < 110 else []), "enter")
        assert newest(bench).status == "open"
        if size[0] < 110:
            await press(pilot, "escape")
        await registered(pilot)
        assert "[1/5] registered" in seen(app) or "[2 CHALLENGE]" in seen(app)
        if size[0] < 110:
            await press(pilot, "enter")
        await press(pilot, "enter")
        challenge = newest(bench)
        assert challenge.address == ALICE
        assert challenge.id in seen(app).replace("\n", "")
        assert "59:5" in seen(app) or "1:00:00" in seen(app)

        await paste(pilot, signed("alice-ethereum", challenge, "wrong-account"))
        shown = seen(app)
        assert "NOT ACCEPTED - here is why" in shown
        assert "OTHER_REGISTERED_ADDRESS" in shown
        assert BOB in shown
        assert "ASK THE CUSTOMER" in shown
        assert newest(bench).attempts == 0

        await press(pilot, "t")
        assert "79C8; could you" in " ".join(seen(app).split())
        await press(pilot, "t")
        assert "OSC 52" in seen(app) or "clipboard" in seen(app)
        await press(pilot, "escape")

        await paste(pilot, signed("alice-ethereum", challenge))
        assert "WOULD BE ACCEPTED" in seen(app)
        assert newest(bench).status == "open"
        await press(pilot, "enter")
        assert "Verified 1P" in seen(app)
    (account,) = bench.service.blockchain_accounts(ListQuery()).data
    (linked,) = bench.service.linked_counterparties(account.id).data
    assert linked.type == "VerifiedCounterparty1P"
    assert linked.address == ALICE

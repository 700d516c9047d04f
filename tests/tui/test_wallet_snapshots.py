"""How Wallets looks at three sizes. After a look: ``--snapshot-update`` accepts a change."""

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.tui.conftest import Bench, press, settle
from tests.tui.test_snapshots import SIZES, SvgSnapshot
from tests.tui.wallet_case import Case, palette, paste, signed


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_wallets_look_as_they_did(
    bench: Bench, snapshot: SnapshotAssertion, size: tuple[int, int]
) -> None:
    """From the list over a wrong signature and a secret to the verified wallet."""
    case = Case(bench, "bob-ethereum", "alice-solana", "bob-bitcoin-taproot")
    case.link("bob-ethereum")
    bench.world.advance(7_200)
    case.challenge("alice-ethereum")
    bench.world.advance(125)
    app = bench.console(kind="DEMO")
    pictures: dict[str, str] = {}

    def look(name: str) -> None:
        pictures[name] = app.export_screenshot(title="chainteller")

    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "5")
        look("wallets")
        if size[0] < 110:
            await press(pilot, "enter")
        look("wallet")
        await press(pilot, "q")
        look("code")
        await press(pilot, "escape", "v")
        look("field")
        await press(pilot, "escape")
        await paste(pilot, signed("alice-ethereum", case.newest(), "wrong-account"))
        look("why")
        await press(pilot, "t")
        look("customer-text")
        await press(pilot, "escape")
        await paste(pilot, signed("alice-ethereum", case.newest(), "typed-by-hand"))
        look("unknown-signer")
        await paste(pilot, signed("alice-ethereum", case.newest(), "secret"))
        look("secret")
        await palette(pilot, "simulate sign rightly")
        look("accepted")
        await press(pilot, "enter")
        look("verified")
    for name, picture in pictures.items():
        assert picture == snapshot(extension_class=SvgSnapshot, name=name)

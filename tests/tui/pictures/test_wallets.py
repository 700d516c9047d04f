"""Wallets: from no wallet over a wrong signature and a pasted secret to a verified one."""

from typing import Any

from tests.tui.conftest import Bench, press, settle
from tests.tui.pictures.album import Album, Format, Look, in_every_format
from tests.tui.wallet_case import Case, palette, paste, signed
from textual.pilot import Pilot


@in_every_format
async def test_wallets_look_as_they_did(bench: Bench, album: Album, form: Format) -> None:
    case = Case(bench, "bob-ethereum", "alice-solana", "bob-bitcoin-taproot")
    case.link("bob-ethereum")
    bench.world.advance(7_200)
    case.challenge("alice-ethereum")
    bench.world.advance(125)
    app = bench.console(kind="DEMO")
    async with app.run_test(size=form.size) as pilot:
        take = album.of(pilot)
        await settle(pilot)
        await press(pilot, "5")
        await take("wallets")
        if form.is_narrow:
            await press(pilot, "enter")
            await take("wallet")
        await press(pilot, "q")
        await take("code")
        await press(pilot, "escape", "v")
        await take("field")
        await press(pilot, "escape")
        await _signatures(pilot, take, case)
    album.compare()


async def _signatures(pilot: Pilot[Any], take: Look, case: Case) -> None:
    await paste(pilot, signed("alice-ethereum", case.newest(), "wrong-account"))
    await take("why")
    await press(pilot, "t")
    await take("why-text")
    await press(pilot, "escape")
    await paste(pilot, signed("alice-ethereum", case.newest(), "typed-by-hand"))
    await take("unknown-signer")
    await paste(pilot, signed("alice-ethereum", case.newest(), "secret"))
    await take("secret")
    await palette(pilot, "simulate sign rightly")
    await take("accepted")
    await press(pilot, "enter")
    await take("verified")
    await palette(pilot, "re-verify agent")
    await take("reverify")

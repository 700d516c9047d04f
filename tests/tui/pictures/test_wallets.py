"""Wallets: from no wallet over a wrong signature and a pasted secret to a verified one."""

from typing import Any

import pytest
from tests.tui.conftest import Bench, press, settle
from tests.tui.pictures.album import Album, Format, Look, in_the_other_formats, with_pages
from tests.tui.wallet_case import Case, palette, paste, signed
from textual.pilot import Pilot

pytestmark = pytest.mark.thorough


def _customer(bench: Bench) -> Case:
    """One verified wallet, two that are not, and a message that waits for its signature."""
    case = Case(bench, "bob-ethereum", "alice-solana", "bob-bitcoin-taproot", customer=1001)
    case.link("bob-ethereum")
    bench.world.advance(7_200)
    case.challenge("alice-ethereum")
    bench.world.advance(125)
    return case


async def _to_the_wallets(pilot: Pilot[Any]) -> None:
    await settle(pilot)
    await press(pilot, "slash", *"DDA-1001", "enter")
    await press(pilot, "5")


@with_pages
async def test_wallets_look_as_they_did(sample_bench: Bench, album: Album, form: Format) -> None:
    case = _customer(sample_bench)
    app = sample_bench.console(kind="DEMO")
    async with app.run_test(size=form.size) as pilot:
        take = album.of(pilot)
        await _to_the_wallets(pilot)
        await take("wallets")
        if form.is_narrow:
            await press(pilot, "enter")
            await take("wallet")
        await press(pilot, "q")
        await take("code")
        await press(pilot, "escape", "v")
        await take("field")
        await press(pilot, "escape")
        await _refused(pilot, take, case)
        await _signatures(pilot, take, case)
    album.compare()


@in_the_other_formats
async def test_a_diagnosis_looks_as_it_did(sample_bench: Bench, album: Album, form: Format) -> None:
    case = _customer(sample_bench)
    app = sample_bench.console(kind="DEMO")
    async with app.run_test(size=form.size) as pilot:
        await _to_the_wallets(pilot)
        await _refused(pilot, album.of(pilot), case)
    album.compare()


async def _refused(pilot: Pilot[Any], take: Look, case: Case) -> None:
    await paste(pilot, signed("alice-ethereum", case.newest(), "wrong-account"))
    await take("why")


async def _signatures(pilot: Pilot[Any], take: Look, case: Case) -> None:
    await press(pilot, "t")
    await take("why-text")
    await press(pilot, "escape")
    await paste(pilot, signed("alice-ethereum", case.newest(), "typed-by-hand"))
    await take("unknown-signer")
    await paste(pilot, signed("alice-ethereum", case.newest(), "secret"))
    await take("secret")
    await palette(pilot, "simulate sign correctly")
    await take("accepted")
    await press(pilot, "enter")
    await take("verified")
    await palette(pilot, "re-verify agent")
    await take("reverify")

"""Wallets with a signing page: the link, its QR code, and the signature that comes from it."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.tui.conftest import Bench, make_bench, press, seen, settle
from tests.tui.wallet_case import ADDRESSES, WALLETS, Case, palette, wallets

from chainteller.domain.options import EngineOptions
from chainteller.engine.operations import signing_pages
from chainteller.tui.dialogs.code import CodeBox
from chainteller.tui.wallets.screen import WalletsScreen
from chainteller.wallets.simulated import sign_sample

PAGES = "https://sign.bank.example/sign/"
pytestmark = pytest.mark.needs("challenges")


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    yield from make_bench(tmp_path, EngineOptions(rate_limits=False, public_url=PAGES[:-6]))


def link_of(app_screen: object) -> str:
    assert isinstance(app_screen, WalletsScreen)
    return app_screen.main_text()


async def test_two_keys_from_a_registered_wallet_to_a_linked_one(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    bench.world.advance(7_200)  # its message to sign has expired
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await wallets(pilot)
        await press(pilot, "enter")
        link = link_of(app.screen)
        assert re.fullmatch(rf"{PAGES}[A-Za-z0-9_-]{{22}}", link)
        assert link in seen(app)
        assert isinstance(app.screen, WalletsScreen)
        assert link in app.screen.customer_text()
        await press(pilot, "q")
        assert isinstance(app.screen, CodeBox)
        await press(pilot, "escape")
        context, token = bench.world.context, link.removeprefix(PAGES)
        (asked,) = signing_pages.show(context, token).messages
        for name, shown in (("bob", "[3/5] not accepted"), ("alice", "[4/5] claim")):
            signature = sign_sample(f"{name}-ethereum", str(asked.message), wallets=WALLETS)
            sent = signing_pages.receive(context, token, asked.id, signature)
            assert sent.messages[0].valid is (name == "alice")
            app.screen.reload()
            await settle(pilot)
            assert shown in seen(app)
        assert case.types == []
        await press(pilot, "enter")
    assert case.types == ["VerifiedCounterparty1P"]


async def test_a_lost_link_is_replaced_by_a_new_one(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await wallets(pilot)
        assert link_of(app.screen) == case.newest().challenge  # made elsewhere: no link is known
        assert isinstance(app.screen, WalletsScreen)
        bench.world.advance(1)
        await palette(pilot, "signing page")
        assert link_of(app.screen).startswith(PAGES)
        await press(pilot, "enter")
        assert link_of(app.screen) in seen(app)
        await pilot.resize_terminal(60, 16)
        await press(pilot, "q")
        assert "The code needs a window of" in seen(app)


async def test_three_wallets_are_signed_on_one_page_and_linked_by_one_yes(bench: Bench) -> None:
    names = ("alice-ethereum", "bob-ethereum", "alice-solana")
    case = Case(bench, *names)
    bench.world.advance(7_200)  # their messages to sign have expired
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await wallets(pilot)
        await press(pilot, "s")
        link = link_of(app.screen)
        assert "0 of 3 wallets on this page are proved" in seen(app)
        context, token = bench.world.context, link.removeprefix(PAGES)
        messages = signing_pages.show(context, token).messages
        assert {each.address for each in messages} == {ADDRESSES[name] for name in names}
        for number, name in enumerate(names, 1):
            asked = next(each for each in messages if each.address == ADDRESSES[name])
            signature = sign_sample(name, str(asked.message), wallets=WALLETS)
            signing_pages.receive(context, token, messages[0].id, signature)
            if number == 2:  # both are checked, one after the other
                assert isinstance(app.screen, WalletsScreen)
                app.screen.reload()
                await settle(pilot)
                assert "2 of 3 wallets on this page are proved" in seen(app)
        assert isinstance(app.screen, WalletsScreen)
        app.screen.reload()
        await settle(pilot)
        await press(pilot, "l")
        assert "LINK 3 WALLETS?" in seen(app)
        assert all(ADDRESSES[name] in seen(app) for name in names)
        assert case.types == []
        await press(pilot, "y")
    assert case.types == ["VerifiedCounterparty1P"] * 3


async def test_without_signing_pages_none_is_made_and_the_message_to_sign_stays(
    tmp_path: Path, deployment: str
) -> None:
    for plain in make_bench(tmp_path, kind=deployment):
        case = Case(plain, "alice-ethereum")
        before = case.newest().id
        app = plain.console()
        async with app.run_test(size=(80, 24)) as pilot:
            await wallets(pilot)
            await palette(pilot, "signing page")
            assert "this deployment has no signing pages" in seen(app)
        assert case.newest().id == before

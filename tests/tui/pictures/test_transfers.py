"""Transfers: a list with several withdrawals, their detail, a cancellation, and a deployment that
can't list them.
"""

from pathlib import Path

import pytest
from tests.spec_only.place import spec_only_place
from tests.tui.conftest import Bench, answer, press, settle
from tests.tui.pictures.album import Album, Format, Look, in_the_other_formats, with_pages
from tests.tui.wallet_case import Case
from textual.pilot import Pilot

from chainteller.service.models.funding import Currency, Destination, WithdrawalRequest
from chainteller.tui.console.app import Console
from chainteller.tui.start import StartedDesk

pytestmark = [pytest.mark.needs("picture"), pytest.mark.thorough]


def _withdrawals(bench: Bench) -> None:
    """A customer with a wallet: one withdrawal completed, one in review, two under way."""
    case = Case(bench, "alice-ethereum")
    account = case.account.trading_account_id
    case.fund("400.00")
    bench.deposit(bench.service.trading_account(account), "4250.00")
    bench.world.advance(25 * 3_600)
    dollars = Currency(type="deposit-token-currency", id="DPT_USD")
    bench.service.withdraw(account, WithdrawalRequest(amount="120.00", currency=dollars))
    bench.world.advance(60)
    bench.world.advance(60)
    usdc = Currency(type="stablecoin-currency", symbol="USDC", network="ethereum")
    wallet = Destination(
        type="counterparty",
        counterparty_id=case.newest().counterparty_id,
        blockchain_account_id=case.account.id,
    )
    asked = WithdrawalRequest(amount="75.50", currency=usdc, destination=wallet)
    bench.service.withdraw(account, asked)
    for amount in ("1250.00", "310.25"):
        bench.world.advance(1)
        bench.service.withdraw(account, WithdrawalRequest(amount=amount, currency=dollars))


@with_pages
async def test_transfers_look_as_they_did(
    bench: Bench, album: Album, form: Format, tmp_path: Path
) -> None:
    other = bench.open(2, deposit="900.00")
    empty = bench.console()
    async with empty.run_test(size=form.size) as pilot:
        await settle(pilot)
        await press(pilot, "6", "f", "f")
        await album.of(pilot)("transfers-none")
        await press(pilot, "escape")
    _withdrawals(bench)
    app = bench.console()
    async with app.run_test(size=form.size) as pilot:
        await _list(pilot, album.of(pilot))
        await _walk(pilot, album.of(pilot))
    with spec_only_place(bench.world, tmp_path) as place:
        bank = place.service
        app = Console(lambda: StartedDesk(bank, "strict", bank.capabilities()), bench.settings)
        async with app.run_test(size=form.size) as pilot:
            await _request(pilot, album.of(pilot), other.id)
    album.compare()


@in_the_other_formats
async def test_the_list_of_transfers_looks_as_it_did(
    bench: Bench, album: Album, form: Format
) -> None:
    bench.open(2)
    _withdrawals(bench)
    app = bench.console()
    async with app.run_test(size=form.size) as pilot:
        await _list(pilot, album.of(pilot))
    album.compare()


async def _list(pilot: Pilot[None], take: Look) -> None:
    await settle(pilot)
    await press(pilot, "slash", *"DDA-1", "enter", "6")
    await take("transfers")


async def _walk(pilot: Pilot[None], take: Look) -> None:
    await press(pilot, "C")
    await take("transfers-cancel")
    await answer(pilot, "n")
    await press(pilot, "down", "down", "enter")
    await take("transfer-in-review")
    await press(pilot, "t")
    await take("transfer-text")
    await press(pilot, "escape", "escape", "0", "slash", *"1250")
    await take("transfers-find")
    await press(pilot, "enter", "slash", "escape", "end", "C")
    await take("transfers-not-cancellable")
    await press(pilot, "1", "v")
    await take("account-activity")


async def _request(pilot: Pilot[None], take: Look, account_id: str) -> None:
    """Where the deployment lists nothing: what was requested here."""
    await settle(pilot)
    await press(pilot, "plus", *account_id, "enter", "w", *"250", "enter")
    await answer(pilot, "y")
    await press(pilot, "1", "d", *"40", "enter", "6", "down")
    await take("transfers-requested-here")
    await press(pilot, "enter")
    await take("transfer-requested-here")

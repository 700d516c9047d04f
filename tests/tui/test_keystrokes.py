"""What the everyday tasks cost in keys, from the screen an agent stands on to the end of the task.

Every key is pressed for itself, and the desk comes to rest before the next one. A chord such as X
is one key, digits of an amount count, and a paste is one.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from tests.cli.conftest import bank, sample_world
from tests.cli.program import chainteller
from tests.tui.conftest import Bench, press, seen, settle
from tests.tui.wallet_case import Case, signed
from textual import events
from textual.pilot import Pilot

from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.tui.console.app import Console
from chainteller.tui.quote.screen import QuoteScreen
from chainteller.tui.start import ProfileRow
from chainteller.tui.trades.screen import TradesScreen

__all__ = ["bank", "sample_world"]


@dataclass(slots=True)
class Hands:
    """Press keys and paste as an agent does, counted."""

    bench: Bench
    size: tuple[int, int]
    count: int = 0

    @asynccontextmanager
    async def at_the_desk(self, **look: Any) -> AsyncIterator[Pilot[None]]:
        app = self.bench.console(**look)
        async with app.run_test(size=self.size) as pilot:
            await settle(pilot)
            yield pilot

    async def press(self, pilot: Pilot[None], *keys: str) -> None:
        for key in keys:
            self.count += 1
            await press(pilot, key)

    async def paste(self, pilot: Pilot[None], text: str) -> None:
        self.count += 1
        pilot.app.post_message(events.Paste(text))
        await settle(pilot)


def shown(pilot: Pilot[None]) -> str:
    assert isinstance(pilot.app, Console)
    return seen(pilot.app)


def bought(bench: Bench, account_id: str) -> str:
    """A trade of that account, still in processing."""
    asked = QuoteRequest(amount="100.00", side="buy", trading_account_id=account_id)
    quote = bench.service.create_quote("sol-usd", asked).value
    request = ExecuteRequest(trading_account_id=account_id)
    return bench.service.execute_quote(quote.id, request).value.id


async def settled(hands: Hands, pilot: Pilot[None]) -> None:
    """Time passes, Trades follows by itself what was executed."""
    assert isinstance(pilot.app.screen, TradesScreen)
    assert "[>] processing" in shown(pilot)
    hands.bench.world.advance(11)
    hands.bench.world.advance(21)
    assert isinstance(pilot.app, Console)
    pilot.app.poll_now()
    await settle(pilot)
    assert "[ok] settled" in shown(pilot)


# -- the tasks -------------------------------------------------------------------------------------


async def fund_and_buy(hands: Hands) -> None:
    account = hands.bench.open(1)
    async with hands.at_the_desk() as pilot:
        await hands.press(pilot, "d", "1", "0", "0", "0", "enter")
        await hands.press(pilot, "b", "enter")
        assert "QUOTED, NOT EXECUTED" in shown(pilot)
        await hands.press(pilot, "X")
        assert account.id in shown(pilot)
        await hands.press(pilot, "y")
        await settled(hands, pilot)
        await pilot.press("3")
        await settle(pilot)
        assert "EXECUTED" in shown(pilot)
        assert "[x] short" not in shown(pilot)
    (trade,) = hands.bench.service.trades(account.id).data
    assert (trade.market, trade.status) == ("sol-usd", "settled")
    assert trade.asset_sold is not None
    assert trade.asset_sold.amount == "1000.00"


async def buy_with_a_shortfall(hands: Hands) -> None:
    account = hands.bench.open(1, deposit="250.00")
    async with hands.at_the_desk() as pilot:
        await hands.press(pilot, "b", "1", "0", "0", "0", "enter")
        assert "SHORT OF 750.00 USD" in shown(pilot)
        await hands.press(pilot, "y", "X", "y")
        await settled(hands, pilot)
    (deposit, _) = hands.bench.service.deposits(account.id).data
    assert deposit.amount == "750.00"
    assert len(hands.bench.service.trades(account.id).data) == 1


async def fund_and_buy_in_another_market(hands: Hands) -> None:
    account = hands.bench.open(1)
    async with hands.at_the_desk() as pilot:
        await hands.press(pilot, "d", "1", "0", "0", "0", "enter")
        await hands.press(pilot, "b", "right", "enter", "X", "y")
        await settled(hands, pilot)
    (trade,) = hands.bench.service.trades(account.id).data
    assert (trade.market, trade.status) == ("btc-usd", "settled")


async def find_a_trade(hands: Hands) -> None:
    account = hands.bench.open(1, deposit="500.00")
    hands.bench.open(2)
    trade_id = bought(hands.bench, account.id)
    async with hands.at_the_desk() as pilot:
        await press(pilot, "2")
        await hands.paste(pilot, f" {trade_id}\n")
        assert isinstance(pilot.app.screen, TradesScreen)
        assert pilot.app.screen.object_id() == trade_id
        assert trade_id in shown(pilot)


async def tell_why_a_signature_failed(hands: Hands) -> None:
    case = Case(hands.bench, "bob-ethereum")
    hands.bench.world.advance(1)
    case.challenge("alice-ethereum")
    async with hands.at_the_desk() as pilot:
        await press(pilot, "5")
        await hands.paste(pilot, signed("alice-ethereum", case.newest(), "wrong-account"))
        assert "OTHER_REGISTERED_ADDRESS" in shown(pilot)
        await hands.press(pilot, "t")
        assert "WHAT TO TELL THE CUSTOMER" in shown(pilot)
        assert "You signed with your other wallet" in shown(pilot)
    assert case.newest().attempts == 0


async def cancel_the_newest_trade(hands: Hands) -> None:
    account = hands.bench.open(1, deposit="500.00")
    trade_id = bought(hands.bench, account.id)
    async with hands.at_the_desk() as pilot:
        await hands.press(pilot, "4", "C")
        assert trade_id in shown(pilot)
        await hands.press(pilot, "y")
        assert "[-] cancelled" in shown(pilot)
    assert hands.bench.service.trade(account.id, trade_id).status == "cancelled"
    assert hands.bench.service.trading_account(account.id).buying_power == "500.00"


async def renew_an_expired_quote(hands: Hands) -> None:
    hands.bench.open(1, deposit="500.00")
    async with hands.at_the_desk() as pilot:
        await press(pilot, "b")
        await press(pilot, "enter")
        screen = pilot.app.screen
        assert isinstance(screen, QuoteScreen)
        first = screen.state.quote
        assert first is not None
        hands.bench.world.advance(335)
        screen._tick()
        await settle(pilot)
        assert "EXPIRED" in shown(pilot)
        await hands.press(pilot, "enter")
        assert f"was {first.price}" in shown(pilot)
        assert "QUOTED, NOT EXECUTED" in shown(pilot)
        assert screen.state.quote is not None
        assert screen.state.quote.asset_sold == first.asset_sold


async def write_a_receipt(hands: Hands) -> None:
    account = hands.bench.open(1, deposit="500.00")
    trade_id = bought(hands.bench, account.id)
    async with hands.at_the_desk() as pilot:
        await press(pilot, "4")
        await hands.press(pilot, "e", "enter")
        assert "written:" in shown(pilot)
    folder = hands.bench.settings.export_folder
    assert folder is not None
    assert trade_id in (folder / f"chainteller-receipt-{trade_id}.txt").read_text()


async def go_to_another_profile(hands: Hands) -> None:
    profiles = (
        ProfileRow("own", "embedded", "the desk's own database"),
        ProfileRow("branch", "remote", "https://bank.example"),
    )
    async with hands.at_the_desk(profiles=profiles, profile="own") as pilot:
        await hands.press(pilot, "colon", "b", "r", "a", "enter")
        assert isinstance(pilot.app, Console)
        assert pilot.app.wanted_profile == "branch"


SMALL, LARGE = (80, 24), (120, 40)
Task = Callable[[Hands], Awaitable[None]]
TABLE: tuple[tuple[Task, int, tuple[int, int]], ...] = (
    (fund_and_buy, 10, SMALL),
    (fund_and_buy, 10, LARGE),
    (buy_with_a_shortfall, 9, SMALL),
    (fund_and_buy_in_another_market, 10 + 1, SMALL),
    (find_a_trade, 1, SMALL),
    (tell_why_a_signature_failed, 2, LARGE),
    (cancel_the_newest_trade, 3, SMALL),
    (renew_an_expired_quote, 1, SMALL),
    (write_a_receipt, 2, SMALL),
    (go_to_another_profile, 5, SMALL),
)


@pytest.mark.forms(1)
@pytest.mark.parametrize(
    ("task", "keys", "size"), TABLE, ids=[f"{row[0].__name__}-{row[2][0]}" for row in TABLE]
)
async def test_a_task_takes_the_keys_that_were_promised(
    bench: Bench, task: Task, keys: int, size: tuple[int, int]
) -> None:
    hands = Hands(bench, size)
    await task(hands)
    assert hands.count == keys


@pytest.mark.usefixtures("bank")
@pytest.mark.thorough
def test_all_of_it_is_one_line_without_the_console() -> None:
    at_once = {
        "CHAINTELLER_ENGINE__FILL_DELAY_S": "0",
        "CHAINTELLER_ENGINE__SETTLE_DELAY_S": "0",
    }
    opened = chainteller("accounts", "open", "DDA-1001", "--type", "checking", "--json")
    line = (
        f"trade buy sol-usd --spend 1000 --account {opened.body['id']} --fund --yes --wait --json"
    )
    done = chainteller(*line.split(), **at_once)
    assert done.code == 0, done.err
    assert done.body["status"] == "settled"
    assert done.body["assetSold"]["amount"] == "1000.00"

"""The handover note says of each request what became of it, once."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.world.bank import World, build, sqlite_url

from chainteller.service.errors import TellerError
from chainteller.service.layers import layered
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.funding import Currency, DepositRequest
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.workspace.handover import Standing, handover_note
from chainteller.workspace.recording import Recording
from chainteller.workspace.registry import Remembering
from chainteller.workspace.store import Workspace


class Day:
    """A desk on a bank, its account funded."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.workspace = Workspace(None, world.clock)
        self.service = layered(world.engine, Remembering(self.workspace), Recording(self.workspace))
        asked = OpenTradingAccount(bank_account_id="DDA-1", bank_account_type="checking")
        self.account = self.service.open_trading_account(asked).value.id
        self.deposit("500.00")

    def deposit(self, amount: str) -> None:
        currency = Currency(type="deposit-token-currency", id="DPT_USD")
        self.service.deposit(self.account, DepositRequest(amount=amount, currency=currency))

    def buy(self) -> str:
        asked = QuoteRequest(amount="50.00", side="buy", trading_account_id=self.account)
        quote = self.service.create_quote("sol-usd", asked).value
        request = ExecuteRequest(trading_account_id=self.account)
        return self.service.execute_quote(quote.id, request).value.id

    def note(self, since: int = 0) -> dict[str, list[str]]:
        """The note's rows by heading."""
        activity = self.service.transactions(self.account, ListQuery(limit=100)).data
        standing = Standing(self.service.trading_account(self.account), activity)
        text = handover_note(
            self.workspace, standing, who="op01, EMBEDDED", since=since, began=None
        )
        found: dict[str, list[str]] = {}
        heading = ""
        for row in text.splitlines():
            if row.startswith("- "):
                found[heading].append(row)
            else:
                heading = row.rstrip(":")
                found[heading] = []
        return found


@pytest.fixture
def day(tmp_path: Path) -> Iterator[Day]:
    world = build(sqlite_url(tmp_path))
    made = Day(world)
    yield made
    made.workspace.close()
    world.engine.close()


def test_a_trade_is_done_when_it_has_ended_and_not_before(day: Day) -> None:
    trade = day.buy()
    note = day.note()
    assert len(note["Under way"]) == 1
    assert "buy sol-usd" in note["Under way"][0]
    assert not any(trade in row for row in note["Done"])
    assert f"Next: follow {trade} (processing)" in note
    day.world.advance(60)
    day.world.advance(60)
    note = day.note()
    assert "Under way" not in note
    (row,) = [row for row in note["Done"] if trade in row]
    assert "settled" in row
    assert "Next: nothing is under way" in note


def test_a_cancellation_is_something_that_was_done(day: Day) -> None:
    trade = day.buy()
    day.service.cancel_trade(day.account, trade)
    rows = day.note()["Done"]
    assert any(f"trade cancelled  {trade}" in row for row in rows)


def test_refusals_and_doubts_stand_apart(day: Day) -> None:
    with pytest.raises(TellerError):
        day.deposit("99999999.00")
    ids = {"ids": [day.account], "request": {"amount": "7.00", "currency": {"symbol": "USDC"}}}
    day.workspace.sending("desk-9", "deposit", ids)
    note = day.note()
    assert "INSUFFICIENT_FUNDS" in note["Refused"][0]
    assert "deposit 7.00 USDC" in note["In doubt"][0]
    assert "key desk-9" in note["In doubt"][0]


def test_only_this_account_and_only_since_the_call_began(day: Day) -> None:
    other = OpenTradingAccount(bank_account_id="DDA-2", bank_account_type="savings")
    elsewhere = day.service.open_trading_account(other).value.id
    day.world.advance(60)
    since = day.workspace.now()
    day.deposit("1.00")
    note = day.note(since)
    assert len(note["Done"]) == 1
    assert elsewhere not in str(note)

"""The handover note says of each request what became of it, once."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import pytest
from tests.contract.test_trading import TOKEN
from tests.spec_only.place import spec_only_place
from tests.world.bank import World, build, sqlite_url

from chainteller.service.errors import ServiceUnreachable, TellerError
from chainteller.service.interface import Service
from chainteller.service.layers import Next, layered
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.counterparties import (
    ChallengeRequest,
    OpenBlockchainAccount,
    RegisterCounterparty,
    SmallTransferRequest,
    StatementRequest,
)
from chainteller.service.models.decisions import Approval, OpenDecision
from chainteller.service.models.funding import DepositRequest, WithdrawalRequest
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.service.operations import Call
from chainteller.workspace.handover import Shift, handover_note
from chainteller.workspace.recording import Recording
from chainteller.workspace.registry import Remembering
from chainteller.workspace.store import Workspace

Answer = TypeVar("Answer")
SOMEBODY = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"


class Day:
    """A desk on a bank, its account funded."""

    def __init__(self, world: World, file: Path) -> None:
        self.world = world
        self.workspace = Workspace(file, world.clock)
        self.service = layered(world.engine, Remembering(self.workspace), Recording(self.workspace))
        asked = OpenTradingAccount(bank_account_id="DDA-1", bank_account_type="checking")
        self.account = self.service.open_trading_account(asked).value.id
        self.deposit("5000.00")

    def deposit(self, amount: str) -> None:
        self.service.deposit(self.account, DepositRequest(amount=amount, currency=TOKEN))

    def withdraw(self, amount: str) -> None:
        self.service.withdraw(self.account, WithdrawalRequest(amount=amount, currency=TOKEN))

    def buy(self) -> str:
        asked = QuoteRequest(amount="50.00", side="buy", trading_account_id=self.account)
        quote = self.service.create_quote("sol-usd", asked).value
        request = ExecuteRequest(trading_account_id=self.account)
        return self.service.execute_quote(quote.id, request).value.id

    def text(self, since: int = 0) -> str:
        return handover_note(self.workspace, self.service, Shift("op01", since), self.account)

    def note(self, since: int = 0) -> dict[str, list[str]]:
        """The note's rows by heading."""
        text = self.text(since)
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
    made = Day(world, tmp_path / "day.db")
    yield made
    made.workspace.close()
    world.engine.close()


def test_a_trade_is_done_when_it_has_ended_and_not_before(day: Day) -> None:
    trade = day.buy()
    note = day.note()
    assert len(note["In progress"]) == 1
    assert "order to buy" in note["In progress"][0]
    assert not any(trade in row for row in note["Done"])
    assert f"Next: follow {trade} (processing)" in note
    day.world.advance(60)
    day.world.advance(60)
    note = day.note()
    assert "In progress" not in note
    (row,) = [row for row in note["Done"] if trade in row]
    assert "settled" in row
    assert "Next: nothing is in progress" in note


def test_a_cancellation_is_something_that_was_done(day: Day) -> None:
    trade = day.buy()
    day.service.cancel_trade(day.account, trade)
    rows = day.note()["Done"]
    assert any(f"cancellation of trade {trade}" in row for row in rows)


def test_refusals_and_doubts_stand_apart(day: Day) -> None:
    with pytest.raises(TellerError):
        day.deposit("99999999.00")
    ids = {"ids": [day.account], "request": {"amount": "7.00", "currency": {"symbol": "USDC"}}}
    day.workspace.sending("desk-9", "deposit", ids)
    note = day.note()
    assert "deposit of 99,999,999.00 USD: refused, insufficient" in note["Refused"][0]
    assert "deposit of 7.00 USDC: no answer, key desk-9" in note["Outcome unknown"][0]


def test_more_actions_than_a_page_keep_their_outcomes_and_names(day: Day) -> None:
    trades = [day.buy() for _ in range(9)]
    for amount in ("10.00", "20.00", "1250.50"):
        day.withdraw(amount)
    with pytest.raises(TellerError):
        day.service.cancel_trade(day.account, "TXN_NOBODY")
    day.world.advance(60)
    day.world.advance(60)
    note = day.note()
    assert set(note) & {"In progress", "Requested, current status not known", "Sent"} == set()
    assert sum(": settled  TXN_" in row for row in note["Done"]) == len(trades)
    assert any("withdrawal of 20.00 USD to DDA-1: completed" in row for row in note["Done"])
    assert "DPT_USD" not in str(note)
    assert "BUSD1" not in str(note)
    (refused,) = note["Refused"]
    assert "cancellation of trade TXN_NOBODY: refused, not found (NOT_FOUND)" in refused
    assert "trade cancelled" not in str(note)


def test_every_account_of_the_shift_has_its_part_and_its_own_actions(day: Day) -> None:
    day.world.advance(1)
    other = OpenTradingAccount(bank_account_id="DDA-2", bank_account_type="savings")
    elsewhere = day.service.open_trading_account(other).value.id
    day.service.deposit(elsewhere, DepositRequest(amount="77.00", currency=TOKEN))
    day.service.register_counterparty(RegisterCounterparty(address=SOMEBODY, network="ethereum"))
    own, others, of_none = day.text().split("\n\n")[1:]
    assert own.startswith(f"Customer 1, checking DDA-1, account {day.account}")
    assert "77.00" not in own
    assert others.startswith(f"Customer 2, savings DDA-2, account {elsewhere}")
    assert "deposit of 77.00 USD: completed" in others
    assert "trading account for bank account DDA-2: done" in others
    assert of_none.startswith("Not about one account")
    assert SOMEBODY in of_none
    alone = handover_note(day.workspace, day.service, Shift("op01", 0), elsewhere, only=True)
    assert day.account not in alone
    assert "77.00" in alone


def test_what_was_decided_stands_under_its_customer_in_words(day: Day) -> None:
    freeze = OpenDecision(kind="control", subject=day.account, control="FROZEN", reason="DESK")
    decision = day.service.open_decision(freeze).value.id
    day.service.take_decision(decision)
    day.service.approve_decision(decision, Approval())
    close = OpenDecision(kind="market", subject="sol-usd", reason="DESK")
    day.service.open_decision(close)
    own, of_none = day.text().split("\n\n")[1:]
    assert f"FROZEN set on the account: done  {decision}" in own
    assert f"decision taken on lifting FROZEN: done  {decision}" in own
    assert f"approval of lifting FROZEN: done  {decision}" in own
    assert "closing of market sol-usd: done" in of_none
    assert decision not in of_none


def test_nothing_is_claimed_that_the_deployment_cannot_be_asked(day: Day, tmp_path: Path) -> None:
    with spec_only_place(day.world, tmp_path) as place:
        _check_note_of(day, place.service)


def _check_note_of(day: Day, deployment: Service) -> None:
    bare = layered(deployment, Remembering(day.workspace), Recording(day.workspace))
    request = WithdrawalRequest(amount="5.00", currency=TOKEN)
    assert bare.withdraw(day.account, request).value.id == "", "it's answered without an id"
    trade = day.buy()
    day.world.advance(60)
    day.world.advance(60)
    text = handover_note(day.workspace, bare, Shift("op01", 0), day.account)
    row = next(row for row in text.splitlines() if "5.00 USD" in row and "withdrawal" in row)
    assert "withdrawal of 5.00 USD: accepted as last seen at 12:00:00Z" in row
    assert f"settled  {trade}" in text, "trades can be asked for on every deployment"
    assert "this deployment doesn't list what happens in an account" in text
    assert "nothing is in progress" not in text
    silent = layered(bare, _silent)
    text = handover_note(day.workspace, silent, Shift("op01", 0), day.account)
    assert f"processing as last seen at 12:00:00Z  {trade}" in text
    assert "settled" not in text


def _silent(call: Call[Answer], onward: Next) -> Answer:
    raise ServiceUnreachable("no answer")


def test_only_what_was_done_since_the_call_began(day: Day) -> None:
    other = OpenTradingAccount(bank_account_id="DDA-2", bank_account_type="savings")
    elsewhere = day.service.open_trading_account(other).value.id
    day.world.advance(60)
    since = day.workspace.now()
    day.deposit("1.00")
    note = day.note(since)
    assert len(note["Done"]) == 1
    assert elsewhere not in str(note)


def test_what_is_awaited_for_wallets_is_in_progress_and_under_their_account(day: Day) -> None:
    wallet = day.service.register_counterparty(
        RegisterCounterparty(address=SOMEBODY, network="ethereum")
    ).value
    opening = OpenBlockchainAccount(trading_account_id=day.account, network="ethereum")
    custody = day.service.open_blockchain_account(opening).value.id
    asked = ChallengeRequest(counterparty_id=wallet.id)
    day.service.create_challenge(custody, asked)
    day.world.advance(1)
    challenge = day.service.create_challenge(custody, asked).value.id
    small = day.service.create_small_transfer(
        custody, SmallTransferRequest(counterparty_id=wallet.id)
    ).value
    stated = day.service.create_ownership_statement(
        custody,
        StatementRequest(
            counterparty_id=wallet.id,
            reason="CONTRACT_WALLET",
            statement="It is the wallet of my firm.",
        ),
    ).value.id
    text = day.text()
    assert "nothing is in progress" not in text
    assert "Not about one account" not in text
    assert f"registration of wallet {SOMEBODY}: done" in text
    (message,) = [row for row in text.splitlines() if f"follow {challenge}" in row]
    assert f"message to sign for {SOMEBODY}, until " in message
    assert f"Next: follow {small.id} (small transfer of {small.amount} ETH, until " in text
    assert f"Next: follow {stated} (statement in review, for {SOMEBODY})" in text

"""Random steps over several customers: nothing of one is shown, asked or sent under another."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pytest
from tests.deployments import OWN, SPEC_ONLY
from tests.tui.conftest import Bench, press, seen, settle
from tests.tui.wallet_case import ADDRESSES
from textual import events
from textual.pilot import Pilot

from chainteller.domain.randomness import SeededRandomness, below
from chainteller.service.interface import Service
from chainteller.service.layers import Next, layered
from chainteller.service.models.accounts import TradingAccount
from chainteller.service.models.counterparties import (
    ChallengeRequest,
    OpenBlockchainAccount,
    RegisterCounterparty,
)
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.service.operations import Call
from chainteller.tui.console.app import Console
from chainteller.tui.dialogs.question import Question

pytestmark = pytest.mark.thorough

Answer = TypeVar("Answer")
_ID = re.compile(r"(?:TDA|QTE|TXN|BCA|CPT|CHG|CLM)_[A-Z0-9]{4}(?:\.\.|[A-Z0-9]*)[A-Z0-9]{4,}")
_KEYS = (
    *"1345", *"bswdXCtce0", *"yyyn", "enter", "enter", "escape", "escape", "left", "right", "tab",
    "up", "down", "r", "plus",
)  # fmt: skip
_AMOUNTS = ("20", "35.5", "12")


@dataclass
class Model:
    """What belongs to whom, told by what was made, never by the console."""

    owners: dict[str, str] = field(default_factory=dict)
    sent: list[tuple[str, str, Call[Any]]] = field(default_factory=list)

    def learn(self, record_id: str, account_id: str) -> None:
        self.owners[record_id] = account_id
        self.owners[f"{record_id[:8]}..{record_id[-4:]}"] = account_id

    def foreign(self, text: str, served: str) -> set[str]:
        """Ids in a text that belong to other customers than the one served."""
        return {
            each for each in _ID.findall(text) if self.owners.get(each, served) not in {served, ""}
        }


def _furnished(bench: Bench, model: Model) -> list[TradingAccount]:
    """Four accounts with trades, blockchain accounts and challenged wallets."""
    accounts = [bench.open(number, deposit="5000.00") for number in range(1, 5)]
    service = bench.service
    for number, account in enumerate(accounts):
        model.learn(account.id, account.id)
        for side_amount in ("30.00", "40.00"):
            asked = QuoteRequest(amount=side_amount, side="buy", trading_account_id=account.id)
            quote = service.create_quote("sol-usd", asked).value
            trade = service.execute_quote(quote.id, ExecuteRequest(trading_account_id=account.id))
            model.learn(quote.id, account.id)
            model.learn(trade.value.id, account.id)
        opened = OpenBlockchainAccount(trading_account_id=account.id, network="ethereum")
        custody = service.open_blockchain_account(opened).value
        model.learn(custody.id, account.id)
        name = sorted(name for name in ADDRESSES if "ethereum" in name)[number % 2]
        wallet = RegisterCounterparty(address=ADDRESSES[name], network="ethereum")
        counterparty = service.register_counterparty(wallet).value
        request = ChallengeRequest(counterparty_id=counterparty.id)
        model.learn(service.create_challenge(custody.id, request).value.id, account.id)
    bench.world.advance(60)
    return accounts


def _watched(bench: Bench, model: Model, served: list[str]) -> Service:
    """The deployment, with each write noted beside the customer who was served then."""

    def note(call: Call[Answer], onward: Next) -> Answer:
        if call.operation.writes:
            model.sent.append((served[0], call.operation.name, call))
        answer: Any = onward(call)
        value = getattr(answer, "value", None)
        if call.operation.writes and value is not None:
            owner = getattr(value, "trading_account_id", None)
            if owner:
                model.learn(value.id, owner)
        return answer  # type: ignore[no-any-return]  # as it came

    return layered(bench.deployment, note)


def _named(call: Call[Any]) -> Iterator[str]:
    yield from call.ids
    if call.request is not None:
        yield from _ID.findall(call.request.to_json())


@pytest.mark.parametrize("deployment", [OWN, SPEC_ONLY], indirect=True)
@pytest.mark.parametrize("steps", [30, pytest.param(400, marks=pytest.mark.slow)])
async def test_nothing_of_one_customer_is_shown_or_sent_under_another(
    bench: Bench, steps: int
) -> None:
    model, served = Model(), [""]
    accounts = _furnished(bench, model)
    console = bench.console(_watched(bench, model, served))
    await _walk(console, accounts, model, served, steps)


async def _walk(
    app: Console, accounts: list[TradingAccount], model: Model, served: list[str], steps: int
) -> None:
    randomness = SeededRandomness(f"walk-{steps}")

    def any_of(options: Any) -> Any:
        return options[below(randomness, len(options))]

    app.desk.customer._served = lambda: served.__setitem__(0, app.desk.customer.account_id)
    async with app.run_test(size=any_of([(80, 24), (120, 40)])) as pilot:
        await settle(pilot)
        for account in accounts:
            if not app.desk.offers("trading-accounts"):
                await press(pilot, "1", "plus", *account.id, "enter")
        for step in range(steps):
            await _step(pilot, any_of, accounts)
            _check_frame(app, model, step)
    assert model.sent, "it did something"
    for account_id, name, call in model.sent:
        foreign = {
            each for each in _named(call) if model.owners.get(each, account_id) != account_id
        }
        assert not foreign, (name, account_id, call)


async def _step(pilot: Pilot[None], any_of: Any, accounts: list[TradingAccount]) -> None:
    roll = any_of(range(10))
    if roll < 2 and not isinstance(pilot.app.screen, Question):
        await press(pilot, "escape", "1")
        pilot.app.post_message(events.Paste(any_of(accounts).id))
        await settle(pilot)
    elif roll in {2, 3}:
        await press(pilot, "escape", "escape", "1", any_of("bbs"), *any_of(_AMOUNTS), "enter")
    elif roll == 5:
        await press(pilot, "3", "X", "y")
    elif roll == 4:
        await press(pilot, any_of("dw"), *any_of(_AMOUNTS))
    else:
        await press(pilot, any_of(_KEYS))


def _check_frame(app: Console, model: Model, step: int) -> None:
    """Lists of all accounts name each record's owner; everything else is the customer's."""
    customer, shown = app.desk.customer.account_id, seen(app)
    if " ACCOUNTS " in shown or "all accounts" in shown.replace("(0 all accounts)", ""):
        asked = "\n".join(shown.splitlines()[-7:]) if isinstance(app.screen, Question) else ""
        shown = asked
    shown = "\n".join(row for row in shown.splitlines() if "Outcome unknown" not in row)
    assert not model.foreign(shown, customer), (step, customer, seen(app))

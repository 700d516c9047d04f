"""The desk on a spec-only deployment that mixes customers up, behind a real socket.

No quote and no trade says whose it is there, and the deployment executes any quote in any account:
whatever is refused is refused by the desk. The client refuses what isn't the answer to its call
(``REPLY_UNUSABLE``, ``OUTCOME_UNKNOWN``), and the console what belongs to another customer
(``REPLY_MISMATCH``, ``OUTCOME_MISMATCH``).
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from tests.deployments import SPEC_ONLY
from tests.spec_only.server import SpecOnlyApp
from tests.spec_only.specification import SpecifiedCall
from tests.spec_only.wrong_answers import CALLS
from tests.tui.conftest import Bench, answer, press, seen, settle
from textual import events
from textual.pilot import Pilot

from chainteller.service.errors import RecordOfAnotherAccount
from chainteller.service.layers import Next, layered
from chainteller.service.models.accounts import TradingAccount
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.quotes import ExecuteRequest
from chainteller.service.operations import Call
from chainteller.tui.console.app import Console
from chainteller.tui.dialogs.question import Question
from chainteller.tui.quote.screen import QuoteScreen
from chainteller.tui.widgets.detail import Detail

pytestmark = pytest.mark.parametrize("deployment", [SPEC_ONLY], indirect=True)
SIZE = (80, 24)
Change = Callable[[Any], object]
"""Makes another body of an answer's; bytes are sent as they are."""
QUOTE, EXECUTE = "POST /trading/markets/{}/quotes", "POST /trading/quotes/{}"
TRADES, TRADE = "GET /trading-accounts/{}/trades", "GET /trading-accounts/{}/trades/{}"


@dataclass
class Place:
    """A deployment and the console on it; ``calls`` are the writes that left the console."""

    bench: Bench
    server: SpecOnlyApp
    app: Console
    calls: list[Call[Any]] = field(default_factory=list)

    def writes(self, name: str) -> list[Call[Any]]:
        return [call for call in self.calls if call.operation.name == name]

    def spoil(self, changes: dict[str, Change]) -> None:
        """Change the answers of these calls, by their names in ``CALLS``."""
        by_call = {CALLS[name].path + CALLS[name].method: each for name, each in changes.items()}

        def distort(call: SpecifiedCall, _status: int, body: Any) -> bytes:
            change = by_call.get(call.path + call.method)
            told = change(body) if change is not None else body
            return told if isinstance(told, bytes) else json.dumps(told).encode()

        self.server.distort = distort


@pytest.fixture
def place(bench: Bench) -> Place:
    assert bench.place is not None
    calls: list[Call[Any]] = []

    def note(call: Call[Any], onward: Next) -> Any:
        if call.operation.writes:
            calls.append(call)
        return onward(call)

    bench.place.service._transport.deadline_s = 2
    return Place(bench, bench.place.app, bench.console(layered(bench.deployment, note)), calls)


async def _add(pilot: Pilot[None], *accounts: TradingAccount) -> None:
    await settle(pilot)
    for account in accounts:
        await press(pilot, "1", "plus", *account.id, "enter")
    app = cast("Console", pilot.app)
    assert app.desk.customer.account_id == accounts[-1].id


async def _serve(pilot: Pilot[None], account: TradingAccount) -> None:
    await press(pilot, "escape", "1")
    pilot.app.post_message(events.Paste(account.id))
    await settle(pilot)
    assert cast("Console", pilot.app).desk.customer.account_id == account.id


async def test_two_customers_with_live_quotes_each_execute_their_own(place: Place) -> None:
    bench, app = place.bench, place.app
    first, second = bench.open(1, deposit="500.00"), bench.open(2, deposit="500.00")
    quotes = {}
    async with app.run_test(size=SIZE) as pilot:
        await _add(pilot, first, second)
        for account, amount in ((first, "100"), (second, "70")):
            await _serve(pilot, account)
            await press(pilot, "b", *amount, "enter", "enter")  # and a new one with the same inputs
            assert isinstance(app.screen, QuoteScreen)
            quotes[account.id] = app.screen.object_id()
        await _serve(pilot, first)
        await press(pilot, "3")
        shown = seen(app)
        assert quotes[first.id] in shown
        assert quotes[second.id] not in shown
        await press(pilot, "X")
        assert quotes[first.id] in seen(app)
        assert first.id in seen(app)
        await answer(pilot, "y")
        sent = [(call.ids, call.request) for call in place.writes("execute_quote")]
        mine = ExecuteRequest(trading_account_id=first.id)
        assert sent == [((quotes[first.id],), mine)]
        await _serve(pilot, second)
        await press(pilot, "3")
        assert quotes[second.id] in seen(app)
        assert "X execute" in seen(app), "it came back with its customer"
        service = app.desk.service_for(second.id)
        with pytest.raises(RecordOfAnotherAccount, match=f"belongs to {first.id}"):
            service.execute_quote(quotes[first.id], ExecuteRequest(trading_account_id=second.id))
        with pytest.raises(RecordOfAnotherAccount, match=f"account {first.id} belongs"):
            service.execute_quote(quotes[second.id], mine)
        assert len(place.writes("execute_quote")) == 1
        listed = service.quotes(ListQuery(trading_account_id=second.id)).data
        made = {row.id for row in bench.service.quotes().data}
        assert len(made) == 2 * len(listed) == 4, "the deployment itself knows of no owners"
        mine_alone = {row.id for row in listed}
        assert quotes[second.id] in mine_alone, "the desk's own list knows whose they are"
        assert quotes[first.id] in made - mine_alone


async def test_a_quote_of_another_customer_that_is_pasted_turns_to_its_owner(place: Place) -> None:
    bench, app = place.bench, place.app
    first, second = bench.open(1, deposit="500.00"), bench.open(2, deposit="500.00")
    async with app.run_test(size=SIZE) as pilot:
        await _add(pilot, first, second)
        await _serve(pilot, first)
        await press(pilot, "b", *"100", "enter")
        quote_id = app.screen.object_id()  # type: ignore[attr-defined]  # Quote
        await _serve(pilot, second)
        app.post_message(events.Paste(quote_id))
        await settle(pilot)
        assert quote_id in seen(app)
        assert app.desk.customer.account_id == first.id


# -- answers that are not what was asked -----------------------------------------------------------


def _of_first(body: Any, **fields: object) -> Any:
    """An envelope whose first record has other fields."""
    return body | {"data": [_with(body["data"][0], **fields), *body["data"][1:]]}


def _with(record: Any, **fields: object) -> Any:
    return {name: value for name, value in (record | fields).items() if value is not None}


HTML, NOTHING = b"<html>busy</html>", b""
FORTY = "1" * 40

QUOTES = {
    "html": (lambda _: HTML, "OUTCOME_UNKNOWN"),
    "nothing": (lambda _: NOTHING, "OUTCOME_UNKNOWN"),
    "an empty list": (lambda body: body | {"data": []}, "REPLY_UNUSABLE"),
    "no price": (lambda body: _of_first(body, price=None), "OUTCOME_UNKNOWN"),
    "forty digits": (
        lambda body: _of_first(
            body, assetSold={"symbol": "USD", "network": "fiat", "amount": FORTY}
        ),
        "OUTCOME_UNKNOWN",
    ),
    "no number": (lambda body: _of_first(body, price="184,70"), "OUTCOME_UNKNOWN"),
    "another side": (lambda body: _of_first(body, side="sell"), "OUTCOME_UNKNOWN"),
    "another market": (lambda body: _of_first(body, marketName="btc-usd"), "OUTCOME_UNKNOWN"),
    "another amount": (
        lambda body: _of_first(
            body, assetSold={"symbol": "USD", "network": "fiat", "amount": "1000.00"}
        ),
        "REPLY_MISMATCH",
    ),
    "another account": (
        lambda body: _of_first(body, tradingAccountId="TDA_OTHER"),
        "OUTCOME_UNKNOWN",
    ),
}


@pytest.mark.forms(1)
@pytest.mark.parametrize("name", QUOTES)
async def test_an_answer_that_is_not_the_quote_asked_for_is_named_and_never_executed(
    place: Place, name: str
) -> None:
    account = place.bench.open(1, deposit="500.00")
    change, code = QUOTES[name]
    async with place.app.run_test(size=SIZE) as pilot:
        await _add(pilot, account)
        place.spoil({QUOTE: change})
        await press(pilot, "b", *"100", "enter")
        shown = seen(place.app)
        assert code in shown
        assert "X execute" not in shown
        assert "QUOTED" not in shown
        await press(pilot, "escape", "X")
        await answer(pilot, "y")
    assert place.writes("execute_quote") == []


EXECUTIONS = {
    "html": lambda _: HTML,
    "nothing": lambda _: NOTHING,
    "no status": lambda body: _with(body, status=None),
    "forty digits": lambda body: _with(body, amount=FORTY),
    "another account": lambda body: _with(body, tradingAccountId="TDA_OTHER"),
    "another quote": lambda body: _with(body, quoteId="QTE_OTHER"),
    "another market": lambda body: _with(body, market="btc-usd"),
    "another side": lambda body: _with(body, side="sell"),
    "another price": lambda body: _with(body, price="1.00"),
}


@pytest.mark.forms(1)
@pytest.mark.parametrize("name", EXECUTIONS)
async def test_an_answer_that_is_not_the_execution_leaves_its_outcome_unknown(
    place: Place, name: str
) -> None:
    account = place.bench.open(1, deposit="500.00")
    async with place.app.run_test(size=SIZE) as pilot:
        await _add(pilot, account)
        await press(pilot, "b", *"100", "enter")
        change = EXECUTIONS[name]
        place.spoil({EXECUTE: change, TRADE: change, TRADES: lambda body: body | {"data": []}})
        await press(pilot, "X")
        await answer(pilot, "y")
        assert "OUTCOME UNKNOWN" in seen(place.app)
        place.app.screen.look_for_trades()  # type: ignore[attr-defined]  # Quote
        await settle(pilot)
        shown = seen(place.app)
        assert "OUTCOME UNKNOWN" in shown, "what is found is not what was confirmed either"
        assert " EXECUTED" not in shown
        assert f"Outcome unknown: buy sol-usd for {account.id}" in shown
        await press(pilot, "X")
        await answer(pilot, "y")
    assert len(place.writes("execute_quote")) == 1, "it is not sent twice"


READS = {
    "html": (lambda _: HTML, "REPLY_UNUSABLE"),
    "nothing": (lambda _: NOTHING, "REPLY_UNUSABLE"),
    "no side": (lambda body: _of_first(body, side=None), "REPLY_UNUSABLE"),
    "forty digits": (lambda body: _of_first(body, price=FORTY), "REPLY_UNUSABLE"),
    "another account": (
        lambda body: _of_first(body, tradingAccountId="TDA_OTHER"),
        "REPLY_UNUSABLE",
    ),
}


@pytest.mark.forms(1)
@pytest.mark.parametrize("name", READS)
async def test_a_list_that_cannot_be_the_accounts_is_named_and_not_shown(
    place: Place, name: str
) -> None:
    account = place.bench.open(1, deposit="500.00")
    change, code = READS[name]
    async with place.app.run_test(size=SIZE) as pilot:
        await _add(pilot, account)
        await press(pilot, "b", *"100", "enter", "X")
        await answer(pilot, "y")
        assert place.bench.service.trades(account.id).pagination.total == 1
        await press(pilot, "3")
        place.spoil({TRADES: change})
        await press(pilot, "4")
        assert code in seen(place.app)


async def test_the_trades_of_another_customer_are_not_shown_as_this_ones(place: Place) -> None:
    first, second = place.bench.open(1, deposit="500.00"), place.bench.open(2, deposit="500.00")
    async with place.app.run_test(size=SIZE) as pilot:
        await _add(pilot, first, second)
        await _serve(pilot, first)
        await press(pilot, "b", *"100", "enter", "X")
        await answer(pilot, "y")
        mine: list[Any] = []

        def keep(body: Any) -> Any:
            mine.append(body)
            return body

        place.spoil({TRADES: keep})
        await press(pilot, "r")
        assert "tradingAccountId" not in mine[0]["data"][0], "only the desk can know whose it is"
        place.spoil({TRADES: lambda _: mine[0]})
        await _serve(pilot, second)
        await press(pilot, "4")
        shown = seen(place.app)
        assert "REPLY_MISMATCH" in shown
        assert "C cancel" not in shown
        assert any(f"of {first.id}, not" in told.text for told in place.app.desk.log)
        await press(pilot, "escape", "C")
        assert not isinstance(place.app.screen, Question)
    assert place.writes("cancel_trade") == []


async def test_of_a_status_that_is_not_known_nothing_is_claimed(place: Place) -> None:
    account = place.bench.open(1, deposit="500.00")
    async with place.app.run_test(size=(120, 40)) as pilot:
        await _add(pilot, account)
        await press(pilot, "b", *"100", "enter", "X")
        await answer(pilot, "y")
        place.spoil(
            {
                TRADE: lambda body: _with(body, status="parked"),
                TRADES: lambda body: _of_first(body, status="parked"),
            }
        )
        await press(pilot, "r")
        shown = seen(place.app)
        assert "[?] parked" in shown
        stands = " ".join(row.plain for row in place.app.screen.query_one(Detail).lines)
        assert "The console doesn't know this status." in " ".join(stands.split())
        assert "no longer be cancelled" not in shown
        assert "settled" not in shown
        await press(pilot, "C")
        assert "parked for" in seen(place.app)
        await answer(pilot, "n")
    assert place.writes("cancel_trade") == []

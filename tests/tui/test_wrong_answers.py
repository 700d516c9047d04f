"""The console on a deployment that answers wrongly: each fault is named, nothing untrue is shown.

The answers of one call are wrong; the agent does what sends that call and looks at the screen.
"""

from collections.abc import Awaitable, Callable, Mapping

import pytest
from tests.deployments import SPEC_ONLY
from tests.spec_only.wrong_answers import (
    CALLS,
    FORTY_DIGITS,
    PASSED_ON,
    SILENCE_S,
    SILENT,
    WRONG,
    wrong,
)
from tests.tui.conftest import Bench, answer, press, seen, settle
from tests.tui.wallet_case import BOB, Case, paste, signed
from textual.pilot import Pilot

from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.tui.console.app import Console

pytestmark = pytest.mark.parametrize("deployment", [SPEC_ONLY], indirect=True)
UNTRUE = ("SOMEBODY", FORTY_DIGITS, "999,999,999,999", "It works!", "TDA_OTHER", "CPT_OTHER")
NAMED = ("OUTCOME_UNKNOWN", "REPLY_UNUSABLE", "UNREACHABLE", "UNKNOWN")
LINKED = "GET /blockchain-accounts/{}/counterparties"
Act = Callable[[Pilot[None], Case], Awaitable[None]]


def _keys(*keys: str, yes: bool = False) -> Act:
    async def act(pilot: Pilot[None], _case: Case) -> None:
        await press(pilot, *keys)
        if yes:
            await answer(pilot, "y")

    return act


async def _open(pilot: Pilot[None], _case: Case) -> None:
    await press(pilot, "plus")
    await paste(pilot, "DDA-2 savings")
    await press(pilot, "enter")
    await answer(pilot, "y")


async def _register(pilot: Pilot[None], _case: Case) -> None:
    await press(pilot, "5", "plus")
    pilot.app.screen.field_submitted("address", BOB)  # type: ignore[attr-defined]  # Wallets
    await settle(pilot)


async def _issue(pilot: Pilot[None], case: Case) -> None:
    await _register(pilot, case)
    await press(pilot, "enter", "enter")


async def _sign(pilot: Pilot[None], case: Case) -> None:
    """The wallet with a challenge is the only one of the account."""
    await press(pilot, "5", "down", "enter")
    await paste(pilot, signed("alice-ethereum", case.newest()))
    await press(pilot, "enter")


ACTS: Mapping[str, Act] = {
    "POST /trading-accounts": _open,
    "POST /trading-accounts/{}/deposits": _keys("d", *"5", "enter"),
    "POST /trading-accounts/{}/withdrawals": _keys("w", *"5", "enter", yes=True),
    "GET /trading-accounts/{}/token-balances": _keys("r"),
    "GET /trading/markets": _keys("2", "r"),
    "POST /trading/markets/{}/quotes": _keys("b", *"10", "enter"),
    "POST /trading/quotes/{}": _keys("b", *"10", "enter", "X", yes=True),
    "GET /trading-accounts/{}/trades": _keys("4", "r"),
    "GET /trading-accounts/{}/trades/{}": _keys("4", "C", yes=True),
    "POST /trading-accounts/{}/trades/{}/cancellations": _keys("4", "C", yes=True),
    "POST /counterparties": _register,
    "POST /blockchain-accounts/{}/1P-counterparty-ownership-challenges": _issue,
    "POST /blockchain-accounts/{}/1P-counterparty-ownership-claims": _sign,
    "POST /blockchain-accounts/{}/counterparties": _sign,
    LINKED: _keys("5", "r"),
}


def _cases() -> list[object]:
    """All are slow but those of one fault for each call, in turn."""
    faults = [*WRONG]
    return [
        pytest.param(name, fault, marks=() if place == turn % len(faults) else pytest.mark.slow)
        for turn, name in enumerate(ACTS)
        for place, fault in enumerate(faults)
    ]


def _shown(app: Console) -> str:
    log = "\n".join(f"{told.text} {told.detail}" for told in app.desk.log)
    return f"{seen(app)}\n{log}\n{app.clipboard}"


@pytest.mark.forms(2)
@pytest.mark.parametrize(("name", "fault"), _cases())
async def test_a_wrong_answer_is_named_and_shows_nothing_untrue(
    bench: Bench, name: str, fault: str
) -> None:
    case = Case(bench, "alice-ethereum")
    if name == LINKED:
        case.link("alice-ethereum")
    account_id = case.account.trading_account_id
    asked = QuoteRequest(amount="1.00", side="buy")
    quote = bench.service.create_quote("sol-usd", asked).value
    bench.service.execute_quote(quote.id, ExecuteRequest(trading_account_id=account_id))
    assert bench.place is not None
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        if fault == SILENT:
            bench.place.service._transport.deadline_s = SILENCE_S
        bench.place.app.distort = wrong(fault, CALLS[name])
        await ACTS[name](pilot, case)
        shown = _shown(app)
        assert [each for each in UNTRUE if each in shown] == [] or name in PASSED_ON[fault]
        if name not in PASSED_ON.get(fault, ()):
            assert [each for each in NAMED if each in shown]
        bench.place.app.distort = None
    bank = bench.service
    assert bank.trades(account_id).pagination.total <= 2
    assert bank.deposits(account_id).pagination.total <= 2
    assert bank.withdrawals(account_id).pagination.total <= 1


def test_every_call_that_the_console_sends_is_tried(deployment: str) -> None:
    assert set(ACTS) == {name for name in CALLS if not name.startswith("DELETE")}

"""The last money action can be read again: for whom, how much, its record and its outcome."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.tui.conftest import Bench, bench, deployment, press, seen, settle
from tests.workspace.test_handover import Day
from tests.world.bank import build, sqlite_url

from chainteller.service.errors import InsufficientFunds, OutcomeUnknown
from chainteller.workspace.last_action import last_money_action

__all__ = ["bench", "deployment"]


@pytest.fixture
def day(tmp_path: Path) -> Iterator[Day]:
    world = build(sqlite_url(tmp_path))
    made = Day(world, tmp_path / "day.db")
    yield made
    made.workspace.close()
    world.engine.close()


def facts(day: Day) -> dict[str, str]:
    return dict(last_money_action(day.workspace, day.service))


def test_a_deposit_names_customer_account_amount_record_and_outcome(day: Day) -> None:
    account = day.service.trading_account(day.account)
    (deposit,) = day.service.deposits(day.account).data
    found = facts(day)
    assert found["action"] == "deposit"
    assert found.get("customer", "") == (account.customer_name or "")
    assert found["account"] == f"{account.id}, checking DDA-1"
    assert found["amount"] == "5,000.00 USD"
    assert found["record"] == deposit.id
    assert found["outcome"] == "completed"


def test_a_trade_has_both_legs_and_its_present_status(day: Day) -> None:
    day.world.advance(1)
    trade = day.buy()
    assert facts(day)["record"] == trade
    assert facts(day)["amount"].startswith("buy sol-usd, 50.00 USD for ")
    assert facts(day)["outcome"] == "processing"
    day.world.advance(10)
    day.world.advance(20)
    assert facts(day)["outcome"] == "settled"


def test_a_refused_deposit_keeps_its_amount_and_has_no_record(day: Day) -> None:
    day.world.advance(1)
    with pytest.raises(InsufficientFunds):
        day.deposit("99000000.00")
    found = facts(day)
    assert found["amount"] == "99,000,000.00 USD"
    assert found["outcome"] == "refused, INSUFFICIENT_FUNDS"
    assert "record" not in found


def test_an_unknown_outcome_names_its_key(day: Day) -> None:
    day.world.advance(1)
    day.deposit("10.00")
    request = day.workspace.sent_requests()[0]
    day.workspace.answered(request.key, request.state.UNKNOWN, OutcomeUnknown.code)
    assert facts(day)["outcome"] == f"unknown, idempotency key {request.key}"


async def test_the_console_shows_it_with_one_key(bench: Bench) -> None:
    account = bench.open(1)
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "L")
        assert "No deposit, withdrawal or trade has been sent" in seen(app)
        await press(pilot, "d", *"1,250.00", "enter", "L")
        shown = seen(app)
    (deposit,) = bench.service.deposits(account.id).data
    for part in ("LAST MONEY ACTION", account.id, "1,250.00 USD", deposit.id, "completed"):
        assert part in shown

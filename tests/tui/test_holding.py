"""A deposit waits before it leaves: ``esc`` takes it back, and what needs the money sends it."""

import re
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest
from tests.tui.conftest import Bench, seen, settle, until
from tests.world.waiting import PATIENCE_S
from textual.pilot import Pilot

from chainteller.service.errors import ServiceUnreachable
from chainteller.service.layers import Next, layered
from chainteller.service.models.accounts import TradingAccount
from chainteller.service.models.pages import ListQuery
from chainteller.service.operations import Call
from chainteller.tui.console.app import Console
from chainteller.tui.quote.screen import QuoteScreen
from chainteller.tui.start import StartedDesk

Answer = TypeVar("Answer")
LONG = 3_600.0
"""Seconds: longer than a test, so that only what it does ends the hold."""
WAITS = "leaves in"


def deposits(bench: Bench, account: TradingAccount) -> Sequence[str]:
    found = bench.service.deposits(account.id, ListQuery()).data
    return [str(each.amount) for each in found]


@asynccontextmanager
async def console(bench: Bench, hold_s: float = LONG) -> AsyncIterator[tuple[Console, Pilot[None]]]:
    app = bench.console(hold_s=hold_s)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        yield app, pilot


async def held(app: Console, pilot: Pilot[None], amount: str = "1000") -> None:
    await pilot.press("d", *amount, "enter")
    await until(lambda: WAITS in seen(app))


async def test_escape_within_the_time_sends_nothing_and_gives_the_amount_back(
    bench: Bench,
) -> None:
    account = bench.open(1)
    async with console(bench) as (app, pilot):
        await held(app, pilot)
        told = f"deposit of 1,000.00 USD for {account.customer_name} from {account.bank_account_id}"
        assert re.search(rf"{re.escape(told)} leaves in [\d,]+ s   esc takes it back", seen(app))
        await pilot.press("escape")
        await until(lambda: "nothing was sent" in seen(app))
        await settle(pilot)
        assert WAITS not in seen(app)
        assert f"nothing was sent, you took it back: {told}" in seen(app)
        assert app.screen.query_one("#field-bar").has_class("open")
        assert "= 1,000.00 USD" in seen(app)
        assert app.desk.session is not None
        assert not app.desk.session.workspace.in_doubt()
    assert not deposits(bench, account)


@pytest.mark.parametrize("keys", [("escape",), ("enter", "enter", "escape")])
async def test_keys_that_come_together_with_the_amount_are_no_others(
    bench: Bench, keys: tuple[str, ...]
) -> None:
    account = bench.open(1)
    async with console(bench) as (app, pilot):
        for key in ("d", "5", "0", "enter", *keys):
            app.simulate_key(key)
        await until(lambda: "nothing was sent" in seen(app))
        await settle(pilot)
    assert not deposits(bench, account)


async def test_after_the_time_it_leaves_by_itself_once(bench: Bench) -> None:
    account = bench.open(1)
    async with console(bench, hold_s=0.2) as (app, pilot):
        await pilot.press("d", *"1000", "enter", "enter")
        await until(lambda: "deposit 1,000.00" in app.desk.log[-1].text if app.desk.log else False)
        await settle(pilot)
        assert WAITS not in seen(app)
    assert deposits(bench, account) == ["1000.00"]


async def test_the_next_command_that_needs_the_money_sends_it_at_once(bench: Bench) -> None:
    account = bench.open(1)
    async with console(bench) as (app, pilot):
        for key in ("d", *"1000", "enter", "b"):
            app.simulate_key(key)
        await until(lambda: isinstance(app.screen, QuoteScreen))
        await until(lambda: len(deposits(bench, account)) == 1)
        await settle(pilot)
        assert WAITS not in seen(app)
        assert "1,000.00" in seen(app)
    assert deposits(bench, account) == ["1000.00"]


async def test_a_withdrawal_sends_it_and_a_second_deposit_waits_for_it(bench: Bench) -> None:
    account = bench.open(1)
    async with console(bench) as (app, pilot):
        await held(app, pilot)
        await pilot.press("d")
        assert not app.screen.query_one("#field-bar").has_class("open")
        assert seen(app).count(WAITS) == 1, "one counter, which runs"
        await pilot.press("w")
        await until(lambda: len(deposits(bench, account)) == 1)
        await settle(pilot)
        assert app.screen.query_one("#field-bar").has_class("open")


async def test_another_customer_ends_it_unsent_and_its_amount_waits_for_the_first(
    bench: Bench,
) -> None:
    accounts = [bench.open(1), bench.open(2)]
    async with console(bench) as (app, pilot):
        first = app.desk.customer.account
        assert first is not None
        await held(app, pilot)
        await pilot.press("down")
        await until(lambda: "nothing was sent" in seen(app))
        await settle(pilot)
        assert app.desk.customer.account_id != first.id
        said = (
            f"{first.id}: nothing was sent, another customer was selected: deposit of 1,000.00 USD"
        )
        assert said in seen(app)
        await pilot.press("up")
        await settle(pilot)
        assert "= 1,000.00 USD" in seen(app)
    assert not any(deposits(bench, account) for account in accounts)


async def test_ctrl_q_ends_it_unsent_and_the_second_one_quits(bench: Bench) -> None:
    account = bench.open(1)
    async with console(bench) as (app, pilot):
        await held(app, pilot)
        await pilot.press("ctrl+q")
        await until(lambda: "nothing was sent, ctrl+q was pressed; once more quits" in seen(app))
        assert app.return_code is None
        await pilot.press("ctrl+q")
        assert app.return_code == 0
    assert not deposits(bench, account)


async def test_a_lost_connection_ends_it_unsent(bench: Bench) -> None:
    account = bench.open(1)
    async with console(bench) as (app, pilot):
        await held(app, pilot)
        app.desk.unheard(2, ServiceUnreachable("No answer."))
        await until(lambda: "nothing was sent, the connection is lost" in seen(app))
        await settle(pilot)
    assert not deposits(bench, account)


async def test_what_is_known_to_be_refused_is_refused_at_once(bench: Bench) -> None:
    account = bench.open(1)
    is_frozen = False

    def freezing(call: Call[Answer], onward: Next) -> Answer:
        found: Any = onward(call)
        if is_frozen and isinstance(found, TradingAccount):
            found = found.model_copy(update={"controls": ("FROZEN",)})
        return found  # type: ignore[no-any-return]  # as it came, or of the same model

    app = bench.console(layered(bench.service, freezing), hold_s=LONG)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("d", *"1000")
        is_frozen = True
        app.desk.on_change.publish(("account.control",))
        await settle(pilot)
        await pilot.press("enter")
        await until(lambda: "ACCOUNT_RESTRICTED  Deposit of 1,000.00 USD: " in seen(app))
        await settle(pilot)
        assert WAITS not in seen(app)
    assert not deposits(bench, account)


async def test_it_waits_for_nothing_else_of_the_service(bench: Bench, tmp_path: Path) -> None:
    account = bench.open(1)
    silent, goes_on = threading.Event(), threading.Event()

    def stalls(call: Call[Answer], onward: Next) -> Answer:
        if silent.is_set() and not call.operation.writes:
            assert goes_on.wait(PATIENCE_S)
        return onward(call)

    service = layered(bench.service, stalls)

    def start() -> StartedDesk:
        return bench.start(service, workspace_file=tmp_path / "workspace.db")

    app = Console(start, bench.settings._replace(hold_s=0.2))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        silent.set()
        for _ in range(5):
            await pilot.press("r")
        await pilot.press("d", *"1000", "enter")
        await until(lambda: deposits(bench, account) == ["1000.00"])
        goes_on.set()
        await settle(pilot)


async def test_above_the_limit_it_is_asked_for_and_not_held(bench: Bench) -> None:
    account = bench.open(1)
    async with console(bench) as (app, pilot):
        await pilot.press("d", *"20000", "enter")
        await until(lambda: "DEPOSIT 20,000.00 USD" in seen(app))
        assert WAITS not in seen(app)
    assert not deposits(bench, account)

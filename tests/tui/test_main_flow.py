"""Nothing but a clear yes moves money, however fast the keys come."""

import threading
import time
from typing import Any, TypeVar, cast

import pytest
from tests.tui.conftest import Bench, answer, press, seen, settle, until
from tests.world.waiting import PATIENCE_S
from textual import events
from textual.pilot import Pilot

from chainteller.service import operations as op
from chainteller.service.layers import Next, layered
from chainteller.service.operations import Call
from chainteller.tui.console.app import Console
from chainteller.tui.dialogs.question import Question
from chainteller.tui.messages import FieldSubmitted

Answer = TypeVar("Answer")


async def test_the_same_keys_without_a_pause_stop_at_the_question(bench: Bench) -> None:
    account = bench.open(1)
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for key in ("d", "1", "0", "0", "0", "enter", "b", "enter", "X", "y"):
            app.simulate_key(key)
        await until(lambda: isinstance(app.screen, Question))
        await settle(pilot)
        assert isinstance(app.screen, Question)
    assert bench.service.trades(account.id).data == ()
    assert bench.service.trading_account(account.id).buying_power == "1000.00"


async def test_enter_typed_before_the_amount_came_asks_for_all_of_it(bench: Bench) -> None:
    """Handled after the field was filled, it mustn't be refused as an empty amount."""
    account = bench.open(1, deposit="1000.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "b")
        app.screen.post_message(FieldSubmitted("amount", ""))
        await settle(pilot)
        await press(pilot, "X")
        await answer(pilot, "y")
    assert bench.service.trading_account(account.id).buying_power == "0.00"


@pytest.mark.forms(1)
@pytest.mark.parametrize("key", ["enter", "space", "n", "escape", "Y"])
async def test_no_other_key_than_y_executes(bench: Bench, key: str) -> None:
    account = bench.open(1, deposit="100.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "b")
        await press(pilot, "enter")
        await press(pilot, "X")
        await answer(pilot, key)
    assert bench.service.trades(account.id).data == ()


async def test_a_question_is_deaf_right_after_it_opens(bench: Bench) -> None:
    account = bench.open(1, deposit="100.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "b")
        await press(pilot, "enter")
        app.typed_ahead.deafen(60)
        await pilot.press("X")
        app.typed_ahead.deafen(0)
        await settle(pilot)
        assert not isinstance(app.screen, Question)
        app.simulate_key("X")
        app.simulate_key("y")
        await settle(pilot)
        assert isinstance(app.screen, Question)
    assert bench.service.trades(account.id).data == ()


async def test_a_key_typed_before_the_question_came_is_no_answer(bench: Bench) -> None:
    """However late it is handled: a busy machine must not turn it into a yes."""
    account = bench.open(1, deposit="100.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "b", "enter")
        late = events.Key("y", "y")
        await press(pilot, "X")
        assert isinstance(app.screen, Question)
        app.post_message(late)
        await settle(pilot)
        assert isinstance(app.screen, Question)
    assert bench.service.trades(account.id).data == ()


async def test_amounts_above_the_desks_limit_must_be_typed_again(bench: Bench) -> None:
    account = bench.open(1, deposit="20000.00")
    app = bench.console()
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "w", *"15000", "enter")
        await answer(pilot, "y")
        assert isinstance(app.screen, Question)
        await press(pilot, *"15000")
        await answer(pilot, "y")
    (withdrawal,) = bench.service.withdrawals(account.id).data
    assert withdrawal.amount == "15000.00"


async def test_the_end_is_asked_for_only_while_an_execution_is_on_its_way(bench: Bench) -> None:
    account = bench.open(1, deposit="100.00")
    answered = threading.Event()

    def slow(call: Call[Answer], onward: Next) -> Answer:
        if call.operation is op.EXECUTE_QUOTE:
            answered.wait(PATIENCE_S)
        return onward(call)

    app = bench.console(layered(bench.deployment, slow))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "b")
        await press(pilot, "enter", "X")
        await settle(pilot)
        await pilot.press("y")
        for key in ("n", "y"):
            await until(lambda: not app.typed_ahead.ignores("y"))
            await pilot.press("ctrl+q", "ctrl+q")
            await until(lambda: isinstance(app.screen, Question))
            assert "QUIT while an execution is in progress?" in seen(app)
            assert app._exit is False
            await _answer_until_heard(pilot, key)
        await until(lambda: app._exit)
        answered.set()
    assert len(bench.service.trades(account.id).data) <= 1


async def _answer_until_heard(pilot: Pilot[Any], key: str) -> None:
    """Two quick presses open the question twice: an answer to the first may be dropped."""
    app, deadline = cast("Console", pilot.app), time.monotonic() + PATIENCE_S
    while isinstance(app.screen, Question) and not app._exit:
        assert time.monotonic() < deadline
        if not app.typed_ahead.ignores(key):
            await pilot.press(key)
        await pilot.pause(0.02)


async def test_the_end_is_not_asked_for_while_a_question_waits(bench: Bench) -> None:
    bench.open(1, deposit="100.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "b")
        await press(pilot, "enter", "X")
        await settle(pilot)
        await pilot.press("ctrl+q")
        await until(lambda: app._exit)

"""A quote's life on the screen: it runs out, it is renewed, and an unanswered one is looked for."""

import re
import threading
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar, cast

import pytest
from tests.tui.conftest import Bench, answer, make_bench, press, seen, settle, until
from tests.tui.unsteady_service import Unsteady
from tests.world.waiting import PATIENCE_S
from textual import events

from chainteller.domain.actors import Actor
from chainteller.domain.options import EngineOptions
from chainteller.engine.engine import Engine
from chainteller.records.formats import grouped
from chainteller.service import operations as op
from chainteller.service.errors import InsufficientFunds
from chainteller.service.layers import Next, layered
from chainteller.service.models.pages import Page
from chainteller.service.models.quotes import ExecuteRequest, Quote, QuoteRequest
from chainteller.service.operations import Call, Operation
from chainteller.tui.commands import SCREENS
from chainteller.tui.console.start_up import begin_session
from chainteller.tui.quote.screen import QuoteScreen
from chainteller.tui.start import StartedDesk
from chainteller.tui.trades.screen import TradesScreen
from chainteller.tui.widgets.lines import Lines

Answer = TypeVar("Answer")


async def test_a_quote_says_when_it_runs_out_and_is_not_executed_after_that(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b")
        await press(pilot, "enter")
        assert isinstance(app.screen, QuoteScreen)
        bench.world.advance(275)
        app.screen._tick()
        await pilot.pause()
        assert "EXPIRING" in seen(app)
        bench.world.advance(60)
        app.screen._tick()
        await pilot.pause()
        assert "EXPIRED" in seen(app)
        await press(pilot, "X")
        assert "no live quote" in seen(app)


@pytest.mark.needs("quotes")
async def test_an_earlier_quote_that_was_executed_elsewhere_isnt_called_live(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    asked = QuoteRequest(amount="50.00", side="buy", trading_account_id=account.id)
    quote = bench.service.create_quote("sol-usd", asked).value
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "3")
        assert "buy sol-usd 50.00 live" in " ".join(seen(app).split())
        bench.service.execute_quote(quote.id, ExecuteRequest(trading_account_id=account.id))
        app.desk.on_change.publish(())
        await settle(pilot)
        assert "buy sol-usd 50.00 executed" in " ".join(seen(app).split())


@pytest.mark.forms(2)
@pytest.mark.parametrize("typed", ["75", "10", "30.50", "8", "9.5"])
@pytest.mark.parametrize("runs_out", [False, True], ids=["live", "expired"])
async def test_a_digit_begins_a_new_amount_while_a_quote_stands(
    bench: Bench, typed: str, *, runs_out: bool
) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b", *"200", "enter")
        assert isinstance(app.screen, QuoteScreen)
        assert "0-9 new  esc done" in seen(app)
        for lines in app.screen.query("#form Lines").results(Lines):
            assert all(lines.render_line(y).text.endswith(" ") for y in range(lines.size.height))
        if runs_out:
            bench.world.advance(400)
            app.screen._tick()
        await press(pilot, *typed)
        assert isinstance(app.screen, QuoteScreen)
        assert app.screen.field_bar.value == typed
        await press(pilot, "enter")
        quote = app.screen.state.quote
        assert quote is not None
        assert Decimal(quote.asset_sold.amount) == Decimal(typed)


async def test_an_amount_keeps_its_asset_beside_the_keys(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b", *"200", "enter")
        assert isinstance(app.screen, QuoteScreen)
        state = app.screen.state
        assert state.account_id == account.id
        for side, market, amount in (
            ("sell", "eth-usd", "0.020047180778017849"),
            ("buy", "sol-usd", "12345678.12"),
        ):
            state.side, state.market, state.amount = side, market, amount
            app.screen.draw()
            await settle(pilot)
            (row,) = [each for each in seen(app).splitlines() if grouped(amount) in each][:1]
            assert f"{grouped(amount)} {state.sold_unit} " in row
            assert "esc done" in row


async def test_what_to_say_of_a_quote_stands_above_its_terms(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b", *"200", "enter")
        shown = seen(app)
        assert (
            shown.index("QUOTED") < shown.index("SAY  You pay 200.00 USD") < shown.index("BUY sol")
        )
        await press(pilot, "X")
        await answer(pilot, "y")
        await press(pilot, "3")
        assert seen(app).lower().count("executed") == 1, "told once"


async def test_after_esc_a_digit_opens_its_screen_and_one_without_a_screen_an_amount(
    bench: Bench,
) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b", *"200", "enter", "escape", "9")
        assert isinstance(app.screen, QuoteScreen)
        assert app.screen.field_bar.value == "9"
        await press(pilot, "escape", "escape", "1")
        assert not isinstance(app.screen, QuoteScreen)
        await press(pilot, "3", "4")
        assert isinstance(app.screen, TradesScreen)


async def test_an_empty_amount_says_that_digits_switch_screens(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "3")
        assert f"enter: type the amount   1-{len(SCREENS)}: screens" in seen(app)


async def test_after_the_execution_a_digit_opens_its_screen(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b", *"200", "enter", "X")
        await answer(pilot, "y")
        assert isinstance(app.screen, TradesScreen)
        await press(pilot, "3", "4")
        assert isinstance(app.screen, TradesScreen)


async def test_a_sale_above_a_limit_of_what_is_not_held_says_that_it_is_not(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "s", *"999999", "enter")
        assert "INSUFFICIENT_FUNDS" in seen(app)
        assert "LIMIT_EXCEEDED" not in seen(app)


async def test_a_limit_that_never_resets_says_nothing_of_when(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b", *"999999", "enter")
        assert "LIMIT_EXCEEDED" in seen(app)
        assert "None" not in seen(app)
        assert isinstance(app.screen, QuoteScreen)
        assert app.screen.field_bar.value == "999999"
        await press(pilot, *"100", "enter")
        assert "QUOTED" in seen(app)


async def test_the_chart_gives_way_to_the_words_of_a_quote(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "b", *"100", "enter")
        last = app.screen.query_one("#quote", Lines).lines[-1].plain.strip()
        assert last in seen(app)
        assert "last hour" not in seen(app)
        await pilot.resize_terminal(120, 44)
        await settle(pilot)
        assert last in seen(app)
        assert "last hour" in seen(app)
        assert "X execute   enter new" in seen(app)
        await press(pilot, "7")
        assert "X execute   enter new" not in seen(app)  # both keys are the field's
        await press(pilot, "escape")
        assert "X execute   enter new" in seen(app)


async def test_an_amount_typed_before_the_markets_came_is_quoted_when_they_do(
    bench: Bench,
) -> None:
    account = bench.open(1, deposit="500.00")
    came = threading.Event()

    def slow(call: Call[Answer], onward: Next) -> Answer:
        if call.operation is op.MARKETS:
            assert came.wait(PATIENCE_S)
        return onward(call)

    app = bench.console(layered(bench.deployment, slow))
    async with app.run_test(size=(120, 40)) as pilot:
        await until(lambda: app.desk.customer.account_id == account.id)
        await pilot.press("b", *"25", "enter")
        await until(lambda: isinstance(app.screen, QuoteScreen))
        assert "QUOTED" not in seen(app)
        came.set()
        await settle(pilot)
        shown = seen(app)
        assert "QUOTED, NOT EXECUTED" in shown
        assert "25.00 USD" in shown


async def test_an_unanswered_execution_is_locked_and_looked_for(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    lost = Unsteady(bench.deployment, loses_answers=True, arrives=True)
    app = bench.console(lost)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b")
        await press(pilot, "enter")
        await press(pilot, "X")
        await answer(pilot, "y")
        assert "UNKNOWN" in seen(app)
        await press(pilot, "X")
        assert "locked: the outcome of the last execution isn't known yet" in seen(app)
        await press(pilot, "enter")
        assert len(set(lost.keys)) == 1, "only the same request is sent again"
        assert isinstance(app.screen, QuoteScreen)
        quote_id = app.screen.object_id()
        lost.loses_answers = False
        app.screen.look_for_trades()
        await settle(pilot)
        assert isinstance(app.screen, TradesScreen)
        app.post_message(events.Paste(quote_id))
        await settle(pilot)
        assert quote_id in seen(app)
        assert "NOT EXECUTED" not in seen(app)
        assert "X execute" not in seen(app)
    assert len(bench.service.trades(account.id).data) == 1


@pytest.mark.forms(1)
@pytest.mark.needs("idempotency")
@pytest.mark.parametrize("arrives", [False, True])
async def test_a_lost_execution_is_settled_as_soon_as_the_service_answers(
    bench: Bench, arrives: bool
) -> None:
    """The same key again: ``X`` waits for the answer, not for the quote to expire."""
    account = bench.open(1, deposit="500.00")
    lost = Unsteady(bench.deployment, loses_answers=True, arrives=arrives)
    app = bench.console(lost)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b", "enter")
        await press(pilot, "X")
        await answer(pilot, "y")
        assert isinstance(app.screen, QuoteScreen)
        shown = seen(app)
        said = re.findall("(?i)outcome.unknown|no answer|may or may not", shown)
        assert said == ["Outcome unknown", "OUTCOME UNKNOWN"], "in a sentence once, and as state"
        assert "Don't execute it again. The console is looking for the trade:" in shown
        assert "the same request, with the same key, can't execute it twice." in shown
        app.screen.look_for_trades()
        await settle(pilot)
        assert "OUTCOME UNKNOWN" in seen(app)
        lost.loses_answers = False
        assert isinstance(app.screen, QuoteScreen)
        app.screen.look_for_trades()
        await settle(pilot)
        assert isinstance(app.screen, TradesScreen)
        assert len(set(lost.keys)) == 1
    assert len(bench.service.trades(account.id).data) == 1


@pytest.mark.needs("idempotency")
async def test_an_execution_settled_from_the_list_of_lost_requests_is_not_sent_again(
    bench: Bench,
) -> None:
    account, other = bench.open(1, deposit="500.00"), bench.open(2)
    lost = Unsteady(bench.deployment, loses_answers=True, arrives=True)
    app = bench.console(lost)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        app.desk.customer.serve(account)
        await press(pilot, "b", "enter")
        await press(pilot, "X")
        await answer(pilot, "y")
        assert "Outcome unknown: buy" in seen(app)
        app.desk.customer.serve(other)
        await press(pilot, "1")
        lost.loses_answers = False
        await press(pilot, "U", "enter")
        await answer(pilot, "y")
        assert "ANSWERED" in seen(app)
        assert "Outcome unknown" not in seen(app)
        sent = len(lost.keys)
        await press(pilot, "escape", "3")
        assert "QUOTED, NOT EXECUTED" not in seen(app)
        assert "UNKNOWN" not in seen(app)
        assert len(lost.keys) == sent
    assert len(bench.service.trades(account.id).data) == 1


@pytest.mark.needs("idempotency")
async def test_a_lost_execution_whose_quote_expired_unused_is_not_executed(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    lost = Unsteady(bench.deployment, loses_answers=True)
    app = bench.console(lost)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b", "enter")
        await press(pilot, "X")
        await answer(pilot, "y")
        bench.world.advance(301)
        lost.loses_answers = False
        assert isinstance(app.screen, QuoteScreen)
        app.screen.look_for_trades()
        await settle(pilot)
        assert "it was not executed: QUOTE_EXPIRED" in seen(app)
    assert bench.service.trades(account.id).data == ()


async def test_market_and_side_change_from_inside_the_amount_field(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b")
        assert "[buy]" in seen(app)
        assert "[sol-usd]" in seen(app)
        await press(pilot, "right")
        assert "[btc-usd]" in seen(app)
        await press(pilot, "tab")
        assert "[sell]" in seen(app)
        await press(pilot, "escape", "3")
        assert app.current_mode == "quote"


async def test_an_amount_is_dropped_when_another_asset_is_sold(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b", *"123", "enter")
        assert isinstance(app.screen, QuoteScreen)
        screen = app.screen
        assert screen.state.amount == "123.00"
        await press(pilot, "right")
        assert screen.state.amount == "123.00", "dollars stay dollars in another market"
        await press(pilot, "tab")
        assert screen.state.amount == ""
        assert "123.00 BTC" not in seen(app)


@pytest.mark.needs("market-status")
async def test_a_watched_market_rings_when_it_reopens(tmp_path: Path, deployment: str) -> None:
    closed = EngineOptions(rate_limits=False, maintenance=("sol-usd",))
    for bench in make_bench(tmp_path, closed, deployment):
        bench.open(1, deposit="500.00")
        app = bench.console()
        async with app.run_test(size=(120, 40)) as pilot:
            await settle(pilot)
            await press(pilot, "b")
            await press(pilot, "enter")
            assert "MARKET_UNAVAILABLE" in seen(app)
            await press(pilot, "t")
            assert "Trading in this asset is paused" in seen(app)
            await press(pilot, "escape", "m", "r")
            assert app.desk.watched == {"sol-usd"}
            reopened = replace(bench.world.context, options=EngineOptions(rate_limits=False))
            begin_session(app.desk, StartedDesk(Engine(reopened, Actor(name="op01"))))
            await press(pilot, "r")
            assert "sol-usd is open" in seen(app)
            assert app.desk.watched == set()


@pytest.mark.needs("market-status")
async def test_no_customer_is_told_an_end_that_nobody_knows(
    tmp_path: Path, deployment: str
) -> None:
    for bench in make_bench(tmp_path, EngineOptions(maintenance=("sol-usd",)), deployment):
        app = bench.console()
        async with app.run_test(size=(80, 24)) as pilot:
            await settle(pilot)
            await press(pilot, "2")
            assert "sol-usd MAINTENANCE   m notify me when it opens" in seen(app)
            await press(pilot, "t")
            assert "Trading in SOL is paused" in seen(app)
            assert "We expect" not in seen(app)


async def test_an_open_market_is_not_waited_for(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "3", "m")
        assert "sol-usd is open" in seen(app)
        assert app.desk.alerts == 0


class Closing:
    """A deployment whose markets close, at another price, without any event."""

    def __init__(self) -> None:
        self.is_closed = False

    def __call__(self, call: Call[Answer], onward: Next) -> Answer:
        answer = onward(call)
        if not (self.is_closed and call.operation is op.MARKETS and isinstance(answer, Page)):
            return answer
        shut = {"status": "maintenance", "current_price": "123.45"}
        rows = tuple(row.model_copy(update=shut) for row in answer.data)
        return answer.model_copy(update={"data": rows})


@pytest.mark.needs("market-status")
async def test_price_and_state_of_the_market_stay_live_beside_a_quote(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    place = Closing()
    app = bench.console(layered(bench.deployment, place))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "b", "enter")
        assert "[ok] market" in seen(app)
        place.is_closed = True
        app.desk.on_poll.publish(None)
        await settle(pilot)
        assert "[x] market closed" in seen(app)
        assert "market now 123.45" in seen(app)
        await press(pilot, "X")
        place.is_closed = False
        app.desk.on_poll.publish(None)
        await settle(pilot)
        await answer(pilot, "n")
        assert "[ok] market" in seen(app)


async def test_coins_that_are_missing_are_not_offered_as_dollars(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "s", *"0.917", "enter")
        assert "short 0.917 SOL" in seen(app)
        assert "X execute" not in seen(app)
        await press(pilot, "X")
        assert "0.917 SOL short   backspace: change the amount" in seen(app)
        assert "DEPOSIT" not in seen(app)
        await answer(pilot, "y")
        assert isinstance(app.screen, QuoteScreen)
        app.screen.fail(InsufficientFunds("0.00", "0.917", "SOL"), "execution")
        await settle(pilot)
        assert "Not enough SOL: 0.00 SOL free, 0.917 wanted." in seen(app)
        assert "s: enter a smaller amount" in seen(app)
    assert [row.amount for row in bench.service.token_balances(account.id).data] == ["500.00"]


class _Altering:
    """A layer that changes the answers of one write, once they have come."""

    def __init__(self, operation: Operation[Any], change: Callable[[Any], Any]) -> None:
        self.operation, self.change = operation, change

    def __call__(self, call: Call[Answer], onward: Next) -> Answer:
        answer: Any = onward(call)
        if call.operation is self.operation:
            answer = replace(answer, value=self.change(answer.value))
        return cast("Answer", answer)


def _for_ten_times_as_much(quote: Quote) -> Quote:
    sold = quote.asset_sold.model_copy(update={"amount": "1000.00"})
    return quote.model_copy(update={"asset_sold": sold})


async def test_a_quote_for_another_amount_than_was_asked_is_refused(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    altering = _Altering(op.CREATE_QUOTE, _for_ten_times_as_much)
    app = bench.console(layered(bench.deployment, altering))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "b", "ctrl+u", *"100", "enter")
        assert "REPLY_MISMATCH" in seen(app)
        assert "X execute" not in seen(app)


async def test_a_trade_at_another_price_than_its_quote_is_no_outcome(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    altering = _Altering(
        op.EXECUTE_QUOTE, lambda trade: trade.model_copy(update={"price": "999.99"})
    )
    app = bench.console(layered(bench.deployment, altering))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b", "ctrl+u", *"100", "enter", "X")
        await answer(pilot, "y")
        assert isinstance(app.screen, QuoteScreen), "it isn't followed as if it were the trade"
        assert "OUTCOME UNKNOWN" in seen(app)


@pytest.mark.forms(1)
@pytest.mark.parametrize(("key", "amount", "unit"), [("b", "100.00", "USD"), ("s", "0.917", "SOL")])
async def test_the_panel_shows_what_the_customer_gives_and_gets(
    bench: Bench, key: str, amount: str, unit: str
) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, key, "ctrl+u", *amount, "enter")
        assert isinstance(app.screen, QuoteScreen)
        quote = app.screen.state.quote
        assert quote is not None
        gets = f"{quote.asset_bought.amount} {quote.asset_bought.symbol}"
        shown = " ".join(seen(app).split())
        assert f"pays {amount} {unit} " in shown
        assert f"receives {gets} " in shown


@pytest.mark.forms(1)
async def test_a_quote_at_the_price_of_the_one_before_says_nothing_of_it(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b", *"200", "enter", "enter")
        assert isinstance(app.screen, QuoteScreen)
        previous, shown = app.screen.state.previous, app.screen.state.quote
        assert previous is not None
        assert shown is not None
        assert (previous.price, previous.id != shown.id) == (shown.price, True)
        assert "+0.00%" not in seen(app)

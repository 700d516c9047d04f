"""Whatever is on a screen, said, copied or sent belongs to the customer being served."""

import threading
from typing import TypeVar, cast

import pytest
from tests.tui.bare_service import only_specified
from tests.tui.conftest import Bench, answer, press, seen, settle
from tests.tui.unsteady_service import Unsteady
from textual import events
from textual.pilot import Pilot

from chainteller.service import operations as op
from chainteller.service.errors import QuoteAccountMismatch
from chainteller.service.interface import Service
from chainteller.service.layers import layered
from chainteller.service.models.accounts import TradingAccount
from chainteller.service.models.quotes import QuoteRequest
from chainteller.service.models.records import Capabilities
from chainteller.service.operations import Call
from chainteller.tui.accounts.screen import AccountsScreen
from chainteller.tui.console.app import Console
from chainteller.tui.quote.flow import QuoteNotShown, execution_request
from chainteller.tui.quote.screen import QuoteScreen
from chainteller.tui.quote.state import QuoteState
from chainteller.tui.start import StartedDesk

Answer = TypeVar("Answer")
SIZES = [(80, 24), (120, 40)]


def _console(bench: Bench, *, bare: bool) -> Console:
    if not bare:
        return bench.console()
    service = layered(bench.service, only_specified)
    return Console(lambda: StartedDesk(service, "strict", Capabilities()), bench.settings)


async def _serve(pilot: Pilot[None], account: TradingAccount) -> None:
    """Paste the customer's account on Accounts."""
    await press(pilot, "1")
    pilot.app.post_message(events.Paste(account.id))
    await settle(pilot)
    assert cast("Console", pilot.app).desk.customer.account_id == account.id


async def _quoted(pilot: Pilot[None], account: TradingAccount) -> str:
    """Get a quote for 100 dollars; its id."""
    await _serve(pilot, account)
    await press(pilot, "b", *"100", "enter")
    screen = pilot.app.screen
    assert isinstance(screen, QuoteScreen)
    assert screen.state.quote is not None
    return screen.state.quote.id


def _traded(bench: Bench, *accounts: TradingAccount) -> list[int]:
    return [bench.service.trades(account.id).pagination.total for account in accounts]


@pytest.mark.parametrize("bare", [False, True])
@pytest.mark.parametrize("size", SIZES)
async def test_a_quote_is_put_away_and_comes_back_with_its_customer(
    bench: Bench, size: tuple[int, int], bare: bool
) -> None:
    first, second = bench.open(1, deposit="500.00"), bench.open(2, deposit="500.00")
    app = _console(bench, bare=bare)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        quote_id = await _quoted(pilot, first)
        await _serve(pilot, second)
        await press(pilot, "3")
        shown = seen(app)
        assert f"QUOTE  {second.id}" in shown
        assert "No quote yet." in shown
        assert "X execute" not in shown
        assert quote_id not in shown
        assert app.screen.customer_text() == app.screen.main_text() == ""  # type: ignore[attr-defined]
        await press(pilot, "t")
        assert "100.00" not in seen(app)
        await press(pilot, "X")
        assert "no live quote" in seen(app)
        await answer(pilot, "y")
        assert _traded(bench, first, second) == [0, 0]
        await _serve(pilot, first)
        await press(pilot, "3")
        shown = seen(app)
        assert f"QUOTE  {first.id}" in shown
        assert quote_id in shown
        assert "X execute" in shown
        await press(pilot, "X")
        assert f"account {first.id}" in seen(app)
        await answer(pilot, "y")
    assert _traded(bench, first, second) == [1, 0]


@pytest.mark.parametrize("bare", [False, True])
@pytest.mark.parametrize("size", SIZES)
async def test_a_quote_is_put_away_and_comes_back_with_its_market(
    bench: Bench, size: tuple[int, int], bare: bool
) -> None:
    account = bench.open(1, deposit="500.00")
    app = _console(bench, bare=bare)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        quote_id = await _quoted(pilot, account)
        assert "per SOL" in seen(app)
        for turned in ("right", "tab"):
            await press(pilot, turned)
            shown = seen(app)
            assert "all-in price" not in shown
            assert quote_id not in shown
            assert "X execute" not in shown
            assert "Put away: buy sol-usd 100.00 USD, live 5:00." in shown
            await press(pilot, "X")
            assert "no live quote" in seen(app)
            await answer(pilot, "y")
            assert _traded(bench, account) == [0]
            await press(pilot, {"right": "left", "tab": "tab"}[turned])
            assert "per SOL" in seen(app)
            assert quote_id in seen(app)
        await press(pilot, "X")
        await answer(pilot, "y")
    assert _traded(bench, account) == [1]


@pytest.mark.parametrize("size", SIZES)
async def test_an_unknown_outcome_is_looked_for_under_its_owner(
    bench: Bench, size: tuple[int, int]
) -> None:
    first, second = bench.open(1, deposit="500.00"), bench.open(2, deposit="500.00")
    app = bench.console(Unsteady(bench.service, loses_answers=True, arrives=True))
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await _quoted(pilot, first)
        await press(pilot, "X")
        await answer(pilot, "y")
        screen = app.screen
        assert isinstance(screen, QuoteScreen)
        assert "UNKNOWN" in seen(app)
        await press(pilot, "right")
        assert "UNKNOWN" in seen(app)
        assert "[sol-usd]" in seen(app), "nothing hides what is looked for"
        app.desk.customer.serve(second)
        await settle(pilot)
        assert "UNKNOWN" not in seen(app)
        assert "OUTCOME_UNKNOWN" not in seen(app)
        await press(pilot, "b", *"50", "enter")
        assert "QUOTED, NOT EXECUTED" in seen(app), "the other customer can be served meanwhile"
        screen.look_for_trades()
        await settle(pilot)
        assert app.screen is screen, "another customer's trade does not take the screen"
        assert "QUOTED, NOT EXECUTED" in seen(app)
        assert any(f"for {first.id}" in told.text for told in app.desk.log)
        app.desk.customer.serve(first)
        await settle(pilot)
        assert "EXECUTED" in seen(app)
    assert _traded(bench, first, second) == [1, 0]


@pytest.mark.parametrize("size", SIZES)
async def test_what_was_confirmed_for_another_customer_is_not_sent(
    bench: Bench, size: tuple[int, int]
) -> None:
    first, second = bench.open(1, deposit="500.00"), bench.open(2, deposit="500.00")
    app = _console(bench, bare=True)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await _quoted(pilot, first)
        await press(pilot, "X")
        assert f"account {first.id}" in seen(app)
        app.desk.customer.serve(second)
        await answer(pilot, "y")
        assert "CUSTOMER_CHANGED" in seen(app)
        assert _traded(bench, first, second) == [0, 0]
        await press(pilot, "escape")
        app.desk.customer.serve(first)
        await settle(pilot)
        assert "QUOTED, NOT EXECUTED" in seen(app), "it was not sent and is still good"


async def test_a_refusal_is_not_read_to_the_next_customer(bench: Bench) -> None:
    first, second = bench.open(1), bench.open(2)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await _serve(pilot, first)
        await press(pilot, "w", *"100", "enter")
        assert "Less than that can leave the account" in seen(app)
        await _serve(pilot, second)
        assert "Less than that can leave the account" not in seen(app)
        await press(pilot, "t")
        assert "paid out" not in seen(app)


class _HeldUp(Service):
    """A deployment that answers about one account only when it is let go."""

    def __init__(self, service: Service, account_id: str) -> None:
        self._service, self._account_id = service, account_id
        self.let_go = threading.Event()

    def call(self, call: Call[Answer]) -> Answer:
        if call.operation is op.SHOW_TRADING_ACCOUNT and call.ids == (self._account_id,):
            assert self.let_go.wait(30)
        return self._service.call(call)


@pytest.mark.parametrize("size", SIZES)
async def test_the_detail_of_the_customer_before_is_gone_before_the_next_one_comes(
    bench: Bench, size: tuple[int, int]
) -> None:
    first, second = bench.open(1, deposit="111.00"), bench.open(2, deposit="222.00")
    slow = _HeldUp(bench.service, second.id)
    app = bench.console(slow)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        screen = app.screen
        assert isinstance(screen, AccountsScreen)
        assert screen.paged.move_to_key(first.id)
        await settle(pilot)
        assert "111.00" in screen.customer_text()
        screen.paged.move_to_key(second.id)
        await pilot.pause(0.2)
        assert app.desk.customer.account_id == second.id
        assert (screen.customer_text(), screen.main_text(), screen.record()) == ("", "", None)
        shown = seen(app)
        assert first.id not in shown
        assert second.id in shown
        slow.let_go.set()
        await settle(pilot)
        assert "222.00" in screen.customer_text()


async def test_accounts_follows_the_customer_that_another_screen_turned_to(bench: Bench) -> None:
    first, second = bench.open(1, deposit="500.00"), bench.open(2, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await _quoted(pilot, first)
        app.desk.customer.serve(second)
        await settle(pilot)
        await _quoted(pilot, second)
        app.desk.customer.serve(first)
        await press(pilot, "X")
        app.desk.on_change.publish(("deposit.completed",))
        await settle(pilot)
        assert app.desk.customer.account_id == first.id, "behind the question nothing is selected"
        await answer(pilot, "n")
        await press(pilot, "1")
        assert app.desk.customer.account_id == first.id
        screen = app.screen
        assert isinstance(screen, AccountsScreen)
        assert screen.object_id() == first.id


async def test_an_amount_typed_for_one_customer_is_not_moved_for_another(bench: Bench) -> None:
    first, second = bench.open(1), bench.open(2)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await _serve(pilot, first)
        await press(pilot, "escape")
        screen = app.screen
        assert isinstance(screen, AccountsScreen)
        screen.paged.move_to_key(first.id)
        await press(pilot, "d", *"100")
        assert f"into {first.id}" in seen(app)
        screen.paged.move_to_key(second.id)
        await settle(pilot)
        assert "deposit into" not in seen(app).replace("  ", " ")
        await press(pilot, "enter")
    assert [bench.service.deposits(row.id).pagination.total for row in (first, second)] == [0, 0]


def test_a_quote_is_executed_only_in_its_own_account_and_as_shown(bench: Bench) -> None:
    first, second = bench.open(1, deposit="500.00"), bench.open(2, deposit="500.00")
    asked = QuoteRequest(amount="20.00", side="buy", trading_account_id=first.id)
    quote = bench.service.create_quote("sol-usd", asked).value
    unnamed = quote.model_copy(update={"trading_account_id": None})
    now = bench.settings.clock.now()
    for kept in (quote, unnamed):
        mine = QuoteState(first.id)
        mine.show(kept)
        assert execution_request(mine, first, now, 0).account_id == first.id
        with pytest.raises(QuoteAccountMismatch):
            execution_request(mine, second, now, 0)
        mine.turn_to(market="btc-usd")
        with pytest.raises(QuoteNotShown):
            execution_request(mine, first, now, 0)
        mine.turn_to(market="sol-usd", side="sell")
        with pytest.raises(QuoteNotShown):
            execution_request(mine, first, now, 0)
    other = QuoteState(second.id)
    other.show(quote)
    with pytest.raises(QuoteAccountMismatch):
        execution_request(other, second, now, 0)

"""Whatever is on a screen, said, copied or sent belongs to the customer being served."""

import threading
from typing import Any, TypeVar, cast

import pytest
from tests.tui.conftest import Bench, answer, press, seen, settle
from tests.tui.unsteady_service import Unsteady
from tests.tui.wallet_case import ALICE, Case
from tests.world.waiting import PATIENCE_S
from textual import events
from textual.pilot import Pilot

from chainteller.records.formats import short_id
from chainteller.service import operations as op
from chainteller.service.errors import QuoteAccountMismatch
from chainteller.service.interface import Service
from chainteller.service.models.accounts import TradingAccount
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.service.operations import Call, Operation
from chainteller.tui.accounts.screen import AccountsScreen
from chainteller.tui.console.app import Console
from chainteller.tui.customer_list import CustomerListScreen
from chainteller.tui.dialogs.choice import Choice
from chainteller.tui.dialogs.question import Question
from chainteller.tui.quote.flow import QuoteNotShown, execution_request
from chainteller.tui.quote.screen import QuoteScreen
from chainteller.tui.quote.state import QuoteState

Answer = TypeVar("Answer")
SIZES = [(80, 24), (120, 40)]


async def _serve(pilot: Pilot[None], account: TradingAccount) -> None:
    """Paste the customer's account on Accounts."""
    await press(pilot, "escape", "1")
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


@pytest.mark.forms(1)
@pytest.mark.parametrize("size", SIZES)
async def test_a_quote_is_put_away_and_comes_back_with_its_customer(
    bench: Bench, size: tuple[int, int]
) -> None:
    first, second = bench.open(1, deposit="500.00"), bench.open(2, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        quote_id = await _quoted(pilot, first)
        await _serve(pilot, second)
        await press(pilot, "3")
        shown = seen(app)
        assert f"  {second.id}" in shown
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
        assert f"  {first.id}" in shown
        assert quote_id in shown
        assert "X execute" in shown
        await press(pilot, "X")
        assert bench.named(first) in seen(app)
        await answer(pilot, "y")
    assert _traded(bench, first, second) == [1, 0]


@pytest.mark.forms(1)
@pytest.mark.parametrize("size", SIZES)
async def test_a_quote_is_put_away_and_comes_back_with_its_market(
    bench: Bench, size: tuple[int, int]
) -> None:
    account = bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        quote_id = await _quoted(pilot, account)
        assert "per SOL" in seen(app)
        for turned in ("right", "tab"):
            await press(pilot, turned)
            shown = seen(app)
            assert "price with fee" not in shown
            assert quote_id not in shown
            assert "X execute" not in shown
            assert "Set aside: buy sol-usd 100.00 USD, expires in 5:00." in shown
            await press(pilot, "X")
            assert "no live quote" in seen(app)
            await answer(pilot, "y")
            assert _traded(bench, account) == [0]
            await press(pilot, {"right": "left", "tab": "tab"}[turned])
            assert "per SOL" in seen(app)
            assert quote_id in seen(app)
            assert "no live quote" not in seen(app), "an answer to a key ends with the next key"
        await press(pilot, "X")
        await answer(pilot, "y")
    assert _traded(bench, account) == [1]


@pytest.mark.forms(1)
@pytest.mark.parametrize("size", SIZES)
async def test_an_unknown_outcome_is_looked_for_under_its_owner(
    bench: Bench, size: tuple[int, int]
) -> None:
    first, second = bench.open(1, deposit="500.00"), bench.open(2, deposit="500.00")
    lost = Unsteady(bench.deployment, loses_answers=True, arrives=True)
    app = bench.console(lost)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await _quoted(pilot, first)
        await press(pilot, "X")
        await answer(pilot, "y")
        screen = app.screen
        assert isinstance(screen, QuoteScreen)
        assert "UNKNOWN" in seen(app)
        lost.loses_answers = False
        await press(pilot, "right")
        assert "UNKNOWN" in seen(app)
        assert "[sol-usd]" in seen(app), "nothing hides what is looked for"
        app.desk.customer.serve(second)
        await settle(pilot)
        assert isinstance(app.screen, QuoteScreen), (
            "another customer's trade does not take the screen"
        )
        assert "UNKNOWN" not in seen(app)
        await press(pilot, "b", *"50", "enter")
        assert "QUOTED, NOT EXECUTED" in seen(app), "the other customer can be served meanwhile"
        screen.look_for_trades()
        await settle(pilot)
        assert app.screen is screen
        assert "QUOTED, NOT EXECUTED" in seen(app)
        assert any(f"{first.id}: execution found" in told.text for told in app.desk.log)
        app.desk.customer.serve(first)
        await settle(pilot)
        assert "EXECUTED" in seen(app)
    assert _traded(bench, first, second) == [1, 0]


@pytest.mark.forms(1)
@pytest.mark.parametrize("size", SIZES)
async def test_an_unknown_outcome_is_named_on_every_screen_under_its_owner(
    bench: Bench, size: tuple[int, int]
) -> None:
    first, second = bench.open(1, deposit="500.00"), bench.open(2, deposit="500.00")
    lost = Unsteady(bench.deployment, loses_answers=True)
    app = bench.console(lost)
    named = f"{first.customer_name}, {first.id}" if bench.place is None else first.id
    alarm = f"Outcome unknown: buy sol-usd for {named}"
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await _quoted(pilot, first)
        await press(pilot, "X")
        await answer(pilot, "y")
        await press(pilot, "escape")
        app.desk.customer.serve(second)
        await settle(pilot)
        for key in ("4", "5", "2", "3"):
            await press(pilot, key)
            shown = seen(app)
            assert alarm in shown
            assert first.id not in shown.replace(alarm, ""), "nothing else of them is shown"
        app.screen.look_for_trades()  # type: ignore[attr-defined]  # Quote
        await settle(pilot)
        assert alarm in seen(app), "it's sent again, or looked for, and still not known"
        lost.loses_answers = False
        for _ in range(3):
            bench.world.advance(299)
        app.screen.look_for_trades()  # type: ignore[attr-defined]  # Quote
        await settle(pilot)
        assert "Outcome unknown" not in seen(app), "the quote expired unused"
    assert _traded(bench, first, second) == [0, 0]


@pytest.mark.forms(1)
@pytest.mark.parametrize("size", SIZES)
async def test_what_was_confirmed_for_another_customer_is_not_sent(
    bench: Bench, size: tuple[int, int]
) -> None:
    first, second = bench.open(1, deposit="500.00"), bench.open(2, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await _quoted(pilot, first)
        await press(pilot, "X")
        assert bench.named(first) in seen(app)
        app.desk.customer.serve(second)
        await answer(pilot, "y")
        assert "CUSTOMER_CHANGED" in seen(app)
        assert _traded(bench, first, second) == [0, 0]
        await press(pilot, "escape")
        app.desk.customer.serve(first)
        await settle(pilot)
        assert "QUOTED, NOT EXECUTED" in seen(app), "it was not sent and is still good"


@pytest.mark.needs("buying-power")
async def test_a_refusal_is_not_read_to_the_next_customer(bench: Bench) -> None:
    first, second = bench.open(1), bench.open(2)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await _serve(pilot, first)
        await press(pilot, "w", *"100", "enter")
        assert "Not enough money" in seen(app)
        await press(pilot, "escape")  # closes the field; another one would end the refusal
        assert "Not enough money" in seen(app)
        app.post_message(events.Paste(second.id))
        await settle(pilot)
        assert app.desk.customer.account_id == second.id
        assert "Not enough money" not in seen(app)
        await press(pilot, "t")
        assert "paid out" not in seen(app)


class _HeldUp(Service):
    """A deployment that answers one read about one account only when it is let go."""

    def __init__(self, service: Service, operation: Operation[Any], account_id: str) -> None:
        self._service, self._operation, self._account_id = service, operation, account_id
        self.let_go = threading.Event()

    def call(self, call: Call[Answer]) -> Answer:
        asked = (*call.ids, getattr(call.query, "trading_account_id", None))
        if call.operation is self._operation and self._account_id in asked:
            assert self.let_go.wait(PATIENCE_S)
        return self._service.call(call)


@pytest.mark.forms(1)
@pytest.mark.needs("buying-power")
@pytest.mark.parametrize("size", SIZES)
async def test_the_detail_of_the_customer_before_is_gone_before_the_next_one_comes(
    bench: Bench, size: tuple[int, int]
) -> None:
    first, second = bench.open(1, deposit="111.00"), bench.open(2, deposit="222.00")
    slow = _HeldUp(bench.deployment, op.SHOW_TRADING_ACCOUNT, second.id)
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


@pytest.mark.forms(1)
@pytest.mark.parametrize(
    ("key", "operation"),
    [
        ("4", op.TRADES),
        pytest.param("6", op.ALL_TRANSFERS, marks=pytest.mark.needs("all-transfers")),
    ],
)
async def test_a_list_of_the_customer_before_is_gone_before_the_next_one_comes(
    bench: Bench, key: str, operation: Operation[Any]
) -> None:
    first, second = bench.open(1, deposit="111.00"), bench.open(2, deposit="222.00")
    asked = QuoteRequest(amount="50.00", side="buy", trading_account_id=first.id)
    quote = bench.service.create_quote("sol-usd", asked).value
    execute = ExecuteRequest(trading_account_id=first.id)
    trade = bench.service.execute_quote(quote.id, execute).value
    theirs = short_id(trade.id) if key == "4" else "111.00"
    slow = _HeldUp(bench.deployment, operation, second.id)
    app = bench.console(slow)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await _serve(pilot, first)
        await press(pilot, key)
        assert theirs in seen(app)
        app.desk.customer.serve(second)
        await pilot.pause(0.2)
        assert theirs not in seen(app)
        slow.let_go.set()
        await settle(pilot)
        assert theirs not in seen(app)


@pytest.mark.forms(1)
@pytest.mark.parametrize(
    ("key", "typed"),
    [("4", "sell"), pytest.param("6", "withdrawal", marks=pytest.mark.needs("all-transfers"))],
)
@pytest.mark.parametrize("is_open", [True, False])
async def test_a_filter_is_put_away_and_comes_back_with_its_customer(
    bench: Bench, key: str, typed: str, *, is_open: bool
) -> None:
    """Whether its field is still open or not."""
    first, second = bench.open(1, deposit="111.00"), bench.open(2, deposit="222.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await _serve(pilot, first)
        await press(pilot, key, "slash", *typed, *([] if is_open else ["enter"]))
        assert f"/{typed}" in seen(app)
        app.desk.customer.serve(second)
        await settle(pilot)
        assert typed not in seen(app)
        app.desk.customer.serve(first)
        await settle(pilot)
        assert f"/{typed}" in seen(app)
        screen = app.screen
        assert isinstance(screen, CustomerListScreen)
        assert screen.field_bar.is_open is is_open
        if is_open:
            assert screen.field_bar.value == typed
            await press(pilot, "enter")
        await press(pilot, "escape")
        assert f"/{typed}" not in seen(app)
        app.desk.customer.serve(second)
        app.desk.customer.serve(first)
        await settle(pilot)
        assert f"/{typed}" not in seen(app), "what was put aside by the agent doesn't come back"


class _Noting(Service):
    """Notes every call on its way to a deployment."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self.calls: list[Call[Any]] = []

    def call(self, call: Call[Answer]) -> Answer:
        self.calls.append(call)
        return self._service.call(call)

    def about(self, account: TradingAccount) -> list[str]:
        """Operations of the calls that name an account."""
        return [
            each.operation.name
            for each in self.calls
            if account.id in (*each.ids, getattr(each.query, "trading_account_id", None))
        ]


async def test_screens_left_with_a_customer_read_nothing_of_them_behind_a_dialog(
    bench: Bench,
) -> None:
    first, second = bench.open(1, deposit="111.00"), bench.open(2, deposit="222.00")
    noting = _Noting(bench.deployment)
    app = bench.console(noting)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await _serve(pilot, first)
        await press(pilot, "4", "5", "6", "3")
        app.desk.customer.serve(second)
        await settle(pilot)
        await press(pilot, "question_mark")
        assert app.screen.is_modal
        noting.calls.clear()
        app.desk.on_change.publish(("trade.settled",))
        await settle(pilot)
        assert noting.about(first) == []
        assert noting.about(second), "the screen behind the dialog follows what happens"


async def test_the_account_under_the_cursor_is_the_customer_served(bench: Bench) -> None:
    accounts = {bench.open(number).id for number in (1, 2, 3)}
    app = bench.console()
    served = set()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for key in ("home", "down", "down"):
            await press(pilot, key)
            assert isinstance(app.screen, AccountsScreen)
            assert app.desk.customer.account_id == app.screen.object_id()
            served.add(app.desk.customer.account_id)
    assert served == accounts


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
        app.desk.customer.refresh(second)
        assert app.desk.customer.account_id == first.id, "what was read too late is nobody's"
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
    for kept in (quote, unnamed):
        mine = QuoteState(first.id)
        mine.show(kept)
        assert execution_request(mine, first, 0).account_id == first.id
        with pytest.raises(QuoteAccountMismatch):
            execution_request(mine, second, 0)
        mine.turn_to(market="btc-usd")
        with pytest.raises(QuoteNotShown):
            execution_request(mine, first, 0)
        mine.turn_to(market="sol-usd", side="sell")
        with pytest.raises(QuoteNotShown):
            execution_request(mine, first, 0)
    other = QuoteState(second.id)
    other.show(quote)
    with pytest.raises(QuoteAccountMismatch):
        execution_request(other, second, 0)


def test_a_quote_that_was_replaced_while_it_was_confirmed_is_not_executed(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    asked = QuoteRequest(amount="20.00", side="buy", trading_account_id=account.id)
    confirmed, later = (bench.service.create_quote("sol-usd", asked).value for _ in range(2))
    state = QuoteState(account.id)
    state.show(confirmed)
    request = execution_request(state, account, 0)
    state.show(later)
    with pytest.raises(QuoteNotShown, match="Nothing was sent"):
        request.call(bench.service, "key")
    assert _traded(bench, account) == [0]
    state.show(confirmed)
    request.call(bench.service, "key")
    assert _traded(bench, account) == [1]


# -- what is put away and brought back ---------------------------------------------------------


@pytest.mark.forms(1)
@pytest.mark.parametrize("size", SIZES)
async def test_a_half_typed_amount_comes_back_with_its_customer(
    bench: Bench, size: tuple[int, int]
) -> None:
    first, second = bench.open(1, deposit="500.00"), bench.open(2, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await _serve(pilot, first)
        await press(pilot, "w", *"12")
        app.desk.customer.serve(second)
        await settle(pilot)
        assert not app.screen.field_bar.is_open  # type: ignore[attr-defined]  # Accounts
        await press(pilot, "3", "b", *"7")
        app.desk.customer.serve(first)
        await settle(pilot)
        screen = app.screen
        assert isinstance(screen, QuoteScreen)
        assert not screen.field_bar.is_open
        app.desk.customer.serve(second)
        await settle(pilot)
        assert screen.field_bar.value == "7"
        await press(pilot, *"0", "enter")
        assert "70.00 USD" in seen(app)
        assert screen.state.quote is not None
        assert screen.state.quote.trading_account_id == second.id
        app.desk.customer.serve(first)
        await press(pilot, "1")
        assert "withdraw" in seen(app)
        await press(pilot, *"0", "enter")
        assert "WITHDRAW 120.00 USD" in seen(app)
        assert first.id in seen(app)
        await answer(pilot, "y")
    found = [bench.service.withdrawals(row.id).pagination.total for row in (first, second)]
    assert found == [1, 0]


@pytest.mark.needs("withdrawals")
async def test_an_amount_for_a_wallet_is_put_away_and_sent_for_its_customer_alone(
    bench: Bench,
) -> None:
    case = Case(bench, "alice-ethereum")
    case.link("alice-ethereum")
    case.fund("80.00")
    first = bench.service.trading_account(case.account.trading_account_id)
    second = bench.open(2, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await _serve(pilot, first)
        await press(pilot, "w", "right", "1", *"12.")
        assert "withdraw to" in seen(app)
        app.desk.customer.serve(second)
        await settle(pilot)
        assert "withdraw to" not in seen(app)
        await press(pilot, *"5", "enter")
        assert case.withdrawals == []
        app.desk.customer.serve(first)
        await press(pilot, "1")
        assert "withdraw to" in seen(app)
        await press(pilot, *"5", "enter")
        assert "WITHDRAW 12.50 USDC" in seen(app)
        await answer(pilot, "y")
    assert case.withdrawals == [("12.50", ALICE, True)]
    assert bench.service.withdrawals(second.id).pagination.total == 0


async def test_a_text_for_one_customer_closes_when_another_is_served(bench: Bench) -> None:
    first, second = bench.open(1, deposit="111.00"), bench.open(2, deposit="222.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await _quoted(pilot, first)
        await press(pilot, "t")
        shown = seen(app)
        assert "WHAT TO TELL THE CUSTOMER" in shown
        named = f"{first.customer_name}   {first.id}" if bench.place is None else first.id
        assert named in shown
        app.desk.customer.serve(second)
        await settle(pilot)
        assert "WHAT TO TELL THE CUSTOMER" not in seen(app)


async def test_a_choice_opened_while_nobody_was_served_stays_when_somebody_is(bench: Bench) -> None:
    """Such as the requests without an answer, while the desk is still turning to its customer."""
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert not app.desk.customer.account_id
        account = bench.open(1)
        choice = Choice("REQUESTS WITHOUT AN ANSWER", "", ["one", "two"])
        app.push_screen(choice)
        await settle(pilot)
        app.desk.customer.serve(account)
        await settle(pilot)
        assert app.screen is choice


async def test_an_export_chosen_for_one_customer_is_not_written_for_another(bench: Bench) -> None:
    first, second = bench.open(1, deposit="111.00"), bench.open(2, deposit="222.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await _serve(pilot, first)
        await press(pilot, "e")
        assert "EXPORT" in seen(app)
        app.desk.customer.serve(second)
        await settle(pilot)
        assert "into " not in seen(app)
        await press(pilot, "1")
        assert "written:" not in seen(app)


async def test_the_status_line_says_nothing_about_another_customer(bench: Bench) -> None:
    first, second = bench.open(1), bench.open(2)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await _serve(pilot, first)
        await press(pilot, "d", *"123", "enter")
        assert "deposit 123.00 USD" in seen(app)
        await _serve(pilot, second)
        assert "123.00" not in seen(app)
        await _serve(pilot, first)
        assert "deposit 123.00 USD" in seen(app)
        await press(pilot, "exclamation_mark")
        assert "deposit 123.00 USD" in seen(app)


async def test_the_audit_trail_of_a_record_closes_with_its_customer(bench: Bench) -> None:
    first, second = bench.open(1, deposit="111.00"), bench.open(2, deposit="222.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await _serve(pilot, first)
        await press(pilot, "a")
        assert f"AUDIT  {first.id}" in seen(app)
        app.desk.customer.serve(second)
        await settle(pilot)
        assert "AUDIT" not in seen(app)
        await press(pilot, "a", "4")
        app.desk.customer.serve(first)
        await press(pilot, "1")
        assert "AUDIT" not in seen(app)


# -- prices ------------------------------------------------------------------------------------


async def test_every_unit_beside_a_price_is_that_of_its_quote_in_every_market(bench: Bench) -> None:
    """Whatever the form is turned to, with a live quote of each market in turn."""
    account = bench.open(1, deposit="5000.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await _serve(pilot, account)
        await press(pilot, "3")
        screen = app.screen
        assert isinstance(screen, QuoteScreen)
        assert screen.state.sheet is not None
        markets = [row.market_name for row in screen.state.sheet.markets]
        for quoted in markets:
            while screen.state.market != quoted:
                await press(pilot, "right")
            await press(pilot, "b", *"50", "enter")
            base = quoted.partition("-")[0].upper()
            assert f"per {base}" in seen(app)
            for turned in [*markets[markets.index(quoted) + 1 :], *markets]:
                await press(pilot, "right")
                shown, is_quoted = seen(app), screen.state.market == quoted
                others = [each.partition("-")[0].upper() for each in markets if each != quoted]
                assert not any(f"per {each}" in shown for each in others), turned
                assert (f"per {base}" in shown) == is_quoted
                assert ("X execute" in shown) == is_quoted
                assert ("price with fee" in screen.main_text()) == is_quoted
                assert bool(screen.customer_text()) == is_quoted
                await press(pilot, "X")
                asked = isinstance(app.screen, Question)
                assert asked == is_quoted
                if asked:
                    assert f"USD per {base} " in seen(app)
                    await answer(pilot, "n")
    assert _traded(bench, account) == [0]


async def test_two_quick_executions_and_a_second_y_send_one(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    deployment = Unsteady(bench.deployment)
    app = bench.console(deployment)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await _quoted(pilot, account)
        for key in ("X", "X"):
            app.simulate_key(key)
        await settle(pilot)
        for key in ("y", "y", "X", "y"):
            app.simulate_key(key)
        await settle(pilot)
        await press(pilot, "3", "X")
        await answer(pilot, "y")
    assert len(deployment.keys) == 1
    assert str(deployment.keys[0]).startswith("desk-"), "the key that the desk made before sending"


async def test_only_the_screen_that_is_shown_is_drawn_for_another_customer(bench: Bench) -> None:
    bench.open(1)
    bench.open(2)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "2", "3", "4", "5", "6", "1")
        drawn: list[str] = []
        app.desk.on_drawn.subscribe(app.screen, lambda _: drawn.append(app.screen.id or ""))
        await press(pilot, "down")
        assert 0 < len(drawn) < 6

"""A confirmation names customer, account and record, and follows them while it is open."""

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any, TypeVar, cast

import pytest
from tests.tui.conftest import Bench, answer, press, seen, settle
from tests.tui.wallet_case import ALICE, BOB, Case, wallets
from textual import events
from textual.pilot import Pilot

from chainteller.service import operations as op
from chainteller.service.errors import ServiceUnreachable
from chainteller.service.interface import Service
from chainteller.service.layers import Next, layered
from chainteller.service.models.accounts import TradingAccount
from chainteller.service.models.counterparties import ReverificationRequest
from chainteller.service.models.funding import Currency, WithdrawalRequest
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.service.operations import Call
from chainteller.tui.console.app import Console
from chainteller.tui.dialogs.question import Ask, Question, Watch
from chainteller.tui.quote.screen import QuoteScreen
from chainteller.tui.trades.screen import TradesScreen
from chainteller.tui.widgets.bars import LEAST_HEIGHT, LEAST_WIDTH
from chainteller.tui.widgets.lines import Lines

Answer = TypeVar("Answer")


def _buy(service: Service, account: TradingAccount, amount: str = "100.00") -> str:
    asked = QuoteRequest(amount=amount, side="buy", trading_account_id=account.id)
    quote = service.create_quote("sol-usd", asked).value
    request = ExecuteRequest(trading_account_id=account.id)
    return service.execute_quote(quote.id, request).value.id


async def _serve(pilot: Pilot[None], account: TradingAccount) -> None:
    await press(pilot, "escape", "1")
    pilot.app.post_message(events.Paste(account.id))
    await settle(pilot)
    assert cast("Console", pilot.app).desk.customer.account_id == account.id


def _pass(bench: Bench, seconds: int) -> None:
    """Move the clock without doing any work that is due."""
    clock = bench.world.clock
    assert clock is not None
    clock.advance(seconds * 1_000_000)


async def _look_again(pilot: Pilot[None]) -> None:
    """As at the next poll."""
    cast("Console", pilot.app).desk.on_poll.publish(None)
    await settle(pilot)


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_a_question_stands_near_its_record(bench: Bench, size: tuple[int, int]) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "w", *"100", "enter")
        assert isinstance(app.screen, Question)
        box = app.screen.query_one("#question").region
        assert "y = yes" in seen(app)
        below = size[1] - box.bottom
        assert below == (0 if size[1] < 50 else pytest.approx(box.y, abs=1))
        assert box.width == min(size[0], 110)


# -- what is confirmed ------------------------------------------------------------------------


async def test_the_trade_selected_among_several_is_the_one_that_is_named_and_cancelled(
    bench: Bench,
) -> None:
    account = bench.open(1, deposit="500.00")
    trades = [_buy(bench.service, account, f"{number}0.00") for number in (1, 2, 3)]
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "4")
        screen = app.screen
        assert isinstance(screen, TradesScreen)
        assert screen.paged.move_to_key(trades[1])
        await settle(pilot)
        await press(pilot, "C")
        shown = seen(app)
        assert f"CANCEL the trade {trades[1]}?" in shown
        assert bench.named(account) in shown
        tells_dollars = bench.place is None  # the specification's trade has no amount paid
        assert ("for 20.00 USD" in shown) == tells_dollars
        assert not any(each in shown for each in (trades[0], trades[2]) if each not in _list(app))
        await answer(pilot, "y")
    states = {row.id: row.status for row in bench.service.trades(account.id).data}
    assert states == {trades[0]: "processing", trades[1]: "cancelled", trades[2]: "processing"}


def _list(app: Console) -> str:
    """What is shown behind the question."""
    return "\n".join(seen(app).splitlines()[:-4])


@pytest.mark.needs("all-trades")
async def test_cancelling_out_of_all_accounts_serves_the_trades_own_customer(bench: Bench) -> None:
    first, second = bench.open(1, deposit="500.00"), bench.open(2, deposit="500.00")
    mine, theirs = _buy(bench.service, first), _buy(bench.service, second)
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await _serve(pilot, first)
        await press(pilot, "4", "0")
        screen = app.screen
        assert isinstance(screen, TradesScreen)
        assert screen.paged.move_to_key(theirs)
        await settle(pilot)
        await press(pilot, "t")
        assert f"{second.id}, not selected" in seen(app)
        await press(pilot, "escape", "C")
        shown = seen(app)
        assert f"CANCEL the trade {theirs}?" in shown
        assert bench.named(second) in shown
        assert app.desk.customer.account_id == second.id
        assert "all accounts" in shown
        await answer(pilot, "y")
    assert bench.service.trade(second.id, theirs).status == "cancelled"
    assert bench.service.trade(first.id, mine).status == "processing"


@pytest.mark.needs("all-trades")
async def test_a_trade_that_nobody_names_the_account_of_is_not_cancelled_out_of_all(
    bench: Bench,
) -> None:
    first, second = bench.open(1, deposit="500.00"), bench.open(2, deposit="500.00")
    theirs = _buy(bench.service, second)

    def unnamed(call: Call[Answer], onward: Next) -> Answer:
        found: Any = onward(call)
        if call.operation is not op.ALL_TRADES:
            return found  # type: ignore[no-any-return]  # as it came
        rows = tuple(row.model_copy(update={"trading_account_id": None}) for row in found.data)
        return found.model_copy(update={"data": rows})  # type: ignore[no-any-return]  # the same model

    app = bench.console(layered(bench.service, unnamed))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await _serve(pilot, first)
        await press(pilot, "4", "0", "C")
        assert "doesn't say whose trade it is" in seen(app)
        assert not isinstance(app.screen, Question)
    assert bench.service.trade(second.id, theirs).status == "processing"


async def test_an_execution_names_customer_account_quote_and_amounts(bench: Bench) -> None:
    bench.open(2, deposit="500.00")
    account = bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await _serve(pilot, account)
        await press(pilot, "s", "escape", "b", *"100", "enter")
        assert isinstance(app.screen, QuoteScreen), "nothing is missing"
        quote_id = app.screen.object_id()
        await press(pilot, "X")
        shown = seen(app)
        assert bench.named(account) in shown
        assert f"{quote_id} at" in shown
        assert "USD per SOL   expires in 5:00" in shown
        assert "for 100.00 USD?" in shown
        assert "available 500.00 USD" in shown


# -- large amounts ----------------------------------------------------------------------------


async def _retyped(pilot: Pilot[None], amount: str, sent: Callable[[], int]) -> None:
    """``y`` counts only once the amount has been typed again."""
    await answer(pilot, "y")
    assert isinstance(pilot.app.screen, Question)
    assert "Type the amount again" in seen(cast("Console", pilot.app))
    assert sent() == 0
    await press(pilot, *"123")
    await answer(pilot, "y")
    assert sent() == 0
    await press(pilot, *["backspace"] * 3, *amount)
    await answer(pilot, "y")
    await settle(pilot)
    assert sent() == 1


async def test_yes_does_not_count_in_a_window_that_cannot_show_the_question(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "b", *"50", "enter", "X")
        await pilot.resize_terminal(LEAST_WIDTH - 1, LEAST_HEIGHT)
        await settle(pilot)
        await answer(pilot, "y")
        assert isinstance(app.screen, Question)
        await pilot.resize_terminal(LEAST_WIDTH, LEAST_HEIGHT)
        await settle(pilot)
        assert bench.service.trades(account.id).pagination.total == 0
        await answer(pilot, "y")
    assert bench.service.trades(account.id).pagination.total == 1


async def test_a_large_execution_is_typed_again(bench: Bench) -> None:
    account = bench.open(1, deposit="20000.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "b", *"10000.01", "enter", "X")
        trades = bench.service.trades
        await _retyped(pilot, "10000.01", lambda: trades(account.id).pagination.total)


async def test_a_large_deposit_is_typed_again(bench: Bench) -> None:
    account = bench.open(1)
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "d", *"10000.01", "enter")
        deposits = bench.service.deposits
        await _retyped(pilot, "10000.01", lambda: deposits(account.id).pagination.total)


async def test_a_large_deposit_of_what_is_missing_is_typed_again(bench: Bench) -> None:
    account = bench.open(1, deposit="100.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "b", *"12000", "enter")
        assert "SHORT OF 11,900.00 USD" in seen(app)
        assert bench.named(account) in seen(app)
        deposits = bench.service.deposits
        await _retyped(pilot, "11900.00", lambda: deposits(account.id).pagination.total - 1)


async def test_a_large_withdrawal_to_the_bank_is_typed_again(bench: Bench) -> None:
    account = bench.open(1, deposit="20000.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "w", *"10000.01", "enter")
        assert bench.named(account) in seen(app)
        withdrawals = bench.service.withdrawals
        await _retyped(pilot, "10000.01", lambda: withdrawals(account.id).pagination.total)


@pytest.mark.needs("withdrawals")
async def test_a_large_withdrawal_to_a_wallet_is_typed_again(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    case.link("alice-ethereum")
    case.fund("20000.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await wallets(pilot)
        await press(pilot, "w", *"10000.01", "enter")
        assert case.account.trading_account_id in seen(app)
        await _retyped(pilot, "10000.01", lambda: len(case.withdrawals))


@pytest.mark.needs("withdrawals")
async def test_the_chosen_wallet_among_several_is_named_and_receives_it(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum", "bob-ethereum")
    for name in ("alice-ethereum", "bob-ethereum"):
        case.link(name)
    case.fund("80.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "w", "right")
        shown = seen(app)
        rows = [row for row in shown.splitlines() if "Verified 1P" in row]
        chosen = next(number for number, row in enumerate(rows, 1) if BOB[-6:] in row)
        await press(pilot, str(chosen), *"5", "enter")
        assert BOB in seen(app)
        assert ALICE not in seen(app)
        await answer(pilot, "y")
    assert case.withdrawals == [("5.00", BOB, True)]


# -- confirmations that follow what they are about ---------------------------------------------


async def test_a_cancellation_closes_with_the_reason_when_the_trade_executes(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    _buy(bench.service, account)
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "4", "C")
        assert "processing for 0 s" in seen(app)
        _pass(bench, 4)
        await _look_again(pilot)
        assert "processing for 4 s" in seen(app)
        bench.world.advance(11)
        await _look_again(pilot)
        assert not isinstance(app.screen, Question)
        assert "TRADE_NOT_CANCELLABLE" in seen(app)
        assert "is already executed" in seen(app)


async def test_an_executed_trade_is_not_asked_about(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    _buy(bench.service, account)
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "4")
        bench.world.advance(11)
        await press(pilot, "C")
        assert not isinstance(app.screen, Question)
        assert "TRADE_NOT_CANCELLABLE" in seen(app)
        await press(pilot, "r", "C")
        assert not isinstance(app.screen, Question)
        assert "is already executed" in seen(app)


async def test_an_execution_closes_when_its_quote_expires(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    sent = []

    def layer(call: Call[Answer], onward: Next) -> Answer:
        sent.append(call.operation)
        return onward(call)

    app = bench.console(layered(bench.deployment, layer))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "b", *"100", "enter", "X")
        _pass(bench, 299)
        await _look_again(pilot)
        assert "expires in 0:01" in seen(app)
        _pass(bench, 2)
        await press(pilot, "y")
        assert "QUOTE_EXPIRED" in seen(app)
        assert not isinstance(app.screen, Question)
    assert op.EXECUTE_QUOTE not in sent, "the deployment needn't refuse it"
    assert bench.service.trades(account.id).data == ()


async def test_an_execution_closes_with_its_customer_though_nothing_answers(bench: Bench) -> None:
    account, other, silent = bench.open(1, deposit="500.00"), bench.open(2), False

    def layer(call: Call[Answer], onward: Next) -> Answer:
        if silent:
            raise ServiceUnreachable("No connection.")
        return onward(call)

    app = bench.console(layered(bench.deployment, layer))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await _serve(pilot, account)
        await press(pilot, "b", *"100", "enter", "X")
        assert isinstance(app.screen, Question)
        silent = True
        app.desk.customer.serve(other)
        await settle(pilot)
        assert not isinstance(app.screen, Question)


async def test_an_execution_closes_when_somebody_else_executes_the_quote(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "b", *"100", "enter")
        quote_id = app.screen.object_id()  # type: ignore[attr-defined]  # Quote
        await press(pilot, "X")
        bench.service.execute_quote(quote_id, ExecuteRequest(trading_account_id=account.id))
        await _look_again(pilot)
        assert not isinstance(app.screen, Question)
        assert "QUOTE_ALREADY_USED" in seen(app)
    assert len(bench.service.trades(account.id).data) == 1


async def test_an_execution_shows_the_balance_as_it_changes_and_closes_when_it_is_short(
    bench: Bench,
) -> None:
    account = bench.open(1, deposit="500.00")
    currency = Currency(type="deposit-token-currency", id="DPT_USD")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "b", *"100", "enter", "X")
        assert "available 500.00 USD" in seen(app)
        request = WithdrawalRequest(amount="300.00", currency=currency)
        bench.service.withdraw(account.id, request)
        await _look_again(pilot)
        assert "available 200.00 USD" in seen(app)
        bench.service.withdraw(account.id, request.model_copy(update={"amount": "150.00"}))
        await _look_again(pilot)
        assert "[x] short 50.00 USD" in seen(app)
        assert "SHORT OF 50.00 USD" in seen(app), "what is missing is offered"
    assert bench.service.trades(account.id).data == ()


@pytest.mark.needs("buying-power")
async def test_a_withdrawal_closes_when_the_money_has_gone(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    currency = Currency(type="deposit-token-currency", id="DPT_USD")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "w", *"400", "enter")
        assert isinstance(app.screen, Question)
        request = WithdrawalRequest(amount="200.00", currency=currency)
        bench.service.withdraw(account.id, request)
        await _look_again(pilot)
        assert not isinstance(app.screen, Question)
        assert "INSUFFICIENT_FUNDS" in seen(app)
    assert bench.service.withdrawals(account.id).pagination.total == 1


@pytest.mark.needs("withdrawals", "reverifications")
async def test_a_withdrawal_to_a_wallet_follows_its_verification(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    case.link("alice-ethereum")
    case.fund("80.00")
    (wallet,) = case.service.linked_counterparties(case.account.id).data
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await wallets(pilot)
        await press(pilot, "w", *"12.5", "enter")
        assert f"{wallet.id}, a verified 1P wallet" in seen(app)
        case.service.require_reverification(
            case.account.id, wallet.id, ReverificationRequest(reason="AGENT_REQUEST")
        )
        await _look_again(pilot)
        assert f"{wallet.id}, a wallet that is not verified" in seen(app)


@dataclass
class _Freezing:
    """A layer under which an account becomes frozen."""

    frozen: bool = False

    def __call__(self, call: Call[Answer], onward: Next) -> Answer:
        found: Any = onward(call)
        if self.frozen and isinstance(found, TradingAccount):
            return found.model_copy(update={"controls": ("FROZEN",)})  # type: ignore[return-value]  # the same model
        return found  # type: ignore[no-any-return]  # as it came


@pytest.mark.forms(1)
@pytest.mark.parametrize(
    "keys",
    [("b", *"100", "enter", "X"), ("w", *"100", "enter"), ("d", *"10001", "enter")],
    ids=["execution", "withdrawal", "deposit"],
)
async def test_money_is_not_asked_about_once_the_account_is_frozen(
    bench: Bench, keys: tuple[str, ...]
) -> None:
    account = bench.open(1, deposit="500.00")
    layer = _Freezing()
    app = bench.console(layered(bench.service, layer))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, *keys)
        assert isinstance(app.screen, Question)
        layer.frozen = True
        await _look_again(pilot)
        assert not isinstance(app.screen, Question)
        assert "ACCOUNT_RESTRICTED" in seen(app)
        await press(pilot, "escape", "escape", "1", *keys)
        assert not isinstance(app.screen, Question), "it isn't asked at all"
        assert "ACCOUNT_RESTRICTED" in seen(app) or "the account is FROZEN" in seen(app)
    assert bench.service.transactions(account.id).pagination.total == 1


async def test_a_question_whose_records_cannot_be_read_says_so_and_stays(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    _buy(bench.service, account)
    silent = False

    def layer(call: Call[Answer], onward: Next) -> Answer:
        if silent and call.operation is op.SHOW_TRADE:
            raise ServiceUnreachable("No connection.")
        return onward(call)

    app = bench.console(layered(bench.service, layer))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "4", "C")
        silent = True
        await _look_again(pilot)
        assert "Not up to date: UNREACHABLE" in seen(app)
        silent = False
        await _look_again(pilot)
        assert "Not up to date" not in seen(app)
        await answer(pilot, "y")
    (trade,) = bench.service.trades(account.id).data
    assert trade.status == "cancelled"


async def test_an_amount_typed_for_other_words_is_dropped(bench: Bench) -> None:
    bench.open(1)
    asked, later = (Ask(f"SEND {each}?", retype=each) for each in ("20000.00", "30000.00"))
    answers: list[object] = []

    async def renew() -> Ask:
        return later

    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        watch = Watch(lambda: 0, lambda: None, renew, (app.desk.on_poll,), ticks=False)
        app.push_screen(Question(asked, app.desk.shell.deafen, watch), answers.append)
        await settle(pilot)
        await press(pilot, *"20000.00")
        assert "matches" in seen(app)
        await _look_again(pilot)
        assert "Type the amount again, 30,000.00: _" in seen(app)
        await answer(pilot, "y")
        assert answers == []
        await press(pilot, *"30000.00", "y")
    assert answers == [True]


async def test_keys_meant_for_what_was_asked_before_do_not_count(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    currency = Currency(type="deposit-token-currency", id="DPT_USD")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "b", *"100", "enter", "X")
        request = WithdrawalRequest(amount="300.00", currency=currency)
        bench.service.withdraw(account.id, request)
        before = monotonic()
        await _look_again(pilot)
        assert "available 200.00" in seen(app)
        deaf_until = app.typed_ahead._deaf_until
        assert deaf_until > before
        meant_for_before = events.Key("y", "y")
        meant_for_before.time = deaf_until - 0.01
        app.post_message(meant_for_before)
        await settle(pilot)
        assert isinstance(app.screen, Question), "the question had just changed"
        assert "y came too early. Press it again." in seen(app)
        await answer(pilot, "y")
    assert len(bench.service.trades(account.id).data) == 1


@pytest.mark.parametrize("key", ["1", "down", "tab", "f5"])
async def test_a_key_that_is_no_answer_is_said_and_the_y_behind_it_does_not_count(
    bench: Bench, key: str
) -> None:
    account = bench.open(1, deposit="500.00")
    trade = _buy(bench.service, account)
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "4", "C")
        assert isinstance(app.screen, Question)
        await settle(pilot)
        await pilot.press(key, "y")
        await settle(pilot)
        assert isinstance(app.screen, Question)
        assert f"{key} does nothing here. Answer y or n." in seen(app)
        assert isinstance(app.screen_stack[-2], TradesScreen)
        await answer(pilot, "y")
    assert bench.service.trade(account.id, trade).status == "cancelled"


@pytest.mark.needs("buying-power")
async def test_a_question_and_a_text_for_the_customer_are_whole_at_60_columns(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(60, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "w", "5", "enter")
        rows = seen(app).splitlines()
        asked = rows[next(y for y, row in enumerate(rows) if "WITHDRAW 5.00" in row) :]
        assert not [row for row in asked if "…" in row]
        assert " ".join(bench.named(account).split()) in " ".join(" ".join(asked).split())
        await answer(pilot, "n")
        await press(pilot, "t")
        text = app.screen.query(Lines).first()
        assert "WHAT TO TELL THE CUSTOMER" in text.plain_text
        assert max(map(len, text.plain_text.splitlines()[1:])) <= text.size.width

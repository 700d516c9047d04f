"""Accounts: the empty desk, opening one, finding one, refusals, and text that means harm."""

import re
import threading
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from tests.tui.conftest import Bench, answer, press, seen, settle, until
from tests.world.waiting import PATIENCE_S
from textual.screen import Screen

from chainteller.records.formats import short_id
from chainteller.service import operations as op
from chainteller.service.errors import InsufficientFunds
from chainteller.service.layers import Answer, Next, layered
from chainteller.service.models.accounts import Token, TokenBalance, TradingAccount
from chainteller.service.models.pages import ListQuery, Page
from chainteller.service.operations import Call
from chainteller.tui.accounts import screen as accounts_screen
from chainteller.tui.accounts.detail import _balance
from chainteller.tui.accounts.screen import AccountsScreen
from chainteller.tui.console.app import Console
from chainteller.tui.dialogs.question import Question
from chainteller.tui.textual_fixes import screen as screen_fixes
from chainteller.tui.widgets import paged_list
from chainteller.tui.widgets.field import FieldBar
from chainteller.tui.widgets.lines import Lines
from chainteller.tui.widgets.paged_list import PAGE_ROWS, PagedList


@pytest.mark.needs("trading-accounts")
@pytest.mark.parametrize("load_samples", [None, lambda: None])
async def test_an_empty_desk_names_the_next_keys(
    bench: Bench, load_samples: Callable[[], None] | None
) -> None:
    app = Console(lambda: bench.start(load_samples=load_samples), bench.settings)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        shown = seen(app)
        assert "No accounts yet." in shown
        assert "+ open one" in shown
        assert (": sample" in shown) is (load_samples is not None)


@pytest.mark.needs("customers")
async def test_that_nobody_is_selected_is_said_only_while_it_is_so(bench: Bench) -> None:
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "b")
        assert "no account is selected" in seen(app)
        bench.open(1)
        await press(pilot, "r")
        assert app.desk.customer.account_id
        assert "no account is selected" not in seen(app)


@pytest.mark.needs("customers")
async def test_an_account_is_opened_for_a_customer_found_by_bank_account(bench: Bench) -> None:
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "plus")
        await press(pilot, *"DDA-7")
        assert "[ok] terms accepted" in seen(app)
        await press(pilot, "enter")
        assert "OPEN A TRADING ACCOUNT for Customer 7?" in seen(app)
        assert "with the checking bank account DDA-7" in seen(app)
        await answer(pilot, "y")
        assert "DDA-7" in seen(app)
    (account,) = bench.service.trading_accounts(ListQuery()).data
    assert account.bank_account_id == "DDA-7"


@pytest.mark.forms(1)
@pytest.mark.parametrize("key", ["enter", "n", "escape", "space"])
async def test_no_account_is_opened_without_a_yes(bench: Bench, key: str) -> None:
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        is_found = bench.place is None  # else the kind of bank account can't be looked up
        typed = (*"DDA-7",) if is_found else (*"DDA-7", "space", *"checking")
        await press(pilot, "plus")
        await press(pilot, *typed, "enter")
        assert isinstance(app.screen, Question)
        await answer(pilot, key)
        if not isinstance(app.screen, Question):
            again = () if is_found else ("plus", *typed)
            await press(pilot, *again, "enter")
            assert isinstance(app.screen, Question), "it can be asked again"
    assert bench.service.trading_accounts(ListQuery()).data == ()


@pytest.mark.needs("customers")
async def test_a_customer_without_terms_is_refused_with_what_to_do(bench: Bench) -> None:
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "plus")
        await press(pilot, *"DDA-98", "enter")
        shown = seen(app)
        assert "[x] terms not accepted" in shown
        assert "TERMS_NOT_ACCEPTED" in shown
    assert bench.service.trading_accounts().data == ()


async def test_a_withdrawal_asks_with_amount_and_account(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "w", *"120.5", "enter")
        shown = seen(app)
        assert "WITHDRAW 120.50 USD" in shown
        assert account.id in shown
        await answer(pilot, "y")
    (withdrawal,) = bench.service.withdrawals(account.id).data
    assert withdrawal.amount == "120.50"


@pytest.mark.forms(1)
@pytest.mark.parametrize(
    ("key", "amount", "told"),
    [
        (
            "d",
            "2000000",
            "There is not enough money in your bank account. 999,500.00 USD is available",
        ),
        pytest.param(
            "w",
            "9000",
            "500.00 USD is available and you asked for",
            marks=pytest.mark.needs("buying-power"),
        ),
    ],
)
async def test_a_refusal_for_want_of_money_says_whose_money(
    bench: Bench, key: str, amount: str, told: str
) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console(confirm_above_cents=10**12)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, key, *amount, "enter")
        shown = seen(app)
        assert "INSUFFICIENT_FUNDS" in shown
        said = " ".join(shown.split())
        assert re.search(
            r"Not enough money( in the bank account)?: [\d,.]+ USD free, [\d,.]+ w", said
        )
        assert "wanted. Nothing was moved." in said
        assert "[x] Enter a smaller amount." in shown
        await press(pilot, "escape")
        assert f"{key}: enter a smaller amount" in seen(app), "the key works again"
        await press(pilot, "t", "t")
        assert told in " ".join(app.clipboard.split())


@pytest.mark.parametrize("key", ["d", "w", "b"])
async def test_letters_in_an_amount_stay_and_are_refused_at_once(bench: Bench, key: str) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, key)
        bar = app.screen.query_one(FieldBar)
        below = app.screen.query_one("#field-read-back", Lines)
        await press(pilot, *"5,")
        assert "[x]" not in below.plain_text, "an amount may begin like this"
        await press(pilot, *"x")
        assert bar.value == "5,x"
        assert "[x] Use only digits and a decimal point" in " ".join(below.plain_text.split())
        await press(pilot, "backspace", *"000")
        assert below.plain_text == " = 5,000.00 USD"


async def test_a_refused_amount_stays_in_its_line_with_the_reason_below_it(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    app = bench.console(confirm_above_cents=10**12)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "d", *"999999999", "enter")
        screen = app.screen
        assert isinstance(screen, AccountsScreen)
        assert "[x] INSUFFICIENT_FUNDS" in seen(app)
        assert (screen.field_bar.purpose, screen.field_bar.value) == ("deposit", "999999999")
        assert seen(app).count("Not enough money") == 1, "the panel says why, once"
        remedy = screen.query_one("#field-read-back", Lines).plain_text
        assert remedy == " [x] Enter a smaller amount.   esc closes this line"
        assert "d: enter a smaller" not in seen(app), "nor is the remedy said twice"
        await press(pilot, *"25")
        assert app.current_mode == "accounts", "digits are part of the amount"
        assert screen.field_bar.value == "25", "typing replaces what was refused"
        await press(pilot, "enter")
        assert not screen.field_bar.is_open
    assert bench.service.deposits(account.id).data[0].amount == "25.00"


async def test_a_line_closed_after_a_refusal_stays_closed(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    app = bench.console(confirm_above_cents=10**12)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "d", *"999999999", "enter", "escape")
        screen = app.screen
        assert isinstance(screen, AccountsScreen)
        assert not screen.field_bar.is_open
        assert "[x] INSUFFICIENT_FUNDS" in seen(app), "the reason is still there to be read"
        await press(pilot, "escape")
        assert "INSUFFICIENT_FUNDS" not in seen(app), "read and closed: the log alone keeps it"
        assert [line for line in app.desk.log if line.text.startswith("INSUFFICIENT_FUNDS")]
        screen.fail(InsufficientFunds("1.00", "2.00", "USD"))
        assert not screen.field_bar.is_open, "that refusal is about no amount typed here"
    assert bench.service.deposits(account.id).pagination.total == 1


@pytest.mark.needs("limits")
async def test_a_withdrawal_above_a_limit_is_refused_before_it_is_asked(bench: Bench) -> None:
    account = bench.open(1, deposit="90000.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "w", *"25000.01", "enter")
        shown = seen(app)
        assert "LIMIT_EXCEEDED" in shown
        assert "WITHDRAW" not in shown, "nobody has to type an amount again that cannot leave"
        assert "[x] Withdraw at most 25,000.00 USD now." in shown
        await press(pilot, *"25000", "enter")
        assert "WITHDRAW 25,000.00 USD" in seen(app)
        await answer(pilot, "n")
    assert bench.service.withdrawals(account.id).pagination.total == 0
    assert not [row for row in bench.service.audit().data if row.action == "withdraw"]


async def test_a_read_only_desk_sends_nothing(bench: Bench) -> None:
    account = bench.open(1)
    app = bench.console(read_only=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for key in ("d", "w"):
            await press(pilot, key)
            assert "READ_ONLY" in seen(app)
            assert "F9: allow changes" in seen(app)
            assert "enter: send" not in seen(app)
            await press(pilot, "escape")
    assert bench.service.deposits(account.id).data == ()


async def test_a_long_list_is_fetched_page_by_page(bench: Bench) -> None:
    for number in range(1, 21):
        bench.open(number)
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        listed = app.screen.query_one(PagedList)
        assert listed.total == 20
        assert len(listed.rows_held) <= PAGE_ROWS
        await press(pilot, "end")
        assert listed.cursor == 19
        await press(pilot, "slash", *"DDA-13", "enter")
        assert listed.total == 1
        await press(pilot, "e")
        assert "accounts: all 1 rows, CSV" in seen(app)
        await press(pilot, "enter")
        assert "chainteller-accounts.csv" in seen(app)
    written = (bench.settings.export_folder or Path()) / "chainteller-accounts.csv"
    assert "DDA-13" in written.read_text()


@pytest.mark.parametrize("rows", [2, PAGE_ROWS])
async def test_leaving_a_filter_turns_to_nobody_else(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    """Whoever was found is still served, also where they aren't on the first page."""
    for module in (paged_list, accounts_screen):
        monkeypatch.setattr(module, "PAGE_ROWS", rows)
    for number in range(1, 6):
        bench.open(number)
    ids = {each.bank_account_id: each.id for each in bench.service.trading_accounts().data}
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        listed = app.screen.query_one(PagedList)
        await press(pilot, "home")
        for number, closing in ((3, ()), (4, ("enter",)), (5, ("enter", "enter", "escape"))):
            await press(pilot, "slash", "ctrl+u", *f"DDA-{number}", *closing, "escape")
            served = ids[f"DDA-{number}"]
            assert (app.desk.customer.account_id, listed.cursor_key) == (served, served)
        await press(pilot, *"d5", "enter")
        assert [each.amount for each in bench.service.deposits(ids["DDA-5"]).data] == ["5.00"]
        await press(pilot, "escape", "escape", "escape")
        assert listed.total == 5


async def test_what_changed_under_the_open_detail_stands_under_the_list_afterwards(
    bench: Bench,
) -> None:
    account = bench.open(1, deposit="100.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert " USD 100.00" in seen(app)
        await press(pilot, "enter")
        bench.deposit(account, "23.00")
        await press(pilot, "r")
        await press(pilot, "escape")
        assert " USD 123.00" in seen(app)


def test_a_large_balance_and_what_it_is_worth_stand_apart() -> None:
    held = TokenBalance(
        token=Token(symbol="BUSD1", network="bank"),
        amount="31496334.00",
        value_usd="31496334.00",
    )
    assert _balance(held).plain.endswith(" 31,496,334.00 31,496,334.00")


async def test_the_cursor_follows_at_once_to_whoever_is_served_from_elsewhere(
    bench: Bench,
) -> None:
    """As when a lost request of somebody else is sent again: the question is about them."""
    accounts = [bench.open(number) for number in (1, 2, 3)]
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        screen = app.screen
        assert isinstance(screen, AccountsScreen)
        for account in accounts:
            app.desk.customer.serve(account)
            await pilot.pause()
            assert screen.selected is not None
            assert screen.selected.id == account.id
            await settle(pilot)
            assert app.desk.customer.account_id == account.id


async def test_a_list_asked_for_earlier_does_not_take_the_customer_back(bench: Bench) -> None:
    """A filter is closed, and before its list comes, somebody is served from elsewhere."""
    accounts = [bench.open(number) for number in (1, 2, 3)]
    asked, may_answer = threading.Event(), threading.Event()
    may_answer.set()

    def held(call: Call[Answer], onward: Next) -> Answer:
        if call.operation is op.TRADING_ACCOUNTS:
            asked.set()
            assert may_answer.wait(PATIENCE_S)
        return onward(call)

    app = bench.console(layered(bench.deployment, held))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        screen = app.screen
        assert isinstance(screen, AccountsScreen)
        await press(pilot, "slash", *"DDA-2", "enter")
        assert app.desk.customer.account_id == accounts[1].id
        asked.clear()
        may_answer.clear()
        app.simulate_key("escape")
        await until(asked.is_set)
        app.desk.customer.serve(accounts[2])
        may_answer.set()
        await settle(pilot)
        assert app.desk.customer.account_id == accounts[2].id
        assert screen.selected is not None
        assert screen.selected.id == accounts[2].id
        await press(pilot, "up", "up")
        first = app.desk.customer.account_id
        await press(pilot, "down")
        assert app.desk.customer.account_id != first, "the cursor decides again"


def _accounts_in(shown: str) -> tuple[str, str]:
    """The bank accounts of the row under the cursor and of the detail."""
    rows = shown.splitlines()
    row = next(each for each in rows if each.startswith("│>"))
    heading = next(each for each in rows if "checking  DDA-" in each or "savings  DDA-" in each)
    return re.findall(r"DDA-\d+", row)[0], re.findall(r"DDA-\d+", heading)[-1]


@pytest.mark.needs("buying-power")
async def test_no_frame_has_the_cursor_on_one_customer_and_the_detail_of_another(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The frame of a step waits for its detail, which is painted once."""
    for module in (screen_fixes, accounts_screen):
        monkeypatch.setattr(module, "HELD_S", 60)
    for number in range(1, 5):
        bench.open(number, deposit=f"{number}.00")
    app, frames = bench.console(), list[str]()
    real = app._display

    def display(screen: Screen[Any], renderable: object) -> None:
        frames.append(seen(app))
        real(screen, renderable)

    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        monkeypatch.setattr(app, "_display", display)
        screen = app.screen
        assert isinstance(screen, AccountsScreen)
        for key in ("down", "down", "up"):
            await until(lambda: monotonic() - screen._chosen_at > accounts_screen._RESTED_S)
            frames.clear()
            await pilot.press(key)
            await settle(pilot)
            assert frames
            for shown in frames:
                row, detail = _accounts_in(shown)
                assert row == detail
                assert "loading" not in shown


@pytest.mark.needs("account-controls")
@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40), (200, 60)])
@pytest.mark.parametrize("control", ["FROZEN", "SELL_ONLY"])
async def test_a_restricted_account_says_so_in_the_list_and_below_it(
    bench: Bench, size: tuple[int, int], control: str
) -> None:
    account = bench.open(1, deposit="20.00")
    bench.open(2, deposit="30.00")

    def restricted(call: Call[Answer], onward: Next) -> Answer:
        found = onward(call)
        changed = {"controls": (control,)}
        if call.operation is op.TRADING_ACCOUNTS and isinstance(found, Page):
            rows = (r.model_copy(update=changed) if r.id == account.id else r for r in found.data)
            return found.model_copy(update={"data": tuple(rows)})
        if isinstance(found, TradingAccount) and found.id == account.id:
            return found.model_copy(update=changed)
        return found

    app = bench.console(layered(bench.service, restricted))
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "slash", *"DDA-1", "enter")
        row, *_ = [each for each in seen(app).splitlines() if short_id(account.id)[:8] in each]
        assert f"[x] {control}" in row
        assert f"[x] {control}" in app.screen.query_one("#summary", Lines).plain_text

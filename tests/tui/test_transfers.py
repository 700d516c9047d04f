"""Deposits and withdrawals: found, told truly, and cancelled in time, on any deployment."""

import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pytest
from rich.cells import cell_len
from tests.deployments import SPEC_ONLY
from tests.spec_only.specification import SpecifiedCall
from tests.tui.conftest import Bench, answer, make_bench, press, seen, settle
from tests.tui.wallet_case import ALICE, Case, paste
from textual.command import CommandList
from textual.pilot import Pilot

from chainteller.domain.options import EngineOptions
from chainteller.records import blocks
from chainteller.records.formats import short_address, short_id
from chainteller.service import operations as op
from chainteller.service.errors import NotOffered
from chainteller.service.layers import Next, layered
from chainteller.service.models.funding import (
    Currency,
    Destination,
    WithdrawalRequest,
)
from chainteller.service.models.pages import Page
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.service.operations import Call
from chainteller.tui.answer import now_lines
from chainteller.tui.console.app import Console
from chainteller.tui.customer_list import CustomerListScreen
from chainteller.tui.dialogs.question import Question
from chainteller.tui.list_screen import in_short
from chainteller.tui.start import StartedDesk
from chainteller.tui.transfers.filter import NAMED
from chainteller.tui.transfers.view import SHOWN
from chainteller.tui.typed_filter import Wanted, wanted
from chainteller.tui.widgets.detail import Detail
from chainteller.tui.widgets.lines import Lines
from chainteller.tui.widgets.paged_list import PagedList

Answer = TypeVar("Answer")
TOKEN = Currency(type="deposit-token-currency", id="DPT_USD")
USDC = Currency(type="stablecoin-currency", symbol="USDC", network="ethereum")
SMALL, LARGE = (80, 24), (120, 40)
DELAY_S = 60
MOST_KEYS = 3


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """A bank that sends a withdrawal a minute after it was requested."""
    yield from make_bench(tmp_path, EngineOptions(rate_limits=False, withdrawal_delay_s=DELAY_S))


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Bench]:
    """The same bank behind a spec-only deployment."""
    options = EngineOptions(rate_limits=False, withdrawal_delay_s=DELAY_S)
    yield from make_bench(tmp_path, options, SPEC_ONLY)


def _withdraw(bench: Bench, account_id: str, amount: str) -> str:
    bench.world.advance(1)
    request = WithdrawalRequest(amount=amount, currency=TOKEN)
    return bench.service.withdraw(account_id, request).value.id


def _statuses(bench: Bench, account_id: str) -> dict[str, str]:
    return {row.id: row.status for row in bench.service.withdrawals(account_id).data}


class Several:
    """Two customers with withdrawals that are easily confused, and one to a wallet."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.one, self.two = bench.open(1, deposit="5000.00"), bench.open(2, deposit="5000.00")
        self.first = _withdraw(bench, self.one.id, "100.00")
        self.second = _withdraw(bench, self.one.id, "100.00")
        self.third = _withdraw(bench, self.one.id, "250.50")
        self.others = _withdraw(bench, self.two.id, "100.00")

    def app(self, **look: Any) -> Console:
        return self.bench.console(**look)


def _bare(bench: Bench, file: Path) -> Console:
    """A console on the spec-only deployment that knows only what is in ``file``."""
    bank = bench.deployment

    def start() -> StartedDesk:
        return StartedDesk(bank, "strict", bank.capabilities(), workspace_file=file)

    return Console(start, bench.settings)


async def _serve(pilot: Pilot[Any], bank_account: str) -> None:
    await settle(pilot)
    await press(pilot, "slash", *bank_account, "enter")


# -- the list --------------------------------------------------------------------------------------


async def test_the_list_is_of_one_account_or_of_all(bench: Bench) -> None:
    several = Several(bench)
    app = several.app()
    async with app.run_test(size=LARGE) as pilot:
        await _serve(pilot, "DDA-1")
        await press(pilot, "6")
        shown = seen(app)
        for each in (several.first, several.second, several.third):
            assert short_id(each) in shown
        assert short_id(several.others) not in shown
        assert app.screen.query_one(PagedList).total == 4
        assert app.screen.query_one("#detail", Detail).plain_text.count("DDA-1") == 1
        await press(pilot, "0")
        assert "all accounts" in seen(app)
        assert "CUSTOMER" in seen(app)
        assert seen(app).count("Customer 1") >= len((several.first, several.second, several.third))
        assert app.screen.query_one(PagedList).total == 6
        await press(pilot, "0", "o", "home")
        assert "4 transfers   order: oldest" in seen(app)
        assert "DEPOSIT" in seen(app).split(several.one.id)[1].splitlines()[3]
        await press(pilot, "f")
        assert "only deposits" in seen(app)
        assert app.screen.query_one(PagedList).total == 1
        await press(pilot, "escape")
        assert app.screen.query_one(PagedList).total == 4
        assert app.current_mode == "transfers"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("withdrawals sent", Wanted({"type": "withdrawal-transaction", "status": "sent"})),
        ("dep 100 meri", Wanted({"type": "deposit-transaction"}, ("100", "meri"))),
        ("re", Wanted({}, ("re",))),
        ("ret", Wanted({"status": "returned"})),
        ("deposit withdrawal", Wanted({"type": "deposit-transaction"}, ("withdrawal",))),
        ("TXN_12..AB", Wanted({}, ("TXN_12..AB",))),
    ],
)
def test_a_word_that_begins_one_name_only_stands_for_it(typed: str, meant: Wanted) -> None:
    assert wanted(typed, NAMED) == meant


# -- where is my withdrawal? -----------------------------------------------------------------------

ASKED = ("id", "short id", "address", "short address", "amount", "customer", "bank account")


@pytest.fixture
def sent_to_wallet(bench: Bench) -> tuple[Bench, dict[str, str]]:
    """A withdrawal of customer 3 to a wallet, and what the customer may say of it."""
    several = Several(bench)
    case = Case(bench, "alice-ethereum", customer=3)
    case.link("alice-ethereum")
    case.fund("80.00")
    bench.world.advance(25 * 3_600)
    target = Destination(
        type="counterparty",
        counterparty_id=case.newest().counterparty_id,
        blockchain_account_id=case.account.id,
    )
    request = WithdrawalRequest(amount="12.75", currency=USDC, destination=target)
    made = bench.service.withdraw(case.account.trading_account_id, request).value
    bench.world.advance(1)
    assert several.one.id != made.trading_account_id
    told = (made.id, short_id(made.id), ALICE, short_address(ALICE), "12.75", "Customer 3", "DDA-3")
    return bench, {"record": made.id, **dict(zip(ASKED, told, strict=True))}


def _typed(words: str) -> list[str]:
    return ["space" if letter == " " else letter for letter in words]


@pytest.mark.forms(1)
@pytest.mark.parametrize("asked", ASKED)
async def test_where_is_my_withdrawal_takes_two_keys_after_the_search_in_the_list(
    sent_to_wallet: tuple[Bench, dict[str, str]], asked: str
) -> None:
    bench, told = sent_to_wallet
    app = bench.console()
    async with app.run_test(size=SMALL) as pilot:
        await _serve(pilot, "DDA-1")
        await press(pilot, "6", "0", "slash", *_typed(told[asked]))
        await press(pilot, "enter")
        shown = seen(app)
        assert told["record"] in shown, "the newest that matches is selected"
        assert "[>] processing" in shown
        assert "Customer 3" in shown
        await press(pilot, "t")
        assert "Your withdrawal of 12.75 USDC" in seen(app)


@pytest.mark.forms(1)
@pytest.mark.parametrize("asked", ["id", "address", "amount", "customer"])
async def test_where_is_my_withdrawal_takes_three_keys_after_the_search_in_the_palette(
    sent_to_wallet: tuple[Bench, dict[str, str]], asked: str
) -> None:
    bench, told = sent_to_wallet
    app = bench.console()
    async with app.run_test(size=SMALL) as pilot:
        await _serve(pilot, "DDA-1")
        await press(pilot, "colon", *_typed(told[asked]))
        hits = app.screen.query_one(CommandList)
        rows = [str(hits.get_option_at_index(place).prompt) for place in range(hits.option_count)]
        place = next(at for at, row in enumerate(rows) if "withdrawal 12.75 USDC" in row)
        keys = [*["down"] * place, "enter", "t"]
        assert len(keys) <= MOST_KEYS, rows
        await press(pilot, *keys[:-1])
        shown = seen(app)
        assert app.current_mode == "transfers"
        assert told["record"] in shown
        assert "processing" in shown
        assert "Customer 3" in shown
        await press(pilot, "t")
        assert "Your withdrawal of 12.75 USDC" in seen(app)


async def test_a_pasted_id_opens_the_transfer_and_serves_its_customer(
    sent_to_wallet: tuple[Bench, dict[str, str]],
) -> None:
    bench, told = sent_to_wallet
    app = bench.console()
    async with app.run_test(size=SMALL) as pilot:
        await _serve(pilot, "DDA-1")
        await paste(pilot, told["id"])
        assert "TIMELINE" in seen(app)
        whole = "".join(row.strip() for row in seen(app).splitlines())
        assert ALICE in re.sub(r"\s", "", whole), "an address is never cut"
        assert app.desk.customer.account is not None
        assert app.desk.customer.account.bank_account_id == "DDA-3"


async def test_a_pasted_id_is_not_looked_for_among_the_next_customers_transfers(
    bench: Bench,
) -> None:
    several = Several(bench)
    app = several.app()
    async with app.run_test(size=LARGE) as pilot:
        await settle(pilot)
        await paste(pilot, several.first)
        assert app.desk.customer.account_id == several.one.id
        await paste(pilot, "DDA-2")
        await press(pilot, "6")
        shown = seen(app)
        assert short_id(several.others) in shown
        assert several.first not in shown
        await paste(pilot, several.first)
        assert app.screen.query_one(PagedList).cursor_key == several.first
        await press(pilot, "0")
        await paste(pilot, "DDA-2")
        await press(pilot, "6")
        assert short_id(several.others) in seen(app)
        assert several.first not in seen(app)


def _buy(bench: Bench, account_id: str) -> None:
    asked = QuoteRequest(amount="50.00", side="buy", trading_account_id=account_id)
    quote = bench.service.create_quote("sol-usd", asked).value
    bench.service.execute_quote(quote.id, ExecuteRequest(trading_account_id=account_id))


async def test_the_account_and_a_trade_lead_to_their_transfers(bench: Bench) -> None:
    several = Several(bench)
    _buy(bench, several.two.id)
    app = several.app()
    async with app.run_test(size=LARGE) as pilot:
        await _serve(pilot, "DDA-1")
        assert "on hold for withdrawals" in seen(app)
        assert "withdraw 250.50 USD" in seen(app)
        await press(pilot, "v")
        assert "ACTIVITY" in seen(app)
        await press(pilot, "2")
        assert app.current_mode == "transfers"
        assert several.second in seen(app)
        await press(pilot, "escape", "4", "0", "v")
        assert app.current_mode == "transfers"
        assert app.desk.customer.account_id == several.two.id
        assert short_id(several.others) in seen(app)
        assert short_id(several.second) not in seen(app)


@pytest.mark.parametrize("key", ["4", "6"])
@pytest.mark.parametrize("is_shown", [True, False])
async def test_another_customer_ends_the_list_of_all_its_filter_and_the_open_detail(
    bench: Bench, key: str, *, is_shown: bool
) -> None:
    """Whether they were chosen on the list or on another screen."""
    several = Several(bench)
    for each in (several.one, several.two):
        _buy(bench, each.id)
        bench.world.advance(1)
    app = several.app()
    async with app.run_test(size=SMALL) as pilot:
        await _serve(pilot, "DDA-1")
        await press(pilot, key, "0", "slash", *{"4": "sol", "6": "100"}[key], "enter", "end")
        await press(pilot, "enter")
        assert app.screen.has_class("detail-open")
        if not is_shown:
            await press(pilot, "1")
        await paste(pilot, "DDA-2")
        await press(pilot, key)
        shown = seen(app)
        assert app.desk.customer.account_id == several.two.id
        assert "all accounts" not in shown
        assert "/sol" not in shown
        assert "/100" not in shown
        screen = app.screen
        assert isinstance(screen, CustomerListScreen)
        assert not screen.has_class("detail-open")
        assert {screen.owner_of(each) for each in screen.records.values()} == {several.two.id}


@pytest.mark.needs("all-transfers")
async def test_a_trade_leads_to_its_accounts_transfers_from_a_list_of_all(bench: Bench) -> None:
    several = Several(bench)
    _buy(bench, several.one.id)
    app = several.app()
    async with app.run_test(size=SMALL) as pilot:
        await _serve(pilot, "DDA-1")
        await press(pilot, "6", "0", "home", "enter", "4", "v")
        assert app.current_mode == "transfers"
        screen = app.screen
        assert isinstance(screen, CustomerListScreen)
        assert {screen.owner_of(each) for each in screen.records.values()} == {several.one.id}
        assert not screen.has_class("detail-open")


async def test_a_transfer_that_was_opened_by_its_id_is_not_what_the_list_opens_on_again(
    bench: Bench,
) -> None:
    several = Several(bench)
    app = several.app()
    async with app.run_test(size=SMALL) as pilot:
        await _serve(pilot, "DDA-1")
        await paste(pilot, several.first)
        assert f"/{several.first}" in seen(app)
        await press(pilot, "1", "6")
        assert f"/{several.first}" not in seen(app)
        assert app.screen.query_one(PagedList).total == 4


@pytest.mark.parametrize("before", ["one account", "all accounts", "only completed"])
async def test_it_opens_on_the_transfer_just_requested(bench: Bench, before: str) -> None:
    several = Several(bench)
    app = several.app(hold_s=0)
    async with app.run_test(size=LARGE) as pilot:
        await _serve(pilot, "DDA-1")
        await press(pilot, "6")
        if before == "all accounts":
            await press(pilot, "0", "home")
            assert several.others in seen(app)
        elif before == "only completed":
            await press(pilot, *["f"] * _presses_until("completed"))
        await press(pilot, "down", "1", "w", *"7.25", "enter")
        await answer(pilot, "y")
        await press(pilot, "6", "C")
        assert "CANCEL the withdrawal of 7.25 USD to DDA-1?" in seen(app)
        await answer(pilot, "n")
        await press(pilot, "1", "d", *"8.50", "enter", "6")
        (made,) = [
            row for row in bench.service.deposits(several.one.id).data if row.amount == "8.50"
        ]
        assert app.screen.query_one(PagedList).cursor_key == made.id
        await press(pilot, "down", "1", "6")
        assert app.screen.query_one(PagedList).cursor_key != made.id, "it opens as it was left"


def _presses_until(word: str) -> int:
    return next(at for at, (shown, _) in enumerate(SHOWN) if shown == word)


# -- cancelling ------------------------------------------------------------------------------------


@pytest.mark.forms(1)
@pytest.mark.parametrize("downs", [0, 1, 2])
async def test_the_selected_withdrawal_is_cancelled_and_no_other(bench: Bench, downs: int) -> None:
    several = Several(bench)
    ids = [several.third, several.second, several.first]
    app = several.app()
    async with app.run_test(size=SMALL) as pilot:
        await _serve(pilot, "DDA-1")
        await press(pilot, "6", *["down"] * downs, "C")
        shown = seen(app)
        amount = "250.50" if downs == 0 else "100.00"
        assert f"CANCEL the withdrawal of {amount} USD to DDA-1?" in shown
        assert f"Customer 1   {several.one.id}   checking DDA-1" in shown
        assert f"{ids[downs]}, processing" in shown
        await press(pilot, "enter")
        assert set(_statuses(bench, several.one.id).values()) == {"processing"}
        await answer(pilot, "y")
        assert "cancelled" in seen(app)
    cancelled = [
        each for each, now in _statuses(bench, several.one.id).items() if now != "processing"
    ]
    assert cancelled == [ids[downs]]
    assert set(_statuses(bench, several.two.id).values()) == {"processing"}


async def test_among_all_accounts_its_own_customer_is_served_and_named(bench: Bench) -> None:
    several = Several(bench)
    app = several.app()
    async with app.run_test(size=SMALL) as pilot:
        await _serve(pilot, "DDA-1")
        await press(pilot, "6", "0", "C")
        shown = seen(app)
        assert f"Customer 2   {several.two.id}   savings DDA-2" in shown
        assert app.desk.customer.account_id == several.two.id
        await answer(pilot, "y")
    assert _statuses(bench, several.two.id) == {several.others: "cancelled"}
    assert set(_statuses(bench, several.one.id).values()) == {"processing"}


async def test_no_leaves_the_withdrawal_as_it_is(bench: Bench) -> None:
    several = Several(bench)
    app = several.app()
    async with app.run_test(size=SMALL) as pilot:
        await _serve(pilot, "DDA-1")
        await press(pilot, "6", "C")
        await answer(pilot, "n")
        assert not isinstance(app.screen, Question)
    assert set(_statuses(bench, several.one.id).values()) == {"processing"}


async def test_the_question_closes_with_the_reason_when_the_withdrawal_leaves(
    bench: Bench,
) -> None:
    several = Several(bench)
    app = several.app()
    async with app.run_test(size=SMALL) as pilot:
        await _serve(pilot, "DDA-1")
        await press(pilot, "6", "C")
        assert isinstance(app.screen, Question)
        bench.deposit(several.two, "1.00")
        app.poll_now()
        await settle(pilot)
        assert isinstance(app.screen, Question), "news of another record closes nothing"
        bench.world.advance(DELAY_S)
        app.poll_now()
        await settle(pilot)
        assert not isinstance(app.screen, Question)
        shown = seen(app)
        assert "WITHDRAWAL_NOT_CANCELLABLE" in shown
        assert "was sent and is on its way" in shown
    assert set(_statuses(bench, several.one.id).values()) == {"sent"}


async def test_what_cannot_be_cancelled_is_said_at_once(bench: Bench) -> None:
    several = Several(bench)
    bench.world.advance(DELAY_S)
    app = several.app()
    async with app.run_test(size=LARGE) as pilot:
        await _serve(pilot, "DDA-1")
        await press(pilot, "6", "C")
        assert not isinstance(app.screen, Question)
        assert "the withdrawal was sent and is on its way" in seen(app)
        await press(pilot, "end", "C")
        assert "a deposit can't be cancelled; withdraw the money instead" in seen(app)
        assert "C cancel" not in seen(app)


async def test_a_withdrawal_that_left_unseen_is_not_asked_about(bench: Bench) -> None:
    several = Several(bench)
    app = several.app()
    async with app.run_test(size=SMALL) as pilot:
        await _serve(pilot, "DDA-1")
        await press(pilot, "6")
        bench.world.advance(DELAY_S)
        await press(pilot, "C")
        assert not isinstance(app.screen, Question)
        assert "WITHDRAWAL_NOT_CANCELLABLE" in seen(app)


# -- what is told ----------------------------------------------------------------------------------


async def _text(pilot: Pilot[Any], app: Console) -> str:
    """What ``t`` shows and, pressed again, copies."""
    await press(pilot, "t")
    await press(pilot, "t")
    await press(pilot, "escape")
    return app.clipboard


async def test_the_customer_hears_of_stopping_only_while_it_can_be_done(bench: Bench) -> None:
    several = Several(bench)
    app = several.app()
    async with app.run_test(size=SMALL) as pilot:
        await _serve(pilot, "DDA-1")
        await press(pilot, "6")
        assert "can still be cancelled. Would you like me to cancel it now?" in await _text(
            pilot, app
        )
        await press(pilot, "f9")
        assert "being prepared" in await _text(pilot, app)
        assert "cancel it now" not in await _text(pilot, app)
        await press(pilot, "f9")
        bench.world.advance(DELAY_S)
        await press(pilot, "r")
        told = await _text(pilot, app)
        assert "can no longer be cancelled" in told
        assert "cancel it now" not in told


def _timeline(app: Console) -> str:
    """What the detail beside the list tells from its timeline on, on one line."""
    rows = (row.rstrip("│ ").rpartition("│")[2] for row in seen(app).splitlines())
    return " ".join(" ".join(rows).partition("TIMELINE")[2].split())


async def test_the_timeline_tells_each_step_and_the_hold(bench: Bench) -> None:
    several = Several(bench)
    bench.service.cancel_withdrawal(several.one.id, several.second)
    bench.world.advance(DELAY_S)
    bench.world.advance(DELAY_S)
    app = several.app()
    async with app.run_test(size=LARGE) as pilot:
        await _serve(pilot, "DDA-1")
        await press(pilot, "6")
        assert "on hold" not in seen(app).split("TIMELINE")[0]
        told = _timeline(app)
        assert "the money was paid" not in told
        for step in ("requested by op01: the money is on hold", "sent", "completed"):
            assert step in told
        await press(pilot, "down")
        told = _timeline(app)
        assert "cancelled by op01: the hold was released" in told
        assert "sent" not in told


async def test_a_watched_withdrawal_rings_once_when_it_ends(bench: Bench) -> None:
    several = Several(bench)
    rung: list[str] = []
    app = several.app()
    async with app.run_test(size=SMALL) as pilot:
        app.desk.on_notification.subscribe(app, lambda told: rung.append(told.text))
        await _serve(pilot, "DDA-1")
        await press(pilot, "6", "m")
        for _ in range(3):
            bench.world.advance(DELAY_S)
            app.poll_now()
            await settle(pilot)
    assert rung.count(f"withdrawal of 250.50 USD completed  {several.third}") == 1
    assert sum("completed" in text for text in rung) == 1


async def test_the_status_line_follows_a_withdrawal_that_was_requested_here(bench: Bench) -> None:
    one, two = bench.open(1, deposit="500.00"), bench.open(2)
    app = bench.console()
    async with app.run_test(size=SMALL) as pilot:
        await _serve(pilot, "DDA-1")
        await press(pilot, "w", *"123.45", "enter")
        await answer(pilot, "y")
        (kept,) = _statuses(bench, one.id)
        for told in ("processing", "sent"):
            app.poll_now()
            await settle(pilot)
            assert f"withdrawal 123.45 USD {told}  {kept}" in seen(app)
            bench.world.advance(DELAY_S)
        await press(pilot, "escape")
        await _serve(pilot, "DDA-2")
        assert app.desk.customer.account_id == two.id
        app.poll_now()
        await settle(pilot)
        shown = seen(app)
        assert f"{one.id}: withdrawal completed" in shown
        assert "123.45" not in shown, "no amount of another customer"
        lines = [line for line in app.desk.log if kept in f"{line.text}{line.detail}"]
        assert len(lines) == len({"processing", "sent", "completed"}), "each status once"


async def test_a_watched_withdrawal_of_another_customer_is_told_under_its_owners_name(
    bench: Bench,
) -> None:
    several = Several(bench)
    app = several.app()
    async with app.run_test(size=LARGE) as pilot:
        await _serve(pilot, "DDA-1")
        await press(pilot, "6", "m")
        await paste(pilot, "DDA-2")
        assert app.desk.customer.account_id == several.two.id
        for _ in range(3):
            bench.world.advance(DELAY_S)
            app.poll_now()
            await settle(pilot)
        assert f"{several.one.id}: withdrawal completed" in seen(app)
        assert several.third not in seen(app)
        assert "250.50" not in seen(app), "no amount of another customer"
        (told,) = (each for each in app.desk.log if "withdrawal completed" in each.text)
        assert f"withdrawal of 250.50 USD completed  {several.third}" in told.detail


async def test_the_receipt_names_bank_customer_and_hold(bench: Bench, tmp_path: Path) -> None:
    several = Several(bench)
    app = several.app()
    async with app.run_test(size=LARGE) as pilot:
        await _serve(pilot, "DDA-1")
        await press(pilot, "6", "down", "e", "1")
        await settle(pilot)
    written = (tmp_path / f"chainteller-receipt-{several.second}.txt").read_text()
    facts = dict(row.split("  ", 1) for row in written.splitlines()[2:])
    told = {name.strip(): value.strip() for name, value in facts.items()}
    assert written.startswith("RECEIPT OF A WITHDRAWAL")
    assert told["bank"] == "Example Bank"
    assert (told["customer"], told["reference"]) == ("Customer 1", "REF-DDA-1")
    assert (told["bank account"], told["withdrawal"]) == ("DDA-1", several.second)
    assert (told["amount"], told["on hold"]) == ("100.00 USD", "100.00 USD for withdrawals")


async def test_amounts_of_transfers_are_masked(bench: Bench) -> None:
    app = Several(bench).app()
    async with app.run_test(size=LARGE) as pilot:
        await _serve(pilot, "DDA-1")
        await _check_masking(pilot, app)


async def test_amounts_of_transfers_requested_here_are_masked(bare: Bench, tmp_path: Path) -> None:
    several, file = Several(bare), tmp_path / "desk.db"
    app = _bare(bare, file)
    async with app.run_test(size=LARGE) as pilot:
        await settle(pilot)
        await press(pilot, "plus", *several.one.id, "enter", "w", *"250.5", "enter")
        await answer(pilot, "y")
        await _check_masking(pilot, app)
    app.desk.end()
    again = _bare(bare, file)
    async with again.run_test(size=LARGE) as pilot:
        await settle(pilot)
        await again.run_action("command('palette.hide')")
        await press(pilot, "6")
        assert "was accepted" in seen(again)
        assert "250.50" not in seen(again)
    again.desk.end()


async def _check_masking(pilot: Pilot[Any], app: Console) -> None:
    await press(pilot, "6")
    assert "250.50 USD" in seen(app)
    await app.run_action("command('palette.hide')")
    await settle(pilot)
    for key in ("r", "t", "escape", "enter"):
        await press(pilot, key)
        assert "250.50" not in seen(app), key


# -- deployments that tell less, or wrongly --------------------------------------------------------


async def test_a_bare_deployment_shows_what_was_requested_here_and_claims_no_state(
    bare: Bench, tmp_path: Path
) -> None:
    several = Several(bare)
    file = tmp_path / "desk.db"
    app = _bare(bare, file)
    async with app.run_test(size=LARGE) as pilot:
        await settle(pilot)
        await press(pilot, "plus", *several.one.id, "enter", "6")
        shown = seen(app)
        assert "This deployment can't list transfers, and none was requested here." in shown
        await press(pilot, "1", "w", *"31", "enter")
        await answer(pilot, "y")
        bare.world.advance(1)
        await press(pilot, "1", "w", *"32", "enter")
        await answer(pilot, "y")
        bare.world.advance(1)
        await press(pilot, "1", "d", *"33", "enter")
    app.desk.end()
    bare.world.advance(DELAY_S)
    bare.world.advance(DELAY_S)
    again = _bare(bare, file)
    async with again.run_test(size=LARGE) as pilot:
        await settle(pilot)
        await press(pilot, "6", "down")
        shown = seen(again)
        assert "requested here only" in shown
        for amount in ("31.00 USD", "32.00 USD", "33.00 USD"):
            assert amount in shown
        assert "100.00" not in shown
        assert "was accepted" in shown
        assert "id not provided" in shown
        assert "sent" not in shown
        assert "on hold" not in shown
        stands = " ".join(row.plain for row in again.screen.query_one(Detail).lines)
        assert "This deployment doesn't list transfers" in " ".join(stands.split())
        assert "C cancel" not in shown
        await press(pilot, "C")
        assert not isinstance(again.screen, Question)
        told = await _text(pilot, again)
        assert "We received your request of 20 November 2026" in told
        assert "cannot see its status from here" in told
        assert "cancel" not in told
        await press(pilot, "escape", "slash", *"31", "enter")
        assert again.screen.query_one(PagedList).total == 1
        await press(pilot, "e", "1")
        await settle(pilot)
    again.desk.end()
    assert "31.00 USD" in _receipt(tmp_path)
    assert "TXN_" not in _receipt(tmp_path)


async def test_a_deposit_that_was_answered_with_completed_is_told_as_completed(
    bare: Bench, tmp_path: Path
) -> None:
    account = bare.open(1)
    assert bare.place is not None

    def completed(call: SpecifiedCall, _status: int, body: Any) -> bytes:
        is_deposit = call.path.endswith("/deposits")
        return json.dumps({"status": "completed"} if is_deposit else body).encode()

    bare.place.app.distort = completed
    app = _bare(bare, tmp_path / "desk.db")
    async with app.run_test(size=LARGE) as pilot:
        await settle(pilot)
        await press(pilot, "plus", *account.id, "enter", "d", *"33", "enter")
        assert "deposit 33.00 USD completed" in seen(app)
        await press(pilot, "6")
        shown = seen(app)
        assert "[ok] completed" in shown
        assert "was completed" not in shown
        assert "isn't known" not in shown
        assert "Your deposit of 33.00 USD arrived on" in " ".join((await _text(pilot, app)).split())
    app.desk.end()


def _receipt(folder: Path) -> str:
    """The only receipt that was written."""
    (file,) = folder.glob("chainteller-receipt-*.txt")
    return file.read_text()


async def test_a_deployment_without_the_common_list_shows_one_accounts_transfers(
    bench: Bench,
) -> None:
    several = Several(bench)

    def older(call: Call[Answer], onward: Next) -> Answer:
        if call.operation is op.ALL_TRANSFERS:
            raise NotOffered("This deployment doesn't offer this.")
        return onward(call)

    offered = bench.service.capabilities()
    features = tuple(each for each in offered.features if each != "all-transfers")
    offered = offered.model_copy(update={"features": features})
    service = layered(bench.service, older)
    app = Console(lambda: StartedDesk(service, "older", offered), bench.settings)
    async with app.run_test(size=LARGE) as pilot:
        await _serve(pilot, "DDA-1")
        await press(pilot, "6")
        shown = seen(app)
        assert "newest 100 each" in shown
        assert "[>] processing" in shown
        assert app.screen.query_one(PagedList).total == 4
        await press(pilot, "slash", *"250.5", "enter", "C")
        assert several.third in seen(app)
        await answer(pilot, "y")
        assert "[-] cancelled" in seen(app)
        await press(pilot, "0")
        assert "requested here only" in seen(app)
    assert _statuses(bench, several.one.id)[several.third] == "cancelled"


async def test_another_accounts_transfer_in_the_answer_is_refused_by_name(bench: Bench) -> None:
    several = Several(bench)
    foreign = bench.service.withdrawal_record(several.two.id, several.others)

    def mixes(call: Call[Answer], onward: Next) -> Answer:
        found = onward(call)
        if call.operation is op.ALL_TRANSFERS and isinstance(found, Page):
            return found.model_copy(update={"data": (foreign, *found.data)})
        return found

    app = bench.console(layered(bench.service, mixes))
    async with app.run_test(size=LARGE) as pilot:
        await _serve(pilot, "DDA-1")
        await press(pilot, "6")
        shown = seen(app)
        assert "REPLY_MISMATCH" in shown
        assert short_id(several.others) in shown or several.others in shown
        assert "[>] processing" not in shown
        await press(pilot, "escape", "C")
        assert not isinstance(app.screen, Question)


async def test_an_unknown_status_stands_as_it_came_and_promises_nothing(bench: Bench) -> None:
    several = Several(bench)

    def renames(call: Call[Answer], onward: Next) -> Answer:
        found = onward(call)
        if call.operation is not op.ALL_TRANSFERS or not isinstance(found, Page):
            return found
        odd = {"status": "parked", "cancellable": None}
        rows = tuple(each.model_copy(update=odd) for each in found.data)
        return found.model_copy(update={"data": rows})

    app = bench.console(layered(bench.service, renames))
    async with app.run_test(size=LARGE) as pilot:
        await _serve(pilot, "DDA-1")
        await press(pilot, "6")
        assert "[?] parked" in seen(app)
        told = await _text(pilot, app)
        assert "We have received your withdrawal of 250.50 USD" in told
        assert "cancelled" not in told
        await press(pilot, "C")
        assert not isinstance(app.screen, Question)
    assert several.third in _statuses(bench, several.one.id)


@pytest.mark.needs("all-transfers")
@pytest.mark.forms(1)
async def test_the_lines_below_a_list_fit_every_window_it_is_resized_to(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(100, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "6")
        for width in (80, 79, 81, 80, 100, 80):
            await pilot.resize_terminal(width, 24)
            await settle(pilot)
            below = app.screen.query_one("#summary", Lines)
            shown = [below.render_line(y).text for y in range(2)]
            assert "…" not in "".join(shown), (width, shown)
            assert ("withdraw the money instead." in shown[0]) == (width > 80), (width, shown)


def test_a_sentence_that_goes_on_in_the_detail_says_so_below_the_list() -> None:
    for words, goes_on in (("A pays it. R refuses it.", False), ("A pays it. " * 20, True)):
        now = partial(now_lines, "WITHDRAWAL", "1 SOL", ("waits", ""), blocks.Next(words))
        _, shown = in_short(now, "", 78)
        assert "".join(text for text, _ in shown.left).endswith(" …") == goes_on


def test_the_lines_below_a_list_fit_cells_not_characters() -> None:
    """A wide letter takes two cells."""
    words = "王" * 10 + " " + "李" * 10
    for width in range(30, 90):
        now = partial(now_lines, "DEPOSIT", "1 USD", ("[ok] completed", ""), blocks.Next(words))
        for each in in_short(now, f"{words} {words} {words}", width):
            cells = cell_len("".join(text for text, _ in (*each.left, *each.right)))
            assert cells <= width + 2, (width, each)

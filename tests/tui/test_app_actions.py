"""App-wide actions: search, profiles, privacy mode and notes."""

import re
import threading
import time
from pathlib import Path
from typing import Any, TypeVar

import pytest
from tests.tui.conftest import REPOSITORY, Bench, answer, press, seen, settle
from tests.tui.wallet_case import palette
from tests.world.waiting import PATIENCE_S
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from chainteller.service import operations as op
from chainteller.service.errors import OutcomeUnknown, ReadOnlyProfile, ServiceUnreachable
from chainteller.service.layers import Next, layered
from chainteller.service.models.funding import Currency, DepositRequest
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.service.operations import Call
from chainteller.tui.console.app import Console
from chainteller.tui.console.command_table import COMMANDS, PALETTE
from chainteller.tui.console.palette import DeskProvider
from chainteller.tui.start import ProfileRow, StartedDesk
from chainteller.workspace.store import SentState, Workspace

Answer = TypeVar("Answer")


def _bought(bench: Bench, account_id: str) -> str:
    asked = QuoteRequest(amount="100.00", side="buy", trading_account_id=account_id)
    quote = bench.service.create_quote("sol-usd", asked).value
    request = ExecuteRequest(trading_account_id=account_id)
    return bench.service.execute_quote(quote.id, request).value.id


def _kept(bench: Bench, file: Path) -> Console:
    """A console whose workspace lasts."""

    def start() -> StartedDesk:
        return bench.start(workspace_file=file)

    return Console(start, bench.settings)


async def _paste(pilot: Pilot[Any], text: str) -> None:
    pilot.app.post_message(events.Paste(text))
    await settle(pilot)


async def _hits(app: Console, text: str) -> list[str]:
    provider = DeskProvider(app.screen)
    return [str(hit.text) async for hit in provider.search(text)]


# -- the palette, finding --------------------------------------------------------------------------


@pytest.mark.needs("customers")
async def test_the_palette_knows_commands_profiles_themes_ids_and_customers(bench: Bench) -> None:
    account = bench.open(1)
    name = account.customer_name or "?"
    app = bench.console(profiles=(ProfileRow("branch", "remote", "https://bank.example"),))
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        assert any("Trades" in hit for hit in await _hits(app, "trades"))
        assert any("theme: light" in hit for hit in await _hits(app, "light"))
        assert any("profile: branch" in hit for hit in await _hits(app, "branch"))
        assert f"find {account.id}" in await _hits(app, account.id)
        for wanted in (name[:5], "DDA-1"):
            assert any(account.id in hit for hit in await _hits(app, wanted))
        for command in PALETTE:
            assert command.about in await _hits(app, command.about)


async def test_the_palette_says_why_a_command_does_nothing_now(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "f9")
        await palette(pilot, "deposit")
        await settle(pilot)
        assert "d: read-only: F9" in seen(app)
        await press(pilot, "escape")
        await palette(pilot, "last customer")
        await settle(pilot)
        assert "last customer: no customer was selected in the last session" in seen(app)
        await press(pilot, "f9")
        await palette(pilot, "deposit")
        await settle(pilot)
        assert isinstance(app.focused, Input)
        await press(pilot, *"7.00", "enter")
        await settle(pilot)
        assert bench.service.deposits(account.id).data[0].amount == "7.00"


async def test_enter_in_the_palette_takes_what_was_typed_however_quickly(bench: Bench) -> None:
    """The list of the letters before still stands while the search for the last one runs."""
    bench.open(1, deposit="500.00")
    searched = threading.Event()

    def slow(call: Call[Answer], onward: Next) -> Answer:
        if call.operation in {op.TRADING_ACCOUNTS, op.FIND} and app.screen.is_modal:
            searched.wait(PATIENCE_S)
        return onward(call)

    app = bench.console(layered(bench.deployment, slow))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "3", "colon")
        for key in (*"info", "enter"):
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        await pilot.pause(0.3)
        searched.set()
        await settle(pilot)
        assert "INFO" in seen(app)
        await press(pilot, "escape")
        assert "No quote yet" in seen(app)


@pytest.mark.forms(1)
@pytest.mark.parametrize("wanted", ["account", "bank account"])
async def test_a_pasted_id_opens_what_it_names(bench: Bench, wanted: str) -> None:
    account = bench.open(1, deposit="500.00")
    bench.open(2)
    text = {"account": account.id, "bank account": "DDA-1"}[wanted]
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "2")
        await _paste(pilot, f" {text}\n")
        shown = seen(app)
        assert app.current_mode == "accounts"
        assert text in shown
        assert account.id in shown


@pytest.mark.needs("paging")
async def test_a_trade_far_down_the_list_is_found_by_its_id(bench: Bench) -> None:
    account = bench.open(1, deposit="50000.00")
    trade_id = _bought(bench, account.id)
    for _ in range(120):
        bench.world.advance(1)
        _bought(bench, account.id)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await _paste(pilot, trade_id)
        shown = seen(app)
        assert app.current_mode == "trades"
        assert f"/{trade_id}" in shown
        assert "100.00" in shown


@pytest.mark.needs("transfer-records")
async def test_a_pasted_deposit_is_shown_and_its_customer_served(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    bench.open(2)
    deposit = bench.service.deposits(account.id).data[0]
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await _paste(pilot, deposit.id)
        assert app.current_mode == "transfers"
        assert deposit.id in seen(app)
        assert app.desk.customer.account is not None
        assert app.desk.customer.account.id == account.id


async def test_a_pasted_text_that_is_no_id_presses_no_key(bench: Bench) -> None:
    bench.open(1)
    app = bench.console()
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        before = seen(app)
        await _paste(pilot, "d1000\n4C y")
        await _paste(pilot, "0x" + "7" * 64)
        assert seen(app) == before


# -- what was left open --------------------------------------------------------------------------


@pytest.mark.forms(1)
@pytest.mark.needs("idempotency")
@pytest.mark.parametrize("agreed", ["y", "n"])
async def test_requests_that_were_never_answered_are_told_at_the_next_start(
    bench: Bench, tmp_path: Path, agreed: str
) -> None:
    account = bench.open(1)
    file = tmp_path / "desk.db"
    kept = Workspace(file, bench.settings.clock)
    currency = {"type": "deposit-token-currency", "id": "DPT_USD"}
    deposit = {"amount": "70.00", "currency": currency}
    kept.sending("desk-1", "deposit", {"ids": [account.id], "request": deposit})
    kept.close()
    app = _kept(bench, file)
    async with app.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        assert "1 request without an answer   U: find out what happened" in seen(app)
        assert bench.service.deposits(account.id).data == (), "nothing is sent by itself"
        await press(pilot, "exclamation_mark")
        assert f"deposit of 70.00 USD for {account.id}  desk-1" in seen(app)
        await press(pilot, "escape", "U")
        assert "REQUESTS WITHOUT AN ANSWER" in seen(app)
        await press(pilot, "enter")
        assert "It can't go through twice" in seen(app)
        await answer(pilot, agreed)
        assert app.desk.customer.account_id == account.id
    done = bench.service.deposits(account.id).data
    assert [row.amount for row in done] == (["70.00"] if agreed == "y" else [])
    app.desk.end()


@pytest.mark.needs("idempotency")
async def test_a_deposit_without_an_answer_is_sent_again_with_its_key_at_the_next_poll(
    bench: Bench,
) -> None:
    account, keys = bench.open(1), []

    def lose_first(call: Call[Answer], onward: Next) -> Answer:
        answered = onward(call)
        if call.operation is op.DEPOSIT:
            keys.append(call.key)
            if len(keys) == 1:
                raise OutcomeUnknown("No answer came.", call.key or "")
        return answered

    app = bench.console(layered(bench.service, lose_first))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "d", *"70", "enter")
        await answer(pilot, "y")
        assert "OUTCOME_UNKNOWN" in seen(app)
        app.poll_now()
        await settle(pilot)
        shown = seen(app)
        (made,) = bench.service.deposits(account.id).data
        assert f"answered:  {made.id}  deposit of 70.00 USD for {account.id}" in shown
        assert "OUTCOME_UNKNOWN" not in shown
        told = [row.text for row in app.desk.log]
        assert any(
            "Sending it again with the same key: it can't be done twice." in row for row in told
        )
        app.poll_now()
        await settle(pilot)
    assert len(keys) == 2
    assert len(set(keys)) == 1
    assert bench.service.deposits(account.id).pagination.total == 1


# -- help ------------------------------------------------------------------------------------------


async def test_help_lists_what_does_not_work_with_the_reason(bench: Bench) -> None:
    app = bench.console(read_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "question_mark", *"deposit")
        assert re.search(r"d +accounts +\(read-only: F9\) +Deposit", seen(app))
        await press(pilot, *["backspace"] * 7, *"row down")
        assert re.search(r"down j +all +One row down", seen(app))
        await press(pilot, *["backspace"] * 8, *"cancel")
        assert "(only on trades)" in seen(app)
        await press(pilot, *["backspace"] * 6, *"note about")
        assert "(nothing is selected)" in seen(app)
        await press(pilot, *["backspace"] * 10, *"info: ")
        await press(pilot, "enter")
        assert "INFO" in seen(app)


# -- read-only -------------------------------------------------------------------------------------


async def test_read_only_is_refused_behind_the_screens_too(bench: Bench) -> None:
    account = bench.open(1)
    app = bench.console()
    request = DepositRequest(
        amount="10.00", currency=Currency(type="deposit-token-currency", id="DPT_USD")
    )
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "f9")
        assert "read-only" in seen(app)
        with pytest.raises(ReadOnlyProfile):
            app.desk.service.deposit(account.id, request)
        await press(pilot, "f9")
        assert app.desk.service.deposit(account.id, request).created
        backstage = app.desk.session
        assert backstage is not None
        (sent,) = backstage.workspace.sent_requests()
        assert sent.state is SentState.DONE


async def test_a_desk_opened_read_only_asks_before_it_writes(bench: Bench) -> None:
    app = bench.console(read_only=True)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "f9")
        assert "ALLOW CHANGES" in seen(app)
        await answer(pilot, "n")
        assert app.desk.read_only
        await press(pilot, "f9")
        await answer(pilot, "y")
        assert not app.desk.read_only


# -- privacy, requests -----------------------------------------------------------------------------


@pytest.mark.needs("customer-names")
async def test_hiding_masks_names_and_balances_everywhere(bench: Bench) -> None:
    account = bench.open(1, deposit="1234.56")
    bench.open(2, deposit="77.31")
    name = account.customer_name or "?"
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "o")
        assert app.screen.object_id() == account.id  # type: ignore[attr-defined]  # Accounts'
        assert name in _painted(app)
        assert "77.31" in _painted(app)
        await pilot.app.run_action("command('palette.hide')")
        await settle(pilot)
        shown = _painted(app)
        assert "HIDDEN" in shown
        assert name not in shown
        assert name[:6] not in shown
        assert "1,234.56" not in shown
        assert "77.31" not in shown
        assert account.id in shown
        await press(pilot, "b")
        assert "1,234.56" not in _painted(app)
        await press(pilot, "escape", "1")
        await pilot.app.run_action("command('palette.hide')")
        await settle(pilot)
        assert name in _painted(app)


def _painted(app: Console) -> str:
    """What reaches the terminal: after the line filters."""
    rows = []
    for y in range(app.size.height):
        for widget_strip in app.screen._compositor.render_strips(app.size)[y : y + 1]:
            segments = list(widget_strip)
            for line_filter in app.get_line_filters():
                segments = line_filter.apply(segments, app.screen.styles.background)
            rows.append("".join(segment.text for segment in segments))
    return "\n".join(rows)


# -- profiles --------------------------------------------------------------------------------------


async def test_an_unreachable_place_shows_the_profiles_and_the_reason(bench: Bench) -> None:
    def start() -> StartedDesk:
        raise ServiceUnreachable("bank.example does not answer.")

    profiles = (
        ProfileRow("branch", "remote", "https://bank.example"),
        ProfileRow("own", "embedded", "x"),
    )
    app = Console(start, bench.settings._replace(profiles=profiles, profile="branch"))
    async with app.run_test(size=(100, 30)) as pilot:
        began = time.monotonic()
        while "can't be used" not in seen(app):
            await pilot.pause(0.05)
            assert time.monotonic() - began < PATIENCE_S
        shown = seen(app)
        assert "bank.example does not answer." in shown
        assert "own" in shown
        assert "failed   r: retry" in shown
        await pilot.press("down", "enter")
        await pilot.pause(0.2)
    assert app.wanted_profile == "own"


# -- themes ----------------------------------------------------------------------------------------


async def test_a_theme_file_is_followed_and_a_broken_one_is_named(
    bench: Bench, tmp_path: Path
) -> None:
    own = tmp_path / "themes"
    own.mkdir()
    app = bench.console(theme_folders=(REPOSITORY / "themes", own))
    good = (REPOSITORY / "themes" / "dark.toml").read_text()
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        (own / "mine.toml").write_text(good.replace('name = "dark"', 'name = "mine"'))
        app.themes.reload()
        app.action_use_theme("mine")
        await settle(pilot)
        (own / "mine.toml").write_text(
            good.replace('name = "dark"', 'name = "mine"').replace("#0e1218", "#010203")
        )
        (own / "mine.toml").touch()
        app.themes.reload()
        await settle(pilot)
        assert app.theme == "mine"
        assert app.theme_variables["background"].lower() == "#010203"
        (own / "mine.toml").write_text(good.replace('up = "#7ddc9f"', ""))
        app.themes.reload()
        await settle(pilot)
        assert "1 theme file left out: mine.toml: missing up" in seen(app).splitlines()[-2]


def test_every_palette_command_is_said_in_words() -> None:
    assert all(command.about and command.action for command in (*PALETTE, *COMMANDS))

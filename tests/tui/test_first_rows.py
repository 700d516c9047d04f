"""Rows shown before the engine has loaded: the cursor moves on them, all else waits for it."""

import threading
from typing import TypeVar

import pytest
from tests.tui.conftest import Bench, press, seen, settle, until
from tests.world.waiting import PATIENCE_S
from textual.pilot import Pilot

from chainteller.service.errors import ServiceUnreachable
from chainteller.service.layers import Next, layered
from chainteller.service.operations import Call
from chainteller.storage.queries.first_page import first_accounts
from chainteller.tui.accounts.screen import AccountsScreen
from chainteller.tui.console.app import Console
from chainteller.tui.start import Glimpse, StartedDesk
from chainteller.tui.widgets.field import Field

Answer = TypeVar("Answer")


class Slow:
    """A console on first rows, whose engine starts when it may."""

    def __init__(self, bench: Bench, glimpse: Glimpse | None = None) -> None:
        file = bench.world.context.database.path
        assert file is not None
        self._bench = bench
        self.may_start = threading.Event()
        look = bench.console(glimpse=lambda rows: glimpse or first_accounts(file, rows)).desk
        self.app = Console(self._start, look.settings)

    def _start(self) -> StartedDesk:
        self.may_start.wait(PATIENCE_S)
        return self._bench.start()

    @property
    def accounts(self) -> AccountsScreen:
        screen = self.app.screen
        assert isinstance(screen, AccountsScreen)
        return screen

    async def rows_are_shown(self) -> None:
        await until(lambda: bool(self.app.screen_stack) and bool(self.accounts.paged.rows_held))

    async def typed(self, pilot: Pilot[None], *keys: str) -> None:
        for key in keys:
            self.app.simulate_key(key)
            await pilot.pause()
        assert self.app.desk.started is None


async def test_the_cursor_moves_on_the_first_rows_and_money_waits_for_fresh_ones(
    bench: Bench,
) -> None:
    for number in (1, 2, 3):
        bench.open(number)
        bench.world.advance(60)
    slow = Slow(bench)
    async with slow.app.run_test(size=(100, 30)) as pilot:
        await slow.rows_are_shown()
        newest, second, _ = (row.key for row in slow.accounts.paged.rows_held)
        await slow.typed(pilot, "down")
        assert slow.accounts.paged.cursor_key == second
        await slow.typed(pilot, "c", "up", "down", "d", "1", "0")
        assert slow.accounts.paged.cursor_key == second, "what follows a key that waits, waits"
        assert "deposit into" not in seen(slow.app)
        bench.deposit(bench.service.trading_account(newest), "5.00")  # moves up meanwhile
        slow.may_start.set()
        await settle(pilot)
        await until(lambda: slow.accounts.field_bar.is_open)
        assert slow.accounts.selected is not None
        assert slow.accounts.selected.id == second
        assert f"deposit into {second}" in seen(slow.app)
        await until(lambda: slow.app.query_one(Field).value == "10")


async def test_screens_and_the_filter_work_on_the_first_rows(bench: Bench) -> None:
    first, second = bench.open(1), bench.open(2)
    slow = Slow(bench)
    async with slow.app.run_test(size=(100, 30)) as pilot:
        await slow.rows_are_shown()
        await slow.typed(pilot, "2")
        assert slow.app.current_mode == "markets"
        await slow.typed(pilot, "1", "slash", *second.bank_account_id)
        assert [row.key for row in slow.accounts.paged.rows_held] == [second.id]
        await slow.typed(pilot, *"zzz")
        assert not slow.accounts.paged.rows_held
        assert "no matches" not in seen(slow.app).lower(), "not all were looked through"
        await slow.typed(pilot, *["backspace"] * 3, "enter", "d")
        assert slow.accounts.field_bar.purpose == "filter"
        slow.may_start.set()
        await settle(pilot)
        await until(lambda: slow.accounts.field_bar.purpose == "deposit")
        assert slow.accounts.selected is not None
        assert slow.accounts.selected.id == second.id != first.id


async def test_another_screen_that_was_chosen_early_is_filled_and_takes_keys(bench: Bench) -> None:
    bench.open(1)
    slow = Slow(bench)
    async with slow.app.run_test(size=(100, 30)) as pilot:
        await slow.rows_are_shown()
        await slow.typed(pilot, "2", "question_mark")
        assert slow.app.current_mode == "markets"
        slow.may_start.set()
        await until(lambda: not isinstance(slow.app.screen, AccountsScreen))
        await until(lambda: len(slow.app.screen_stack) > 1)


async def test_keys_for_a_row_that_is_gone_are_dropped(bench: Bench) -> None:
    bench.open(1)
    bench.open(2)
    file = bench.world.context.database.path
    assert file is not None
    found = first_accounts(file, 50)
    assert found is not None
    first, last = found[0]
    slow = Slow(bench, ([first, last._replace(id="TDA_GONE")], 2))
    async with slow.app.run_test(size=(100, 30)) as pilot:
        await slow.rows_are_shown()
        await slow.typed(pilot, "end", "d", "5")
        assert slow.accounts.paged.cursor_key == "TDA_GONE"
        slow.may_start.set()
        await settle(pilot)
        assert not slow.accounts.field_bar.is_open
        assert "isn't on this page any more" in seen(slow.app)
        await press(pilot, "d")
        assert slow.accounts.field_bar.is_open


def starting(bench: Bench, fails: bool) -> tuple[Console, threading.Event]:
    """A console without first rows, whose service starts, or fails to, when it may."""
    go = threading.Event()

    def start() -> StartedDesk:
        go.wait(PATIENCE_S)
        if fails:
            raise ServiceUnreachable("No connection.")
        return bench.start()

    return Console(start, bench.settings), go


@pytest.mark.parametrize("fails", [False, True])
async def test_keys_typed_before_a_start_without_first_rows_act_in_order_or_not_at_all(
    bench: Bench, fails: bool
) -> None:
    bench.open(1, deposit="100.00")
    app, go = starting(bench, fails)
    async with app.run_test(size=(100, 30)) as pilot:
        await press_before_start(app, pilot, *"w6000")
        go.set()
        await settle(pilot, started=not fails)
        assert isinstance(app.screen, AccountsScreen), "6 wasn't a screen"
        assert app.screen.field_bar.is_open != fails
        said = "5 keys typed ahead had nothing to act on: dropped"
        assert (said if fails else "= 6,000.00 USD") in seen(app)


async def test_keys_typed_before_a_slow_start_are_dropped_in_words(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chainteller.tui.console.app.ENGINE_LIMIT_S", 1.0)
    bench.open(1, deposit="100.00")
    app, go = starting(bench, fails=False)
    async with app.run_test(size=(100, 30)) as pilot:
        await press_before_start(app, pilot, *"w6")
        await until(lambda: "2 keys typed ahead had nothing" in seen(app))
        go.set()
        await settle(pilot)
        assert isinstance(app.screen, AccountsScreen)
        assert not app.screen.field_bar.is_open


async def test_keys_typed_over_the_first_rows_wait_for_the_engine(bench: Bench) -> None:
    account = bench.open(1, deposit="100.00")
    file = bench.world.context.database.path
    assert file is not None
    go = threading.Event()

    def start() -> StartedDesk:
        go.wait(PATIENCE_S)
        return bench.start()

    look = bench.console(glimpse=lambda rows: first_accounts(file, rows)).desk.settings
    app = Console(start, look)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(lambda: account.bank_account_id in seen(app))
        assert app.desk.started is None
        app.simulate_key("d")
        await pilot.pause()
        assert "deposit into" not in seen(app)
        go.set()
        await settle(pilot)
        await until(lambda: "deposit into" in seen(app))


@pytest.mark.needs("engine")
async def test_the_cursor_stays_on_top_when_the_day_has_moved_the_first_rows(bench: Bench) -> None:
    first = bench.open(1, deposit="100.00")
    bench.world.advance(60)
    second = bench.open(2, deposit="100.00")
    file = bench.world.context.database.path
    assert file is not None
    before = first_accounts(file, 50)
    assert before is not None
    assert [row.id for row in before[0]] == [second.id, first.id]
    bench.world.advance(60)
    bench.deposit(first, "5.00")
    async with bench.console(glimpse=lambda _: before).run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, AccountsScreen)
        assert [row.key for row in screen.paged.rows_held] == [first.id, second.id]
        assert screen.selected is not None
        assert screen.selected.id == first.id


async def press_before_start(app: Console, pilot: Pilot[None], *keys: str) -> None:
    for key in keys:
        app.simulate_key(key)
        await pilot.pause()
    assert app.desk.started is None


@pytest.mark.parametrize("found", [True, False])
async def test_keys_typed_before_the_first_rows_wait_too_and_none_is_lost(
    bench: Bench, found: bool
) -> None:
    account = bench.open(1, deposit="100.00")
    file = bench.world.context.database.path
    assert file is not None
    read, go = threading.Event(), threading.Event()

    def glimpse(rows: int) -> Glimpse | None:
        read.wait(PATIENCE_S)
        return first_accounts(file, rows) if found else None

    def start() -> StartedDesk:
        go.wait(PATIENCE_S)
        return bench.start()

    app = Console(start, bench.console(glimpse=glimpse).desk.settings)
    async with app.run_test(size=(100, 30)) as pilot:
        app.simulate_key("d" if found else "question_mark")
        await pilot.pause()
        assert "deposit into" not in seen(app)
        assert isinstance(app.screen, AccountsScreen)
        read.set()
        if not found:
            await until(lambda: not isinstance(app.screen, AccountsScreen))
            assert app.desk.started is None
            await press_before_start(app, pilot, "escape", "d")
            assert isinstance(app.screen, AccountsScreen)
            go.set()
            await until(lambda: "deposit into" in seen(app))
            return
        await until(lambda: account.bank_account_id in seen(app))
        go.set()
        await settle(pilot)
        await until(lambda: "deposit into" in seen(app))


async def test_the_theme_files_are_not_said_to_be_reloaded_before_they_were_read(
    bench: Bench,
) -> None:
    """Where the first rows take longer than the look for changed files."""
    may_come = threading.Event()

    def glimpse(_: int) -> None:
        may_come.wait(20)

    app = Console(bench.start, bench.console(glimpse=glimpse).desk.settings)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(lambda: bool(app.screen_stack))
        app.themes.reload()
        await pilot.pause()
        assert not app.themes.names
        assert "reloaded" not in seen(app)
        may_come.set()
        await settle(pilot)
        assert "dark" in app.themes.names


@pytest.mark.needs("trading-accounts", "limits")
@pytest.mark.forms(1)
@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_an_account_is_read_once_when_its_row_is_chosen(
    bench: Bench, size: tuple[int, int]
) -> None:
    accounts = [bench.open(number, deposit="100.00") for number in (1, 3, 5)]
    asked: list[str] = []

    def counted(call: Call[Answer], onward: Next) -> Answer:
        asked.append(call.operation.name)
        return onward(call)

    app = bench.console(layered(bench.deployment, counted))
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await until(lambda: "100.00" in seen(app))
        for key in ("", "down", "up"):
            await press(pilot, *filter(None, [key]))
            await until(lambda: "notes" in asked)
            await settle(pilot)
            once = [asked.count(name) for name in ("trading_account", "token_balances", "limits")]
            assert once == [1, 1, 1], (key, asked)
            assert asked.count("markets") <= (not key), "they are no customer's"
            asked.clear()
        balance = bench.service.token_balances(accounts[0].id).data[0].amount
        bench.deposit(accounts[0], "11.00")
        app.desk.on_change.publish(("deposit.completed",))
        await until(lambda: "111.00" in seen(app))
        assert balance == "100.00"
        await until(lambda: "token_balances" in asked)  # it has changed, and is read again

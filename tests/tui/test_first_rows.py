"""Rows shown before the engine has loaded; keys typed meanwhile wait for it."""

import threading

import pytest
from tests.tui.conftest import Bench, seen, settle, until

from chainteller.storage.first_page import first_accounts
from chainteller.tui.accounts.screen import AccountsScreen
from chainteller.tui.console.app import Console
from chainteller.tui.start import Glimpse, StartedDesk


async def test_keys_typed_over_the_first_rows_wait_for_the_engine(bench: Bench) -> None:
    account = bench.open(1, deposit="100.00")
    file = bench.world.context.database.path
    assert file is not None
    go = threading.Event()

    def start() -> StartedDesk:
        go.wait(20)
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


@pytest.mark.parametrize("found", [True, False])
async def test_keys_typed_before_the_first_rows_wait_too_and_none_is_lost(
    bench: Bench, found: bool
) -> None:
    account = bench.open(1, deposit="100.00")
    file = bench.world.context.database.path
    assert file is not None
    read, go = threading.Event(), threading.Event()

    def glimpse(rows: int) -> Glimpse | None:
        read.wait(20)
        return first_accounts(file, rows) if found else None

    def start() -> StartedDesk:
        go.wait(20)
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
            go.set()
            return
        await until(lambda: account.bank_account_id in seen(app))
        go.set()
        await settle(pilot)
        await until(lambda: "deposit into" in seen(app))

"""State kept between sessions: last screen, selected account and list orders."""

import threading
from pathlib import Path
from typing import Any

import pytest
from tests.tui.conftest import Bench, answer, press, seen, settle, until
from tests.world.waiting import PATIENCE_S

from chainteller.service import operations as op
from chainteller.service.layers import Next, layered
from chainteller.service.models.pages import ListQuery
from chainteller.service.operations import Call
from chainteller.tui import desk as desk_module
from chainteller.tui.accounts import screen as accounts_screen
from chainteller.tui.console.app import Console
from chainteller.tui.start import StartedDesk
from chainteller.tui.widgets import paged_list
from chainteller.tui.widgets.paged_list import PagedList
from chainteller.workspace.store import Workspace


def _kept(bench: Bench, file: Path, operator: str = "op01") -> Console:
    """A console whose workspace lasts."""

    def start() -> StartedDesk:
        return bench.start(workspace_file=file)

    return Console(start, bench.settings._replace(operator=operator))


def _left(bench: Bench, account_id: str) -> dict[str, object]:
    """What a session of the same agent keeps of its customer."""
    return {"id": account_id, "operator": "op01", "at": bench.settings.clock.now()}


@pytest.mark.needs("trading-accounts")
async def test_order_and_place_are_as_they_were_left(bench: Bench, tmp_path: Path) -> None:
    for number in (1, 2):
        bench.open(number)
    file = tmp_path / "state" / "desk.db"
    app = _kept(bench, file)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "o", "o", "4", "f")
        assert "only processing" in seen(app)
    app.desk.end()
    again = _kept(bench, file)
    async with again.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        assert again.current_mode == "trades"
        assert "only processing" in seen(again)
        await press(pilot, "1")
        assert "order: oldest" in seen(again)
        await press(pilot, "4")
    again.desk.end()
    typed = _kept(bench, file)
    async with typed.run_test(size=(100, 30)) as pilot:
        await pilot.press(*"w60")
        await settle(pilot)
        assert typed.current_mode == "accounts", "where keys typed ahead act"
        assert "= 60.00 USD" in seen(typed)
    typed.desk.end()


@pytest.mark.forms(1)
@pytest.mark.parametrize("place", ["1", "4"])
async def test_the_account_is_the_one_that_was_selected_last(
    bench: Bench, tmp_path: Path, place: str
) -> None:
    for number in (1, 2, 3):
        bench.open(number)
    file = tmp_path / "desk.db"
    app = _kept(bench, file)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        rows = app.screen.query_one(PagedList).rows_held
        await press(pilot, "end", place)
        chosen = app.desk.customer.account
    app.desk.end()
    assert chosen is not None
    assert chosen.id == rows[-1].key
    again = _kept(bench, file)
    async with again.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert again.desk.customer.account is not None
        assert again.desk.customer.account.id == chosen.id
        assert chosen.id in seen(again)
        await press(pilot, "1")
        assert again.screen.query_one(PagedList).cursor_key == chosen.id
    again.desk.end()


async def test_what_is_typed_before_the_last_screen_comes_is_for_the_list_of_accounts(
    bench: Bench, tmp_path: Path
) -> None:
    account = bench.open(1, deposit="500.00")
    kept = Workspace(tmp_path / "desk.db")
    kept.set_view("account", _left(bench, account.id))
    kept.set_view("place", "trades")
    kept.close()
    heard = threading.Event()
    goes_on = {each: threading.Event() for each in (op.SHOW_TRADING_ACCOUNT, op.LIMITS)}

    def slow(call: Call[Any], onward: Next) -> Any:
        if call.operation in goes_on:
            heard.set()
            assert goes_on[call.operation].wait(PATIENCE_S)
        return onward(call)

    started = bench.start(workspace_file=tmp_path / "desk.db")
    slowly = started._replace(service=layered(started.service, slow))
    app = Console(lambda: slowly, bench.settings)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(heard.is_set)
        await until(lambda: str(account.customer_name) in seen(app))
        await pilot.press("w", "5", "enter")
        goes_on[op.SHOW_TRADING_ACCOUNT].set()
        await until(lambda: not app.is_returning)
        goes_on[op.LIMITS].set()
        await settle(pilot)
        assert "WITHDRAW 5.00 USD" in seen(app)
        assert app.current_mode == "accounts"
    app.desk.end()


@pytest.mark.needs("trading-accounts")
async def test_the_last_screen_comes_though_the_list_of_accounts_was_quicker(
    bench: Bench, tmp_path: Path
) -> None:
    left = await _left_on_the_last_of_three(bench, tmp_path / "desk.db")
    may_come = threading.Event()

    def slow(call: Call[Any], onward: Next) -> Any:
        assert call.operation is not op.SHOW_TRADING_ACCOUNT or may_come.wait(PATIENCE_S)
        return onward(call)

    started = bench.start(workspace_file=tmp_path / "desk.db")
    slowly = started._replace(service=layered(started.service, slow))
    app = Console(lambda: slowly, bench.settings)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(lambda: app.screen.query_one(PagedList).cursor_key == left)
        may_come.set()
        await until(lambda: not app.is_returning)
        await settle(pilot)
        assert app.current_mode == "trades"
    app.desk.end()


async def test_the_selected_account_is_kept_soon_and_only_when_it_changed(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk_module, "KEPT_AFTER_S", 0.05)
    for number in (1, 2, 3):
        bench.open(number)
    app = _kept(bench, tmp_path / "desk.db")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        rows = [row.key for row in app.screen.query_one(PagedList).rows_held]
        assert app.desk.session is not None
        workspace = app.desk.session.workspace
        assert workspace.view("account")["id"] == rows[0]
        await press(pilot, "end")
        assert workspace.view("account")["id"] == rows[-1]
        written = workspace._database.total_changes
        await press(pilot, "r")
        await press(pilot, "r")
        assert workspace._database.total_changes == written
    app.desk.end()


@pytest.mark.needs("trading-accounts")
async def test_an_account_beyond_the_first_page_is_filtered_for(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(1, 6):
        bench.open(number)
    wanted = bench.service.trading_accounts(ListQuery(sort="-lastActivity")).data[-1].id
    for module in (paged_list, accounts_screen):
        monkeypatch.setattr(module, "PAGE_ROWS", 2)
    kept = Workspace(tmp_path / "desk.db")
    kept.set_view("account", _left(bench, wanted))
    kept.close()
    app = _kept(bench, tmp_path / "desk.db")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert f"/{wanted}" in seen(app)
        assert app.desk.customer.account is not None
        assert app.desk.customer.account.id == wanted
        await press(pilot, "slash", "escape")
        assert app.screen.query_one(PagedList).total == 5
    app.desk.end()


async def test_a_kept_account_that_is_gone_is_forgotten(bench: Bench, tmp_path: Path) -> None:
    account = bench.open(1)
    kept = Workspace(tmp_path / "desk.db")
    kept.set_view("account", _left(bench, "TDA_NOBODY"))
    kept.set_view("place", "trades")
    kept.close()
    app = _kept(bench, tmp_path / "desk.db")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "1")
        assert app.desk.customer.account is not None
        assert app.desk.customer.account.id == account.id
    app.desk.end()


@pytest.mark.needs("trading-accounts")
async def test_a_kept_view_that_means_nothing_any_more_is_ignored(
    bench: Bench, tmp_path: Path
) -> None:
    bench.open(1)
    file = tmp_path / "desk.db"
    kept = Workspace(file)
    kept.set_view("list.accounts", {"sort": 99})
    kept.set_view("place", "nowhere")
    kept.close()
    app = _kept(bench, file)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        assert "order: last activity" in seen(app)
    app.desk.end()


async def _left_on_the_last_of_three(bench: Bench, file: Path) -> str:
    """The account that a first session ends with, on Trades."""
    for number in (1, 2, 3):
        bench.open(number)
    app = _kept(bench, file)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "end", "4")
        await until(lambda: bool(app.desk.customer.account_id) and app.current_mode == "trades")
        left = app.desk.customer.account_id
    app.desk.end()
    return left


@pytest.mark.forms(1)
@pytest.mark.parametrize(
    ("operator", "minutes", "continues"),
    [("op01", 14, True), ("op01", 16, False), ("op02", 0, False)],
)
async def test_only_the_same_agent_goes_on_with_the_customer_and_only_for_a_while(
    bench: Bench, tmp_path: Path, operator: str, minutes: int, continues: bool
) -> None:
    left = await _left_on_the_last_of_three(bench, tmp_path / "desk.db")
    bench.world.advance(minutes * 60)
    again = _kept(bench, tmp_path / "desk.db", operator=operator)
    async with again.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        if continues:
            await until(lambda: again.current_mode == "trades")
        assert again.current_mode == ("trades" if continues else "accounts")
        assert again.desk.customer.account_id == (left if continues else "")
        if continues:
            return
        assert "No account is selected" in seen(again)
        assert f"Last one here by op01: {left}" in seen(again)
        for key in ("3", "5", "4", "1", "r"):
            await press(pilot, key)
            assert again.desk.customer.account_id == "", "nobody, on any screen"
        await pilot.app.run_action("command('palette.last_customer')")
        await settle(pilot)
        assert again.desk.customer.account_id == left, "it is offered"
    again.desk.end()


@pytest.mark.forms(1)
@pytest.mark.parametrize("key", ["enter", "b", "s", "d", "w", "z"])
async def test_a_command_on_the_row_under_the_cursor_chooses_its_customer(
    bench: Bench, tmp_path: Path, key: str
) -> None:
    await _left_on_the_last_of_three(bench, tmp_path / "desk.db")
    again = _kept(bench, tmp_path / "desk.db", operator="op02")
    async with again.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        first = again.screen.query_one(PagedList).cursor_key
        await press(pilot, key)
        assert again.desk.customer.account_id == first
    again.desk.end()


async def test_an_agent_who_chooses_nobody_inherits_nobody(bench: Bench, tmp_path: Path) -> None:
    left = await _left_on_the_last_of_three(bench, tmp_path / "desk.db")
    for _ in range(2):
        again = _kept(bench, tmp_path / "desk.db", operator="op02")
        async with again.run_test(size=(120, 40)) as pilot:
            await settle(pilot)
            assert again.desk.customer.account_id == ""
            assert f"Last one here by op01: {left}" in seen(again)
            await press(pilot, "2", "1")
        again.desk.end()


async def test_the_tenth_key_still_executes_when_nobody_was_selected(
    bench: Bench, tmp_path: Path
) -> None:
    await _left_on_the_last_of_three(bench, tmp_path / "desk.db")
    again = _kept(bench, tmp_path / "desk.db", operator="op02")
    async with again.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "d", *"1000", "enter", "b", "enter", "X")
        await answer(pilot, "y")
        (trade,) = bench.service.all_trades().data
        assert trade.trading_account_id == again.desk.customer.account_id
    again.desk.end()

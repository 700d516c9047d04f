"""State kept between sessions: last screen, selected account and list orders."""

from pathlib import Path

import pytest
from tests.tui.conftest import Bench, press, seen, settle

from chainteller.service.models.pages import ListQuery
from chainteller.tui import desk as desk_module
from chainteller.tui.accounts import screen as accounts_screen
from chainteller.tui.console.app import Console
from chainteller.tui.start import StartedDesk
from chainteller.tui.widgets import paged_list
from chainteller.tui.widgets.paged_list import PagedList
from chainteller.workspace.store import Workspace


def _kept(bench: Bench, file: Path) -> Console:
    """A console whose workspace lasts."""

    def start() -> StartedDesk:
        return StartedDesk(bench.service, "test bank", workspace_file=file)

    return Console(start, bench.settings)


async def test_order_and_place_are_as_they_were_left(bench: Bench, tmp_path: Path) -> None:
    bench.open(1)
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
    again.desk.end()


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
        assert workspace.view("account") == rows[0]
        await press(pilot, "end")
        assert workspace.view("account") == rows[-1]
        written = workspace._database.total_changes
        await press(pilot, "r")
        await press(pilot, "r")
        assert workspace._database.total_changes == written
    app.desk.end()


async def test_an_account_beyond_the_first_page_is_filtered_for(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(1, 6):
        bench.open(number)
    wanted = bench.service.trading_accounts(ListQuery(sort="-lastActivity")).data[-1].id
    for module in (paged_list, accounts_screen):
        monkeypatch.setattr(module, "PAGE_ROWS", 2)
    kept = Workspace(tmp_path / "desk.db")
    kept.set_view("account", wanted)
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
    kept.set_view("account", "TDA_NOBODY")
    kept.set_view("place", "trades")
    kept.close()
    app = _kept(bench, tmp_path / "desk.db")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "1")
        assert app.desk.customer.account is not None
        assert app.desk.customer.account.id == account.id
    app.desk.end()


async def test_a_kept_view_that_means_nothing_any_more_is_ignored(
    bench: Bench, tmp_path: Path
) -> None:
    bench.open(1)
    file = tmp_path / "desk.db"
    kept = Workspace(file)
    kept.set_view("list.accounts", {"_sort": 99})
    kept.set_view("place", "nowhere")
    kept.close()
    app = _kept(bench, file)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        assert "order: last activity" in seen(app)
    app.desk.end()

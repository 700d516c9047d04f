"""What esc, q, ctrl+z and clicks do, wherever the agent is."""

import pytest
from tests.tui.conftest import Bench, press, seen, settle
from textual import events
from textual.pilot import Pilot

from chainteller.tui.audit.screen import AuditScreen
from chainteller.tui.commands import SCREENS
from chainteller.tui.console.app import Console
from chainteller.tui.console.event_log import LogScreen
from chainteller.tui.console.help import HelpScreen
from chainteller.tui.console.palette import DeskPalette


@pytest.mark.needs("audit")
async def test_esc_closes_what_is_open_and_never_goes_to_another_screen(bench: Bench) -> None:
    account = bench.open(1)
    bench.open(2)
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "4", "2", "5", "1")
        await press(pilot, "slash", *account.id)
        await press(pilot, "enter")
        assert f"/{account.id}" in seen(app)
        await press(pilot, "enter", "a")
        assert isinstance(app.screen, AuditScreen)
        await press(pilot, "escape")
        assert app.screen.has_class("detail-open")
        await press(pilot, "escape")
        assert not app.screen.has_class("detail-open")
        await press(pilot, "escape")
        assert f"/{account.id}" not in seen(app)
        unread = app.desk.unread
        for _ in range(5):
            await press(pilot, "escape")
            assert app.current_mode == "accounts"
            assert "Nothing is open here.  1-7 switch screens, ctrl+q quits" in seen(app)
        assert app.desk.unread == unread


@pytest.mark.forms(1)
@pytest.mark.parametrize("name", [name for name in SCREENS if name != "wallets"])
async def test_q_says_how_to_quit(bench: Bench, name: str) -> None:
    bench.open(1)
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, str(SCREENS.index(name) + 1), "q")
        assert "ctrl+q quits" in seen(app).splitlines()[-2]
        assert app.return_code is None


async def test_ctrl_c_says_how_to_quit_and_covers_nothing(bench: Bench) -> None:
    bench.open(1)
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        rows = seen(app).splitlines()
        await press(pilot, "ctrl+c")
        now = seen(app).splitlines()
        assert "ctrl+q quits" in now[-2]
        assert now[1:-2] == rows[1:-2]


async def test_ctrl_z_where_it_cannot_suspend_says_so(bench: Bench) -> None:
    bench.open(1)
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "ctrl+z")
        assert "can't be suspended" in seen(app)
        bench.world.advance(1)
        await press(pilot, "d", "5", "ctrl+z", "ctrl+z")
        assert ["can't be suspended" in each.text for each in app.desk.log] == [True] * 2


async def test_nothing_is_suspended_while_a_request_is_on_its_way(bench: Bench) -> None:
    bench.open(1)
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        app.desk.begin_write("execution")
        await press(pilot, "ctrl+z")
        assert "A request is being sent. Wait for its answer." in seen(app)
        app.desk.end_write("execution")


async def _click(pilot: Pilot[None], row: int, words: str) -> None:
    app = pilot.app
    assert isinstance(app, Console)
    column = seen(app).splitlines()[row].index(words)
    await pilot.click(offset=(column + 1, row))
    await settle(pilot)


@pytest.mark.forms(1)
@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
async def test_the_names_of_the_screens_can_be_clicked(bench: Bench, width: int) -> None:
    bench.open(1)
    app = bench.console(label="branch")
    async with app.run_test(size=(width, 24)) as pilot:
        await settle(pilot)
        for number in (3, 5, 2, 4, 1):
            await _click(pilot, 0, f" {number}")
            assert app.current_mode == SCREENS[number - 1]
        await pilot.click(offset=(1, 0))
        await settle(pilot)
        assert app.current_mode == "accounts"


async def test_the_words_at_the_end_of_the_bars_can_be_clicked(bench: Bench) -> None:
    bench.open(1)
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await _click(pilot, 23, "? keys")
        assert isinstance(app.screen, HelpScreen)
        await press(pilot, "escape")
        await _click(pilot, 23, ": go")
        assert isinstance(app.screen, DeskPalette)
        await press(pilot, "escape")
        app.desk.notify("something happened")
        await settle(pilot)
        await _click(pilot, 22, "!1")
        assert isinstance(app.screen, LogScreen)


async def test_what_names_a_key_can_be_clicked(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "3")
        await _click(pilot, 2, " sell")
        await _click(pilot, 3, " eth-usd")
        assert "[sell]" in seen(app)
        assert "[eth-usd]" in seen(app)
        await press(pilot, "b", *"100", "enter")
        row = next(at for at, each in enumerate(seen(app).splitlines()) if " execute   " in each)
        await _click(pilot, row, "X execute")
        asked = next(at for at, each in enumerate(seen(app).splitlines()) if "y = yes" in each)
        await pilot.pause(0.3)
        await _click(pilot, asked, "n/esc")
        assert "y = yes" not in seen(app)
        assert not bench.service.all_trades().data


async def _paste(pilot: Pilot[None], text: str) -> None:
    pilot.app.post_message(events.Paste(text))
    await settle(pilot)


@pytest.mark.forms(1)
@pytest.mark.parametrize(
    "keys",
    [
        ("w", "5", "enter"),
        pytest.param(("t",), marks=pytest.mark.needs("buying-power")),
        ("exclamation_mark",),
        ("f9",),
    ],
)
async def test_an_id_pasted_over_a_dialog_turns_to_nobody_else(
    bench: Bench, keys: tuple[str, ...]
) -> None:
    bench.open(1, deposit="500.00")
    bench.open(2)
    app = bench.console(read_only="f9" in keys)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, *keys)
        served, dialog = app.desk.customer.account_id, app.screen
        assert dialog.is_modal
        (other,) = (row for row in bench.service.trading_accounts().data if row.id != served)
        for text in (other.id, other.bank_account_id, "y", "y\r", f"{other.id}\n"):
            await _paste(pilot, text)
            assert app.screen is dialog, "a paste answers nothing"
        assert app.desk.customer.account_id == served
        await press(pilot, "escape")
        await _paste(pilot, f" {other.id}\r\n")
        assert app.desk.customer.account_id == other.id


async def test_text_of_several_lines_is_no_keys_wherever_it_is_pasted(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    bench.open(2)
    text = f"d100\r\nw5\ny\n{account.id}\nX\ny\n"
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for keys in (("1",), ("2",), ("3",), ("4",), ("5",), ("1", "enter"), ("1", "slash")):
            await press(pilot, *keys)
            for pasted in (text, f"{account.id}\n{account.id}"):
                await _paste(pilot, pasted)
            await press(pilot, "escape")
        await press(pilot, "slash")
        app.post_message(events.Paste(f"{account.bank_account_id}\nDDA-2\n"))
        await settle(pilot)
        assert f"/{account.bank_account_id} " in seen(app), "a field takes the first line"
    assert bench.service.withdrawals(account.id).data == ()
    assert [row.amount for row in bench.service.deposits(account.id).data] == ["500.00"]

"""Exports: receipts, CSV tables and copied text, each naming its deployment."""

import json
import re
import stat
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.cli.all_commands import loaded_program
from tests.tui.conftest import Bench, answer, press, seen, settle
from tests.world.bank import sqlite_url
from textual.widgets import Input, Static

from chainteller.service.models.funding import Currency, DepositRequest
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.tui import clipboard as copying
from chainteller.tui import exports
from chainteller.tui.clipboard import write_file
from chainteller.tui.exports import Table
from chainteller.tui.statements import read_period
from chainteller.tui.widgets.paged_list import PAGE_ROWS, PagedList


def _settled_trade(bench: Bench) -> tuple[str, str]:
    account = bench.open(1, deposit="500.00")
    asked = QuoteRequest(amount="100.00", side="buy", trading_account_id=account.id)
    quote = bench.service.create_quote("sol-usd", asked).value
    request = ExecuteRequest(trading_account_id=account.id)
    trade = bench.service.execute_quote(quote.id, request).value
    bench.world.advance(60)
    bench.world.advance(60)
    return account.id, trade.id


@pytest.mark.forms(1)
@pytest.mark.needs("trade-details")
@pytest.mark.parametrize(
    ("keys", "form", "ending"),
    [
        (("enter",), "text", "txt"),
        (("2",), "json", "json"),
        (("3",), "csv", "csv"),
    ],
)
async def test_a_receipt_has_the_same_bytes_from_the_console_and_the_command_line(
    bench: Bench,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    keys: tuple[str, ...],
    form: str,
    ending: str,
) -> None:
    account_id, trade_id = _settled_trade(bench)
    monkeypatch.setenv("CHAINTELLER_HOME", str(tmp_path / "home"))
    # The first command of another process notes in the trail how far its clock is ahead.
    CliRunner().invoke(loaded_program(), ["--database", sqlite_url(tmp_path), "clock", "show"])
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "4", "e", *keys)
        assert f"written: chainteller-receipt-{trade_id}.{ending}" in seen(app)
    written = tmp_path / f"chainteller-receipt-{trade_id}.{ending}"
    assert stat.S_IMODE(written.stat().st_mode) == 0o600
    line = ["--database", sqlite_url(tmp_path), "trades", "receipt", account_id, trade_id]
    done = CliRunner().invoke(loaded_program(), [*line, "--format", form])
    assert done.stdout_bytes == written.read_bytes()
    head = bench.service.audit().data[0].hash
    assert head in done.stdout
    if form == "json":
        assert json.loads(done.stdout)["audit"]["head"] == head
    assert trade_id in done.stdout
    account = bench.service.trading_account(account_id)
    assert account.customer_name is not None
    assert account.customer_name in done.stdout
    assert account.bank_account_id in done.stdout
    assert "on fiat" not in done.stdout
    told = CliRunner().invoke(loaded_program(), [*line[:2], "trades", "text", account_id, trade_id])
    assert told.stdout.startswith("Your order to buy SOL is complete.")
    told = CliRunner().invoke(loaded_program(), [*line[:2], "accounts", "text", account_id])
    assert told.stdout.startswith("Your trading account is open.")
    assert "settled" in done.stdout


@pytest.mark.needs("statements")
async def test_a_statement_of_a_typed_period_is_written_from_the_palette(
    bench: Bench, tmp_path: Path
) -> None:
    account_id, trade_id = _settled_trade(bench)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, ":", *"statement", "enter")
        field = app.screen.query_one("#line", Input)
        assert re.fullmatch(r"\d{4}-\d\d", field.value)
        field.value = "the summer"
        await press(pilot, "enter")
        assert "Enter a period, for example" in seen(app)
        field.value = "all"
        await press(pilot, "enter", "3")
        assert f"written: chainteller-statement-{account_id}-all.csv" in seen(app)
    rows = (tmp_path / f"chainteller-statement-{account_id}-all.csv").read_text("utf-8")
    assert trade_id in rows
    assert ",BUSD1,bank,,400.00," in rows.splitlines()[-3]


@pytest.mark.parametrize(
    ("typed", "days"),
    [
        ("2026-02", ("2026-02-01", "2026-02-28")),
        ("2026", ("2026-01-01", "2026-12-31")),
        (" 2026-11-03 ", ("2026-11-03", "2026-11-03")),
        ("2026-10 to 2026-11-15", ("2026-10-01", "2026-11-15")),
        ("2026-10-01..2026-10-02", ("2026-10-01", "2026-10-02")),
        ("last month", ("2026-10-01", "2026-10-31")),
        ("Yesterday", ("2026-11-22", "2026-11-22")),
        ("ALL", (None, None)),
        ("2026-11-02 2026-11-01", None),
        ("2026-13", None),
        ("0000", None),
        ("2026-02-30", None),
        ("", None),
        ("2026-01 2026-02 2026-03", None),
    ],
)
def test_a_period_is_a_year_a_month_a_day_or_two_of_them(
    typed: str, days: tuple[str | None, str | None] | None
) -> None:
    assert read_period(typed, date(2026, 11, 23)) == days


async def test_an_export_never_replaces_a_file_and_names_its_path(
    bench: Bench, tmp_path: Path
) -> None:
    bench.open(1)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "e", "2")
        await press(pilot, "e", "2")
        assert "chainteller-accounts-2.json" in seen(app)
    rows = json.loads((tmp_path / "chainteller-accounts.json").read_text())["rows"]
    assert rows[0]["bank acct"] == "DDA-1"


@pytest.mark.needs("paging")
async def test_a_list_is_exported_whole_and_says_how_many_rows(
    bench: Bench, tmp_path: Path
) -> None:
    account = bench.open(1)
    asked = DepositRequest(
        amount="1.00", currency=Currency(type="deposit-token-currency", id="DPT_USD")
    )
    for _ in range(PAGE_ROWS + 5):
        bench.service.deposit(account.id, asked)
    rows = bench.service.audit().pagination.total
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "4", "a")
        assert len(app.screen.query_one(PagedList).rows_held) == PAGE_ROWS
        await press(pilot, "e")
        assert f"audit: all {rows} rows, CSV" in seen(app)
        await press(pilot, "enter")
        assert f"all {rows} rows" in seen(app)
    written = (tmp_path / "chainteller-audit.csv").read_text().splitlines()
    assert len(written) == rows + 1
    assert len(set(written)) == rows + 1


@pytest.mark.forms(1)
@pytest.mark.parametrize(
    ("screen", "name"),
    [
        ("1", "{account}"),
        ("2", "sol-usd"),
        ("3", "{quote}"),
        pytest.param("a", "{account}", marks=pytest.mark.needs("audit")),
    ],
)
async def test_a_detail_is_exported_as_json_and_csv(
    bench: Bench, tmp_path: Path, screen: str, name: str
) -> None:
    account = bench.open(1, deposit="500.00")
    asked = QuoteRequest(amount="100.00", side="buy", trading_account_id=account.id)
    quote = bench.service.create_quote("sol-usd", asked).value
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        if screen == "3":
            app.find(quote.id)
            await settle(pilot)
        await press(pilot, screen)
        about = name.format(account=account.id, quote=quote.id)
        for form in ("JSON", "CSV"):
            await press(pilot, "e")
            offered = re.findall(r"(\d)  (\S.*?) {2,}", seen(app))
            (number,) = [key for key, title in offered if title == f"{about} in full, {form}"]
            await press(pilot, number)
            assert f"written: chainteller-{about}.{form.lower()}" in seen(app)
    assert json.loads((tmp_path / f"chainteller-{about}.json").read_text())
    rows = (tmp_path / f"chainteller-{about}.csv").read_text().splitlines()
    assert rows[0] == "FIELD,VALUE"
    assert len(rows) > 4


async def test_markets_are_exported_as_a_table(bench: Bench, tmp_path: Path) -> None:
    bench.open(1)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "2", "e", "enter")
        assert "written: chainteller-markets.csv, all 3 rows" in seen(app)
    rows = (tmp_path / "chainteller-markets.csv").read_text().splitlines()
    assert [row.split(",")[0] for row in rows] == ["MARKET", "sol-usd", "btc-usd", "eth-usd"]


def test_a_record_is_written_in_the_names_of_the_wire_without_control_characters() -> None:
    record = {
        "quote": Currency(type="deposit-token-currency", id="USD", symbol="D\x9b2J"),
        "earlier": [],
    }
    assert json.loads(exports.record_json(record))["quote"]["id"] == "USD"
    assert "\x9b" not in exports.record_json(record) + exports.record_csv(record)
    assert "quote.id,USD" in exports.record_csv(record).splitlines()


async def test_a_list_that_changes_under_its_export_counts_what_is_missing(bench: Bench) -> None:
    bench.open(1)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)

        async def fewer() -> tuple[list[list[str]], int]:
            return [["TDA_1"]], 3

        export = Table("accounts", ["ID"], fewer).exports("all 3 rows")[0]
        assert await export.make() == "ID\nTDA_1\n"
        assert export.note() == "1 of 3 rows"


def _written(folder: Path, pattern: str) -> bool:
    return any(folder.glob(pattern))


@pytest.mark.forms(1)
@pytest.mark.needs("buying-power")
@pytest.mark.parametrize("key", ["y", "n"])
async def test_nothing_unmasked_leaves_while_hidden_without_a_question(
    bench: Bench, tmp_path: Path, key: str
) -> None:
    bench.open(1, deposit="1234.56")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.app.run_action("command('palette.hide')")
        await press(pilot, "c")
        assert "contains hidden details" in seen(app)
        await answer(pilot, key)
        assert ("1,234.56" in app.clipboard) is (key == "y")
        await press(pilot, "e", "enter")
        await answer(pilot, key)
        assert (tmp_path / "chainteller-accounts.csv").exists() is (key == "y")
        await press(pilot, "h")
        await press(pilot, "f")
        await answer(pilot, key)
        assert _written(tmp_path, "chainteller-handover*") is (key == "y")
        said = seen(app)
        assert ("Not saved: names and balances are hidden" in said) is (key == "n")


async def test_what_holds_nothing_hidden_leaves_without_a_question(bench: Bench) -> None:
    bench.open(1, deposit="1234.56")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.app.run_action("command('palette.hide')")
        await press(pilot, "2", "c")
        assert "hidden details" not in seen(app)
        assert "sol-usd" in app.clipboard


@pytest.mark.needs("buying-power")
async def test_copying_says_what_was_done_and_no_more(bench: Bench) -> None:
    account = bench.open(1)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "c")
        assert "sent to the terminal's clipboard (OSC 52)" in seen(app)
        assert account.id in app.clipboard
        await press(pilot, "t")
        await press(pilot, "t")
        assert "Your trading account is open" in app.clipboard
        assert "sent to the terminal's clipboard (OSC 52)" in seen(app)


@pytest.mark.needs("buying-power")
async def test_everything_here_can_be_copied_by_name_selected_or_written(
    bench: Bench, tmp_path: Path
) -> None:
    account = bench.open(1)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.app.run_action("screen.command('palette.copy')")
        await settle(pilot)
        for offered in ("the main text", "the text for the customer", "the id"):
            assert offered in seen(app)
        await press(pilot, "3")
        assert app.clipboard == account.id
        app.screen.query_one(Static).text_select_all()
        assert app.screen.get_selected_text() == account.id
        await press(pilot, "f")
        assert "chainteller-the-id.txt" in seen(app)
    assert (tmp_path / "chainteller-the-id.txt").read_text() == account.id


def test_a_local_clipboard_program_is_used_only_on_the_agents_own_machine(tmp_path: Path) -> None:
    tool = tmp_path / "wl-copy"
    tool.write_text("#!/bin/sh\ncat\n")
    tool.chmod(0o700)
    here = {"PATH": str(tmp_path), "WAYLAND_DISPLAY": "wayland-0"}
    assert copying.local_tool(here) == ("wl-copy",)
    assert copying.local_tool({**here, "SSH_CONNECTION": "192.0.2.1 1 192.0.2.2 22"}) == ()
    assert copying.local_tool({"PATH": str(tmp_path)}) == ()


async def test_copied_is_said_only_after_the_program_took_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal:
        def copy_to_clipboard(self, text: str) -> None:
            self.text = text

        async def may_leave(self, text: str) -> bool:
            return bool(text)

    tool = tmp_path / "wl-copy"
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    monkeypatch.delenv("SSH_CONNECTION", raising=False)
    monkeypatch.delenv("SSH_TTY", raising=False)
    tool.write_text(f"#!/bin/sh\ncat > {tmp_path}/taken\n")
    tool.chmod(0o700)
    assert await copying.copy(Terminal(), "some text") == "copied (wl-copy)"
    assert (tmp_path / "taken").read_text() == "some text"
    tool.write_text("#!/bin/sh\nexit 1\n")
    assert await copying.copy(Terminal(), "some text") == copying.SENT


def test_an_id_in_a_file_name_cannot_lead_out_of_the_folder(tmp_path: Path) -> None:
    file = write_file(tmp_path, "chainteller-receipt-\0/../\n\u202e.txt", "text")
    assert file == tmp_path / "chainteller-receipt---..---.txt"
    assert file.read_text() == "text"

"""While the screen is shared: what is masked, what is not, and why."""

import threading
import time
from pathlib import Path
from typing import Any

import pytest
from rich.segment import Segment
from tests.tui.conftest import Bench, answer, make_bench, press, seen, settle
from tests.world.waiting import PATIENCE_S
from textual.color import Color
from textual.pilot import Pilot

from chainteller.records.formats import grouped
from chainteller.records.transactions import fields_of
from chainteller.service.models.funding import Currency, WithdrawalRequest
from chainteller.storage.queries.first_page import first_accounts
from chainteller.tui.console.app import Console
from chainteller.tui.privacy import Privacy, PrivacyFilter
from chainteller.tui.start import StartedDesk
from chainteller.tui.widgets.lines import Lines, line


async def _hide(pilot: Pilot[Any]) -> None:
    await pilot.app.run_action("command('palette.hide')")
    await settle(pilot)


@pytest.mark.needs("transactions")
async def test_every_amount_of_the_past_is_hidden_not_only_one_that_is_a_balance(
    bench: Bench,
) -> None:
    account = bench.open(1, deposit="1500.00")
    bench.deposit(account, "312.50")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "b", *"100", "enter")
        await press(pilot, "X")
        await answer(pilot, "y")
        bench.world.advance(60)
        await press(pilot, "r")
        amount = bench.service.all_trades().data[0].amount
        assert amount[:8] in seen(app)
        await press(pilot, "enter")
        assert "100.00 USD" in seen(app)
        await press(pilot, "escape")
        await _hide(pilot)
        for keys in ((), ("enter",), ("escape", "t"), ("escape", "1", "enter"), ("escape", "h")):
            await press(pilot, *keys)
            shown = seen(app)
            for hidden in ("1,500.00", "312.50", "100.00 USD", amount[:8]):
                assert hidden not in shown, keys
        await press(pilot, "escape")
        await _hide(pilot)
        await press(pilot, "1", "enter")
        assert "312.50" in seen(app)


async def test_nobody_is_asked_to_say_yes_to_dots(bench: Bench) -> None:
    bench.open(1, deposit="1234.50")
    app = bench.console(confirm_above_cents=100_00)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await _hide(pilot)
        await press(pilot, "w", *"1234.5", "enter")
        shown = seen(app)
        assert "WITHDRAW 1,234.50 USD" in shown
        assert "Type the amount again, 1,234.50" in shown
        await press(pilot, *"99", "ctrl+u", *"12", "enter")
        assert "12_  the amounts differ" in seen(app)
        await press(pilot, *"34.50")
        assert "matches" in seen(app)
        await answer(pilot, "n")
        await press(pilot, "b", "enter")
        shown = seen(app)
        assert "pays" in shown
        assert shown.count("1,234.50") == 1, "in the offer, not as the balance"


async def test_a_line_that_may_hold_dots_is_painted_whole(bench: Bench) -> None:
    """Its dots stand in other cells than the text under them differs in."""
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await _hide(pilot)
        title = app.screen.query_one("#title", Lines)
        title.show([line(" available      10.00 USD")])
        await settle(pilot)
        title._dirty_regions.clear()
        title.show([line(" available   1,230.00 USD")])
        assert sum(region.width for region in title._dirty_regions) == 80


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Inês Vilhena", "•••••"),
        ("to Inês V… on", "to ••••• on"),
        ("key c6Inês…", "key c6Inês…"),
        ("12.3456… SOL", "••••• SOL"),
        ("12.9… SOL", "12.9… SOL"),
    ],
)
def test_what_a_column_cut_is_masked_where_it_begins_a_word(text: str, shown: str) -> None:
    privacy = Privacy(fields_of)
    privacy._name("Inês Vilhena")
    privacy._money(("12.3456789",))
    assert privacy.mask(text) == shown


async def test_the_rows_before_the_engine_are_masked_where_the_place_before_was(
    bench: Bench,
) -> None:
    account = bench.open(1, deposit="1234.50")
    file = bench.world.context.database.path
    assert file is not None
    may_start = threading.Event()

    def start() -> StartedDesk:
        may_start.wait(PATIENCE_S)
        return bench.start()

    look = bench.settings._replace(glimpse=lambda rows: first_accounts(file, rows))
    app = Console(start, look)
    app.desk.privacy.hidden = True
    async with app.run_test(size=(100, 30)) as pilot:
        ends = time.monotonic() + PATIENCE_S
        while account.bank_account_id not in seen(app):
            await pilot.pause(0.02)
            assert time.monotonic() < ends
        assert app.desk.started is None
        assert (account.customer_name or "?") not in seen(app)
        assert "1,234.50" not in seen(app)
        may_start.set()
        await settle(pilot)


@pytest.mark.needs("limits")
async def test_what_a_limit_has_left_is_hidden_too(bench: Bench) -> None:
    account = bench.open(1, deposit="1000.00")
    currency = Currency(type="deposit-token-currency", id="DPT_USD")
    bench.service.withdraw(account.id, WithdrawalRequest(amount="270.00", currency=currency))
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "270 used of 100,000" in seen(app)
        await _hide(pilot)
        shown = seen(app)
        assert "270" not in shown
        assert "••••• used of 100,000" in shown
        assert (
            app.desk.privacy.mask("99,730.00 USD left of 100,000.00")
            == "••••• USD left of 100,000.00"
        )


SMALL, LARGE = "5.50", "987654.32"


async def _hidden_frames(folder: Path, amount: str, size: tuple[int, int]) -> list[str]:
    """What is seen of an account with one deposit, screen by screen."""
    frames: list[str] = []
    for bench in make_bench(folder):
        bench.open(1, deposit=amount)
        app = bench.console()
        async with app.run_test(size=size) as pilot:
            await settle(pilot)
            await _hide(pilot)
            for keys in ((), ("enter",), ("end",), ("escape", "2"), ("5",), ("4",), ("1", "h")):
                await press(pilot, *keys)
                frames.append(seen(app))
    return frames


@pytest.mark.forms(1)
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_what_is_hidden_looks_the_same_however_much_it_is(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    (tmp_path / "small").mkdir()
    (tmp_path / "large").mkdir()
    small = await _hidden_frames(tmp_path / "small", SMALL, size)
    large = await _hidden_frames(tmp_path / "large", LARGE, size)
    for few, many in zip(small, large, strict=True):
        assert few == many
    assert "•••••" in small[0]
    assert "••••••" not in "".join(small)


@pytest.mark.parametrize(
    "parts",
    [
        ("  TDA_1  ", "       {:>20}", "       4.00"),
        ("ETH   ", "ethereum", "  ", "{:>20}", "    1,950.25"),
        (" USD ", "{}  ", "USDC ", "{}  ", "+2 more          "),
        (" QUOTE            ", "USD ", "{}", " available"),
        (" after   {} USD   all of it                 ",),
    ],
)
def test_a_line_keeps_its_width_and_tells_no_digits(parts: tuple[str, ...]) -> None:
    shown = set()
    for amount in ("1.5", "99.00", "1234.56", "87654321.123456789"):
        privacy = Privacy(fields_of)
        privacy.hidden = True
        privacy._money((amount,))
        whole = [part.format(grouped(amount)) for part in parts]
        width = 100
        if parts[-1].endswith("available"):  # ends at the right edge: the gap gives way
            whole[0] = whole[0].rstrip().ljust(width - sum(map(len, whole[1:])))
        else:
            whole[-1] = whole[-1].ljust(width - sum(map(len, whole[:-1])))
        painted = PrivacyFilter(privacy).apply([Segment(part) for part in whole], Color(0, 0, 0))
        text = "".join(segment.text for segment in painted)
        assert len(text) == width
        shown.add(text)
    assert len(shown) == 1

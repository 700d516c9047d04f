"""What windows of each size have: frames, the strip, the day."""

from collections.abc import Callable

import pytest
from tests.tui.conftest import Bench, press, seen, settle
from tests.tui.wallet_case import Case

from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.tui.console.app import Console
from chainteller.tui.list_screen import ListScreen
from chainteller.tui.widgets.lines import Lines


def _texts(app: Console, wanted: Callable[[str], bool]) -> list[str]:
    return [row for row in seen(app).splitlines() if wanted(row)]


async def test_small_windows_have_no_frames_and_no_strip(bench: Bench) -> None:
    bench.open(1)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "nothing pending" in seen(app).splitlines()[1]
        assert _texts(app, lambda row: row.startswith("╭─ Accounts ─"))
        await pilot.resize_terminal(80, 24)
        await settle(pilot)
        assert "nothing pending" not in seen(app)
        assert not _texts(app, lambda row: row.startswith("╭"))
        assert "ACCOUNTS" in seen(app).splitlines()[1]


@pytest.mark.needs("transactions")
async def test_the_day_leaves_out_what_the_screen_lists(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(200, 40)) as pilot:
        await settle(pilot)
        assert "nothing pending" not in seen(app), "the day says what waits"
        assert _day(app).count("deposit 500.00 USD") == 1
        assert "ACTIVITY" not in seen(app)
        await press(pilot, "6")
        assert "deposit 500.00 USD" not in _day(app)
        assert "nothing else" in _day(app), "it's on the left, so there isn't nothing"
        await press(pilot, "4")
        assert _day(app).count("deposit 500.00 USD") == 1
        await press(pilot, "7")
        assert "The day of" not in seen(app), "decisions are about everybody"
        await press(pilot, "P")
        assert "The day of" not in seen(app), "the page is that day"


@pytest.mark.needs("challenges", "transactions", "all-trades", "all-transfers", "audit")
@pytest.mark.forms(4)
@pytest.mark.parametrize("size", [(120, 40), (200, 60)])
@pytest.mark.parametrize(
    "keys", [("4", "0"), ("4", "0", "a"), ("5", "0"), ("6", "0"), ("7",)], ids="".join
)
async def test_beside_records_of_all_customers_nothing_is_shown_of_the_one_being_served(
    bench: Bench, keys: tuple[str, ...], size: tuple[int, int]
) -> None:
    for number, wallet in ((1, "alice-ethereum"), (2, "bob-ethereum")):
        case = Case(bench, wallet, customer=number)
        asked = QuoteRequest(amount="10.00", side="buy", trading_account_id=case.trading_account_id)
        quote = bench.service.create_quote("sol-usd", asked).value
        request = ExecuteRequest(trading_account_id=case.trading_account_id)
        bench.service.execute_quote(quote.id, request)
        bench.world.advance(1)
    app = bench.console()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "down")
        assert app.desk.customer.label.startswith("Customer 1 ")
        await press(pilot, *keys)
        assert "Customer 1" not in _beside_the_list(app)
        assert app.desk.customer.account_id not in _beside_the_list(app)


def _beside_the_list(app: Console) -> str:
    """What is read of one record, and of who is served."""
    assert isinstance(app.screen, ListScreen)
    shown = [lines for lines in app.screen.query(Lines) if lines.is_on_screen]
    return "\n".join(f"{lines.border_title}\n{lines.plain_text}" for lines in shown)


def _day(app: Console) -> str:
    """The column at the right."""
    return "\n".join(row.rpartition("││")[2] for row in seen(app).splitlines())


@pytest.mark.needs("transactions", "all-transfers")
@pytest.mark.forms(5)
@pytest.mark.parametrize("key", ["1", "4", "5", "6", "7"])
async def test_where_there_is_room_no_detail_touches_its_frame(bench: Bench, key: str) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(200, 60)) as pilot:
        await settle(pilot)
        await press(pilot, key)
        beside = app.screen.query(".detail-side").last()
        region = beside.region.shrink(beside.styles.border.spacing)
        shown = [row[region.x : region.right] for row in seen(app).splitlines()]
        rows = [row for row in shown[region.y : region.bottom] if row.strip()]
        assert rows or key != "1"
        assert not [row for row in rows if (row[0], row[-1]) != (" ", " ")]


@pytest.mark.forms(3)
@pytest.mark.parametrize(("size", "width"), [((80, 24), 80), ((120, 40), 84), ((200, 60), 120)])
async def test_the_list_of_keys_uses_the_window(
    bench: Bench, size: tuple[int, int], width: int
) -> None:
    app = bench.console()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "question_mark")
        assert app.screen.query_one("#help-box").region.width == width

"""Trades are followed by themselves and cancelled with one question."""

from typing import TypeVar

import pytest
from tests.tui.conftest import Bench, answer, press, seen, settle

from chainteller.records.formats import approximate, short_id
from chainteller.service import operations as op
from chainteller.service.errors import ReadOnlyProfile
from chainteller.service.layers import Next, layered
from chainteller.service.models.pages import Page
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.service.operations import Call
from chainteller.tui.commands import SCREENS
from chainteller.tui.trades.filter import NAMED
from chainteller.tui.trades.screen import TradesScreen
from chainteller.tui.typed_filter import Wanted, wanted
from chainteller.tui.widgets.detail import Detail
from chainteller.tui.widgets.lines import Lines
from chainteller.tui.widgets.paged_list import Column, PagedList, as_room_allows, fit

Answer = TypeVar("Answer")
DELAY_S = 40
"""Longer than a trade takes to execute, and then to settle."""


def _buy(bench: Bench, account_id: str) -> str:
    asked = QuoteRequest(amount="100.00", side="buy", trading_account_id=account_id)
    quote = bench.service.create_quote("sol-usd", asked).value
    request = ExecuteRequest(trading_account_id=account_id)
    return bench.service.execute_quote(quote.id, request).value.id


async def test_a_trade_that_executed_meanwhile_is_refused_with_the_key_that_goes_on(
    bench: Bench,
) -> None:
    account = bench.open(1, deposit="500.00")
    _buy(bench, account.id)
    app = bench.console()
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "4")
        bench.world.advance(11)
        await press(pilot, "C")
        await answer(pilot, "y")
        shown = seen(app)
        assert "TRADE_NOT_CANCELLABLE" in shown
        assert "b or s: to reverse it, place the opposite trade" in shown
        await press(pilot, "t")
        assert "can no longer be cancelled" in seen(app)


@pytest.mark.forms(2)
@pytest.mark.parametrize("place", [each for each in SCREENS if each != "decisions"])
async def test_the_status_line_follows_a_trade_on_whatever_screen(bench: Bench, place: str) -> None:
    account = bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b", "enter", "X")
        await answer(pilot, "y")
        (trade,) = bench.service.trades(account.id).data
        words = f"buy {trade.market} {trade.amount}"
        assert f"{words} processing  {trade.id}" in seen(app)
        await press(pilot, str(SCREENS.index(place) + 1))
        for told in ("executed", "settled"):
            bench.world.advance(DELAY_S)
            app.poll_now()
            await settle(pilot)
            assert f"{words} {told}  {trade.id}" in seen(app)
        lines = [line.text for line in app.desk.log if trade.id in line.text]
        assert len(lines) == 3, "each status once"


async def test_the_filter_narrows_as_it_is_typed(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    first = _buy(bench, account.id)
    bench.world.advance(60)
    bench.world.advance(60)
    second = _buy(bench, account.id)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "4", "slash", *"settl")
        shown = seen(app)
        assert "/settl" in shown
        assert app.screen.query_one(PagedList).total == 1
        assert first in shown
        await press(pilot, *["backspace"] * 5, *"eth")
        assert 'No matches for "eth"' in seen(app)
        await press(pilot, *["backspace"] * 3, *second[-6:].lower())
        shown = seen(app)
        assert second in shown
        assert "in the newest 100" in shown
        assert app.screen.query_one(PagedList).total == 1
        await press(pilot, "enter", "escape")
        assert app.screen.query_one(PagedList).total == 2
        assert app.current_mode == "trades"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("buy sol", Wanted({"side": "buy", "market": "sol-usd"})),
        ("SETTLED", Wanted({"status": "settled"})),
        ("s", Wanted({}, ("s",))),
        ("buy sell", Wanted({"side": "buy"}, ("sell",))),
        ("txn_01 b", Wanted({}, ("txn_01", "b"))),
    ],
)
def test_a_word_that_begins_one_name_only_stands_for_it(typed: str, meant: Wanted) -> None:
    assert wanted(typed, NAMED) == meant


@pytest.mark.needs("trade-details")
async def test_customer_text_names_amounts_and_no_codes(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    _buy(bench, account.id)
    app = bench.console()
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "4")
        await press(pilot, "t")
        assert "Your order to buy SOL for 100.00 USD is being processed" in seen(app)


async def _shown(bench: Bench, size: tuple[int, int], *keys: str) -> str:
    app = bench.console()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "4", *keys)
        return seen(app)


def _row(shown: str, word: str) -> list[str]:
    """The cells of the row of the list that holds ``word``."""
    listed = (row.lstrip("│").partition("│")[0] for row in shown.splitlines())
    row = next(row for row in listed if word in row and ("BUY" in row or "SELL" in row))
    return row.lstrip(" >").split()


SIZES = [(80, 24), (100, 30), (120, 40)]


@pytest.mark.forms(1)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "is_all", [False, pytest.param(True, marks=pytest.mark.needs("all-trades"))]
)
async def test_time_and_owner_stand_and_an_amount_has_six_decimals(
    bench: Bench, size: tuple[int, int], is_all: bool
) -> None:
    account = bench.open(1, deposit="500.00")
    _buy(bench, account.id)
    asked = QuoteRequest(amount="100.00", side="buy", trading_account_id=account.id)
    quote = bench.service.create_quote("eth-usd", asked).value
    asset = quote.asset_bought.amount
    assert len(asset) == 20, "an amount as wide as one of ETH can be"
    bench.service.execute_quote(quote.id, ExecuteRequest(trading_account_id=account.id))
    shown = await _shown(bench, size, *(["0"] if is_all else []))
    assert short_id(account.id) in shown if is_all else short_id(account.id) not in shown
    cells = _row(shown, "eth-usd")
    assert asset not in cells
    assert approximate(asset) in cells
    assert "12:00:00" in cells
    assert cells[-3:] == ["[>]", "processing", "0s"]
    assert (cells[0] == short_id(account.id)) is (is_all and size != (100, 30))
    assert not [row for row in shown.splitlines() if "…" in row and not row.startswith(" SAY")]


async def test_a_price_stands_where_there_is_room_and_an_old_trade_has_its_date(
    bench: Bench,
) -> None:
    account = bench.open(1, deposit="500.00")
    _buy(bench, account.id)
    for _ in range(3):
        bench.world.advance(86_400)
    shown = await _shown(bench, (100, 30))
    price = bench.service.trades(account.id).data[0].price
    assert {"20", "Nov", price, "settled"} <= set(_row(shown, "sol-usd"))
    assert "PRICE" not in await _shown(bench, (80, 24))


async def test_a_trade_that_takes_longer_than_usual_is_slow(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    _buy(bench, account.id)
    clock = bench.world.clock
    assert clock is not None
    clock.advance(61 * 1_000_000)
    for size in SIZES:
        shown = await _shown(bench, size)
        assert _row(shown, "sol-usd")[-4:] == ["[>]", "processing", "1m", "SLOW"]
        assert "1m01s SLOW" in shown


def test_columns_move_together_before_one_goes_and_the_least_wanted_goes_first() -> None:
    columns = (Column("A", 10), Column("NOT SHOWN", 0), Column("B", 5, rank=1), Column("C", 5))
    assert fit(columns, 24, 1) == (((0, 10), (2, 5), (3, 5)), 2)
    assert fit(columns, 22, 1) == (((0, 10), (2, 5), (3, 5)), 1)
    assert fit(columns, 21, 1) == (((0, 10), (3, 5)), 2)
    assert fit(columns, 23) == (((0, 10), (3, 5)), 2), "other lists stand as far apart as ever"


async def test_a_status_without_end_takes_no_column_away(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    _buy(bench, account.id)

    def wordy(call: Call[Answer], onward: Next) -> Answer:
        answer = onward(call)
        if call.operation is op.TRADES and isinstance(answer, Page):
            rows = tuple(row.model_copy(update={"status": "x" * 500}) for row in answer.data)
            return answer.model_copy(update={"data": rows})
        return answer

    app = bench.console(layered(bench.deployment, wordy))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "4")
        cells = _row(seen(app), "sol-usd")
        (trade,) = bench.service.trades(account.id).data
        assert {short_id(trade.id), "12:00:00", approximate(trade.amount)} <= set(cells)
        assert "xxx" in cells[-1]


def test_room_that_is_left_shows_abbreviated_cells_whole_or_longer() -> None:
    columns = (Column("A", 6, rank=2, whole=12), Column("B", 6, rank=3, whole=20), Column("C", 4))
    assert fit(columns, 20).columns == ((0, 6), (1, 6), (2, 4))
    assert fit(columns, 26).columns == ((0, 12), (1, 6), (2, 4)), "B has no room, A has"
    assert fit(columns, 34).columns == ((0, 6), (1, 20), (2, 4)), "what goes first comes first"
    assert fit(columns, 40).columns == ((0, 12), (1, 20), (2, 4))
    assert fit(columns[:2], 13).columns == ((0, 6),), "nothing is whole while another is missing"
    address = "0x90F79bf6EB2c4f870365E785982E1f101E93b906"
    assert as_room_allows("0x90F7..b906", address, 15) == "0x90F7..b906"
    for room in range(16, 60):
        shown = as_room_allows("0x90F7..b906", address, room)
        assert len(shown) == min(room, len(address))
        begin, cut, end = shown.partition("..")
        assert address.startswith(begin)
        assert address.endswith(end)
        assert bool(cut) == (room < len(address))


async def test_the_words_for_the_customer_stand_below_what_is_so_now(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    _buy(bench, account.id)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        told: list[str] = []
        app.desk.on_customer_text.subscribe(app.screen, told.append)
        await press(pilot, "4")
        detail = app.screen.query_one(Detail)
        assert isinstance(app.screen, TradesScreen)
        for size in ((120, 40), (120, 20), (80, 24)):
            await pilot.resize_terminal(*size)
            await settle(pilot)
            if size == (80, 24):
                await press(pilot, "enter")
            now, _, words = (row.plain for row in detail.lines[1:4])
            assert now.startswith("NOW")
            assert words.startswith("SAY  Your order")
            assert app.screen.customer_text() in _stands(detail)
        assert "Your order" not in app.screen.main_text(), "what is copied are the facts"
        assert told == [], "only what was opened with t was told"
        await press(pilot, "escape")
        await pilot.resize_terminal(120, 40)
        await settle(pilot)
        bench.world.advance(11)
        await press(pilot, "C")
        await answer(pilot, "y")
        assert "can no longer be cancelled" in _stands(detail), "the words that t shows now"
        await press(pilot, "escape")
        assert "can no longer be cancelled. If" not in _stands(detail)


def _stands(detail: Detail) -> str:
    """All of a detail in one line."""
    return " ".join(" ".join(row.plain for row in detail.lines).split())


async def test_the_words_are_about_a_refusal_as_long_as_it_stands(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    _buy(bench, account.id)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "4")
        screen = app.screen
        assert isinstance(screen, TradesScreen)
        screen.fail(ReadOnlyProfile("This console is read-only."))
        await settle(pilot)
        assert "I can see your account, but I" in _stands(screen.query_one(Detail))
        screen.clear_failure()
        await settle(pilot)
        assert "I can see your account, but I" not in seen(app)
        assert "Your order to buy SOL" in seen(app)


@pytest.mark.needs("trade-details")
async def test_the_words_beside_the_list_are_masked_while_hidden(bench: Bench) -> None:
    account = bench.open(1, deposit="100.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        _buy(bench, account.id)
        await press(pilot, "4")
        detail = app.screen.query_one(Detail)
        assert "SOL for 100.00 USD is" in _stands(detail)
        await app.run_action("command('palette.hide')")
        await settle(pilot)
        assert "SOL for ••••• USD is" in _stands(detail)


@pytest.mark.needs("all-transfers")
@pytest.mark.forms(1)
@pytest.mark.parametrize("screen", ["4", "6"])
async def test_what_is_so_now_and_what_to_say_stand_below_a_list_without_room(
    bench: Bench, screen: str
) -> None:
    account = bench.open(1, deposit="500.00")
    asked = QuoteRequest(amount="50.00", side="buy", trading_account_id=account.id)
    quote = bench.service.create_quote("sol-usd", asked).value
    bench.service.execute_quote(quote.id, ExecuteRequest(trading_account_id=account.id))
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, screen)
        state, said = app.screen.query_one("#summary", Lines).plain_text.splitlines()
        assert state.startswith(" NOW  [")
        assert ("Can be cancelled until executed" in state) == (screen == "4")
        assert said.startswith(" SAY  Your "), said

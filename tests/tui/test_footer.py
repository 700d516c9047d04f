"""The footer names the keys that work in the state at hand, and no others."""

import pytest
from sqlalchemy import update
from tests.tui.conftest import Bench, answer, press, seen, settle
from tests.tui.unsteady_service import Unsteady
from tests.world.files import sealed
from textual.geometry import Region

from chainteller.domain.preconditions import Control
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.storage.queries import markets
from chainteller.storage.schema.wallet_tables import Tables
from chainteller.tui.commands import SCREENS, footer_hints, unavailable_reason
from chainteller.tui.console.app import Console
from chainteller.tui.console.command_table import COMMANDS
from chainteller.tui.desk_screen import DeskScreen
from chainteller.tui.markets.screen import MarketsScreen
from chainteller.tui.quote.screen import QuoteScreen
from chainteller.tui.widgets.lines import Lines

AT_REST = ": go  ? keys"


def _footer(app: Console) -> str:
    return seen(app).splitlines()[-1].strip()


def _keys(app: Console) -> list[str]:
    """The words of the footer: what stands left of the two that are always there."""
    left = _footer(app).removesuffix(AT_REST).removesuffix("ctrl+p go  f1 keys")
    return [part for part in left.strip().split("  ") if part]


async def test_the_footer_follows_a_quote_through_its_life(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console(Unsteady(bench.deployment, loses_answers=True))
    always = ["left/right market", "tab side"]
    texts = ["t text", "c copy"]
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "3")
        screen = app.screen
        assert isinstance(screen, QuoteScreen)
        assert _keys(app) == ["enter amount", *always]
        await press(pilot, "b")
        assert _keys(app) == ["enter get quote", *always, "esc close"]
        assert _footer(app).endswith("ctrl+p go  f1 keys"), "these work where all else is typed"
        await press(pilot, *"100", "enter")
        assert _keys(app) == ["enter new quote", "X execute", *always, *texts]
        bench.world.advance(301)
        screen._tick()
        await settle(pilot)
        assert _keys(app) == ["enter renew", *always, *texts]
        await press(pilot, "enter")
        assert _keys(app) == ["enter new quote", "X execute", *always, *texts]
        await press(pilot, "X")
        await answer(pilot, "y")
        assert "UNKNOWN" in seen(app)
        assert _keys(app) == [*always, *texts]
        await press(pilot, "question_mark", *"execute the quote")
        assert "(locked: the outcome of the last execution" in seen(app)


async def test_an_executed_quote_is_not_executed_again(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b", *"100", "enter")
        await press(pilot, "X")
        await answer(pilot, "y")
        await press(pilot, "3")
        assert "EXECUTED" in seen(app)
        assert "X execute" not in _keys(app)
        assert "enter new quote" in _keys(app)


@pytest.mark.parametrize(("size", "opens"), [((80, 24), "enter"), ((120, 40), "z")])
async def test_a_detail_that_hides_its_list_names_no_keys_of_the_list(
    bench: Bench, size: tuple[int, int], opens: str
) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "6")
        of_list = {"0 all", "f only", "o order", "/ find"}
        assert of_list <= set(_keys(app))
        await press(pilot, opens)
        assert "AMOUNT" not in seen(app)
        assert _keys(app) == ["t text", "c copy", "esc list"]
        await press(pilot, "f")
        assert "AMOUNT" in seen(app), "what a key of the list changes is shown"
        assert "only deposits" in seen(app)
        assert of_list <= set(_keys(app))
        await press(pilot, opens, "escape")
        assert of_list <= set(_keys(app))


async def test_cancel_is_named_while_a_trade_can_be_cancelled(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "4")
        assert "No trades yet" in seen(app)
        none = _keys(app)
        assert not {"enter open", "C cancel", "t text", "c copy"} & set(none)
        asked = QuoteRequest(amount="100.00", side="buy", trading_account_id=account.id)
        quote = bench.service.create_quote("sol-usd", asked).value
        execute = ExecuteRequest(trading_account_id=account.id)
        trade = bench.service.execute_quote(quote.id, execute).value
        await press(pilot, "r")
        assert _keys(app) == ["C cancel", *none, "t text", "c copy"]
        bench.world.advance(11)
        await press(pilot, "r")
        assert "executed" in seen(app)
        assert "C cancel" not in _keys(app)
        bench.world.advance(60)
        await press(pilot, "r")
        assert "settled" in seen(app)
        assert _keys(app) == [*none, "t text", "c copy"]
        await press(pilot, "question_mark", *"cancel")
        assert f"({trade.id[:8]}" in seen(app)
        assert "is settled; it can't be changed)" in seen(app)


async def test_enter_is_named_where_it_opens_a_detail(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    asked = QuoteRequest(amount="100.00", side="buy", trading_account_id=account.id)
    quote = bench.service.create_quote("sol-usd", asked).value
    bench.service.execute_quote(quote.id, ExecuteRequest(trading_account_id=account.id))
    app = bench.console()
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "4")
        assert "enter open" in _keys(app)
        await press(pilot, "enter")
        assert "enter open" not in _keys(app)
        await press(pilot, "escape")
        assert "enter open" in _keys(app)
        await pilot.resize_terminal(120, 40)
        await settle(pilot)
        assert "enter open" not in _keys(app), "the detail stands beside the list"
        await pilot.resize_terminal(100, 30)
        await settle(pilot)
        assert "enter open" in _keys(app)


async def test_a_read_only_desk_names_no_key_that_writes(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        writing = _keys(app)
        assert {"d deposit", "w withdraw"} <= set(writing)
        await press(pilot, "f9")
        assert not {"d deposit", "w withdraw", "+ new"} & set(_keys(app))
        await press(pilot, "slash")
        assert _keys(app) == ["esc close"]
        await press(pilot, "escape")
        assert "/ filter" in _keys(app)
        await press(pilot, "f9")
        await answer(pilot, "y")
        assert _keys(app) == writing


async def test_a_footer_that_says_the_same_paints_nothing(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "b", *"100", "enter")
        screen = app.screen
        assert isinstance(screen, QuoteScreen)
        painted = _count_paints(screen)
        screen._tick()
        await settle(pilot)
        assert painted == []
        bench.world.advance(301)
        screen._tick()
        await settle(pilot)
        assert painted == ["hints"]


def _count_paints(screen: QuoteScreen) -> list[str]:
    """Grows by one whenever the footer is shown anew."""
    painted: list[str] = []
    bar = screen.query_one("#hints", Lines)
    refresh = bar.refresh

    def counted(*lines: Region, **how: bool) -> Lines:
        painted.extend([str(bar.id)] * len(lines))
        return refresh(*lines, **how)

    bar.refresh = counted  # type: ignore[method-assign]  # looks on, and goes on
    return painted


@pytest.mark.forms(1)
@pytest.mark.needs("account-controls")
@pytest.mark.parametrize(
    ("control", "works"),
    [(None, "dwbs"), (Control.FROZEN, ""), (Control.SELL_ONLY, "ws"), (Control.CLOSED, "")],
)
async def test_the_footer_follows_the_controls_of_the_selected_account(
    bench: Bench, control: Control | None, works: str
) -> None:
    bench.open(1, deposit="500.00")
    restricted = bench.open(2, deposit="500.00")
    if control is not None:
        with bench.world.context.database.write() as connection:
            table = Tables.trading_account
            chosen = update(table).where(table.c.id == restricted.id)
            connection.execute(chosen.values(control=control, control_reason="REVIEW"))
            connection.commit()
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "home")
        for _ in range(2):
            account = app.desk.customer.account
            assert account is not None
            wanted = works if account.id == restricted.id else "dwbs"
            assert "".join(key[0] for key in _keys(app) if key[0] in "dwbs") == wanted
            await press(pilot, "2")
            buys_and_sells = "".join(each for each in wanted if each in "bs")
            assert "".join(key[0] for key in _keys(app) if key[0] in "bs") == buys_and_sells
            assert isinstance(app.screen, DeskScreen)
            assert ("You can trade" in app.screen.customer_text()) == (wanted == "dwbs")
            await press(pilot, "1", "down")


@pytest.mark.needs("market-status")
async def test_the_footer_follows_the_selected_market(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    with sealed(bench.world.context.database) as rows:
        markets.close(rows, "btc-usd", "MAINTENANCE", None)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "2", "home")
        seen_closed = 0
        for _ in range(3):
            screen = app.screen
            assert isinstance(screen, MarketsScreen)
            assert screen.market is not None
            is_open = screen.market.market_name != "btc-usd"
            assert ({"b buy", "s sell"} <= set(_keys(app))) == is_open
            assert ("m watch" in _keys(app)) != is_open
            seen_closed += not is_open
            await press(pilot, "down")
        assert seen_closed == 1


@pytest.mark.needs("trading-accounts")
async def test_nothing_is_named_to_order_filter_or_hold_where_there_is_nothing(
    bench: Bench,
) -> None:
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert _keys(app) == ["+ new"]
        bench.open(1)
        await press(pilot, "r")
        assert "/ filter" in _keys(app)
        assert isinstance(app.screen, DeskScreen)
        (order,) = (each for each in COMMANDS if each.id == "accounts.sort")
        assert unavailable_reason(order, app.screen) == "there is nothing to sort"
        bench.open(2)
        await press(pilot, "r")
        assert unavailable_reason(order, app.screen) == ""


@pytest.mark.forms(2)
@pytest.mark.parametrize("has_account", [True, False])
@pytest.mark.parametrize("name", SCREENS)
async def test_no_footer_names_a_key_that_does_nothing(
    bench: Bench, name: str, has_account: bool
) -> None:
    if has_account:
        account = bench.open(1, deposit="500.00")
        asked = QuoteRequest(amount="100.00", side="buy", trading_account_id=account.id)
        quote = bench.service.create_quote("sol-usd", asked).value
        bench.service.execute_quote(quote.id, ExecuteRequest(trading_account_id=account.id))
    app = bench.console()
    number = str(SCREENS.index(name) + 1)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, number)
        tried: set[str] = set()
        while left := [key for key in _named_keys(app) if key not in tried]:
            tried.add(left[0])
            before = _state(app)
            await press(pilot, left[0])
            assert _state(app) != before, f"{left[0]} does nothing on {name}"
            while len(app.screen_stack) > 1 or _screen(app).field_bar.is_open:
                await press(pilot, "escape")
            await press(pilot, number)
    assert tried or name in {"quote", "wallets"}


def _screen(app: Console) -> DeskScreen:
    assert isinstance(app.screen, DeskScreen)
    return app.screen


def _named_keys(app: Console) -> list[str]:
    """The keys of the footer, as Textual calls them."""
    screen = _screen(app)
    hints = footer_hints(tuple(screen.commands_by_id.values()), screen, {}, typing=False)
    by_action = {row.action: row for row in screen.commands_by_id.values()}
    return [by_action[hint.action].key.split(",")[0] for hint in hints]


def _state(app: Console) -> tuple[object, ...]:
    """All that a key may change, but not the status line: there it may say that it does nothing."""
    rows = seen(app).splitlines()
    return (app.screen, app.clipboard, rows[:-2])


@pytest.mark.parametrize("name", SCREENS)
async def test_a_key_that_would_do_nothing_says_why(bench: Bench, name: str) -> None:
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        app.go(name)
        await settle(pilot)
        screen = app.screen
        assert isinstance(screen, DeskScreen)
        reasons = {
            each.id: each.unavailable(screen)
            for each in screen.commands_by_id.values()
            if each.unavailable is not None and each.unavailable(screen)
        }
        assert reasons
        for command_id, why in reasons.items():
            await screen.action_command(command_id)
            await settle(pilot)
            assert f" {why}" in seen(app), command_id

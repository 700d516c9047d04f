"""The strip of what is pending: what it says, and how seldom it is painted."""

from datetime import datetime

import pytest
from tests.tui.conftest import Bench, press, seen, settle
from tests.tui.wallet_case import Case, paste

from chainteller.domain.clock import MINUTE, SECOND, to_datetime
from chainteller.service.models.funding import Currency, WithdrawalRequest
from chainteller.tui.console.app import Console
from chainteller.tui.served.waits import Item, next_repaint, strip_line
from chainteller.tui.widgets.lines import Lines

NOW = 1_000_000 * SECOND


def _told(*items: Item, now: int = NOW, width: int = 80) -> str:
    return "".join(text for text, _ in strip_line((" Desk  ", "strong"), items, now, width).left)


def test_time_is_told_by_the_minute_and_by_the_second_in_the_last_one() -> None:
    quote = Item("quote", ends_at=NOW + 281 * SECOND)
    assert _told(quote) == " Desk  quote, 5 min"
    assert next_repaint([quote], NOW) == 41 * SECOND
    assert _told(quote, now=NOW + 41 * SECOND) == " Desk  quote, 4 min"
    assert next_repaint([quote], NOW + 41 * SECOND) == MINUTE
    assert _told(quote, now=NOW + 240 * SECOND) == " Desk  quote, 0:41"
    assert next_repaint([quote], NOW + 240 * SECOND) == SECOND
    assert next_repaint([quote], NOW + 300 * SECOND) == MINUTE, "it has ended"
    assert next_repaint([Item("hold")], NOW) == MINUTE
    ends = Item("quote", ends_at=NOW)
    assert [each.waits(at) for each in (ends, Item("hold")) for at in (NOW, NOW + 1)] == [
        True, False, True, True,
    ]  # fmt: skip


def test_what_has_no_room_is_counted() -> None:
    items = [Item(f"item number {number}") for number in range(6)]
    for width in range(20, 140):
        told = _told(*items, width=width)
        assert len(told) <= width
        shown = told.count("item number")
        assert (f"+{6 - shown} more" in told) == (shown < 6)


@pytest.mark.needs("challenges", "transactions", "all-transfers")
async def test_the_strip_names_what_waits_for_the_customer(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    currency = Currency(type="deposit-token-currency", id="DPT_USD")
    asked = WithdrawalRequest(amount="25.00", currency=currency)
    bench.service.withdraw(case.account.trading_account_id, asked)
    app = bench.console()
    async with app.run_test(size=(160, 40)) as pilot:
        await settle(pilot)
        own = seen(app).splitlines()[1]
        assert "message to sign ethereum, " in own
        assert "withdrawal 25.00 USD" in own
        assert "on hold" not in own, "the account beside the list says so"
        await press(pilot, "b", *"50", "enter")
        expires = app.screen.state.quote.expires  # type: ignore[attr-defined]  # the quote screen
        assert isinstance(expires, datetime)
        app.go("transfers")
        await settle(pilot)
        app.desk.served.look_soon()  # type: ignore[union-attr]  # it has started
        await settle(pilot)
        assert "quote buy sol-usd for 50.00 USD, 5 min" in seen(app).splitlines()[1]
        assert "withdrawal" not in seen(app).splitlines()[1], "the list has it"
        assert expires > to_datetime(bench.world.clock.now())  # type: ignore[union-attr]  # by hand


@pytest.mark.needs("challenges", "transactions")
async def test_beside_a_list_of_what_is_pending_the_strip_says_that_nothing_else_is(
    bench: Bench,
) -> None:
    Case(bench, "alice-ethereum")
    app = bench.console()
    async with app.run_test(size=(160, 40)) as pilot:
        await settle(pilot)
        nothing = "nothing else pending"
        for key, told in (("5", nothing), ("4", "message to sign ethereum, "), ("P", nothing)):
            await press(pilot, key)
            assert told in seen(app).splitlines()[1]


@pytest.mark.needs("all-transfers")
async def test_with_nobody_served_the_strip_names_what_the_desk_waits_for(bench: Bench) -> None:
    app = bench.console()
    async with app.run_test(size=(160, 40)) as pilot:
        await settle(pilot)
        assert seen(app).splitlines()[1].startswith(" All customers  nothing pending")


async def test_what_waits_for_one_customer_is_never_shown_for_the_next(bench: Bench) -> None:
    """The strip is hidden while a detail is zoomed, and somebody else is served meanwhile."""
    first, second = bench.open(1, deposit="100.00"), bench.open(2)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await paste(pilot, first.id)
        await press(pilot, "b", *"50", "enter")
        app.desk.served.look_soon()  # type: ignore[union-attr]  # it has started
        await settle(pilot)
        whose = _whose(app)
        await press(pilot, "z")
        await paste(pilot, second.id)
        await press(pilot, "3")
        assert app.screen.query_one("#strip", Lines).plain_text.strip() == "", "while it's hidden"
        await press(pilot, "z")
        assert app.desk.customer.account_id == second.id
        assert _whose(app) not in {whose, ""}


def _whose(app: Console) -> str:
    return seen(app).splitlines()[1].partition("  ")[0].strip()

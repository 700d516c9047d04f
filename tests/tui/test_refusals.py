"""A refusal leaves the screen with its cause, and not before."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest
from tests.tui.conftest import Bench, press, seen, settle
from textual.pilot import Pilot

from chainteller.domain.clock import format_instant
from chainteller.service.errors import InsufficientFunds, LimitExceeded, NotOffered, TellerError
from chainteller.service.layers import Next, layered
from chainteller.service.models.accounts import TradingAccount
from chainteller.service.models.pages import Page
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.service.operations import TRADING_ACCOUNTS, Call
from chainteller.tui.accounts.screen import AccountsScreen
from chainteller.tui.console.app import Console
from chainteller.tui.desk_screen import DeskScreen
from chainteller.tui.failures import explain
from chainteller.tui.quote.screen import QuoteScreen

Answer = TypeVar("Answer")


async def refused(pilot: Pilot[None], error: TellerError) -> Console:
    app = pilot.app
    assert isinstance(app, Console)
    assert isinstance(app.screen, DeskScreen)
    app.screen.fail(error)
    await settle(pilot)
    assert error.code in seen(app)
    return app


async def news(pilot: Pilot[None]) -> None:
    """Something changed at the service, and the screens read it."""
    app = pilot.app
    assert isinstance(app, Console)
    app.desk.on_change.publish(("deposit.completed",))
    if isinstance(app.screen, AccountsScreen):
        app.screen.take_news()  # at once, and not at the end of its rest
    await settle(pilot)
    app.desk.on_poll.publish(None)
    await settle(pilot)


@pytest.mark.needs("buying-power")
@pytest.mark.parametrize(("deposits", "stays"), [(("100.00",), True), (("100.00", "50.01"), False)])
async def test_want_of_money_is_told_until_there_is_enough(
    bench: Bench, deposits: Sequence[str], stays: bool
) -> None:
    account = bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "w", *"650.01", "enter", "escape")
        assert "INSUFFICIENT_FUNDS" in seen(app)
        await news(pilot)
        assert "INSUFFICIENT_FUNDS" in seen(app), "nothing has changed"
        for amount in deposits:
            bench.deposit(account, amount)
        await news(pilot)
        assert ("INSUFFICIENT_FUNDS" in seen(app)) is stays


@pytest.mark.parametrize(
    ("available", "remedy"),
    [
        ("10.00", "Enter a smaller amount."),
        ("0.00", "Nothing is available; what a sale brings is, once it has settled."),
    ],
)
def test_a_smaller_amount_is_asked_for_where_there_is_one(available: str, remedy: str) -> None:
    refusal = explain(InsufficientFunds(available, "400.00", "USD"), "withdrawal")
    assert refusal.remedy == remedy


async def test_what_the_desk_believed_before_ends_no_refusal(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await refused(pilot, InsufficientFunds("10.00", "400.00", "USD"))
        app.desk.on_poll.publish(None)
        await settle(pilot)
        assert "INSUFFICIENT_FUNDS" in seen(app), "500.00 was known before it was refused"


@dataclass
class _Freezing:
    """A layer under which accounts are frozen, wherever they're read."""

    frozen: bool = True

    def __call__(self, call: Call[Answer], onward: Next) -> Answer:
        found: Any = onward(call)
        if self.frozen and isinstance(found, TradingAccount):
            found = _frozen(found)
        elif self.frozen and isinstance(found, Page) and call.operation is TRADING_ACCOUNTS:
            found = found.model_copy(update={"data": tuple(map(_frozen, found.data))})
        return found  # type: ignore[no-any-return]  # as it came, or of the same model


def _frozen(account: TradingAccount) -> TradingAccount:
    return account.model_copy(update={"controls": ("FROZEN",)})


async def test_a_restriction_is_told_until_it_is_lifted(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    layer = _Freezing(frozen=False)
    app = bench.console(layered(bench.service, layer))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "w", *"100")
        layer.frozen = True
        await press(pilot, "enter")
        assert "ACCOUNT_RESTRICTED" in seen(app)
        await news(pilot)
        assert "ACCOUNT_RESTRICTED" in seen(app)
        layer.frozen = False
        await news(pilot)
        assert "ACCOUNT_RESTRICTED" not in seen(app)


@pytest.mark.forms(1)
@pytest.mark.parametrize("size", [(120, 40), (80, 24), (200, 60)])
async def test_a_quote_of_an_account_that_is_frozen_meanwhile_is_offered_to_nobody(
    bench: Bench, size: tuple[int, int]
) -> None:
    bench.open(1, deposit="500.00")
    layer = _Freezing(frozen=False)
    app = bench.console(layered(bench.service, layer))
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "b", *"100", "enter")
        assert "X execute" in seen(app)
        layer.frozen = True
        await press(pilot, "X")
        assert "ACCOUNT_RESTRICTED" in seen(app)
        assert "F on the console" in seen(app)
        await press(pilot, "escape")
        shown = seen(app)
        assert "ACCOUNT_RESTRICTED" not in shown
        assert "[x] FROZEN" in shown
        assert "X execute" not in shown
        assert isinstance(app.screen, QuoteScreen)
        assert "There is a restriction" in app.screen.customer_text()
        assert "Shall we go ahead?" not in shown
        await press(pilot, "X")
        assert "the account is FROZEN" in seen(app)
        await press(pilot, "tab")
        assert "No quote yet." in seen(app)
        assert "the account is FROZEN" in seen(app)
        assert "type the amount" not in seen(app)
        layer.frozen = False
        await news(pilot)
        await press(pilot, "tab")
        assert "X execute" in seen(app)
        assert "You pay 100.00 USD" in app.screen.customer_text()


async def test_a_limit_is_told_until_it_resets(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        clock = bench.world.clock
        assert clock is not None
        resets = app.desk.now + 2 * 3_600_000_000
        resets_at = format_instant(resets)
        facts = {"limit": "1.00", "used": "1.00", "requested": "2.00", "resetsAt": resets_at}
        await refused(pilot, LimitExceeded("The limit would be exceeded.", facts))
        while app.desk.now < resets:
            assert "LIMIT_EXCEEDED" in seen(app)
            clock.advance(3_600_000_000)
            app.desk.on_poll.publish(None)
            await settle(pilot)
        assert "LIMIT_EXCEEDED" not in seen(app)


async def test_another_row_ends_the_refusal_of_the_one_before(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    for _ in range(2):
        asked = QuoteRequest(amount="50.00", side="buy", trading_account_id=account.id)
        quote = bench.service.create_quote("sol-usd", asked).value
        bench.service.execute_quote(quote.id, ExecuteRequest(trading_account_id=account.id))
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "4")
        await refused(pilot, NotOffered("Not here."))
        await news(pilot)
        assert "NOT_OFFERED" in seen(app), "the row is the same"
        await press(pilot, "down")
        assert "NOT_OFFERED" not in seen(app)


async def test_what_was_told_before_a_request_is_gone_when_it_begins(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        app.desk.notify("deposit 500.00 USD completed", "good")
        await settle(pilot)
        assert "deposit 500.00 USD completed" in seen(app)
        await press(pilot, "w", *"100", "enter")
        await press(pilot, "n")
        assert "deposit 500.00 USD completed" not in seen(app)
        assert [each for each in app.desk.log if "500.00 USD completed" in each.text]


async def test_another_amount_ends_the_refusal_of_the_one_before(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "w", *"9999", "enter")
        assert "INSUFFICIENT_FUNDS" in seen(app)
        await press(pilot, "1", "0", "0")
        assert "INSUFFICIENT_FUNDS" not in seen(app)
        assert "= 100.00 USD" in seen(app)

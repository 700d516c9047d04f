"""Keys typed faster than the service answers never act on an earlier list."""

import threading
import time
from typing import Any, TypeVar

import pytest
from tests.tui.conftest import Bench, answer, press, seen, settle
from tests.world.waiting import PATIENCE_S
from textual import events

from chainteller.service import operations as op
from chainteller.service.errors import ServiceUnreachable
from chainteller.service.interface import Service
from chainteller.service.models.finding import FindQuery
from chainteller.service.models.pages import ListQuery
from chainteller.service.operations import Call, Operation
from chainteller.tui.console.app import Console
from chainteller.tui.console.palette import DeskProvider
from chainteller.tui.start import ProfileRow, StartedDesk

Answer = TypeVar("Answer")


class Slow(Service):
    """A deployment that answers a search when it may."""

    def __init__(self, service: Service, *operations: Operation[Any]) -> None:
        self._service = service
        self._slow = operations or (op.TRADING_ACCOUNTS, op.CUSTOMERS, op.FIND)
        self.may_answer = threading.Event()
        self.may_answer.set()

    def call(self, call: Call[Answer]) -> Answer:
        if call.operation in self._slow:
            self._wait(call.query)
        return self._service.call(call)

    def _wait(self, query: object) -> None:
        searches = not isinstance(query, ListQuery | FindQuery) or query.text
        if searches and not self.may_answer.wait(PATIENCE_S):
            raise ServiceUnreachable("The test never let it answer.")


@pytest.mark.needs("find")
async def test_enter_waits_for_the_hits_of_what_was_typed(bench: Bench) -> None:
    bench.open(1)
    slow = Slow(bench.service)
    app = bench.console(slow)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await press(pilot, ":")
        slow.may_answer.clear()
        await pilot.press(*"hide", "enter", "2")
        assert not app.desk.privacy.hidden
        slow.may_answer.set()
        await settle(pilot)
        assert app.desk.privacy.hidden
        assert app.current_mode == "markets", "what was typed behind it comes after it"


async def test_enter_on_no_hit_keeps_the_palette_and_its_keys(bench: Bench) -> None:
    app = bench.console()
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await press(pilot, ":")
        await press(pilot, *"xqzy", "enter", "2")
        assert app.current_mode == "accounts"
        assert "xqzy2" in seen(app)
        await press(pilot, "escape")
        await press(pilot, "2")
        assert app.current_mode == "markets"


@pytest.mark.needs("customers")
async def test_no_account_is_opened_for_who_stands_in_an_earlier_list(bench: Bench) -> None:
    slow = Slow(bench.service)
    app = bench.console(slow)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "+")
        assert "DDA-1 " in seen(app)
        slow.may_answer.clear()
        await pilot.press(*"DDA-2", "enter")
        slow.may_answer.set()
        await answer(pilot, "y")
        opened = bench.service.trading_accounts(ListQuery()).data
        assert [account.bank_account_id for account in opened] == ["DDA-2"]


@pytest.mark.needs("customers")
async def test_who_is_found_among_others_has_to_be_seen_first(bench: Bench) -> None:
    slow = Slow(bench.service)
    app = bench.console(slow)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "+")
        slow.may_answer.clear()
        await pilot.press(*"DDA", "enter")
        slow.may_answer.set()
        await settle(pilot)
        assert bench.service.trading_accounts(ListQuery()).data == ()
        assert "OPEN A TRADING ACCOUNT" in seen(app)
        await press(pilot, "enter")
        await answer(pilot, "y")
        assert len(bench.service.trading_accounts(ListQuery()).data) == 1


async def test_what_is_typed_behind_a_filter_is_meant_for_its_rows(bench: Bench) -> None:
    accounts = [bench.open(number) for number in (1, 2, 3)]
    slow = Slow(bench.service)
    app = bench.console(slow)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        slow.may_answer.clear()
        await pilot.press("slash", *"DDA-2", "enter", *"d10", "enter")
        slow.may_answer.set()
        await settle(pilot)
        assert "deposit 10.00" in seen(app)
    found = [bench.service.deposits(account.id).pagination.total for account in accounts]
    assert found == [0, 1, 0]


@pytest.mark.forms(1)
@pytest.mark.parametrize("slow_in", [op.SHOW_TRADING_ACCOUNT, op.TRADING_ACCOUNTS])
@pytest.mark.parametrize("by", ["paste", "palette"])
async def test_what_is_typed_behind_a_pasted_id_is_meant_for_its_customer(
    bench: Bench, by: str, slow_in: Operation[Any]
) -> None:
    accounts = [bench.open(number) for number in (1, 2, 3)]
    slow = Slow(bench.service, slow_in)
    app = bench.console(slow)
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "home")
        wanted = next(each for each in accounts if each.id != app.desk.customer.account_id)
        if by == "palette":
            await press(pilot, ":", *wanted.id)
        slow.may_answer.clear()
        if by == "paste":
            app.post_message(events.Paste(wanted.id))
            await pilot.press(*"d10", "enter")
        else:
            await pilot.press("enter", *"d10", "enter")
        slow.may_answer.set()
        await settle(pilot)
        assert "deposit 10.00" in seen(app)
    found = {each.id: bench.service.deposits(each.id).pagination.total for each in accounts}
    assert [identifier for identifier, count in found.items() if count] == [wanted.id]


async def test_what_is_typed_behind_an_id_of_nobody_is_dropped(bench: Bench) -> None:
    account = bench.open(1)
    app = bench.console()
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        app.post_message(events.Paste(f"{account.id[:-1]}U"))
        await pilot.press(*"d10", "enter")
        await settle(pilot)
        assert "NOT_FOUND" in seen(app)
        await press(pilot, "2")
        assert app.current_mode == "markets", "and what is typed later isn't"
    assert bench.service.deposits(account.id).pagination.total == 0


async def test_an_id_pasted_before_the_service_answers_is_opened_then(bench: Bench) -> None:
    accounts = [bench.open(number) for number in (1, 2, 3)]
    may_start = threading.Event()

    def start() -> StartedDesk:
        assert may_start.wait(PATIENCE_S)
        return bench.start()

    app = Console(start, bench.settings)
    async with app.run_test(size=(100, 30)) as pilot:
        app.post_message(events.Paste(accounts[1].id))
        await pilot.press(*"d10", "enter")
        assert app.desk.started is None
        may_start.set()
        await settle(pilot)
        assert "deposit 10.00" in seen(app)
        assert "SERVICE_UNAVAILABLE" not in seen(app)
    found = [bench.service.deposits(account.id).pagination.total for account in accounts]
    assert found == [0, 1, 0]


_PLACES = (
    ProfileRow("branch", "remote", "https://bank.example", label="branch 7"),
    ProfileRow("books", "embedded", "x"),
    ProfileRow("remote-2", "remote", "https://two.example", label="the second"),
)


@pytest.mark.forms(1)
@pytest.mark.parametrize(("keys", "wanted"), [(("down", "enter"), "books"), (("3",), "remote-2")])
async def test_a_profile_is_chosen_with_its_digit_or_enter(
    bench: Bench, keys: tuple[str, ...], wanted: str
) -> None:
    app = bench.console(profiles=_PLACES, profile="branch")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.app.run_action("command('palette.profile')")
        await settle(pilot)
        shown = seen(app)
        assert "now on branch" in shown
        assert "branch 7" in shown
        assert "https://bank.example" in shown
        await pilot.press(*keys)
    assert app.wanted_profile == wanted


async def test_a_place_that_cannot_be_used_is_the_one_that_enter_tries_again(bench: Bench) -> None:
    def start() -> StartedDesk:
        raise ServiceUnreachable("two.example does not answer.")

    app = Console(start, bench.settings._replace(profiles=_PLACES, profile="remote-2"))
    async with app.run_test(size=(80, 24)) as pilot:
        began = time.monotonic()
        while "can't be used" not in seen(app):
            await pilot.pause(0.02)
            assert time.monotonic() - began < PATIENCE_S
        await pilot.press("enter")
    assert app.wanted_profile == "remote-2"


async def test_a_profile_is_found_by_what_it_is_shown_as(bench: Bench) -> None:
    app = bench.console(profiles=_PLACES)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        hits = [str(hit.text) async for hit in DeskProvider(app.screen).search("second")]
        assert any("profile: remote-2" in hit for hit in hits)

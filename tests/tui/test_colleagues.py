"""Two desks at one server: each sees that the other works on the same customer."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from tests.deployments import OWN, SPEC_ONLY
from tests.tui.conftest import Bench, press, seen, settle
from tests.world.serving import deployment, served
from textual.pilot import Pilot

from chainteller.remote.client import RemoteService
from chainteller.service.interface import Service
from chainteller.service.models.accounts import TradingAccount
from chainteller.service.models.funding import Currency, DepositRequest
from chainteller.tui.commands import SCREENS
from chainteller.tui.console.app import Console
from chainteller.tui.start import StartedDesk

SAID = "Also on this customer: "


@contextmanager
def _branches(bench: Bench, *names: str, organisation: str = "default") -> Iterator[list[Service]]:
    """The bench's bank behind a real server, by a key for each name."""
    with ExitStack() as stack:
        address = stack.enter_context(served(deployment(bench.world)))
        places: list[Service] = []
        for name in names:
            key = bench.world.key(name=name, organisation=organisation)
            remote = RemoteService(address, key)
            stack.callback(remote.close)
            places.append(remote)
        yield places


def _desk(bench: Bench, service: Service) -> Console:
    def start() -> StartedDesk:
        return StartedDesk(service, "branch", service.capabilities())

    return Console(start, bench.settings)


def _deposit(service: Service, account: TradingAccount) -> None:
    currency = Currency(type="deposit-token-currency", id="DPT_USD")
    service.deposit(account.id, DepositRequest(amount="5.00", currency=currency))


async def _poll(pilot: Pilot[Any]) -> str:
    assert isinstance(pilot.app, Console)
    pilot.app.poll_now()
    await settle(pilot)
    return seen(pilot.app)


@pytest.mark.needs("engine", "events")
async def test_each_of_two_desks_sees_the_other_on_every_screen(bench: Bench) -> None:
    account, other = bench.open(1, deposit="500.00"), bench.open(2)
    bench.world.advance(601)
    with _branches(bench, "branch-7", "branch-8") as (near, far):
        seventh, eighth = _desk(bench, near), _desk(bench, far)
        async with seventh.run_test(size=(80, 24)) as here, eighth.run_test(size=(80, 24)) as there:
            for pilot, app in ((here, seventh), (there, eighth)):
                with app._context():
                    await settle(pilot)
                    app.desk.customer.serve(account)
                    await settle(pilot)
            with eighth._context():
                await press(there, "d", *"25", "enter")
                assert SAID not in await _poll(there), "nobody is told of themselves"
            bench.world.advance(125)
            with seventh._context():
                shown = await _poll(here)
                assert f"{SAID}branch-8 ({_key_id(far)}) " in shown
                assert shown.splitlines()[1].endswith(" deposit 12:10:01Z, 2 min ago")
                for number in range(1, len(SCREENS) + 1):
                    await press(here, str(number))
                    seventh.desk.customer.serve(account)
                    await settle(here)
                    line = seen(seventh).splitlines()[1]
                    assert "branch-8" in line
                    is_of_all = SCREENS[number - 1] == "decisions"
                    assert ("Also on Customer 1: " in line) == is_of_all
                seventh.desk.customer.serve(other)
                await settle(here)
                assert SAID not in seen(seventh), "it's about that customer only"
            _deposit(near, account)
            with eighth._context():
                assert "branch-7" in (await _poll(there)).splitlines()[1]
                bench.world.advance(601)
                assert SAID not in await _poll(there), "ten minutes later nobody is there"


def _key_id(service: Service) -> str:
    return service.capabilities().actor.partition("(")[2].rstrip(")")


async def test_what_happened_before_a_desk_opened_is_seen_too(bench: Bench) -> None:
    account, other = bench.open(1), bench.open(2)
    bench.world.advance(601)
    with _branches(bench, "branch-7", "branch-8") as (near, far):
        _deposit(far, account)
        for _ in range(20):
            _deposit(far, other)
        bench.world.advance(60)
        app = _desk(bench, near)
        async with app.run_test(size=(120, 40)) as pilot:
            await settle(pilot)
            assert "branch-8" in seen(app)
            assert "1 min ago" in seen(app)


async def test_the_services_own_work_and_the_same_key_are_nobody(bench: Bench) -> None:
    account = bench.open(1)
    bench.world.advance(601)
    with _branches(bench, "branch-7") as (near,):
        app = _desk(bench, near)
        async with app.run_test(size=(120, 40)) as pilot:
            await settle(pilot)
            _deposit(near, account)
            bench.world.advance(30)
            assert SAID not in await _poll(pilot)


@pytest.mark.parametrize("deployment", [OWN, SPEC_ONLY], indirect=True)
async def test_nothing_is_claimed_where_events_name_nobody(bench: Bench) -> None:
    account = bench.open(1)

    def start() -> StartedDesk:
        return StartedDesk(bench.deployment, "branch")  # it doesn't say how events name this desk

    app = Console(start, bench.settings)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        app.desk.customer.serve(account)
        _deposit(bench.world.engine, account)
        assert SAID not in await _poll(pilot)

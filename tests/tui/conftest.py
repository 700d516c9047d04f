"""The console over the real engine: a temporary SQLite file and a clock moved by hand."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import pytest
from tests.world.bank import World, build, sqlite_url
from textual.pilot import Pilot

from chainteller.domain.actors import Actor
from chainteller.domain.randomness import SeededRandomness
from chainteller.engine.bank import EngineOptions
from chainteller.engine.engine import Engine
from chainteller.service.interface import Service
from chainteller.service.models.accounts import OpenTradingAccount, TradingAccount
from chainteller.service.models.funding import Currency, DepositRequest
from chainteller.tui.app import Console
from chainteller.tui.start import DeskLook, StartedDesk

REPOSITORY = Path(__file__).parents[2]
DEAF_S = 0.25
_ASKING = ("write-", "new", "samples", "ask-")
"""Groups of workers that wait for an answer while a question is open."""


@dataclass(frozen=True, slots=True)
class Bench:
    """A world and the console on it."""

    world: World
    look: DeskLook

    @property
    def service(self) -> Service:
        return cast("Service", self.world.engine.acting_as(Actor(name="op01")))

    def console(self, service: object | None = None, **look: Any) -> Console:
        shown = cast("Service", service or self.service)

        def start() -> StartedDesk:
            return StartedDesk(shown, "test bank", self.service.capabilities())

        return Console(start, self.look._replace(**look))

    def open(self, number: int = 1, deposit: str = "") -> TradingAccount:
        """A trading account for DDA-``number``, funded from the bank."""
        kind = "checking" if number % 2 else "savings"
        asked = OpenTradingAccount(bank_account_id=f"DDA-{number}", bank_account_type=kind)
        account = self.service.open_trading_account(asked).value
        if deposit:
            currency = Currency(type="deposit-token-currency", id="DPT_USD")
            self.service.deposit(account.id, DepositRequest(amount=deposit, currency=currency))
        return account


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    yield from make_bench(tmp_path)


def make_bench(folder: Path, options: EngineOptions | None = None) -> Iterator[Bench]:
    world = build(sqlite_url(folder), options=options or EngineOptions(rate_limits=False))
    seeded = replace(world.bank, randomness=SeededRandomness("desk"))
    world = replace(world, engine=Engine(seeded, Actor(name="op01")))
    assert world.clock is not None
    look = DeskLook(
        kind="EMBEDDED",
        operator="op01",
        theme_folders=(REPOSITORY / "themes",),
        poll_interval_s=0,
        customer_texts=REPOSITORY / "sample_data" / "customer_texts.toml",
        crash_folder=folder,
        export_folder=folder,
        clock=world.clock,
        randomness=SeededRandomness("desk"),
    )
    try:
        yield Bench(world, look)
    finally:
        world.engine.close()


async def settle(pilot: Pilot[Any]) -> None:
    """Wait until the desk has started and nothing is asked of the service any more."""
    quiet = 0
    for _ in range(400):
        await asyncio.sleep(0.03)
        quiet = quiet + 1 if _is_idle(cast("Console", pilot.app)) else 0
        if quiet == 4:
            await pilot.pause()
            return
    raise AssertionError("the desk never came to rest")


def _is_idle(app: Console) -> bool:
    waiting = app.screen.is_modal
    busy = [
        worker
        for worker in app.workers
        if not worker.is_finished and not (waiting and worker.group.startswith(_ASKING))
    ]
    return app.desk.started is not None and not busy


async def press(pilot: Pilot[Any], *keys: str) -> None:
    """Press, and wait for what it led to."""
    await pilot.press(*keys)
    await settle(pilot)


async def answer(pilot: Pilot[Any], key: str) -> None:
    """Answer a question after its deaf time, and let the deaf time after it pass."""
    await asyncio.sleep(DEAF_S)
    await pilot.press(key)
    await asyncio.sleep(DEAF_S)
    await settle(pilot)


def seen(app: Console) -> str:
    """All that stands on the screen, as text."""
    width, height = app.size
    strips = app.screen._compositor.render_strips(app.size)
    rows = ["".join(segment.text for segment in strip)[:width].rstrip() for strip in strips]
    return "\n".join(rows[:height])

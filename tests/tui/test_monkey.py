"""Keys, words, pastes, clicks and window sizes at random: nothing of it may end the console."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.tui.conftest import Bench, make_bench, settle
from tests.tui.hostile_service import HOSTILE
from tests.tui.monkey import Monkey
from tests.world import samples
from tests.world.bank import World

from chainteller.domain.actors import Actor
from chainteller.domain.clock import ManualClock
from chainteller.domain.options import EngineOptions
from chainteller.domain.randomness import SeededRandomness
from chainteller.engine.engine import Engine

pytestmark = pytest.mark.thorough

MOST_GROWTH_MIB = 160
"""After the first tenth; Textual keeps the painted lines of every widget, in windows of up to
300 x 100. Measured: 84 to 111 MiB, less with every tenth.
"""
ADDRESS = "0x52aeC1cF00000000000000000000000000009191"


@pytest.fixture
def peopled(tmp_path: Path, deployment: str) -> Iterator[Bench]:
    for bench in make_bench(tmp_path, kind=deployment):
        for number in range(1, 8):
            bench.open(number, deposit="500.00")
        yield bench


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Bench]:
    """The sample data: some two hundred customers with quotes, trades and wallets."""
    for bench in make_bench(tmp_path):
        bank = replace(
            samples.new_bank(tmp_path / "demo"), options=EngineOptions(rate_limits=False)
        )
        assert samples.load(bank)
        assert isinstance(bank.clock, ManualClock)
        engine = Engine(replace(bank, randomness=SeededRandomness("desk")), Actor(name="op01"))
        yield Bench(World(engine, bank.clock), bench.settings._replace(clock=bank.clock))
        engine.close()


async def _play(bench: Bench, seed: str, keys: int, resizes: int) -> Monkey:
    app = bench.console(poll_interval_s=0.2)
    ids = [row.id for row in bench.service.trading_accounts().data]
    pastes = (
        *ids,
        *HOSTILE,
        ADDRESS,
        "TXN_0",
        "DDA-1",
        "",
        "1,000.00",
        "a\nb\nc",
        "0x" + "ab" * 65,
    )
    monkey = Monkey(bench, app, SeededRandomness(f"monkey {seed}"), pastes)
    async with app.run_test(size=(100, 30), notifications=True, tooltips=True) as pilot:
        await settle(pilot)
        leave, app.exit = app.exit, _stay  # type: ignore[method-assign]  # the palette can quit
        await monkey.storm(keys, resizes)
        assert app._exception is None
        leave()
    return monkey


def _stay(*_: object, **__: object) -> None:
    """A monkey finds ``quit`` in the palette sooner or later; that is no fault."""


@pytest.mark.parametrize("place", ["peopled", "demo"])
async def test_random_input_and_sizes_never_end_the_console(
    place: str, request: pytest.FixtureRequest
) -> None:
    played = await _play(request.getfixturevalue(place), "quick", keys=400, resizes=20)
    assert (played.keys, played.resizes) == (400, 20)


@pytest.mark.slow
@pytest.mark.parametrize("place", ["peopled", "demo"])
@pytest.mark.parametrize("seed", ["1", "2", "3", "4", "5"])
async def test_a_long_storm_never_ends_the_console_nor_fills_the_memory(
    place: str, seed: str, request: pytest.FixtureRequest
) -> None:
    played = await _play(request.getfixturevalue(place), seed, keys=20_000, resizes=500)
    assert (played.keys, played.resizes) == (20_000, 500)
    assert played.held[-1] - played.held[0] < MOST_GROWTH_MIB, played.held

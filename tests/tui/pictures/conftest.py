"""What the walks share: an album, and the sample bank at the instant at which training begins."""

import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from tests.training.conftest import base
from tests.training.worlds import SEED
from tests.tui.conftest import Bench, bench_on
from tests.tui.pictures.album import Album, Format, Themes, themes_of
from tests.world.bank import World

from chainteller.adapters.prices_simulated import SimulatedPrices
from chainteller.adapters.venue_simulated import SimulatedVenue
from chainteller.domain.actors import Actor
from chainteller.domain.clock import ManualClock
from chainteller.domain.options import EngineOptions
from chainteller.domain.randomness import SeededRandomness
from chainteller.engine.core.context import EngineContext
from chainteller.engine.engine import Engine
from chainteller.sample_worlds import TRAINING_BEGINS
from chainteller.storage.database import open_database
from chainteller.storage.log import rows
from chainteller.storage.log.writer_keys import PublicKey

__all__ = ["base"]


@pytest.fixture
def themes(form: Format) -> Themes:
    return themes_of(form)


@pytest.fixture
def album(
    form: Format,
    themes: Themes,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Album:
    """An album for the pictures of one walk in one format."""
    if form.is_grey:
        monkeypatch.setenv("NO_COLOR", "1")  # the way a user asks for it
    folder = request.path.parent / "kept" / request.path.stem.removeprefix("test_")
    updates = bool(request.config.getoption("update_snapshots"))
    return Album(form, folder, themes, tmp_path, updates=updates)


@pytest.fixture
def sample_bench(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """A console on a copy of the sample bank; seed, time and salts never change."""
    monkeypatch.setattr(rows, "SystemRandomness", partial(SeededRandomness, "salts"))
    file = tmp_path / "samples.db"
    shutil.copyfile(base, file)
    clock, options = ManualClock(TRAINING_BEGINS), EngineOptions(rate_limits=False)
    context = EngineContext(
        open_database(f"sqlite:///{file}", PublicKey()),
        clock,
        SeededRandomness("desk"),
        SimulatedPrices(SEED),
        SimulatedVenue(),
        options,
    )
    world = World(Engine(context, Actor(name="op01")), clock, options)
    yield from bench_on(world, tmp_path)

"""One part of a walk: a bank, a console on it, and the walker."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.deployments import OWN
from tests.tui.conftest import settle
from tests.walker.walker import Violation, Walker
from tests.walker.world import walker_world

from chainteller.domain.randomness import SeededRandomness
from chainteller.tui.console.app import Console


@dataclass
class Report:
    """What was checked."""

    steps: int = 0
    frames: int = 0
    writes: int = 0
    texts: int = 0

    def __add__(self, other: "Report") -> "Report":
        return Report(
            self.steps + other.steps,
            self.frames + other.frames,
            self.writes + other.writes,
            self.texts + other.texts,
        )

    def __str__(self) -> str:
        return (
            f"{self.steps} steps, {self.frames} frames, "
            f"{self.writes} writes, {self.texts} copied or exported texts"
        )


async def walk_part(
    seed: str, steps: int, deployment: str = OWN, violations: list[Violation] | None = None
) -> Report:
    """Walk from a fresh bank.

    Args:
        seed: where the steps come from.
        steps: how many there are.
        deployment: ``OWN`` or ``SPEC_ONLY``.
        violations: takes those found, and the walk goes on after each; None to stop at the first.

    Raises:
        Violation: with the seed, the last steps and the frame; also where nothing can go on.
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        walker_world(Path(folder), deployment) as world,
    ):
        exports = Path(folder) / "exports"
        exports.mkdir()
        settings = world.bench.settings._replace(export_folder=exports)
        app = Console(lambda: world.bench.start(world.service), settings)
        async with app.run_test(size=(120, 40)) as pilot:
            await settle(pilot)
            randomness = SeededRandomness(f"walker {seed}")
            walker = Walker(world, app, pilot, randomness, seed, exports, violations)
            await walker.walk(steps)
        app.desk.end()
        return Report(walker.steps, walker.frames, walker.writes, walker.texts)

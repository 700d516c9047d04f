"""Create the cached sample databases of the demo and of training.

``python -m chainteller.sample_worlds KIND FILE SEED`` runs in a separate process: creating one
holds every row in memory, and the console's process would keep that memory.
"""

import sys
from collections.abc import Callable
from pathlib import Path

from chainteller.adapters.prices_simulated import SimulatedPrices
from chainteller.adapters.venue_simulated import SimulatedVenue
from chainteller.domain.clock import Clock, ManualClock, SystemClock, parse_instant
from chainteller.domain.randomness import SeededRandomness
from chainteller.engine.core.context import EngineContext
from chainteller.engine.samples.loading import load_past, load_samples
from chainteller.paths import shipped
from chainteller.storage.database import open_database
from chainteller.storage.log.writer_keys import PublicKey

TRAINING_BEGINS = parse_instant("2026-11-20T09:00:00Z")
"""A Friday morning. Every session begins at this instant, so that reports are repeatable."""


def make_past(file: Path, seed: str) -> None:
    """Create a database with the sample data as of the last midnight.

    Pending activity isn't included, because its times are relative to the start of each demo.

    Raises:
        ServiceUnavailable: the file can't be written.
    """
    _make(file, seed, SystemClock(), load_past)


def make_base(file: Path, seed: str) -> None:
    """Create a database with the sample data as of ``TRAINING_BEGINS``. Raises ServiceUnavailable:
    the file can't be written."""
    _make(file, seed, ManualClock(TRAINING_BEGINS), load_samples)


MAKERS: dict[str, Callable[[Path, str], None]] = {"past": make_past, "base": make_base}
"""The functions by KIND."""


def _make(
    file: Path,
    seed: str,
    clock: Clock,
    load: Callable[[EngineContext, Path, SimulatedPrices, str], bool],
) -> None:
    prices = SimulatedPrices(seed)
    context = EngineContext(
        database=open_database(f"sqlite:///{file}", PublicKey()),
        clock=clock,
        randomness=SeededRandomness(f"sample world {seed}"),
        feed=prices,
        venue=SimulatedVenue(),
    )
    try:
        load(context, shipped("sample_data"), prices, seed)
    finally:
        context.database.close()


def main() -> None:
    kind, file, seed = sys.argv[1:]
    MAKERS[kind](Path(file), seed)


if __name__ == "__main__":
    main()

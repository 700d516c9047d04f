"""How long loading the sample data takes, and what of it is making and what is writing.

PYTHONPATH=src:. python benchmarks/sample_load.py [ROUNDS]
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

from tests.world.files import KEYS

from chainteller.adapters.prices_simulated import SimulatedPrices
from chainteller.adapters.venue_simulated import SimulatedVenue
from chainteller.domain.clock import SystemClock, midnight_before
from chainteller.domain.options import EngineOptions
from chainteller.domain.quoting import FeeSchedule
from chainteller.domain.randomness import SeededRandomness
from chainteller.engine.core.context import EngineContext
from chainteller.engine.samples import history
from chainteller.engine.samples.bank import SampleBank
from chainteller.engine.samples.bulk import BulkRows
from chainteller.engine.samples.customers import read_customers
from chainteller.engine.samples.loading import load_past, load_samples
from chainteller.storage.database import open_database

FOLDER = Path(__file__).parents[1] / "sample_data"
TARGET_S, MOONSHOT_S = 3.0, 1.0


def make() -> tuple[float, int]:
    """Seconds to make the history in memory, and its rows and entries."""
    started = time.perf_counter()
    bank = SampleBank(
        organisation_id="default",
        rows=BulkRows({}),
        randomness=SeededRandomness("benchmark"),
        prices=SimulatedPrices("benchmark"),
        fees=FeeSchedule(),
        options=EngineOptions(),
        until=midnight_before(SystemClock().now()),
    )
    data = read_customers(FOLDER, bank.randomness)
    bank.wallets = data.wallets_by_name
    history.generate(bank, data)
    taken = time.perf_counter() - started
    rows = sum(len(found) for found in bank.rows.new_rows().values())
    return taken, rows + len(bank.acts)


def load(folder: Path) -> tuple[float, float, float]:
    """Seconds to create a database, and to load it durably: by the clock, and of the processor."""
    feed = SimulatedPrices("benchmark")
    started = time.perf_counter()
    database = open_database(f"sqlite:///{folder / 'bank.db'}", KEYS)
    created = time.perf_counter()
    bank = EngineContext(
        database, SystemClock(), SeededRandomness("benchmark"), feed, SimulatedVenue("benchmark")
    )
    worked = time.process_time()
    load_samples(bank, FOLDER, feed, "benchmark")
    loaded, worked = time.perf_counter(), time.process_time() - worked
    database.close()
    return created - started, loaded - created, worked


def begin_day(folder: Path) -> float:
    """Seconds to add what is under way to a past that was loaded earlier (a second demo)."""
    feed = SimulatedPrices("benchmark")
    database = open_database(f"sqlite:///{folder / 'past.db'}", KEYS)
    bank = EngineContext(
        database, SystemClock(), SeededRandomness("benchmark"), feed, SimulatedVenue("benchmark")
    )
    load_past(bank, FOLDER, feed, "benchmark")
    started = time.perf_counter()
    load_samples(bank, FOLDER, feed, "benchmark")
    taken = time.perf_counter() - started
    database.close()
    return taken


def main(rounds: int) -> None:
    made, creations, loads, worked, days = [], [], [], [], []
    rows = 0
    for _ in range(rounds):
        taken, rows = make()
        made.append(taken)
        with tempfile.TemporaryDirectory() as folder:
            creation, loading, working = load(Path(folder))
            days.append(begin_day(Path(folder)))
        creations.append(creation)
        loads.append(loading)
        worked.append(working)
    median = statistics.median(loads)
    print(f"rows                     {rows:>8,}")
    print(f"make them in memory      {statistics.median(made):8.3f} s (median of {rounds})")
    print(f"create an empty database {statistics.median(creations):8.3f} s")
    print(f"load, durably            {median:8.3f} s (min {min(loads):.3f}, max {max(loads):.3f})")
    print(f"of it, the processor     {statistics.median(worked):8.3f} s (min {min(worked):.3f})")
    print(f"begin the day on a past  {statistics.median(days):8.3f} s")
    for name, bound in (("done", TARGET_S), ("moonshot", MOONSHOT_S)):
        print(f"{name}, under {bound} s: {'yes' if median < bound else 'NO'}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)

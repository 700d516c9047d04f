"""Durable executes a second through the engine, against stdlib sqlite3 writing the same rows.

    python -m benchmarks.executes [--count 400] [--rounds 5] [--clients 8] [--profile]

The floor does with stdlib sqlite3, in one transaction per execute, what no program can do without:
it reads the rows that the engine changed for the same executes, writes them and adds the new ones,
one prepared statement for each table. Journal mode, synchronous=FULL and secure_delete are the
engine's. The two take turns in small batches, so that both see the same disk and the same
neighbours; both wait for the disk at each commit, and the program makes sure of it. The figures are
the medians of the rounds' ratios, by wall and by processor time. With several ``--clients``, each
a thread, the floor commits ten executes at once. ``beside.py`` compares two builds.
"""

import argparse
import cProfile
import gc
import pstats
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from tests.world.customers import CustomerSeed
from tests.world.engines import World, make_world
from tests.world.files import wait_for_disk

from chainteller.domain.options import EngineOptions
from chainteller.service.models.quotes import ExecuteRequest
from chainteller.sqlite import sqlite3
from chainteller.storage.db.query import Value, built
from chainteller.storage.db.sqlite import journal_mode

BATCH = 40
TOGETHER = 10
"""Executes that the floor commits at once beside several clients."""
_FULL = 2
"""``PRAGMA synchronous``."""
Row = tuple[object, ...]
Rows = dict[Row, Row]
"""Rows of a table by their primary keys."""
Step = list[tuple[str, list[Row]]]
"""The statements of one transaction, each with the values that it's executed with."""


def prepared(folder: Path, name: str, count: int) -> tuple[World, list[str]]:
    world = make_world(
        folder / f"{name}.db",
        options=EngineOptions(quote_window_s=900, rate_limits=False),
        customers=(CustomerSeed(balance_cents=10**10),),
    )
    wait_for_disk(world.database)
    with world.database.read() as connection:
        synchronous = connection.execute(built("PRAGMA synchronous", Value)).scalar()
        mode = connection.execute(built("PRAGMA journal_mode", Value)).scalar()
    if (synchronous, mode) != (_FULL, journal_mode().lower()):
        raise AssertionError(f"not as it is served: {synchronous}, {mode}")
    world.open()
    world.deposit(f"{count * 6}.00")
    quotes = [world.quote("5.00").id for _ in range(count)]
    gc.freeze()  # as programs do with what they loaded
    return world, quotes


def engine_run(world: World, quotes: list[str], clients: int = 1) -> None:
    if clients > 1:
        with ThreadPoolExecutor(clients) as pool:
            parts = [quotes[first::clients] for first in range(clients)]
            list(pool.map(engine_run, [world] * clients, parts))
        return
    request = ExecuteRequest(trading_account_id=world.account)
    for quote_id in quotes:
        world.engine.execute_quote(quote_id, request, idempotency_key=quote_id)


class Watch:
    """Wall and processor seconds of what is run under it, in all."""

    def __init__(self) -> None:
        self.wall = self.processor = 0.0

    def __call__(self, work: Callable[[], None]) -> None:
        wall, processor = time.perf_counter(), time.process_time()
        work()
        self.wall += time.perf_counter() - wall
        self.processor += time.process_time() - processor


class Recorder:
    """What each transaction of the engine changed in its file, as statements for the floor."""

    def __init__(self, file: Path) -> None:
        self._connection = sqlite3.connect(file)
        found = self._connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        self._keys: dict[str, list[int]] = {}
        self._names: dict[str, list[str]] = {}
        for (table,) in found.fetchall():
            columns = self._connection.execute(f"PRAGMA table_info({table})").fetchall()
            self._names[table] = [name for _, name, *_ in columns]
            placed = sorted((place, number) for number, *_, place in columns if place)
            self._keys[table] = [number for _, number in placed]
        self._known = {table: self._rows(table) for table in self._keys}

    def _rows(self, table: str) -> Rows:
        numbers = self._keys[table]
        rows = self._connection.execute(f"SELECT * FROM {table}").fetchall()
        return {tuple(row[number] for number in numbers): row for row in rows}

    def step(self) -> Step:
        """The statements that make the file as it is from what it was the last time."""
        statements: Step = []
        for table, numbers in self._keys.items():
            before, after = self._known[table], self._rows(table)
            self._known[table] = after
            names = self._names[table]
            here = " AND ".join(f'"{names[number]}" = ?' for number in numbers)
            if gone := [key for key in before if key not in after]:
                statements.append((f"DELETE FROM {table} WHERE {here}", gone))
            changed = [key for key, row in after.items() if before.get(key, row) != row]
            if changed:
                written = ", ".join(f'"{name}" = ?' for name in names)
                statements.insert(0, (f"SELECT * FROM {table} WHERE {here}", changed))
                values = [(*after[key], *key) for key in changed]
                statements.append((f"UPDATE {table} SET {written} WHERE {here}", values))
            if new := [row for key, row in after.items() if key not in before]:
                places = ",".join("?" * len(names))
                statements.append((f"INSERT INTO {table} VALUES ({places})", new))
        return statements

    def close(self) -> None:
        self._connection.close()


class Floor:
    """Executes the recorded steps on a copy of the file as it was before them."""

    def __init__(self, before: Path, steps: list[Step]) -> None:
        self._before = before
        self._steps = steps

    def open(self, path: Path) -> sqlite3.Connection:
        shutil.copy(self._before, path)
        connection = sqlite3.connect(path, isolation_level=None)
        for setting in (
            f"journal_mode={journal_mode()}",
            "synchronous=FULL",
            "foreign_keys=ON",
            "secure_delete=ON",
            "trusted_schema=OFF",
        ):
            connection.execute(f"PRAGMA {setting}")
        return connection

    def run(self, connection: sqlite3.Connection, steps: slice, together: int) -> None:
        for at, step in enumerate(self._steps[steps]):
            if at % together == 0:
                connection.execute("BEGIN IMMEDIATE")
            for statement, rows in step:
                if statement.startswith("SELECT"):
                    for key in rows:
                        connection.execute(statement, key).fetchall()
                else:
                    connection.executemany(statement, rows)
            if at % together == together - 1:
                connection.execute("COMMIT")


def one_round(folder: Path, count: int, clients: int) -> tuple[float, float]:
    """The floor's time for an execute as a share of the engine's, by wall and by processor."""
    recorded, quotes = prepared(folder, "recorded", count)
    with (
        closing(sqlite3.connect(folder / "recorded.db")) as source,
        closing(sqlite3.connect(folder / "before.db")) as target,
    ):
        source.backup(target)  # with what is in the write-ahead log only
    with closing(Recorder(folder / "recorded.db")) as recorder:
        steps = []
        for quote_id in quotes:
            engine_run(recorded, [quote_id])
            steps.append(recorder.step())
    recorded.close()
    floor = Floor(folder / "before.db", steps)
    world, quotes = prepared(folder, "timed", count)
    engine_watch, floor_watch = Watch(), Watch()
    with closing(floor.open(folder / "floor.db")) as connection:
        for first in range(0, count, BATCH):
            batch = slice(first, first + BATCH)
            together = TOGETHER if clients > 1 else 1
            engine_watch(lambda: engine_run(world, quotes[batch], clients))  # noqa: B023 - run at once
            floor_watch(lambda: floor.run(connection, batch, together))  # noqa: B023 - run at once
    world.close()
    per_second = [count / watch.wall for watch in (engine_watch, floor_watch)]
    processor = [watch.processor / count * 1_000 for watch in (engine_watch, floor_watch)]
    ratios = per_second[0] / per_second[1], processor[1] / processor[0]
    print(
        f"engine {per_second[0]:6.0f}/s ({processor[0]:.2f} ms of processor)   "
        f"floor {per_second[1]:6.0f}/s ({processor[1]:.2f} ms)   "
        f"ratio {ratios[0]:.2f}, by processor {ratios[1]:.2f}"
    )
    return ratios


def profiled(folder: Path, count: int) -> None:
    world, quotes = prepared(folder, "profiled", count)
    profile = cProfile.Profile()
    profile.runcall(engine_run, world, quotes)
    pstats.Stats(profile).sort_stats("tottime").print_stats(35)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--clients", type=int, default=1)
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--folder", help="where to write; a tmpfs shows the share of the CPU")
    chosen = parser.parse_args()
    if chosen.count % BATCH:
        parser.error(f"--count is a multiple of {BATCH}")
    ratios = []
    for _ in range(1 if chosen.profile else chosen.rounds):
        with tempfile.TemporaryDirectory(dir=chosen.folder) as name:
            if chosen.profile:
                return profiled(Path(name), chosen.count)
            ratios.append(one_round(Path(name), chosen.count, chosen.clients))
    mode = journal_mode()
    wall, processor = map(statistics.median, zip(*ratios, strict=True))
    print(f"median ratio {wall:.2f}, by processor {processor:.2f} ({mode}, synchronous=FULL)")
    return None


if __name__ == "__main__":
    main()

"""Durable executes a second through the engine, against stdlib sqlite3 writing the same rows.

    PYTHONPATH=src:. python benchmarks/executes.py [--count 400] [--rounds 5] [--profile]

The floor replays, with one prepared statement per table, exactly the rows that the engine wrote
for the same executes, one transaction each, in the same journal mode with synchronous=FULL. The
two take turns in small batches, so that both see the same disk and the same neighbours; both wait
for the disk at each commit, and the program makes sure of it. The figure is the median of the
rounds' ratios. Processor time is given beside it. ``beside.py`` compares two builds.
"""

import argparse
import cProfile
import pstats
import re
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from sqlalchemy import event
from tests.world.customers import CustomerSeed
from tests.world.engines import World, make_world
from tests.world.files import _skip_syncs

from chainteller.domain.options import EngineOptions
from chainteller.service.models.quotes import ExecuteRequest
from chainteller.sqlite import sqlite3
from chainteller.storage.database import journal_mode

BATCH = 20
_TRADE = re.compile("TXN_[0-9A-Z]{22}")
_FULL = 2
"""``PRAGMA synchronous``."""
Rows = list[tuple[object, ...]]
TABLES = ("trade", "journal", "posting", "job", "idempotency", "audit", "event", "entry")
HASH = 10
"""Its place among the columns of an audit row."""
STATEMENT = dict[str, Rows]


def prepared(folder: Path, name: str, count: int) -> tuple[World, list[str]]:
    world = make_world(
        folder / f"{name}.db",
        options=EngineOptions(quote_window_s=900, rate_limits=False),
        customers=(CustomerSeed(balance_cents=10**10),),
    )
    event.remove(world.database.engine, "connect", _skip_syncs)
    world.database.engine.dispose()
    with world.database.read() as connection:
        synchronous = connection.exec_driver_sql("PRAGMA synchronous").scalar()
        mode = connection.exec_driver_sql("PRAGMA journal_mode").scalar()
    if (synchronous, mode) != (_FULL, journal_mode().lower()):
        raise AssertionError(f"not as it is served: {synchronous}, {mode}")
    world.open()
    world.deposit(f"{count * 6}.00")
    return world, [world.quote("5.00").id for _ in range(count)]


def engine_run(world: World, quotes: list[str]) -> None:
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


class Floor:
    """The rows of a finished engine run, grouped by execute, written again by hand."""

    def __init__(self, before: Path, after: Path) -> None:
        self.before = before
        with closing(sqlite3.connect(after)) as done, closing(sqlite3.connect(before)) as begun:
            self.columns = {name: _width(done, name) for name in TABLES}
            known = {name: _rows(begun, name) for name in TABLES}
            fresh = {
                name: [row for row in _rows(done, name) if row not in known[name]]
                for name in TABLES
            }
        self.trades = fresh["trade"]
        order = {trade[0]: number for number, trade in enumerate(self.trades)}
        for name in ("journal", "posting"):  # kept in the order of their keys
            fresh[name].sort(key=lambda row: order[_trade_of(row)])
        self.parts: list[STATEMENT] = []
        for number, trade in enumerate(self.trades):
            part = {"trade": [trade]}
            for name in TABLES[1:]:
                share = len(fresh[name]) // len(self.trades)
                part[name] = fresh[name][number * share : (number + 1) * share]
            self.parts.append(part)

    def open(self, path: Path) -> sqlite3.Connection:
        shutil.copy(self.before, path)
        connection = sqlite3.connect(path, isolation_level=None)
        for setting in (
            f"journal_mode={journal_mode()}",
            "synchronous=FULL",
            "foreign_keys=ON",
            "trusted_schema=OFF",
        ):
            connection.execute(f"PRAGMA {setting}")
        return connection

    def run(self, connection: sqlite3.Connection, first: int, last: int) -> None:
        for part in self.parts[first:last]:
            self._one(connection, part)

    def _one(self, connection: sqlite3.Connection, part: STATEMENT) -> None:
        trade, audit, event = part["trade"][0], part["audit"][-1], part["event"][-1]
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("SELECT * FROM quote WHERE id = ?", (trade[5],)).fetchone()
        connection.execute("SELECT * FROM trading_account WHERE id = ?", (trade[2],)).fetchone()
        connection.execute(
            "SELECT * FROM ledger_account WHERE code IN (?, ?, ?)",
            [f"customer:{trade[2]}:{bucket}" for bucket in ("available", "held", "incoming")],
        ).fetchall()
        connection.execute(
            "UPDATE quote SET status = 'executed', trade_id = ?, executed_at = ? "
            "WHERE id = ? AND status = 'open'",
            (trade[0], trade[17], trade[5]),
        )
        connection.execute(
            "UPDATE trading_account SET version = version + 1, trade_count = ?, "
            "transaction_count = ?, last_activity = ? WHERE id = ?",
            (trade[3], trade[4], trade[17], trade[2]),
        )
        for name in TABLES:
            marks = ",".join("?" * self.columns[name])
            connection.executemany(f"INSERT INTO {name} VALUES ({marks})", part[name])
        for posting in part["posting"]:
            connection.execute(
                "UPDATE ledger_account SET balance = ?, version = ? WHERE code = ? AND asset = ?",
                (posting[6], posting[2], posting[0], posting[1]),
            )
        connection.execute(
            "UPDATE head SET event_seq = ?, audit_seq = ?, audit_hash = ?, last_at = ?",
            (event[0], audit[0], audit[HASH], audit[1]),
        )
        connection.execute("COMMIT")


def _trade_of(row: tuple[object, ...]) -> str:
    """The trade whose id is in a row of the ledger."""
    return next(found[0] for cell in row if (found := _TRADE.search(str(cell))))


def _width(connection: sqlite3.Connection, name: str) -> int:
    return len(connection.execute(f"PRAGMA table_info({name})").fetchall())


def _rows(connection: sqlite3.Connection, name: str) -> Rows:
    return connection.execute(f"SELECT * FROM {name}").fetchall()


def one_round(folder: Path, count: int) -> float:
    """The ratio of the engine's executes a second to the floor's."""
    recorded, quotes = prepared(folder, "recorded", count)
    with (
        closing(sqlite3.connect(folder / "recorded.db")) as source,
        closing(sqlite3.connect(folder / "before.db")) as target,
    ):
        source.backup(target)  # with what is in the write-ahead log only
    engine_run(recorded, quotes)
    recorded.close()
    floor = Floor(folder / "before.db", folder / "recorded.db")
    world, quotes = prepared(folder, "timed", count)
    engine_watch, floor_watch = Watch(), Watch()
    with closing(floor.open(folder / "floor.db")) as connection:
        for first in range(0, count, BATCH):
            last = first + BATCH
            engine_watch(lambda: engine_run(world, quotes[first:last]))  # noqa: B023 - run at once
            floor_watch(lambda: floor.run(connection, first, last))  # noqa: B023 - run at once
    world.close()
    per_second = [count / watch.wall for watch in (engine_watch, floor_watch)]
    processor = [watch.processor / count * 1_000 for watch in (engine_watch, floor_watch)]
    ratio = per_second[0] / per_second[1]
    print(
        f"engine {per_second[0]:6.0f}/s ({processor[0]:.2f} ms of processor)   "
        f"floor {per_second[1]:6.0f}/s ({processor[1]:.2f} ms)   ratio {ratio:.2f}"
    )
    return ratio


def profiled(folder: Path, count: int) -> None:
    world, quotes = prepared(folder, "profiled", count)
    profile = cProfile.Profile()
    profile.runcall(engine_run, world, quotes)
    pstats.Stats(profile).sort_stats("tottime").print_stats(35)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--folder", help="where to write; a tmpfs shows the share of the CPU")
    chosen = parser.parse_args()
    ratios = []
    for _ in range(1 if chosen.profile else chosen.rounds):
        with tempfile.TemporaryDirectory(dir=chosen.folder) as name:
            if chosen.profile:
                return profiled(Path(name), chosen.count)
            ratios.append(one_round(Path(name), chosen.count))
    mode = journal_mode()
    print(f"median ratio {statistics.median(ratios):.2f} ({mode}, synchronous=FULL)")
    return None


if __name__ == "__main__":
    main()

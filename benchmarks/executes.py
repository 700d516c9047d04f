"""Durable executes a second through the engine, against stdlib sqlite3 writing the same rows.

    PYTHONPATH=src:. python benchmarks/executes.py [--count 400] [--rounds 5] [--profile]

The floor replays, with one prepared statement per table, exactly the rows that the engine wrote
for the same executes, one transaction each, in the same journal mode with synchronous=FULL. The
two take turns, and the figure is the median of the rounds' ratios.
"""

import argparse
import cProfile
import pstats
import shutil
import sqlite3
import statistics
import tempfile
import time
from contextlib import closing
from pathlib import Path

from tests.worlds import CustomerSeed, World, make_world

from chainteller.engine.engine import EngineOptions
from chainteller.service.models.quotes import ExecuteRequest
from chainteller.storage.database import journal_mode

Rows = list[tuple[object, ...]]
TABLES = ("trade", "journal", "posting", "job", "idempotency", "audit", "event")
STATEMENT = dict[str, Rows]


def prepared(folder: Path, name: str, count: int) -> tuple[World, list[str]]:
    world = make_world(
        folder / f"{name}.db",
        options=EngineOptions(quote_window_s=900, rate_limits=False),
        customers=(CustomerSeed(balance_cents=10**10),),
    )
    world.open()
    world.deposit(f"{count * 6}.00")
    return world, [world.quote("5.00").id for _ in range(count)]


def engine_run(world: World, quotes: list[str]) -> float:
    request = ExecuteRequest(trading_account_id=world.account)
    started = time.perf_counter()
    for quote_id in quotes:
        world.engine.execute_quote(quote_id, request, idempotency_key=quote_id)
    return len(quotes) / (time.perf_counter() - started)


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
        self.parts: list[STATEMENT] = []
        for number, trade in enumerate(self.trades):
            part = {"trade": [trade]}
            for name in TABLES[1:]:
                share = len(fresh[name]) // len(self.trades)
                part[name] = fresh[name][number * share : (number + 1) * share]
            self.parts.append(part)

    def run(self, path: Path) -> float:
        shutil.copy(self.before, path)
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            for setting in (
                f"journal_mode={journal_mode()}",
                "synchronous=FULL",
                "foreign_keys=ON",
                "trusted_schema=OFF",
            ):
                connection.execute(f"PRAGMA {setting}")
            started = time.perf_counter()
            for part in self.parts:
                self._one(connection, part)
            return len(self.parts) / (time.perf_counter() - started)

    def _one(self, connection: sqlite3.Connection, part: STATEMENT) -> None:
        trade, audit, event = part["trade"][0], part["audit"][-1], part["event"][-1]
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("SELECT * FROM quote WHERE id = ?", (trade[5],)).fetchone()
        connection.execute("SELECT * FROM trading_account WHERE id = ?", (trade[2],)).fetchone()
        connection.execute("SELECT * FROM ledger_account WHERE owner = ?", (trade[2],)).fetchall()
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
            connection.executemany(f"INSERT INTO {name} VALUES ({marks})", part[name])  # noqa: S608 - our own names
        for posting in part["posting"]:
            connection.execute(
                "UPDATE ledger_account SET balance = ?, version = ? WHERE code = ? AND asset = ?",
                (posting[6], posting[2], posting[0], posting[1]),
            )
        connection.execute(
            "UPDATE head SET event_seq = ?, audit_seq = ?, audit_hash = ?, last_at = ?",
            (event[0], audit[0], audit[-1], audit[1]),
        )
        connection.execute("COMMIT")


def _width(connection: sqlite3.Connection, name: str) -> int:
    return len(connection.execute(f"PRAGMA table_info({name})").fetchall())


def _rows(connection: sqlite3.Connection, name: str) -> Rows:
    return connection.execute(f"SELECT * FROM {name} ORDER BY rowid").fetchall()  # noqa: S608 - our own names


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--folder", help="where to write; a tmpfs shows the share of the CPU")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=chosen.folder) as name:
        folder, ratios = Path(name), []
        for number in range(chosen.rounds):
            world, quotes = prepared(folder, f"engine-{number}", chosen.count)
            before = folder / f"before-{number}.db"
            shutil.copy(folder / f"engine-{number}.db", before)
            profile = cProfile.Profile()
            if chosen.profile:
                profile.enable()
            engine = engine_run(world, quotes)
            profile.disable()
            world.close()
            floor = Floor(before, folder / f"engine-{number}.db").run(folder / f"floor-{number}.db")
            ratios.append(engine / floor)
            print(f"engine {engine:7.0f}/s   floor {floor:7.0f}/s   ratio {engine / floor:.2f}")
            if chosen.profile:
                pstats.Stats(profile).sort_stats("tottime").print_stats(35)
                return
        mode = journal_mode()
        print(f"median ratio {statistics.median(ratios):.2f} ({mode}, synchronous=FULL)")


if __name__ == "__main__":
    main()

"""A page of an account's trades through the engine, by how many trades it has.

    PYTHONPATH=src:. python benchmarks/lists.py [--full] [--pages 400]

Prints p50 and p99 of first, middle, last and filtered pages, and p99 as a ratio to 1,000 trades.
``--full`` adds one and five million trades (minutes, and some gigabytes of disk).
"""

import argparse
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from benchmarks.trade_rows import Row, insert_trades, trade_row
from tests.world.engines import START, World, make_world

from chainteller.domain.randomness import SeededRandomness, below
from chainteller.service.models.pages import ListQuery

SIZES, FULL_SIZES = (1_000, 100_000), (1_000, 100_000, 1_000_000, 5_000_000)


def filled(path: Path, size: int) -> World:
    """One account with ``size`` settled trades, one in a thousand of them in processing."""
    world = make_world(path)
    account = world.open()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute("BEGIN")
        insert_trades(connection, (_row(account, number) for number in range(1, size + 1)))
        connection.execute(
            "UPDATE trading_account SET trade_count = ?, transaction_count = ?", (size, size)
        )
        connection.execute("COMMIT")
    return world


def _row(account: str, number: int) -> Row:
    status = "settled" if number % 1_000 else "processing"
    return trade_row(account, number, after=(0, 0), at=START + number, status=status)


def queries(size: int) -> dict[str, Callable[[], ListQuery]]:
    pages, randomness = size // 20, SeededRandomness("pages")
    return {
        "first": ListQuery,
        "any": lambda: ListQuery(page=1 + below(randomness, pages)),
        "last": lambda: ListQuery(page=pages),
        "processing": lambda: ListQuery(status="processing"),
    }


def measure(world: World, query: Callable[[], ListQuery], count: int) -> tuple[float, float]:
    """(p50, p99) in milliseconds."""
    world.engine.trades(world.account, query())
    times = []
    for _ in range(count):
        started = time.perf_counter()
        world.engine.trades(world.account, query())
        times.append((time.perf_counter() - started) * 1_000)
    return statistics.median(times), sorted(times)[int(len(times) * 0.99)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--pages", type=int, default=400)
    chosen = parser.parse_args()
    first: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        for size in FULL_SIZES if chosen.full else SIZES:
            world = filled(Path(name) / f"{size}.db", size)
            for place, query in queries(size).items():
                p50, p99 = measure(world, query, chosen.pages)
                ratio = p99 / first.setdefault(place, p99)
                line = f"{size:>9,} trades  {place:<10} p50 {p50:6.2f} ms  p99 {p99:6.2f} ms"
                print(f"{line}  p99 ratio {ratio:5.2f}")
            world.close()


if __name__ == "__main__":
    main()

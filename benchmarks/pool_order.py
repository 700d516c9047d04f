"""Reads of a SQLite file per deposit, by the order in which the pool gives out connections.

    PYTHONPATH=src:. python benchmarks/pool_order.py [--count 400]

A write by another connection makes a connection's page cache stale. So a pool that gives out its
connections in turn reads pages again in every write, and one that gives out the last one doesn't.
Counted are the system calls that read (Linux).
"""

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.world.engines import make_world

WARM = 200
CONNECTIONS = 8


def reads() -> int:
    """System calls of this process that have read so far."""
    told = Path("/proc/self/io").read_text(encoding="utf-8")
    return int(told.partition("syscr: ")[2].split()[0])


def measure(folder: Path, count: int, *, last_first: bool) -> tuple[float, float]:
    """Reads and processor milliseconds per deposit."""
    world = make_world(folder / f"{last_first}.db")
    world.open()
    pool: Any = world.database.engine.pool
    pool._pool.use_lifo = last_first  # noqa: SLF001 - the pool has no way to change it
    for _ in range(WARM):
        world.deposit("1.00")
    held = [world.database.engine.connect() for _ in range(CONNECTIONS)]
    for each in held:
        each.close()
    before, began = reads(), time.process_time()
    for _ in range(count):
        world.deposit("1.00")
    took, read = time.process_time() - began, reads() - before
    world.close()
    return read / count, took * 1000 / count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=400)
    count = parser.parse_args().count
    for last_first in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            read, took = measure(Path(folder), count, last_first=last_first)
        order = "last in, first out" if last_first else "in turn"
        print(f"{order:<20} {read:6.1f} reads  {took:.2f} ms of processor time per deposit")


if __name__ == "__main__":
    main()

"""Seconds to verify a bank after many trades, beside hashing the bytes that are verified.

    PYTHONPATH=src:. python benchmarks/verify_log.py [--trades 5000] [--keep FILE]

The trades are quoted, executed, filled and settled by the engine, an entry each time. ``--keep``
names a file to write, or to verify again.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from tests.world.customers import CustomerSeed
from tests.world.engines import make_world
from tests.world.files import open_fresh

from chainteller.domain.options import EngineOptions
from chainteller.engine.verification.full_pass import verify_books
from chainteller.storage.database import Database
from chainteller.storage.log import sealing
from chainteller.storage.upkeep import inspection

_TOGETHER = 50


def fill(file: Path, trades: int) -> None:
    world = make_world(
        file,
        options=EngineOptions(rate_limits=False),
        customers=(CustomerSeed(balance_cents=10**12),),
    )
    world.open()
    world.deposit(f"{trades * 6}.00")
    for first in range(0, trades, _TOGETHER):
        for _ in range(first, min(first + _TOGETHER, trades)):
            world.buy("5.00")
        world.settle()
    world.close()


def _bytes(database: Database) -> Iterator[bytes]:
    """Everything that verification hashes."""
    with inspection.snapshot(database) as connection:
        for organisation in inspection.organisations_of_entries(connection):
            for entry in inspection.entries(connection, organisation):
                yield entry.body or b""
        for table in sealing.sealed_tables():
            yield from (text for *_, text in inspection.sealed_rows(connection, table))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trades", type=int, default=5_000)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    file = options.keep or Path(tempfile.mkdtemp()) / "bank.db"
    if not file.exists():
        begun = time.perf_counter()
        fill(file, options.trades)
        print(f"written in {time.perf_counter() - begun:.1f} s")
    database = open_fresh(f"sqlite:///{file}")
    hashed = list(_bytes(database))
    begun = time.process_time()
    for each in hashed:
        sha256(each).digest()
    alone = time.process_time() - begun
    with inspection.snapshot(database) as connection:
        entries = sum(log.size for log in inspection.logs(connection))
    size = sum(map(len, hashed)) / 1e6
    print(f"{entries} entries, {len(hashed) - entries} rows, {size:.0f} MB: ", end="")
    print(f"{alone:.2f} s for the hashes alone")
    hashed.clear()
    begun, processor = time.perf_counter(), time.process_time()
    found = verify_books(database)
    taken, processor = time.perf_counter() - begun, time.process_time() - processor
    print(f"verified in {taken:.2f} s ({processor:.2f} s of processor), {processor / alone:.0f} x")
    print(f"findings: {len(found)}", *found[:3])
    database.close()


if __name__ == "__main__":
    main()

"""The longest pause of a writer while old rows are removed and archived and tables analysed.

    PYTHONPATH=src:. python benchmarks/pauses.py [sqlite|postgresql] [--keys N] [--size N]

A bank with that many idempotency keys, and ``size`` entries and expired quotes, all of them old:
what an hour of upkeep would find after a year without any. Its steps follow each other with the
worker's breath after each, but without the pauses that the worker makes after each ten steps, until
the next second. So this is the hour in minutes, and worse for the writer than the hour. One client
asks the same bank for quotes meanwhile, fifty a second at most; before that it does so alone.
SQLite writes durably, as for a service, and what is loaded is left out of garbage collection, as in
a server. Another process syncs a page to the same disk fifty times a second: what it waits for, a
writer may have to wait for too. A folder in memory shows what is left without a disk.
"""

import argparse
import gc
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from benchmarks.crowded import crowded
from sqlalchemy import func, select, text
from tests.postgres import BundledServer, PostgresServer
from tests.world.engines import START, World
from tests.world.files import wait_for_disk

from chainteller.domain.clock import DAY
from chainteller.engine.core.pacing import BREATH_S
from chainteller.engine.upkeep import upkeep
from chainteller.storage.schema.wallet_tables import Tables

_A_YEAR = 401 * DAY
_PACE_S = 0.02
_ALONE_S = 60
_KEYS = """
INSERT INTO idempotency (organisation_id, operation, key, fingerprint, created_record, body, at)
SELECT 'default', 'create_quote', {key}, 'f', {false}, {body}, CAST(:start AS BIGINT) + i
FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :count)
      SELECT i FROM n) AS numbers
"""
_SQLITE = {"false": "0", "key": "lower(hex(randomblob(16)))"}
_POSTGRES = {"false": "false", "key": "md5(i::text)"}
"""Keys in no order, as clients choose them."""
_QUOTES = """
INSERT INTO quote (id, organisation_id, market, side, status, price_cents, sold, bought, fee_cents,
  usd_leg_cents, fee_flat_cents, fee_bps, mid_micros, half_spread_bps, hold_premium_bps, "window",
  created, expires)
SELECT 'QTE_E' || substr(id, 6), organisation_id, market, side, 'open', price_cents, sold, bought,
  fee_cents, usd_leg_cents, fee_flat_cents, fee_bps, mid_micros, half_spread_bps,
  hold_premium_bps, "window", created, expires
FROM quote WHERE status = 'open'
"""
_TRADED = "UPDATE quote SET status = 'executed' WHERE status = 'open' AND id NOT LIKE 'QTE_E%'"
"""The quotes of these banks that are open have trades."""


def filled(place: str, keys: int, size: int) -> World:
    """The bank, a year later."""
    world = crowded(place, size)
    with world.database.write() as connection:
        is_postgres = world.database.is_postgres
        if is_postgres:
            connection.execute(text("SET LOCAL statement_timeout = 0"))
        values = {"start": START, "count": keys}
        dialect = _POSTGRES if is_postgres else _SQLITE
        connection.execute(text(_KEYS.format(**dialect)), values)
        connection.execute(text(_QUOTES))
        connection.execute(text(_TRADED))
        connection.commit()
    world.clock.advance(_A_YEAR)
    return world


_SYNCS = """
import json, os, sys, threading, time
file, took = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY), []
stopping = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), stopping.set())).start()
while not stopping.wait(float(sys.argv[2])):
    began = time.perf_counter()
    os.pwrite(file, os.urandom(4096), 0)
    os.fdatasync(file)
    took.append(time.perf_counter() - began)
print(json.dumps(took))
"""


@contextmanager
def beside_disk(name: str, folder: Path, writer: "Writer") -> Iterator[None]:
    """Prints how long the writes of a client took, and the syncs of another process beside it."""
    command = [sys.executable, "-c", _SYNCS, str(folder / "page"), str(_PACE_S)]
    other = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        with writer:
            yield
    finally:
        told, _ = other.communicate()
    print(f"{name}: {describe(writer.took_s)}")
    print(f"  the disk: {describe(json.loads(told))}", flush=True)


def describe(took_s: list[float]) -> str:
    ordered = sorted(took_s)
    parts = {"p50": 0.5, "p99": 0.99, "p99.9": 0.999}
    told = [
        f"{name} {1000 * ordered[int(part * (len(ordered) - 1))]:.1f} ms"
        for name, part in parts.items()
    ]
    told += [f"longest {' '.join(f'{1000 * each:.0f}' for each in ordered[:-6:-1])} ms"]
    return f"{len(ordered)} writes, {', '.join(told)}"


class Writer:
    """A client that writes until it's told to stop, and how long each write took."""

    def __init__(self, write: Callable[[], object]) -> None:
        self._write = write
        self._stopping = threading.Event()
        self.took_s: list[float] = []
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        while not self._stopping.wait(_PACE_S):
            began = time.perf_counter()
            self._write()
            self.took_s.append(time.perf_counter() - began)

    def __enter__(self) -> "Writer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join()


def _durable(world: World) -> None:
    """The tests' banks don't wait for the disk."""
    if world.database.is_postgres:
        return
    wait_for_disk(world.database)


@contextmanager
def _place(kind: str, folder: str) -> Iterator[str]:
    """Names a new database."""
    if kind == "sqlite":
        yield f"sqlite:///{Path(folder) / 'bank.db'}"
        return
    own = BundledServer()
    server = PostgresServer(own.url)
    try:
        yield server.fresh()
    finally:
        server.drop_all()
        own.remove()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("database", nargs="?", default="sqlite", choices=["sqlite", "postgresql"])
    parser.add_argument("--keys", type=int, default=1_000_000)
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--folder", type=Path, default=Path.cwd(), help="where SQLite's file is")
    asked = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(dir=asked.folder) as folder,
        _place(asked.database, folder) as place,
    ):
        world = filled(place, asked.keys, asked.size)
        _durable(world)
        archive = str(Path(folder) / "audit.archive")
        context = replace(world.context, options=replace(world.context.options, archive=archive))
        gc.collect()
        gc.freeze()
        client = Writer(lambda: world.quote("1.00"))
        with beside_disk("alone", Path(folder), client):
            time.sleep(_ALONE_S)
        client = Writer(lambda: world.quote("1.00"))
        with beside_disk("beside upkeep", Path(folder), client):
            began = at = time.perf_counter()
            longest: dict[str, float] = {}
            steps: dict[str, int] = {}
            for what in upkeep.round_of_steps(context):
                took = time.perf_counter() - at
                longest[what] = max(longest.get(what, 0.0), took)
                steps[what] = steps.get(what, 0) + 1
                time.sleep(BREATH_S)
                at = time.perf_counter()
            seconds = time.perf_counter() - began
        print(f"upkeep: {sum(steps.values())} steps in {seconds:.0f} s")
        for what, count in steps.items():
            print(f"  {what}: {count} steps, longest {1000 * longest[what]:.1f} ms")
        print("rows left:", ", ".join(_left(world)))
        world.close()


def _left(world: World) -> Iterator[str]:
    with world.database.read(patient=True) as connection:
        for table in (Tables.idempotency, Tables.entry, Tables.quote):
            count = connection.execute(select(func.count()).select_from(table)).scalar_one()
            yield f"{table.name} {count:,}"


if __name__ == "__main__":
    main()

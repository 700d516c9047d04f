"""Every list through the engine, by how many records there are, beside an account's trades.

    PYTHONPATH=src:. python benchmarks/lists.py [sqlite] [postgresql] [--sizes 1000,100000]

Prints the shortest time of each page in milliseconds, its ratio to the smallest size and its ratio
to the first page of an account's trades in the same database. One million records take some
minutes and two gigabytes of disk. ``--url`` names a PostgreSQL server; otherwise the test extra's
is started.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from benchmarks import crowded
from tests.postgres import BundledServer, PostgresServer
from tests.world.engines import World

from chainteller.domain.actors import Actor
from chainteller.engine.engine import Engine
from chainteller.service.models.pages import ListQuery

FLOOR = "trades of an account"
Read = Callable[[], object]


def reads(world: World, size: int) -> Mapping[str, Read]:
    """What is measured, by name; ``size`` is that of the busy organisation."""
    engine = world.engine
    quiet = Engine(world.context, Actor(crowded.QUIET, "benchmark"))
    number = size // 2 + crowded.FEW
    middle = f"{number:022d}"
    account = f"TDA_{number - (number - 1) % 20:022d}"
    last = ListQuery(page=-(-size // 20))
    return {
        FLOOR: lambda: engine.trades(account, ListQuery()),
        "accounts, first": lambda: engine.trading_accounts(ListQuery(sort="-lastActivity")),
        "accounts, by creation": lambda: engine.trading_accounts(ListQuery()),
        "accounts, last": lambda: engine.trading_accounts(last),
        "accounts, of a bank account": lambda: engine.trading_accounts(
            ListQuery(bank_account_id=f"DDA-{middle}")
        ),
        "accounts, search by name": lambda: engine.trading_accounts(
            ListQuery(text=crowded.name_of(number))
        ),
        "accounts, search by number": lambda: engine.trading_accounts(
            ListQuery(text=f"DDA-{middle}")
        ),
        "customers, first": lambda: engine.customers(ListQuery()),
        "customers, last": lambda: engine.customers(last),
        "customers, search by number": lambda: engine.customers(ListQuery(text=f"DDA-{middle}")),
        "all trades, first": lambda: engine.all_trades(ListQuery()),
        "all trades, last": lambda: engine.all_trades(last),
        "all trades, processing": lambda: engine.all_trades(ListQuery(status="processing")),
        "all trades, sold": lambda: engine.all_trades(ListQuery(side="sell")),
        "all trades, of a market": lambda: engine.all_trades(ListQuery(market="sol-usd")),
        "transfers, first": lambda: engine.all_transfers(ListQuery()),
        "transfers, last": lambda: engine.all_transfers(last),
        "transfers, search by id": lambda: engine.all_transfers(ListQuery(text=f"TXN_D{middle}")),
        "quotes, first": lambda: engine.quotes(ListQuery()),
        "quotes, last": lambda: engine.quotes(last),
        "quotes, of an account": lambda: engine.quotes(ListQuery(trading_account_id=account)),
        "quotes, expired": lambda: engine.quotes(ListQuery(status="expired")),
        "quotes, open": lambda: engine.quotes(ListQuery(status="open")),
        "quotes, of a market": lambda: engine.quotes(ListQuery(market="btc-usd")),
        "wallets, first": lambda: engine.counterparties(ListQuery()),
        "custody accounts, first": lambda: engine.blockchain_accounts(ListQuery()),
        "audit, first": lambda: engine.audit(ListQuery()),
        "audit, last": lambda: engine.audit(last),
        "audit, of a record": lambda: engine.audit(ListQuery(text=f"TXN_{middle}")),
        "audit, of an account": lambda: engine.audit(ListQuery(trading_account_id=account)),
        "limits": lambda: engine.limits(account),
        "events, busy": lambda: engine.events(size - 1, 100),
        "events, quiet from the start": lambda: quiet.events(0, 100),
        "events, quiet after its last": lambda: quiet.events(crowded.FEW, 100),
    }


def measure(read: Read, count: int) -> float:
    """The shortest time in milliseconds, which other programs disturb least; within two seconds."""
    read()
    times: list[float] = []
    while len(times) < count and sum(times) < 2_000:
        started = time.perf_counter()
        read()
        times.append((time.perf_counter() - started) * 1_000)
    return min(times)


@contextmanager
def places(kind: str, url: str) -> Iterator[Callable[[int], str]]:
    """Names a new database for each size."""
    if kind == "sqlite":
        with tempfile.TemporaryDirectory() as folder:
            yield lambda size: f"sqlite:///{Path(folder) / f'{size}.db'}"
        return
    own = None if url else BundledServer()
    server = PostgresServer(url or (own.url if own else ""))
    try:
        yield lambda _: server.fresh()
    finally:
        server.drop_all()
        if own is not None:
            own.remove()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("databases", nargs="*", default=["sqlite", "postgresql"])
    parser.add_argument("--sizes", default="1000,100000")
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--url", default="")
    chosen = parser.parse_args()
    for kind in chosen.databases:
        smallest: dict[str, float] = {}
        with places(kind, chosen.url) as place:
            for size in map(int, chosen.sizes.split(",")):
                _print(kind, size, place(size), chosen.pages, smallest)


def _print(kind: str, size: int, place: str, pages: int, smallest: dict[str, float]) -> None:
    began = time.perf_counter()
    world = crowded.crowded(place, size)
    print(f"{kind}, {size:,} records of each kind, written in {time.perf_counter() - began:.0f} s")
    found = {name: measure(read, pages) for name, read in reads(world, size).items()}
    for name, taken in found.items():
        grown = taken / smallest.setdefault(name, taken)
        print(
            f"  {name:<30} {taken:9.2f} ms  {grown:7.2f} x smallest  "
            f"{taken / found[FLOOR]:7.2f} x {FLOOR}",
            flush=True,
        )
    world.close()


if __name__ == "__main__":
    main()

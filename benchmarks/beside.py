"""Executes a second, their processor time and the size of a trade, beside another checkout.

    PYTHONPATH=src:. python benchmarks/beside.py ../released [--count 300] [--rounds 5]

Both write durably, in the same journal mode (WAL or TRUNCATE, as the SQLite in use is served) and
with synchronous=FULL; each round is a process of one and one of the other, in turns. The size of an
execute is what the file grows by while quotes that were there are executed; that of a whole trade
includes its quote and its settlement. ``--sizes`` lists tables and indexes of a whole trade.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

OURS = Path(__file__).parents[1]
Figures = dict[str, Any]


def measured(folder: Path, count: int) -> Figures:
    """Measure the build that is imported; it may be an earlier one."""
    from sqlalchemy import event  # noqa: PLC0415 - what is imported depends on the path
    from tests.world import engines  # noqa: PLC0415
    from tests.world.customers import CustomerSeed  # noqa: PLC0415

    files = vars(import_module("tests.world.files"))
    from chainteller.engine import engine as build  # noqa: PLC0415
    from chainteller.service.models.quotes import ExecuteRequest  # noqa: PLC0415

    options: Any = getattr(build, "EngineOptions", None)
    if options is None:
        options = import_module("chainteller.domain.options").EngineOptions

    path = folder / "bank.db"
    world = engines.make_world(
        path,
        options=options(quote_window_s=900, rate_limits=False),
        customers=(CustomerSeed(balance_cents=10**10),),
    )
    if "wait_for_disk" in files:
        files["wait_for_disk"](world.database)
    else:  # an earlier build
        engine: Any = vars(world.database)["engine"]
        event.remove(engine, "connect", files["_skip_syncs"])
        engine.dispose()
    with world.database.read() as connection:
        raw: Any = getattr(connection, "driver", None) or connection.connection.driver_connection  # type: ignore[attr-defined]
        (mode,) = raw.execute("PRAGMA journal_mode").fetchone()
        (synchronous,) = raw.execute("PRAGMA synchronous").fetchone()
    world.open()
    world.deposit(f"{count * 20}.00")
    world.settle()
    request = ExecuteRequest(trading_account_id=world.account)

    def execute(quotes: list[str]) -> None:
        for quote in quotes:
            world.engine.execute_quote(quote, request, idempotency_key=quote)

    def quoted(many: int) -> list[str]:
        return [world.quote("5.00").id for _ in range(many)]

    execute(quoted(20))
    quotes = quoted(count)
    before = _sizes(path)
    wall, processor = time.perf_counter(), time.process_time()
    execute(quotes)
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    executed = _sizes(path)
    world.settle()
    begun = _sizes(path)
    for _ in range(count // 10):
        execute(quoted(10))
        world.settle()
    whole = _sizes(path)
    world.close()
    many = count // 10 * 10
    return {
        "a second": count / wall,
        "processor": processor / count * 1_000,
        "execute": sum(executed.values()) / count - sum(before.values()) / count,
        "trade": sum(whole.values()) / many - sum(begun.values()) / many,
        "sizes": {name: (size - begun.get(name, 0)) / many for name, size in whole.items()},
        "mode": f"{mode}, synchronous={synchronous}",
    }


def _sizes(path: Path) -> dict[str, int]:
    """Bytes of the pages of each table and index, counted in a copy page by page: only the
    interpreter's own library has ``dbstat``, and two libraries on one file would break its locks.
    """
    library = interpreters = import_module("sqlite3")
    with suppress(ImportError):
        library = import_module("chainteller.sqlite").sqlite3
    copy = path.with_suffix(".copy")
    copy.unlink(missing_ok=True)
    with closing(library.connect(path)) as source, closing(library.connect(copy)) as target:
        source.backup(target)
    with closing(interpreters.connect(copy)) as connection:
        return dict(connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"))


def child(script: str, source: Path, *arguments: str) -> Figures:
    """What a program of ours measures of a checkout, in a process of its own."""
    found = subprocess.run(
        [sys.executable, script, *arguments],
        cwd=source,
        env=os.environ | {"PYTHONPATH": f"{source / 'src'}{os.pathsep}{source}"},
        capture_output=True,
        text=True,
        check=False,
    )
    if found.returncode:
        raise RuntimeError(found.stderr[-2_000:])
    figures: Figures = json.loads(found.stdout.splitlines()[-1])
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", nargs="?", type=Path, help="the other checkout")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sizes", action="store_true")
    parser.add_argument("--measure", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        with tempfile.TemporaryDirectory() as folder:
            sys.stdout.write(json.dumps(measured(Path(folder), given.measure)) + "\n")
    elif given.other is None:
        parser.error("name the other checkout")
    else:
        compare(given)


def compare(given: argparse.Namespace) -> None:
    """Measure both in turns, and say the medians of the ratios."""
    ratios: dict[str, list[float]] = {}
    theirs = ours = Figures()
    for _ in range(given.rounds):
        theirs, ours = (
            child(__file__, each.resolve(), "--measure", str(given.count))
            for each in (given.other, OURS)
        )
        told = []
        for name in ("a second", "processor", "execute", "trade"):
            ratios.setdefault(name, []).append(ours[name] / theirs[name])
            told.append(f"{name} {theirs[name]:,.2f} -> {ours[name]:,.2f}")
        sys.stdout.write("; ".join(told) + f" ({theirs['mode']}; {ours['mode']})\n")
    for name, found in ratios.items():
        sys.stdout.write(f"{name}: median ratio {statistics.median(found):.2f}\n")
    if given.sizes:
        for name, size in sorted(ours["sizes"].items(), key=lambda each: -each[1]):
            if size >= 1:
                sys.stdout.write(f"{size:8.0f}  {name} ({theirs['sizes'].get(name, 0):.0f})\n")


if __name__ == "__main__":
    main()

"""Reads on PostgreSQL without HTTP: one connection beside one prepared statement.

    PYTHONPATH=src:. python benchmarks/reads.py [../released] [--count 300] [--rounds 5]

The floor is one statement that psycopg has prepared, which reads the rows that the answer is made
of; in batches, the engine and the floor take turns. Each build has a process and a database of its
own on one server, and they take turns too. The figure is the median of the batches' ratios.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

OURS = Path(__file__).parents[1]
TRADES = 100
LIMIT = 20
BATCH = 20
PAGE = (
    "SELECT * FROM trade WHERE trading_account_id = %s AND ordinal BETWEEN %s AND %s "
    "ORDER BY ordinal DESC"
)
BALANCES = "SELECT * FROM ledger_account WHERE code = ANY(%s)"
Figures = dict[str, dict[str, float]]


def measured(url: str, count: int) -> Figures:
    """Measure the build that is imported; it may be an earlier one."""
    import psycopg  # noqa: PLC0415 - what is imported depends on the path
    from tests.world.bank import build  # noqa: PLC0415

    from chainteller.domain.ledger import Bucket, customer  # noqa: PLC0415
    from chainteller.service.models.accounts import OpenTradingAccount  # noqa: PLC0415
    from chainteller.service.models.funding import Currency, DepositRequest  # noqa: PLC0415
    from chainteller.service.models.pages import ListQuery  # noqa: PLC0415
    from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest  # noqa: PLC0415

    world = build(url)
    engine = world.engine
    opening = OpenTradingAccount(bank_account_id="DDA-1", bank_account_type="checking")
    account = engine.open_trading_account(opening).value.id
    currency = Currency(type="deposit-token-currency", id="DPT_USD")
    engine.deposit(account, DepositRequest(amount="900000.00", currency=currency))
    for _ in range(TRADES):
        quote = engine.create_quote("sol-usd", QuoteRequest(amount="10.00", side="buy")).value
        engine.execute_quote(quote.id, ExecuteRequest(trading_account_id=account))
    world.advance(60)
    page = ListQuery(limit=LIMIT)
    with psycopg.connect(url, autocommit=True) as floor:

        def rows(statement: bytes, *values: object) -> Callable[[], object]:
            return lambda: floor.execute(statement, values, prepare=True).fetchall()

        pairs: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
            "page of trades": (
                lambda: engine.trades(account, page),
                rows(PAGE.encode(), account, TRADES - LIMIT + 1, TRADES),
            ),
            "balances": (
                lambda: engine.token_balances(account),
                rows(BALANCES.encode(), [customer(account, bucket) for bucket in Bucket]),
            ),
        }
        found = {name: _compared(*pair, count) for name, pair in pairs.items()}
    engine.close()
    return found


def _compared(
    engine: Callable[[], object], floor: Callable[[], object], count: int
) -> dict[str, float]:
    """Microseconds of both by the clock and of this process, and the ratio of their rates."""
    for each in (engine, floor):
        _timed(each, BATCH)
    turns = [(_timed(engine, BATCH), _timed(floor, BATCH)) for _ in range(count // BATCH)]
    return {
        "engine": statistics.median(mine for (mine, _), _ in turns),
        "processor": statistics.median(processor for (_, processor), _ in turns),
        "floor": statistics.median(other for _, (other, _) in turns),
        "ratio": statistics.median(other / mine for (mine, _), (other, _) in turns),
    }


def _timed(call: Callable[[], object], count: int) -> tuple[float, float]:
    wall, processor = time.perf_counter(), time.process_time()
    for _ in range(count):
        call()
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    return wall / count * 1e6, processor / count * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", nargs="?", type=Path, help="another checkout")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        sys.stdout.write(json.dumps(measured(given.measure, given.count)) + "\n")
        return
    from benchmarks.beside import child  # noqa: PLC0415 - not in a child
    from tests.postgres import PostgresServer, start_bundled  # noqa: PLC0415 - the same

    bundled = start_bundled()
    server = PostgresServer(bundled.url)
    sources = [OURS, *([given.other.resolve()] if given.other else [])]
    found: dict[tuple[Path, str, str], list[Any]] = {}
    try:
        for _ in range(given.rounds):
            for source in sources:
                asked = "--measure", server.fresh(), "--count", str(given.count)
                for name, figures in child(__file__, source, *asked).items():
                    for what, figure in figures.items():
                        found.setdefault((source, name, what), []).append(figure)
    finally:
        bundled.remove()
    for source in sources:
        for name in ("page of trades", "balances"):
            middle = {
                what: statistics.median(found[source, name, what])
                for what in ("engine", "processor", "floor", "ratio")
            }
            sys.stdout.write(
                f"{source.name:10} {name:15} {middle['engine']:5.0f} us, "
                f"{middle['processor']:4.0f} of this process; one prepared statement "
                f"{middle['floor']:4.0f} us; ratio {middle['ratio']:.2f}\n"
            )


if __name__ == "__main__":
    main()

"""Seconds to verify a log and all rows that it seals, beside hashing the same bytes.

    PYTHONPATH=src:. python benchmarks/verify_log.py [--entries 100000] [--keep FILE]

The bank's history is quotes, executions, fills and settlements in the proportions of trading:
entries of 4 to 13 rows each. Only invariants 20 and 21 are timed (the others don't read the log).
"""

import argparse
import tempfile
import time
from collections.abc import Iterator
from hashlib import sha256
from itertools import count
from pathlib import Path

from sqlalchemy import Table
from tests.world.files import open_fresh

from chainteller.engine.checks import seals
from chainteller.storage import chain, inspection, log, numbering, sealing
from chainteller.storage.columns import SALT
from chainteller.storage.database import Database
from chainteller.storage.numbering import OnRecord
from chainteller.storage.rows import Writer
from chainteller.storage.tables import Tables

START = 1_763_700_000_000_000
_TOGETHER = 500


def fill(database: Database, entries: int) -> None:
    """Write a history through the same writer as the engine."""
    numbers = count(1)
    with database.engine.connect() as reading:
        reading.connection.driver_connection.execute("PRAGMA foreign_keys=OFF")  # type: ignore[union-attr]
    for first in range(0, entries, _TOGETHER):
        with database.write() as connection:
            for _ in range(first, min(first + _TOGETHER, entries)):
                number = next(numbers)
                rows = Writer(connection)
                audit, events = _step(rows, number)
                stamp = log.Stamp("default", START + number, "agent", "KEY_1")
                numbering.append(rows, OnRecord(stamp, [audit], [events]))
            connection.commit()


def _step(rows: Writer, number: int) -> tuple[dict[str, object], dict[str, object]]:
    """One of the four steps of a trade: its quote, execution, fill or settlement."""
    step, trade = number % 4, number // 4
    at, record = START + number, f"TXN_{trade:022d}"
    if step == 0:
        rows.insert(Tables.quote, [_quote(trade, at)])
    elif step == 1:
        rows.insert(Tables.trade, [_trade(trade, at)])
        rows.insert(Tables.job, [{"kind": "trade.fill", "reference": record, "run_at": at}])
        rows.insert(
            Tables.idempotency,
            [
                {
                    "organisation_id": "default",
                    "operation": "execute_quote",
                    "key": record,
                    "fingerprint": "f" * 64,
                    "created_record": True,
                    "body": "{" + "x" * 600 + "}",
                    "at": at,
                }
            ],
        )
    else:
        status = {"status": "executed" if step == 2 else "settled", "version": step}
        rows.update(Tables.trade, {"id": f"TXN_{trade:022d}"}, status)
    if step:
        journal = f"{record}:{step}"
        rows.insert(
            Tables.journal, [{"id": journal, "kind": "fill", "reference": record, "at": at}]
        )
        rows.insert(Tables.posting, [_posting(number, each, journal) for each in range(4)])
    audit = chain.audit_row("execute_quote", record, {"tradingAccountId": "TDA_1"}) | {
        "at": at,
        "organisation_id": "default",
        "actor": "agent",
        "trading_account_id": "TDA_1",
    }
    event = chain.event_row(f"EVT_{number:022d}", "trade.executed", record, {"status": "executed"})
    return audit, event | {"at": at, "organisation_id": "default"}


def _quote(number: int, at: int) -> dict[str, object]:
    known: dict[str, object] = {
        "id": f"QTE_{number:022d}",
        "organisation_id": "default",
        "trading_account_id": "TDA_00000000000000000000001",
        "market": "btc-usd",
        "side": "buy",
        "status": "open",
        "trade_id": None,
        "executed_at": None,
        "created": at,
        "expires": at + 1,
    }
    return _row(Tables.quote, known)


def _trade(number: int, at: int) -> dict[str, object]:
    known: dict[str, object] = {
        "id": f"TXN_{number:022d}",
        "organisation_id": "default",
        "trading_account_id": "TDA_00000000000000000000001",
        "quote_id": f"QTE_{number:022d}",
        "market": "btc-usd",
        "side": "buy",
        "status": "processing",
        "hold": '[["USD@fiat", "1000000"]]',
        "failure_code": None,
        "failure_message": None,
        "created": at,
        "ordinal": number,
        "transaction_ordinal": number,
    }
    return _row(Tables.trade, known)


def _row(table: Table, known: dict[str, object]) -> dict[str, object]:
    """A whole row, with some number where none is known."""
    names = (column.name for column in table.columns if column.name != SALT)
    return {name: known.get(name, 1_234_567) for name in names}


def _posting(number: int, leg: int, journal: str) -> dict[str, object]:
    return {
        "code": f"customer:TDA_0000000000000000000000{leg}:available",
        "asset": "USD@fiat",
        "account_version": number,
        "journal_id": journal,
        "debit": leg % 2 == 0,
        "atoms": 1_234_567,
        "balance_after": 12_345_678_901,
    }


def _bytes(database: Database) -> Iterator[bytes]:
    """Everything that verification hashes."""
    with inspection.snapshot(database) as connection:
        for organisation in inspection.organisations_of_entries(connection):
            yield from (body for *_, body in inspection.entries(connection, organisation))
        for table in sealing.sealed_tables():
            yield from (text for *_, text in inspection.sealed_rows(connection, table))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=100_000)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    file = options.keep or Path(tempfile.mkdtemp()) / "bank.db"
    exists = file.exists()
    database = open_fresh(f"sqlite:///{file}")
    if not exists:
        begun = time.perf_counter()
        fill(database, options.entries)
        print(f"written in {time.perf_counter() - begun:.1f} s")
    hashed = list(_bytes(database))
    begun = time.process_time()
    for each in hashed:
        sha256(each).digest()
    alone = time.process_time() - begun
    size = sum(map(len, hashed))
    rows = len(hashed) - options.entries
    print(f"{rows} rows, {size / 1e6:.0f} MB to hash: {alone:.2f} s for the hashes alone")
    hashed.clear()
    begun, processor = time.perf_counter(), time.process_time()
    with inspection.snapshot(database) as connection:
        found = list(seals.check(connection))
    taken, processor = time.perf_counter() - begun, time.process_time() - processor
    print(f"verified in {taken:.2f} s ({processor:.2f} s of processor), {processor / alone:.0f} x")
    print(f"findings: {len(found)}", *found[:3])
    database.close()


if __name__ == "__main__":
    main()

"""A bank with the sample data, and its rows as they stand in the database."""

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import Row, text

from chainteller.adapters.prices_simulated import SimulatedPrices
from chainteller.adapters.venue_simulated import SimulatedVenue
from chainteller.domain.clock import ManualClock, midnight_before, parse_instant
from chainteller.domain.randomness import SeededRandomness
from chainteller.engine.context import EngineContext, EngineOptions
from chainteller.engine.samples.loading import load_samples
from chainteller.engine.samples.bank import AGENTS
from chainteller.storage.database import open_database

FOLDER = Path(__file__).parents[2] / "sample_data"
NOW = parse_instant("2026-11-20T09:04:31.123456Z")
MIDNIGHT = midnight_before(NOW)
TABLES = [
    "customer",
    "bank_account",
    "trading_account",
    "ledger_account",
    "journal",
    "posting",
    "quote",
    "trade",
    "transfer",
    "job",
    "audit",
    "event",
    "head",
    "blockchain_account",
    "counterparty",
    "challenge",
    "attempt",
    "claim",
    "link",
    "idempotency",
]


def new_bank(place: Path | str) -> EngineContext:
    """A bank in a folder or at a database URL."""
    url = place if isinstance(place, str) else f"sqlite:///{place / 'bank.db'}"
    database = open_database(url)
    feed = SimulatedPrices("any")
    return EngineContext(
        database, ManualClock(NOW), SeededRandomness("any"), feed, SimulatedVenue(), EngineOptions()
    )


def load(bank: EngineContext, seed: str = "42") -> bool:
    return load_samples(bank, FOLDER, SimulatedPrices(seed), seed)


def rows(bank: EngineContext, query: str, **values: object) -> list[Row[Any]]:
    with bank.database.read() as connection:
        return list(connection.execute(text(query), values).all())


def dump(bank: EngineContext) -> dict[str, list[Row[Any]]]:
    return {table: rows(bank, f"SELECT * FROM {table} ORDER BY 1, 2") for table in TABLES}  # noqa: S608 - our own table names


def head(bank: EngineContext) -> str:
    return str(rows(bank, "SELECT audit_hash FROM head")[0][0])


_ID = re.compile(r"\b[A-Z]{3}_[0-9A-Z]{22}\b")


def history(
    bank: EngineContext, orders: Mapping[str, str], left_out: Collection[str]
) -> dict[str, list[dict[str, Any]]]:
    """The rows of each table of ``orders``, sorted as it says, without the columns left out.

    Generated ids are replaced by numbers in the order in which they appear, and whoever of the
    desk it was by "an agent", so that two banks with the same history look the same.
    """
    names: dict[str, str] = {}

    def plain(value: object) -> object:
        if not isinstance(value, str):
            return value
        if value in AGENTS:
            return "an agent"
        return _ID.sub(
            lambda found: names.setdefault(found[0], f"{found[0][:3]}_{len(names)}"), value
        )

    return {
        table: [
            {name: plain(value) for name, value in row._mapping.items() if name not in left_out}
            for row in rows(bank, f"SELECT * FROM {table} ORDER BY {order}")  # noqa: S608 - our own table names
        ]
        for table, order in orders.items()
    }

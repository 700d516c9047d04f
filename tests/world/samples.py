"""A bank with the sample data, and its rows as they stand in the database."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Row, text
from tests.world.files import kept_file, made_once, open_fresh, sealed

from chainteller.adapters.prices_simulated import SimulatedPrices
from chainteller.adapters.venue_simulated import SimulatedVenue
from chainteller.domain.clock import ManualClock, SystemClock, midnight_before, parse_instant
from chainteller.domain.options import EngineOptions
from chainteller.domain.randomness import SeededRandomness
from chainteller.engine.core.context import EngineContext
from chainteller.engine.samples.loading import load_samples
from chainteller.engine.verification.full_pass import verify_all
from chainteller.paths import HOME_VARIABLE, locate
from chainteller.sample_worlds import make_base
from chainteller.storage.log import views
from chainteller.storage.queries.disputes import note_verified
from chainteller.storage.upkeep.worlds import kept_world, world_file

FOLDER = Path(__file__).parents[2] / "sample_data"
TRAINING_SEED = "42"
NOW = parse_instant("2026-11-20T09:04:31.123456Z")
MIDNIGHT = midnight_before(NOW)
TABLES = [
    "customer",
    "bank_account",
    "trading_account",
    "ledger_account",
    "journal",
    "quote",
    "trade",
    "transfer",
    "job",
    "blockchain_account",
    "counterparty",
    "challenge",
    "attempt",
    "claim",
    "link",
    "idempotency",
]


def new_bank(place: Path | str, start: Callable[[], Path] | None = None) -> EngineContext:
    """A bank in a folder or at a database URL."""
    url = place if isinstance(place, str) else f"sqlite:///{place / 'bank.db'}"
    database = open_fresh(url, start)
    feed = SimulatedPrices("any")
    return EngineContext(
        database, ManualClock(NOW), SeededRandomness("any"), feed, SimulatedVenue(), EngineOptions()
    )


def load(bank: EngineContext, seed: str = "42") -> bool:
    return load_samples(bank, FOLDER, SimulatedPrices(seed), seed)


def loaded_bank(folder: Path) -> EngineContext:
    """A bank with the sample data, which a process loads once and copies; its ids go on."""
    bank = new_bank(folder, _loaded_file)
    return replace(bank, randomness=SeededRandomness("after the sample data"))


def note_verified_wholly(url: str) -> None:
    """Verify a database and note it, so that no program that serves it does so once more today."""
    database, now = open_fresh(url), SystemClock().now()
    assert verify_all(database) == ()
    with sealed(database) as rows:
        note_verified(rows, {"verified_at": now, "full_at": now})
    database.close()


def training_base(factory: pytest.TempPathFactory) -> Path:
    """The database that every training session of the usual seed begins with."""
    return made_once(factory, "training.db", lambda file: make_base(file, TRAINING_SEED))


def keep_training_base(home: Path, base: Path) -> None:
    """Put it where training in ``home`` finds it, as after a first session."""
    file = world_file(locate({HOME_VARIABLE: str(home)}), f"training {TRAINING_SEED}")

    def copy(draft: Path) -> None:
        shutil.copyfile(base, draft)

    kept_world(file, copy)


@cache
def _loaded_file() -> Path:
    folder = kept_file("samples")
    folder.mkdir()
    bank = new_bank(folder)
    assert load(bank)
    bank.database.close()
    return folder / "bank.db"


def rows(bank: EngineContext, query: str, **values: object) -> list[Row[Any]]:
    with bank.database.read() as connection:
        return list(connection.execute(text(query), values).all())


def dump(bank: EngineContext) -> dict[str, list[tuple[Any, ...]]]:
    """Every row without its salt, which is never the same."""
    stored = {table: rows(bank, f"SELECT * FROM {table} ORDER BY 1, 2") for table in TABLES}  # noqa: S608 - our own table names
    return {
        table: [
            tuple(cell for name, cell in row._asdict().items() if name != "salt") for row in found
        ]
        for table, found in stored.items()
    }


def head(bank: EngineContext) -> str:
    with bank.database.read() as connection:
        return views.newest_hash(connection, "default")

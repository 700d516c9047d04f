"""Banks: with one account and 5,000.00 in deposit tokens, on SQLite and on PostgreSQL; with the
sample data; without anything.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests import forms
from tests.world.engines import World, make_world
from tests.world.samples import loaded_bank, new_bank

from chainteller.engine.core.context import EngineContext

ON_SQLITE_ONLY = frozenset({"test_verification", "test_kill", "test_samples"})
"""Modules that damage rows by SQLite's own means, or that are about its file."""

QUICK_ON_SQLITE = frozenset({"test_bad_input", "test_archiving"})
"""Modules about what the engine refuses before it asks its database, or with long histories:
PostgreSQL is thorough. Of the others, the quick line runs a third there, by their names; those of
``tests/contract`` run on both."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "empty_world" in metafunc.fixturenames:
        module = metafunc.module.__name__.rpartition(".")[2]
        is_quick = module not in QUICK_ON_SQLITE and forms.is_chosen(metafunc.function.__name__)
        marks = () if is_quick else pytest.mark.thorough
        other = pytest.param("postgres", marks=marks)
        both = ("sqlite",) if module in ON_SQLITE_ONLY else ("sqlite", other)
        metafunc.parametrize("empty_world", both, indirect=True)


@pytest.fixture
def empty_world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """One customer, no trading account."""
    on_postgres = request.param == "postgres"
    place = request.getfixturevalue("postgres_bank") if on_postgres else tmp_path / "bank.db"
    made = make_world(place)
    yield made
    made.close()


@pytest.fixture
def world(empty_world: World) -> World:
    """One trading account with 5,000.00 in deposit tokens."""
    empty_world.open()
    empty_world.deposit("5000.00")
    return empty_world


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineContext]:
    """With the sample data, for a module that only reads."""
    bank = loaded_bank(tmp_path_factory.mktemp("samples"))
    yield bank
    bank.database.close()


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[EngineContext]:
    """A new bank, whose clock stands where that of ``loaded`` does."""
    bank = new_bank(tmp_path)
    yield bank
    bank.database.close()

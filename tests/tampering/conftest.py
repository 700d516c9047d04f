"""The bank whose rows are altered; nothing that a test does to it is committed."""

from collections.abc import Iterator

import pytest
from tests.tampering.bank import archive_all, busy_bank
from tests.world.engines import World


@pytest.fixture(scope="package")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    world = busy_bank(tmp_path_factory.mktemp("bank") / "bank.db")
    yield world
    world.close()


@pytest.fixture(scope="package")
def archived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A bank that archived everything."""
    folder = tmp_path_factory.mktemp("archived")
    world = busy_bank(folder / "bank.db")
    archive_all(world, folder / "old.archive")
    yield world
    world.close()

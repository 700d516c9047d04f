"""A bank with one account and 5,000.00 in deposit tokens, on a file of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.worlds import World, make_world


@pytest.fixture
def empty_world(tmp_path: Path) -> Iterator[World]:
    """One customer, no trading account."""
    made = make_world(tmp_path / "bank.db")
    yield made
    made.close()


@pytest.fixture
def world(empty_world: World) -> World:
    """One trading account with 5,000.00 in deposit tokens."""
    empty_world.open()
    empty_world.deposit("5000.00")
    return empty_world

"""A bank for tests that call it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.world.bank import World, build, sqlite_url


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    found = build(sqlite_url(tmp_path))
    yield found
    found.engine.close()

"""What several tests of the storage need."""

from pathlib import Path

import pytest
from tests.storage import released
from tests.world.bank import sqlite_url


@pytest.fixture(params=["sqlite", "postgres"], name="url")
def released_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database as the released build left it."""
    on_postgres = request.param == "postgres"
    place = request.getfixturevalue("postgres_url") if on_postgres else sqlite_url(tmp_path)
    released.restore(place)
    return str(place)

"""Copying a database: nothing is lost, nothing is overwritten."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.worlds import World, make_world

from chainteller.engine.verification import verify, verify_chain
from chainteller.service.errors import ServiceUnavailable
from chainteller.storage.copying import copy
from chainteller.storage.database import open_database


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = make_world(tmp_path / "bank.db")
    made.open()
    made.deposit("500.00")
    made.buy("100.00")
    yield made
    made.close()


def test_a_copy_has_the_same_head_and_sound_books(world: World, tmp_path: Path) -> None:
    target = f"sqlite:///{tmp_path / 'copy.db'}"
    assert copy(f"sqlite:///{tmp_path / 'bank.db'}", target) > 50
    copied = open_database(target)
    try:
        assert verify(copied) == ()
        assert verify_chain(copied) == verify_chain(world.engine.bank.database)
    finally:
        copied.close()


def test_a_copy_reaches_postgresql(world: World, tmp_path: Path, postgres_url: str) -> None:
    rows = copy(f"sqlite:///{tmp_path / 'bank.db'}", postgres_url)
    copied = open_database(postgres_url)
    try:
        assert verify(copied) == ()
        assert verify_chain(copied) == verify_chain(world.engine.bank.database)
    finally:
        copied.close()
    assert copy(postgres_url, f"sqlite:///{tmp_path / 'back.db'}") == rows


def test_a_database_with_records_is_no_target(world: World, tmp_path: Path) -> None:
    source, target = (f"sqlite:///{tmp_path / name}" for name in ("bank.db", "copy.db"))
    copy(source, target)
    with pytest.raises(ServiceUnavailable) as refused:
        copy(source, target)
    assert refused.value.details["reason"] == "NOT_EMPTY"

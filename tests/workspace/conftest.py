"""A bank, and a desk's own notes that are forgotten after the test."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.world.bank import World, build, sqlite_url

from chainteller.workspace.store import Workspace


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = build(sqlite_url(tmp_path))
    yield world
    world.engine.close()


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    workspace = Workspace(tmp_path / "workspace.db")
    yield workspace
    workspace.close()

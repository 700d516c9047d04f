"""The guard behind ``--read-only``."""

from pathlib import Path
from typing import Any

import pytest
from tests.world.engines import make_world

from chainteller.service.errors import NotFound, ReadOnlyProfile
from chainteller.service.layers import layered
from chainteller.service.operations import WRITES, Call, Write
from chainteller.service.read_only import ReadOnly


@pytest.mark.parametrize("write", WRITES.values(), ids=lambda write: write.name)
def test_every_write_is_refused_and_reads_pass(tmp_path: Path, write: Write[Any]) -> None:
    world = make_world(tmp_path / "bank.db")
    try:
        guarded = layered(world.engine, ReadOnly())
        with pytest.raises(ReadOnlyProfile):
            guarded.call(Call(write, ("TDA_1",) * len(write.path_names), key="k"))
        assert guarded.markets().pagination.total == 3
    finally:
        world.close()


def test_it_is_switched_at_run_time(tmp_path: Path) -> None:
    world = make_world(tmp_path / "bank.db")
    guard = ReadOnly()
    try:
        guarded = layered(world.engine, guard)
        with pytest.raises(ReadOnlyProfile):
            guarded.cancel_trade("TDA_1", "TXN_1")
        guard.enabled = False
        with pytest.raises(NotFound):
            guarded.cancel_trade("TDA_1", "TXN_1")
    finally:
        world.close()

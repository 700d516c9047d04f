"""The guard behind ``--read-only``."""

import inspect
from pathlib import Path

import pytest
from tests.world.engines import make_world

from chainteller.service.errors import ReadOnlyProfile
from chainteller.service.interface import Service
from chainteller.service.read_only import ReadOnly
from chainteller.service.writes import WRITES


def test_the_writes_are_those_that_take_an_idempotency_key() -> None:
    taken = {
        name: inspect.signature(method).parameters
        for name, method in inspect.getmembers(Service, inspect.isfunction)
    }
    asked = {
        name: parameters["request"].annotation if "request" in parameters else None
        for name, parameters in taken.items()
        if "idempotency_key" in parameters
    }
    assert asked == WRITES


def test_every_write_is_refused_and_reads_pass(tmp_path: Path) -> None:
    world = make_world(tmp_path / "bank.db")
    try:
        guarded = ReadOnly.over(world.engine)
        for name in WRITES:
            with pytest.raises(ReadOnlyProfile):
                getattr(guarded, name)("TDA_1", None, idempotency_key="k")
        assert guarded.markets().pagination.total == 3
    finally:
        world.close()


def test_it_is_switched_at_run_time(tmp_path: Path) -> None:
    world = make_world(tmp_path / "bank.db")
    try:
        guard = ReadOnly(world.engine)
        guard.enabled = False
        assert guard.markets().data
        assert guard.deposit == world.engine.deposit
    finally:
        world.close()

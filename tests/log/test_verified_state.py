"""What the logs say of what a payout rests on, kept in a file outside the database."""

import logging
import stat
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.tampering.altering import cut_log, unguarded
from tests.world.engines import DPT, World, make_world
from tests.world.told import statements

from chainteller.domain.clock import MINUTE
from chainteller.engine.engine import Engine
from chainteller.engine.upkeep import archiving
from chainteller.service.errors import Conflict
from chainteller.sqlite import sqlite3
from chainteller.storage.db import records
from chainteller.storage.log import marks, views
from chainteller.storage.log.verified_state import VerifiedState

_LOG = "default"
_SIZE = "SELECT size FROM log WHERE name = 'default'"


@pytest.fixture(params=["sqlite", "postgres"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    is_postgres = request.param == "postgres"
    place = request.getfixturevalue("own_postgres_bank") if is_postgres else tmp_path / "bank.db"
    made = make_world(place)
    made.open()
    made.deposit("500.00", DPT)
    made.settle()
    yield made
    made.close()


def read(world: World, state: VerifiedState) -> tuple[Mapping[str, str], bool]:
    with world.database.read() as connection:
        found = state.follow(connection, _LOG)
    return found.wrong, found.is_whole


def size(world: World) -> int:
    with world.database.read() as connection:
        return views.head(connection, _LOG).size


def test_a_file_of_its_owner_alone_says_how_far_a_log_was_read(
    world: World, tmp_path: Path
) -> None:
    names: list[str] = []
    file = tmp_path / "private" / "bank.state"

    def file_of(name: str) -> Path:
        names.append(name)
        return file

    for _ in range(2):  # each as another process does
        assert read(world, VerifiedState(file_of)) == ({}, True)
        with closing(sqlite3.connect(file)) as stored:
            assert stored.execute(_SIZE).fetchone() == (size(world),)
        world.deposit("1.00", DPT)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert names == [names[0]] * 2


@pytest.mark.parametrize("content", [b"no database", b""])
def test_a_file_that_cannot_be_used_is_done_without(
    world: World, tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "bank.state"
    if content:
        file.write_bytes(content)
    else:
        file.mkdir()
    with caplog.at_level(logging.WARNING):
        assert read(world, VerifiedState(lambda _: file)) == ({}, True)
    assert "can't be kept" in caplog.text


def test_a_log_is_read_again_under_another_writers_key(world: World) -> None:
    state = VerifiedState()
    assert read(world, state) == ({}, True)
    with unguarded(world) as connection:
        marks.of(connection).replace(connection)
        connection.commit()
    assert read(world, state) == ({}, True)


def test_a_reader_of_before_leaves_what_was_read_since(world: World, tmp_path: Path) -> None:
    file = tmp_path / "bank.state"
    state = VerifiedState(lambda _: file)
    assert read(world, state) == ({}, True)
    with world.database.read() as before:
        assert views.head(before, _LOG).size  # its view of the log begins here
        world.deposit("1.00", DPT)
        assert read(world, state) == ({}, True)
        assert not state.follow(before, _LOG).is_whole
    with closing(sqlite3.connect(file)) as stored:
        assert stored.execute(_SIZE).fetchone() == (size(world),)


def test_a_shorter_log_that_a_person_accepted_is_read_anew(world: World) -> None:
    context = replace(world.context, state=VerifiedState())
    waiting = world.withdraw("10.00").id
    with pytest.raises(Conflict):
        world.open()  # the newest entry: a refusal, which wrote no row
    assert read(world, context.state) == ({}, True)
    with unguarded(world) as connection:
        cut_log(connection, _LOG)
        connection.commit()
    assert read(world, context.state) == ({}, False)  # more was read than is there
    context.accept_logs()
    world.clock.advance(MINUTE)
    Engine(context).run_due()
    assert world.engine.withdrawal_record(world.account, waiting).status in ("sent", "completed")


def test_a_log_that_was_archived_is_read(world: World, tmp_path: Path) -> None:
    world.clock.advance(400 * 24 * 60 * MINUTE)
    world.engine.run_due()
    known = VerifiedState()
    assert read(world, known) == ({}, True)
    archiving.archive(world.context, tmp_path / "audit.archive", 90)
    for state in (known, VerifiedState()):
        assert read(world, state) == ({}, True)


def test_a_payout_waits_until_its_log_is_read(world: World) -> None:
    for _ in range(20):
        world.deposit("1.00", DPT)
    world.context = replace(world.context, state=VerifiedState(at_once=3))
    world.engine = Engine(world.context)
    paid = world.withdraw("10.00").id
    waits = 0
    while world.engine.withdrawal_record(world.account, paid).status == "processing":
        waits += 1
        world.clock.advance(MINUTE)
        world.engine.run_due()
    assert world.engine.withdrawal_record(world.account, paid).status in ("sent", "completed")
    assert 2 < waits <= size(world)
    assert world.engine.disputes().data == ()


def test_each_log_is_asked_once_for_its_end_and_what_follows(world: World) -> None:
    state = VerifiedState()
    assert read(world, state) == ({}, True)
    with statements(world.database) as told:
        assert read(world, state) == ({}, True)
    assert sum("FROM entry" in sql for sql, _ in told) == 2  # its own and the deployment's


def test_an_entry_before_the_first_one_is_no_end_of_what_is_known(world: World) -> None:
    others = ", ".join(name for name in records.Entry._fields if name != "number")
    with unguarded(world) as connection:
        connection.execute(
            text(
                f"INSERT INTO entry (number, {others}) "  # noqa: S608 - our own names
                f"SELECT 0, {others} FROM entry WHERE organisation_id = '{_LOG}' AND number = 1"
            )
        )
        connection.commit()
    assert read(world, VerifiedState()) == ({}, True)

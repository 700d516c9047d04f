"""A connection is closed or used again, also when others are lost while it is in use."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from sqlalchemy import Connection, event, literal, select
from sqlalchemy.exc import DBAPIError
from tests.postgres import PostgresServer

from chainteller.storage.database import Database, connect
from chainteller.storage.loop_reads import LoopReads
from chainteller.storage.plain import Plain

PATIENCE_S = 10.0
SEVEN = select(literal(7))


@pytest.fixture
def database(postgres_bank: str) -> Iterator[Database]:
    with closing(connect(postgres_bank)) as opened:
        with closing(taken(opened)) as connection:
            assert all(answers(connection) for _ in range(2))  # compiled from now on
        yield opened


def taken(database: Database) -> Connection:
    connection = database.engine.connect().execution_options(plain=True)
    connection.begin()
    return connection


def driver_of(connection: Connection) -> Any:
    return connection.connection.driver_connection


def answers(connection: Connection) -> bool:
    return bool(Plain(connection).execute(SEVEN).scalar_one() == 7)


def test_those_opened_before_a_loss_are_closed_and_never_used_again(
    database: Database, postgres_server: PostgresServer
) -> None:
    lost, other, idle = [taken(database) for _ in range(3)]
    drivers = [driver_of(each) for each in (other, idle)]
    idle.close()
    assert postgres_server.cut_connections(str(database.engine.url.set(drivername="postgresql")))
    with pytest.raises(DBAPIError):
        answers(lost)
    lost.close()
    later = taken(database)
    other.close()
    fresh = [later, *(taken(database) for _ in range(3))]
    assert all(driver.closed for driver in drivers)
    assert all(answers(each) for each in fresh)
    for each in fresh:
        each.close()


def test_a_loss_that_several_connections_notice_leaves_what_was_opened_since(
    database: Database, postgres_server: PostgresServer
) -> None:
    first, second = taken(database), taken(database)
    assert postgres_server.cut_connections(str(database.engine.url.set(drivername="postgresql")))
    with pytest.raises(DBAPIError):
        answers(first)
    since = taken(database)
    driver = driver_of(since)
    with pytest.raises(DBAPIError):
        answers(second)
    for each in (first, second, since):
        each.close()
    again = taken(database)
    assert driver_of(again) is driver
    again.close()


def test_what_is_given_back_after_the_end_is_closed(database: Database) -> None:
    late = taken(database)
    driver = driver_of(late)
    database.close()
    assert not driver.closed
    late.close()
    assert driver.closed


async def test_a_connection_that_is_being_opened_when_the_reads_end_is_closed(
    database: Database,
) -> None:
    opened: list[Any] = []
    waits, ended = threading.Event(), threading.Event()

    def hold(driver: Any, _entry: object) -> None:
        opened.append(driver)
        waits.set()
        assert ended.wait(PATIENCE_S)

    database.engine.dispose()  # none is open
    event.listen(database.engine, "connect", hold)
    reads = LoopReads(database)
    opening = asyncio.get_running_loop().create_task(reads._open())
    assert await asyncio.to_thread(waits.wait, PATIENCE_S)
    reads.close()
    database.close()
    ended.set()
    await opening
    assert opened
    assert all(driver.closed for driver in opened)

"""A connection is closed or used again, also when others are lost while it is in use."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from sqlalchemy import make_url
from tests.postgres import PostgresServer
from tests.world.waiting import PATIENCE_S

from chainteller.service.errors import ServiceUnavailable
from chainteller.storage.database import Database, connect
from chainteller.storage.db.errors import DatabaseError
from chainteller.storage.db.postgres import READING, PostgresSession
from chainteller.storage.db.query import Session, Value, built
from chainteller.storage.db.session import NUMBER
from chainteller.storage.loop import LoopReads

SESSIONS = "SELECT pid FROM pg_stat_activity WHERE datname = :name"
HARDLY_IDLE = built(
    "SELECT set_config('idle_in_transaction_session_timeout', '1ms', true) AS value", Value
)
SEVEN = built("SELECT 7 AS value", Value)


@pytest.fixture
def database(postgres_bank: str) -> Iterator[Database]:
    with closing(connect(postgres_bank)) as opened:
        yield opened


def taken(database: Database) -> PostgresSession:
    """A session that has begun."""
    session = PostgresSession(database.sessions.pool, database.sessions.shared, READING)
    assert answers(session)
    return session


def driver_of(session: PostgresSession) -> Any:
    return session.taken.driver


def answers(session: Session) -> bool:
    return bool(session.execute(SEVEN).scalar_one() == 7)


def test_a_session_that_has_not_begun_begins_on_another_connection(
    database: Database, postgres_server: PostgresServer
) -> None:
    taken(database).close()
    session = PostgresSession(database.sessions.pool, database.sessions.shared, READING)
    lost = driver_of(session)
    assert postgres_server.cut_connections(database.url)
    assert answers(session)
    assert driver_of(session) is not lost
    session.close()
    assert lost.closed


def test_those_opened_before_a_loss_are_closed_and_never_used_again(
    database: Database, postgres_server: PostgresServer
) -> None:
    lost, other, idle = [taken(database) for _ in range(3)]
    drivers = [driver_of(each) for each in (other, idle)]
    idle.close()
    assert postgres_server.cut_connections(database.url)
    with pytest.raises(DatabaseError):
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
    assert postgres_server.cut_connections(database.url)
    with pytest.raises(DatabaseError):
        answers(first)
    since = taken(database)
    driver = driver_of(since)
    with pytest.raises(DatabaseError):
        answers(second)
    for each in (first, second, since):
        each.close()
    again = taken(database)
    assert driver_of(again) is driver
    again.close()


@pytest.mark.parametrize("reason", ["administrator command", "idle-in-transaction timeout"])
def test_a_lost_connection_is_named_by_the_servers_own_reason(
    database: Database, postgres_server: PostgresServer, reason: str
) -> None:
    def read_on_a_lost_connection() -> None:
        with database.read() as session:
            answers(session)
            if reason == "administrator command":
                assert postgres_server.cut_connections(database.url)
            else:
                session.execute(HARDLY_IDLE)
            while postgres_server.say(SESSIONS, name=make_url(database.url).database):
                pass
            answers(session)

    with pytest.raises(ServiceUnavailable) as refused:
        read_on_a_lost_connection()
    assert refused.value.details["reason"] == "DISCONNECTED"
    ended = f"The database server ended the connection: terminating connection due to {reason}."
    assert refused.value.message == ended


def test_what_is_given_back_after_the_end_is_closed(database: Database) -> None:
    late = taken(database)
    driver = driver_of(late)
    database.close()
    assert not driver.closed
    late.close()
    assert driver.closed


async def test_a_connection_that_is_being_opened_when_the_reads_end_is_closed(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Any] = []
    waits, ended = threading.Event(), threading.Event()

    def hold(driver: Any) -> None:
        opened.append(driver)
        waits.set()
        assert ended.wait(PATIENCE_S)

    connecting = database.sessions.connect

    def connect() -> Any:
        driver = connecting()
        hold(driver)
        return driver

    monkeypatch.setattr(database.sessions.pool, "_connect", connect)
    reads = LoopReads(database)
    opening = asyncio.get_running_loop().create_task(reads._open())
    assert await asyncio.to_thread(waits.wait, PATIENCE_S)
    reads.close()
    database.close()
    ended.set()
    await opening
    assert opened
    assert all(driver.closed for driver in opened)


def test_a_server_that_took_over_does_not_tell_what_another_one_committed(
    database: Database,
) -> None:
    """It may have given the same number to a transaction of its own."""
    with database.write() as session:
        number = str(session.execute(built(f"SELECT {NUMBER} AS value", Value)).scalar())
        session.commit()
    assert database.has_committed(number)
    timeline, _, own = number.partition("/")
    with pytest.raises(ServiceUnavailable) as refused:
        database.has_committed(f"{int(timeline, 16) + 1:08X}/{own}")
    assert refused.value.details["reason"] == "COMMIT_UNCERTAIN"

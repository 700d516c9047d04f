"""Group commit: writes that share a commit keep their own outcomes."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from tests.world.engines import World, make_world
from tests.world.waiting import PATIENCE_S, until

from chainteller.engine.verification.full_pass import verify
from chainteller.service.errors import (
    InsufficientFunds,
    QuoteAlreadyUsed,
    ServiceError,
    ServiceUnavailable,
)
from chainteller.service.models.quotes import ExecuteRequest
from chainteller.storage.db.errors import DatabaseError
from chainteller.storage.db.group_commit import Keep, Writers
from chainteller.storage.db.query import Session
from chainteller.storage.db.sqlite import SqliteSession


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = make_world(tmp_path / "bank.db")
    made.open()
    made.deposit("900.00")
    yield made
    made.close()


@pytest.fixture
def commits(world: World, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Grows with every commit of a write transaction."""
    seen: list[float] = []

    commit = SqliteSession.commit

    def committed(session: SqliteSession) -> None:
        commit(session)
        seen.append(time.monotonic())

    monkeypatch.setattr(SqliteSession, "commit", committed)
    return seen


def all_waiting(world: World, calls: Sequence[Callable[[], Any]]) -> list[Future[Any]]:
    """Every call made while another write holds the file: the first leads alone, the rest wait
    in the order given and are then written together."""
    threads = ThreadPoolExecutor(len(calls))
    started = []
    with world.database.write():
        for number, call in enumerate(calls):
            started.append(threads.submit(call))
            until(lambda waiting=number: len(world.database.writers._queue) == waiting)  # type: ignore[misc]  # a default binds the value
            until(lambda: world.database.writers._busy)
    threads.shutdown(wait=True)
    return started


def execute(world: World, quote_id: str, key: str | None = None) -> Callable[[], Any]:
    request = ExecuteRequest(trading_account_id=world.account)
    return lambda: world.engine.execute_quote(quote_id, request, idempotency_key=key).value


def test_writes_that_wait_are_committed_at_once(world: World, commits: list[float]) -> None:
    quotes = [world.quote("10.00").id for _ in range(9)]
    commits.clear()
    done = all_waiting(world, [execute(world, quote) for quote in quotes])
    trades = [each.result().id for each in done]
    assert len(commits) == 2
    assert {trade.id for trade in world.engine.trades(world.account).data} == set(trades)
    assert verify(world.database) == ()


def test_one_that_is_refused_leaves_the_others_standing(world: World) -> None:
    fine, dear = world.quote("10.00").id, world.quote("5000.00").id
    calls = [execute(world, quote) for quote in (world.quote("10.00").id, dear, fine)]
    first, refused, last = all_waiting(world, calls)
    assert isinstance(refused.exception(), InsufficientFunds)
    assert [trade.id for trade in world.engine.trades(world.account).data] == [
        last.result().id,
        first.result().id,
    ]
    assert [row.error for row in world.engine.audit().data].count("INSUFFICIENT_FUNDS") == 1
    assert verify(world.database) == ()


def test_the_same_key_twice_in_one_group_has_one_effect(world: World) -> None:
    opening, quote = world.quote("10.00").id, world.quote("10.00").id
    _, once, again, other = all_waiting(
        world,
        [
            execute(world, opening),
            execute(world, quote, "key"),
            execute(world, quote, "key"),
            execute(world, quote, "another"),
        ],
    )
    assert once.result() == again.result()
    assert isinstance(other.exception(), QuoteAlreadyUsed)
    assert len(world.engine.trades(world.account).data) == 2


def commit(connection: Session, _number: str | None) -> None:
    connection.commit()


def insert(name: str) -> Callable[[Session, Keep], str]:
    def unit(connection: Session, keep: Keep) -> str:
        connection.execute(
            text("INSERT INTO market_control VALUES (:name, 'X', NULL, NULL)"), {"name": name}
        )
        keep(None)
        return name

    return unit


def names(world: World) -> set[str]:
    with world.database.read() as connection:
        return set(connection.execute(text("SELECT market FROM market_control")).scalars())


def test_what_one_wrote_before_it_was_refused_does_not_stay(world: World) -> None:
    def regrets(connection: Session, keep: Keep) -> str:
        insert("regretted")(connection, keep)
        raise ServiceError("Not after all.")

    def looks(connection: Session, _keep: Keep) -> str:
        connection.execute(text("INSERT INTO market_control VALUES ('looked', 'X', NULL, NULL)"))
        return "kept nothing"

    units = [insert("a"), regrets, looks, insert("b")]
    run = world.database.writers.run
    calls = [partial(run, unit, commit) for unit in units]
    a, regretted, looked, b = all_waiting(world, calls)
    assert (a.result(), looked.result(), b.result()) == ("a", "kept nothing", "b")
    assert isinstance(regretted.exception(), ServiceError)
    assert names(world) == {"a", "b"}


def test_a_commit_that_fails_fails_all_and_leaves_nothing(world: World) -> None:
    def refuse(connection: Session, _number: str | None) -> None:
        connection.rollback()
        raise DatabaseError(OSError("no space"))

    def refusing(_connection: Session, _keep: Keep) -> str:
        raise ServiceError("It rests on what another did.")

    run = world.database.writers.run
    units = [insert("a"), insert("b"), refusing, insert("c")]
    outcomes = all_waiting(world, [partial(run, unit, refuse) for unit in units])
    assert all(isinstance(each.exception(), DatabaseError) for each in outcomes)
    assert names(world) == set()
    assert run(insert("d"), commit) == "d"


def test_a_fault_in_the_middle_of_a_group_makes_each_run_alone(
    world: World, commits: list[float]
) -> None:
    def faulty(connection: Session, _keep: Keep) -> str:
        connection.execute(text("ROLLBACK"))
        connection.execute(text("SELECT * FROM no_such_table"))
        return "never"

    run = world.database.writers.run
    units = [insert("a"), insert("b"), faulty, insert("c")]
    calls = [partial(run, unit, commit) for unit in units]
    a, b, fault, c = all_waiting(world, calls)
    assert [a.result(), b.result(), c.result()] == ["a", "b", "c"]
    assert isinstance(fault.exception(), DatabaseError)
    assert names(world) == {"a", "b", "c"}
    assert len(commits) == 3


def test_nobody_is_answered_before_the_commit(world: World) -> None:
    committing, go_on, answered = threading.Event(), threading.Event(), threading.Event()

    def slowly(connection: Session, _number: str | None) -> None:
        committing.set()
        go_on.wait(PATIENCE_S)
        connection.commit()

    def tells() -> None:
        world.database.writers.run(insert("b"), slowly)
        answered.set()

    threads = ThreadPoolExecutor(2)
    with world.database.write():
        threads.submit(world.database.writers.run, insert("a"), commit)
        until(lambda: world.database.writers._busy and not world.database.writers._queue)
        threads.submit(tells)
        until(lambda: len(world.database.writers._queue) == 1)
    assert committing.wait(PATIENCE_S)
    assert not answered.is_set()
    assert names(world) == {"a"}
    go_on.set()
    assert answered.wait(PATIENCE_S)
    threads.shutdown()
    assert names(world) == {"a", "b"}


def test_one_whose_turn_does_not_come_gives_up_and_leaves_nothing(world: World) -> None:
    writers = Writers(world.database.write, patience_s=0.05)
    begun, go_on = threading.Event(), threading.Event()

    def slow(connection: Session, keep: Keep) -> str:
        begun.set()
        go_on.wait(PATIENCE_S)
        return insert("slow")(connection, keep)

    threads = ThreadPoolExecutor(1)
    written = threads.submit(writers.run, slow, commit)
    assert begun.wait(PATIENCE_S)
    with pytest.raises(ServiceUnavailable) as refused:
        writers.run(insert("late"), commit)
    assert refused.value.details["reason"] == "STORAGE_LOCKED"
    go_on.set()
    assert written.result() == "slow"
    assert names(world) == {"slow"}
    assert writers.run(insert("next"), commit) == "next"
    threads.shutdown()

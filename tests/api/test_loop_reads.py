"""Short reads of PostgreSQL on the event loop: they hold nobody up, and whatever happens to their
connections, each request is answered."""

import asyncio
import http.client
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import psycopg
import pytest
from tests.api.conftest import Answer, Caller
from tests.postgres import PostgresServer
from tests.world.bank import World, build
from tests.world.serving import served
from tests.world.waiting import PATIENCE_S

from chainteller.domain.actors import Actor
from chainteller.engine.deployment import EmbeddedDeployment
from chainteller.service.deployment import DeploymentOptions
from chainteller.service.errors import ServiceUnavailable
from chainteller.service.interface import Service
from chainteller.service.operations import MARKETS
from chainteller.storage import loop
from chainteller.storage.db.postgres import LOCK_TIMEOUT_S

WAITING = (
    "SELECT count(*) FROM pg_stat_activity "
    "WHERE datname = current_database() AND wait_event_type = 'Lock'"
)
OPEN = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
    "AND state LIKE 'idle in transaction%' AND pid <> pg_backend_pid()"
)


class Counting(EmbeddedDeployment):
    """Counts what is answered in threads."""

    in_threads = 0

    def acting_as(self, actor: Actor) -> Service:
        self.in_threads += 1
        return super().acting_as(actor)


class Bank:
    """A served bank on PostgreSQL, with a trading account."""

    def __init__(self, world: World, behind: Counting, address: str) -> None:
        self.behind = behind
        self.address = address
        self.key = world.key()
        self.call = Caller(address, self.key)
        self.account = self.call.account()
        self.trades = f"/trading-accounts/{self.account}/trades"
        self.url = world.context.database.url

    def get(self, path: str) -> Answer:
        return Caller(self.address, self.key)("GET", path)

    def until_on_the_loop(self) -> None:
        """Connections are opened when they are first needed."""
        ends = time.monotonic() + PATIENCE_S
        while time.monotonic() < ends:
            before = self.behind.in_threads
            assert self.get("/trading/markets").status == 200
            if self.behind.in_threads == before:
                return
        raise AssertionError("every read is made in a thread")

    def until(self, statement: str, wanted: int) -> None:
        ends = time.monotonic() + PATIENCE_S
        with psycopg.connect(self.url, autocommit=True) as connection:
            while time.monotonic() < ends:
                if connection.execute(statement.encode()).fetchone() == (wanted,):
                    return
        raise AssertionError(f"never {wanted}: {statement}")

    @contextmanager
    def locked(self, table: str) -> Iterator[psycopg.Connection]:
        """Nobody else reads the table, until the block ends or the transaction does."""
        with psycopg.connect(self.url) as connection:
            connection.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE".encode())
            yield connection


@pytest.fixture
def bank(postgres_bank: str) -> Iterator[Bank]:
    world = build(postgres_bank)
    behind = Counting(world.engine, DeploymentOptions("0.0.test", rate_limits=False))
    with served(behind) as address:
        made = Bank(world, behind, address)
        made.until_on_the_loop()
        yield made
    behind.stop()


def test_a_read_that_waits_holds_nobody_up(bank: Bank) -> None:
    bank.get(bank.trades)
    before = bank.behind.in_threads
    with ThreadPoolExecutor(1) as other, bank.locked("trade") as holder:
        waiting = other.submit(bank.get, bank.trades)
        bank.until(WAITING, 1)
        assert bank.behind.in_threads == before, "it waits on the loop"
        assert bank.get("/trading/markets").status == 200
        assert not waiting.done()
        holder.rollback()
        assert waiting.result(PATIENCE_S).status == 200


def test_a_lock_that_is_held_too_long_is_said_after_one_wait(bank: Bank) -> None:
    bank.get(bank.trades)
    with bank.locked("trade"):
        began, in_threads = time.monotonic(), bank.behind.in_threads
        answer = bank.get(bank.trades)
        took = time.monotonic() - began
    assert answer.status == 503
    assert answer.json["details"]["reason"] == "STORAGE_LOCKED"
    assert took > LOCK_TIMEOUT_S * 0.9
    assert bank.behind.in_threads == in_threads, "it doesn't wait again in a thread"
    assert bank.get(bank.trades).status == 200
    bank.until(OPEN, 0)


def test_more_readers_than_connections_are_all_answered(bank: Bank) -> None:
    paths = [bank.trades, "/trading/markets", f"/trading-accounts/{bank.account}/token-balances"]
    readers = loop.MOST * 4
    gate = threading.Barrier(readers, timeout=PATIENCE_S)

    def read(number: int) -> set[int]:
        gate.wait(PATIENCE_S)
        return {bank.get(paths[(number + turn) % len(paths)]).status for turn in range(20)}

    with ThreadPoolExecutor(readers) as crowd:
        found = list(crowd.map(read, range(readers)))
    assert found == [{200}] * readers
    bank.until(OPEN, 0)


def test_connections_that_the_server_ends_are_replaced_unseen(
    bank: Bank, postgres_server: PostgresServer
) -> None:
    for _ in range(3):
        assert postgres_server.cut_connections(bank.url)
        for _ in range(5):
            assert bank.get(bank.trades).status == 200
        bank.until_on_the_loop()


def test_a_client_that_leaves_takes_nothing_with_it(bank: Bank) -> None:
    for _ in range(loop.MOST + 2):
        with bank.locked("trade") as holder:
            leaving = http.client.HTTPConnection(bank.address.removeprefix("http://"))
            headers = {"Authorization": f"Bearer {bank.key}"}
            leaving.request("GET", bank.trades, headers=headers)
            bank.until(WAITING, 1)
            leaving.close()
            holder.rollback()
        bank.until(WAITING, 0)
    assert bank.get(bank.trades).status == 200
    bank.until_on_the_loop()
    bank.until(OPEN, 0)


def test_refusals_are_those_of_threads_and_leave_nothing_open(bank: Bank) -> None:
    unknown = "TXN_AAAAAAAAAAAAAAAAAAAAAA"
    before = bank.behind.in_threads
    for _ in range(3):
        answer = bank.get(f"{bank.trades}/{unknown}")
        assert (answer.status, answer.json["details"]["resource"]) == (404, "trade")
        assert bank.get("/trading-accounts/TDA_AAAAAAAAAAAAAAAAAAAAAA/trades").status == 404
        assert bank.get("/trading/markets/xyz-usd").status == 404
    assert bank.behind.in_threads == before
    bank.until(OPEN, 0)


async def test_a_loop_that_cannot_watch_a_connection_leaves_reads_to_threads(
    postgres_bank: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the default one of Windows."""
    world = build(postgres_bank)
    behind = EmbeddedDeployment(world.engine, DeploymentOptions("0.0.test"))
    loop = asyncio.get_running_loop()

    def unable(*_: object) -> None:
        raise NotImplementedError

    monkeypatch.setattr(loop, "add_reader", unable)
    for _ in range(3):
        tasks = asyncio.all_tasks()
        assert await behind.at_once(Actor(), MARKETS, lambda service: service.markets()) is None
        for opening in asyncio.all_tasks() - tasks:
            await opening
    assert world.context.database.sessions.pool.used == 0
    behind.stop()


def test_a_package_that_is_missing_is_named(
    postgres_bank: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = build(postgres_bank)
    monkeypatch.delitem(sys.modules, "chainteller.storage.loop")
    monkeypatch.delattr("chainteller.storage.loop")
    monkeypatch.setitem(sys.modules, "greenlet", None)
    with pytest.raises(ServiceUnavailable) as refused:
        EmbeddedDeployment(world.engine, DeploymentOptions("0.0.test"))
    assert refused.value.details["reason"] == "DRIVER_MISSING"
    assert "greenlet" in refused.value.message
    world.engine.close()

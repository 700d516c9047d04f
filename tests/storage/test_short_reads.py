"""Short reads see what others see, never wait, and never write."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest
from tests.world.engines import World, make_world
from tests.world.waiting import PATIENCE_S

from chainteller.engine.engine import Engine
from chainteller.service.errors import NotFound, ServiceUnavailable
from chainteller.service.interface import Service
from chainteller.sqlite import WAL_IS_SAFE, sqlite3
from chainteller.storage.database import Unwaiting
from chainteller.storage.db import sqlite
from chainteller.storage.db.faults import NotAtOnce
from chainteller.storage.db.query import built
from chainteller.storage.db.sqlite import BUSY_TIMEOUT_MS, SqliteSession


@pytest.fixture
def world(
    tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[World]:
    """In WAL mode where that is safe; a test may want the other one."""
    if getattr(request, "param", "") == "TRUNCATE":
        monkeypatch.setattr(sqlite, "WAL_IS_SAFE", False)
    made = make_world(tmp_path / "bank.db")
    made.open()
    made.deposit("900.00")
    for _ in range(25):
        made.buy("2.00")
    made.settle()
    made.buy("3.00")
    yield made
    made.close()


@pytest.fixture
def short(world: World) -> Iterator[Engine]:
    assert world.database.path is not None
    reads = Unwaiting(world.database, world.database.path)
    yield Engine(replace(world.context, database=reads))
    reads.close()


def when_committed(monkeypatch: pytest.MonkeyPatch, committing: Callable[[], None]) -> None:
    """Call something right before the next commit."""
    commit, once = SqliteSession.commit, [committing]

    def commits(session: SqliteSession) -> None:
        while once:
            once.pop()()
        commit(session)

    monkeypatch.setattr(SqliteSession, "commit", commits)


def test_they_answer_what_the_others_answer(world: World, short: Engine) -> None:
    account, trade = world.account, world.engine.trades(world.account).data[0]
    deposit = world.engine.deposits(account).data[0]
    questions: tuple[Callable[[Service], object], ...] = (
        lambda service: service.trades(account),
        lambda service: service.trade(account, trade.id),
        lambda service: service.quote(str(trade.quote_id)),
        lambda service: service.token_balances(account),
        lambda service: service.token_balances(account, include_zero=True),
        lambda service: service.deposit_record(account, deposit.id),
        lambda service: service.markets(),
        lambda service: service.market("sol-usd"),
        lambda service: service.capabilities(),
        lambda service: service.trading_account(account),
        lambda service: service.trading_accounts(),
        lambda service: service.customers(),
        lambda service: service.limits(account),
        lambda service: service.deposits(account),
        lambda service: service.withdrawals(account),
        lambda service: service.transactions(account),
        lambda service: service.all_transfers(),
        lambda service: service.all_trades(),
        lambda service: service.quotes(),
        lambda service: service.prices("sol-usd"),
        lambda service: service.counterparties(),
        lambda service: service.blockchain_accounts(),
        lambda service: service.events(),
        lambda service: service.audit(),
    )
    for ask in questions:
        assert ask(short) == ask(world.engine)


def test_they_see_a_write_once_it_is_committed(world: World, short: Engine) -> None:
    before = short.trades(world.account).pagination.total
    trade = world.buy("4.00")
    assert short.trades(world.account).pagination.total == before + 1
    assert short.trade(world.account, trade.id).status == "processing"
    world.settle()
    assert short.trade(world.account, trade.id).status == "settled"


@pytest.mark.parametrize("world", ["TRUNCATE"], indirect=True)
def test_a_lock_in_the_way_is_told_at_once(world: World, short: Engine) -> None:
    assert short.trades(world.account).data
    with closing(sqlite3.connect(str(world.database.path), isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        began = time.monotonic()
        with pytest.raises(ServiceUnavailable):
            short.trades(world.account)
        assert time.monotonic() - began < BUSY_TIMEOUT_MS / 1000, "others wait as long"
        other.execute("ROLLBACK")
    assert short.trades(world.account).data


@pytest.mark.skipif(not WAL_IS_SAFE, reason="WAL isn't used with this SQLite")
def test_in_wal_reads_go_on_while_somebody_writes_and_commits(
    world: World, short: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = world.engine.trades(world.account)
    seen: list[object] = []

    def committing() -> None:
        seen.extend((short.trades(world.account), world.engine.trades(world.account)))

    with closing(sqlite3.connect(str(world.database.path), isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        other.execute("UPDATE trade SET version = version + 1")
        assert short.trades(world.account) == before
        other.execute("ROLLBACK")
    when_committed(monkeypatch, committing)
    bought = world.buy("4.00")
    assert seen == [before, before]
    assert short.trades(world.account).data[0].id == bought.id


@pytest.mark.parametrize("world", ["TRUNCATE"], indirect=True)
def test_while_this_process_commits_short_reads_fail_and_others_wait(
    world: World, short: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = world.engine.trades(world.account)
    seen: list[object] = []

    def committing() -> None:
        with pytest.raises(NotAtOnce):
            short.trades(world.account)
        waiting.start()
        seen.append(waiting.is_alive())

    waiting = Thread(target=lambda: seen.append(world.engine.trades(world.account)))
    when_committed(monkeypatch, committing)
    world.deposit("1.00")
    waiting.join(PATIENCE_S)
    assert seen == [True, before]
    assert short.trades(world.account) == before


def test_a_refusal_leaves_no_lock_behind(world: World, short: Engine) -> None:
    with pytest.raises(NotFound):
        short.trade(world.account, "TXN_0000000000000000000000")
    assert world.buy("4.00").status == "processing"


def test_they_cannot_write(short: Engine) -> None:
    with (
        pytest.raises(ServiceUnavailable),
        short.context.database.read() as connection,
    ):
        connection.execute(built("DELETE FROM log", None))


def test_a_file_that_was_removed_is_not_read_on(world: World, short: Engine) -> None:
    assert short.trades(world.account).data
    assert world.database.path is not None
    world.database.path.unlink()
    with pytest.raises(ServiceUnavailable) as refused:
        short.trades(world.account)
    assert refused.value.details["reason"] == "STORAGE_REMOVED"

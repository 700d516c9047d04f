"""Short reads see what others see, never wait, and never write."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest
from sqlalchemy import Connection, event
from tests.world.engines import World, make_world

from chainteller.engine.engine import Engine
from chainteller.service.errors import NotFound, ServiceUnavailable
from chainteller.service.interface import Service
from chainteller.sqlite import WAL_IS_SAFE, sqlite3
from chainteller.storage import database
from chainteller.storage.short_reads import ShortReads


@pytest.fixture
def world(
    tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[World]:
    """In WAL mode where that is safe; a test may want the other one."""
    if getattr(request, "param", "") == "TRUNCATE":
        monkeypatch.setattr(database, "WAL_IS_SAFE", False)
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
    reads = ShortReads(world.database)
    yield Engine(replace(world.context, database=reads))
    reads.close()


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


def test_nothing_is_read_twice_until_somebody_commits(world: World, short: Engine) -> None:
    first = short.trades(world.account)
    with short.context.database.read() as connection:
        plain = connection.connection
    asked: list[str] = []
    plain.set_trace_callback(asked.append)
    assert short.trades(world.account) == first
    assert asked == ["PRAGMA data_version"]
    with closing(sqlite3.connect(str(world.database.path))) as other:
        other.execute("UPDATE trade SET version = version + 1 WHERE id = ?", (first.data[0].id,))
        assert short.trades(world.account) == first
        other.rollback()
        assert short.trades(world.account) == first
        other.execute("UPDATE trade SET version = version + 1 WHERE id = ?", (first.data[0].id,))
        other.commit()
    asked.clear()
    assert short.trades(world.account).data[0].version == (first.data[0].version or 0) + 1
    assert any(line.startswith("SELECT") for line in asked)


def test_an_answer_is_made_again_if_a_row_of_it_changed_and_only_then(
    world: World, short: Engine
) -> None:
    account, trade = world.account, world.engine.trades(world.account).data[7]
    changes = {
        "UPDATE trade SET version = version + 1 WHERE id = :trade": True,
        "UPDATE trading_account SET version = version + 1 WHERE id = :account": True,
        "UPDATE customer SET name = 'Another'": True,
        "UPDATE bank_account SET balance = balance + 1": False,
        "UPDATE trade SET version = version + 1 WHERE ordinal <= 5": False,
        "UPDATE trade SET failure_code = 'A', failure_message = 'B' WHERE id = :trade": True,
        "UPDATE trade SET failure_code = NULL WHERE id = :trade": True,
        "UPDATE trading_account SET trade_count = trade_count - 1 WHERE id = :account": True,
        "DELETE FROM trade WHERE id = :trade": True,
    }
    for change, matters in changes.items():
        first = short.trades(account)
        assert short.trades(account) is first
        with closing(sqlite3.connect(str(world.database.path))) as other:
            other.execute(change, {"trade": trade.id, "account": account})
            other.commit()
        now = short.trades(account)
        assert (now is not first) is matters, change
        assert now == world.engine.trades(account), change


@pytest.mark.parametrize("world", ["TRUNCATE"], indirect=True)
def test_a_lock_in_the_way_is_told_at_once(world: World, short: Engine) -> None:
    assert short.trades(world.account).data
    with closing(sqlite3.connect(str(world.database.path), isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        began = time.monotonic()
        with pytest.raises(ServiceUnavailable):
            short.trades(world.account)
        assert time.monotonic() - began < 1
        other.execute("ROLLBACK")
    assert short.trades(world.account).data


@pytest.mark.skipif(not WAL_IS_SAFE, reason="WAL isn't used with this SQLite")
def test_in_wal_reads_go_on_while_somebody_writes_and_commits(world: World, short: Engine) -> None:
    before = world.engine.trades(world.account)
    seen: list[object] = []

    def committing(_connection: Connection) -> None:
        seen.extend((short.trades(world.account), world.engine.trades(world.account)))

    with closing(sqlite3.connect(str(world.database.path), isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        other.execute("UPDATE trade SET version = version + 1")
        assert short.trades(world.account) == before
        other.execute("ROLLBACK")
    event.listen(world.database.engine, "commit", committing, once=True)
    bought = world.buy("4.00")
    assert seen == [before, before]
    assert short.trades(world.account).data[0].id == bought.id


@pytest.mark.parametrize("world", ["TRUNCATE"], indirect=True)
def test_while_this_process_commits_short_reads_fail_and_others_wait(
    world: World, short: Engine
) -> None:
    before = world.engine.trades(world.account)
    seen: list[object] = []

    def committing(_connection: Connection) -> None:
        with pytest.raises(ServiceUnavailable):
            short.trades(world.account)
        waiting.start()
        seen.append(waiting.is_alive())

    waiting = Thread(target=lambda: seen.append(world.engine.trades(world.account)))
    event.listen(world.database.engine, "commit", committing, once=True)
    world.deposit("1.00")
    waiting.join(10)
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
        connection.connection.execute("DELETE FROM head")


def test_a_file_that_was_removed_is_not_read_on(world: World, short: Engine) -> None:
    assert short.trades(world.account).data
    assert world.database.path is not None
    world.database.path.unlink()
    with pytest.raises(ServiceUnavailable) as refused:
        short.trades(world.account)
    assert refused.value.details["reason"] == "STORAGE_REMOVED"

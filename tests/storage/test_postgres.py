"""PostgreSQL under the engine: lost connections, locks, clocks, poolers."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import make_url, text
from tests.cutting import CuttingProxy
from tests.postgres import PostgresServer, start_bundled
from tests.world.bank import World, build
from tests.world.files import KEYS, sealed
from tests.world.samples import load, new_bank
from tests.world.serving import deployment
from tests.world.waiting import PATIENCE_S

from chainteller.domain.clock import SECOND, ManualClock, SystemClock
from chainteller.engine.upkeep import due
from chainteller.engine.upkeep.worker import Worker
from chainteller.engine.verification.full_pass import verify
from chainteller.service.errors import (
    IdempotencyInProgress,
    InsufficientFunds,
    ServiceUnavailable,
)
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.funding import Currency, DepositRequest
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.storage.database import open_database
from chainteller.storage.db import postgres
from chainteller.storage.db.query import Value, built
from chainteller.storage.db.records import Tables
from chainteller.storage.log.rows import Writer
from chainteller.storage.queries import jobs, trades

TOKEN = Currency(type="deposit-token-currency", id="DPT_USD")


@pytest.fixture
def world(own_postgres_bank: str) -> Iterator[World]:
    made = build(own_postgres_bank)
    yield made
    assert verify(made.context.database) == ()
    made.engine.close()


@pytest.fixture
def cutter(own_postgres_bank: str) -> Iterator[CuttingProxy]:
    proxy = CuttingProxy(own_postgres_bank)
    yield proxy
    proxy.close()


@pytest.fixture
def cut_world(cutter: CuttingProxy) -> Iterator[World]:
    made = build(cutter.url)
    yield made
    assert verify(made.context.database) == ()
    made.engine.close()


def opened(world: World, number: int = 1) -> str:
    request = OpenTradingAccount(bank_account_id=f"DDA-{number}", bank_account_type="checking")
    return world.engine.open_trading_account(request).value.id


def deposit(world: World, account_id: str, amount: str = "10.00", key: str | None = None) -> None:
    request = DepositRequest(amount=amount, currency=TOKEN)
    world.engine.deposit(account_id, request, idempotency_key=key)


def _quoted(world: World, order: QuoteRequest, key: str) -> str:
    return world.engine.create_quote("sol-usd", order, idempotency_key=key).value.id


def _executed(world: World, quote_id: str, request: ExecuteRequest, key: str) -> None:
    world.engine.execute_quote(quote_id, request, idempotency_key=key)


def balance(world: World, account_id: str) -> str:
    return world.engine.token_balances(account_id).data[0].amount


def test_a_dropped_idle_connection_is_replaced_unseen(
    world: World, postgres_server: PostgresServer, own_postgres_bank: str
) -> None:
    account_id = opened(world)
    assert postgres_server.cut_connections(own_postgres_bank) > 0
    deposit(world, account_id)
    assert postgres_server.cut_connections(own_postgres_bank) > 0
    assert balance(world, account_id) == "10.00"


def test_a_write_takes_at_most_five_round_trips(cut_world: World, cutter: CuttingProxy) -> None:
    account_id = opened(cut_world)
    deposit(cut_world, account_id, "500.00")
    order = QuoteRequest(amount="10.00", side="buy", trading_account_id=account_id)
    execution = ExecuteRequest(trading_account_id=account_id)
    quotes: list[str] = []
    writes: dict[str, Callable[[str], object]] = {
        "deposit": lambda key: deposit(cut_world, account_id, key=key),
        "quote": lambda key: quotes.append(_quoted(cut_world, order, key)),
        "execute": lambda key: _executed(cut_world, quotes.pop(), execution, key),
    }
    took: dict[str, int] = {}
    for number in range(4):
        for name, write in writes.items():
            before = cutter.round_trips
            write(f"{name}-{number}")
            took[name] = cutter.round_trips - before
    assert max(took.values()) <= 5, took
    assert min(took.values()) >= 3, "none is counted twice"


@pytest.mark.forms(2)
@pytest.mark.parametrize("word", ["INSERT INTO transfer", "INSERT INTO journal", "INTO entry"])
@pytest.mark.parametrize("where", ["before", "after"])
def test_a_write_cut_before_its_commit_runs_again_once(
    cut_world: World, cutter: CuttingProxy, word: str, where: str
) -> None:
    account_id = opened(cut_world)
    cut_world.context.database.sessions.pool.close()  # what is prepared has no words
    cutter.cut_at(word, where)  # type: ignore[arg-type]  # both words are in the parameters
    deposit(cut_world, account_id)
    assert cutter.cuts == 1
    assert balance(cut_world, account_id) == "10.00"
    assert len(cut_world.engine.deposits(account_id).data) == 1


@pytest.mark.forms(1)
@pytest.mark.parametrize("key", [None, "once"])
@pytest.mark.parametrize("where", ["before", "after"])
def test_a_commit_without_an_answer_is_looked_up_and_has_one_effect(
    cut_world: World, cutter: CuttingProxy, where: str, key: str | None
) -> None:
    account_id = opened(cut_world)
    cut_world.context.database.sessions.pool.close()
    cutter.cut_at("COMMIT\0", where)  # type: ignore[arg-type]  # both words are in the parameters
    deposit(cut_world, account_id, key=key)
    assert cutter.cuts == 1
    assert balance(cut_world, account_id) == "10.00"
    assert len(cut_world.engine.deposits(account_id).data) == 1


def test_a_refusal_cut_while_it_is_recorded_is_recorded_once(
    cut_world: World, cutter: CuttingProxy
) -> None:
    account_id = opened(cut_world)
    cutter.cut_at("INTO audit", "before")
    with pytest.raises(InsufficientFunds):
        deposit(cut_world, account_id, "1000000000.00")
    refused = [row for row in cut_world.engine.audit().data if row.outcome == "refused"]
    assert [row.error for row in refused] == ["INSUFFICIENT_FUNDS"]


def test_a_database_that_takes_no_writes_is_not_ready_and_reads_go_on(
    world: World, postgres_server: PostgresServer, own_postgres_bank: str
) -> None:
    account_id = opened(world)
    health, name = deployment(world).health, make_url(own_postgres_bank).database
    assert health().ready
    postgres_server.say(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
    postgres_server.cut_connections(own_postgres_bank)
    assert (health().ready, health().checks["database"]) == (False, "STORAGE_READ_ONLY")
    with pytest.raises(ServiceUnavailable) as refused:
        deposit(world, account_id)
    assert refused.value.details["reason"] == "STORAGE_READ_ONLY"
    assert len(world.engine.deposits(account_id).data) == 0
    postgres_server.say(f'ALTER DATABASE "{name}" RESET default_transaction_read_only')
    postgres_server.cut_connections(own_postgres_bank)
    assert health().ready
    deposit(world, account_id)


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_of_another_encoding_is_refused_by_name(
    postgres_server: PostgresServer, encoding: str
) -> None:
    url = make_url(postgres_server.fresh())
    name = f"{url.database}_{encoding}"
    postgres_server.say(
        f"CREATE DATABASE \"{name}\" ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0"
    )
    try:
        with pytest.raises(ServiceUnavailable) as refused:
            open_database(url.set(database=name).render_as_string(hide_password=False), KEYS)
    finally:
        postgres_server.say(f'DROP DATABASE "{name}" WITH (FORCE)')
    assert refused.value.details["reason"] == "ENCODING"
    assert encoding in refused.value.message


def test_a_server_that_goes_away_is_named_and_one_that_comes_back_is_used() -> None:
    server = start_bundled()
    try:
        world = build(PostgresServer(server.url).fresh())
        account_id = opened(world)
        health = deployment(world).health
        assert health().ready
        server.stop()
        for _ in range(2):
            with pytest.raises(ServiceUnavailable) as refused:
                deposit(world, account_id)
            assert refused.value.details["reason"] == "DISCONNECTED"
        assert (health().ready, health().checks["database"]) == (False, "DISCONNECTED")
        server.start()
        deposit(world, account_id)
        assert health().ready
        assert balance(world, account_id) == "10.00"
        world.engine.close()
    finally:
        server.remove()


def test_the_sample_data_is_loaded_however_long_it_is_drawn(
    own_postgres_bank: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = "SELECT set_config('idle_in_transaction_session_timeout', '50ms', true)"
    bank = new_bank(own_postgres_bank)
    monkeypatch.setattr(postgres, "WRITING", (postgres.WRITING[0], limits))
    assert load(bank)
    bank.database.close()


def test_a_transaction_leaves_nothing_in_its_session(world: World) -> None:
    account_id = opened(world)
    for number in range(12):
        deposit(world, account_id, key=f"k{number}")
        world.engine.trades(account_id)
    with world.context.database.look() as connection:
        raw = connection.driver.cursor()
        for setting in ("lock_timeout", "statement_timeout", "default_transaction_isolation"):
            raw.execute("SELECT setting = reset_val FROM pg_settings WHERE name = %s", (setting,))
            assert raw.fetchone() == (True,)
        raw.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")
        assert raw.fetchone() == (0,)


def test_what_verification_reads_is_fetched_in_parts(world: World) -> None:
    """A cursor whose rows were all fetched is closed."""
    open_cursors = text("SELECT count(*) FROM pg_cursors WHERE name <> ''")
    with world.context.database.read(patient=True) as connection:
        rows = connection.stream(built("SELECT generate_series(1, 20000)", Value))
        assert next(rows) == (1,)
        assert connection.execute(open_cursors).scalar() == 1
        assert sum(1 for _ in rows) == 19_999
        assert connection.execute(open_cursors).scalar() == 0


def test_a_duplicate_waits_for_the_first_but_not_for_ever(world: World) -> None:
    account_id = opened(world)
    request = DepositRequest(amount="10.00", currency=TOKEN)
    outcome = {
        "organisation_id": "default",
        "operation": "deposit",
        "key": "same",
        "fingerprint": "",
        "created_record": True,
        "body": "{}",
        "at": 0,
    }
    with world.context.database.write() as first:
        Writer(first).insert(Tables.idempotency, [outcome])
        first.flush()
        with pytest.raises(IdempotencyInProgress):
            world.engine.deposit(account_id, request, idempotency_key="same")
        first.rollback()
    assert not world.engine.deposit(account_id, request, idempotency_key="same").replayed
    assert world.engine.deposit(account_id, request, idempotency_key="same").replayed
    assert balance(world, account_id) == "10.00"


@pytest.mark.slow
def test_a_lock_that_is_held_too_long_is_no_lost_connection(world: World) -> None:
    account_id = opened(world)
    with world.context.database.write() as other:
        other.execute(text("SELECT 1 FROM trading_account FOR UPDATE"))
        with pytest.raises(ServiceUnavailable) as refused:
            deposit(world, account_id)
    assert refused.value.details["reason"] == "STORAGE_LOCKED"


def test_the_server_s_clock_decides_for_every_engine(own_postgres_bank: str) -> None:
    class Fast(SystemClock):
        def now(self) -> int:
            return super().now() + 3_600 * SECOND

    one, two = build(own_postgres_bank, clock=SystemClock()), build(own_postgres_bank, clock=Fast())
    earlier = one.engine.now()
    apart = two.engine.now() - earlier
    assert 0 <= apart < 60 * SECOND
    quote = two.engine.create_quote("sol-usd", QuoteRequest(amount="100.00", side="buy")).value
    assert one.engine.quote(quote.id).status == "open"
    for each in (one, two):
        each.engine.close()


def test_time_never_runs_back_when_the_server_s_clock_does(own_postgres_bank: str) -> None:
    ahead = build(own_postgres_bank, clock=ManualClock(SystemClock().now() + 3_600 * SECOND))
    opened(ahead)
    late = build(own_postgres_bank, clock=SystemClock())
    assert late.engine.now() >= ahead.engine.now()
    for each in (ahead, late):
        each.engine.close()


def test_two_workers_never_do_a_job_twice(own_postgres_bank: str) -> None:
    world = build(own_postgres_bank)
    account_id = opened(world)
    deposit(world, account_id, "50000.00")
    trades = []
    for _ in range(24):
        quote = world.engine.create_quote(
            "sol-usd", QuoteRequest(amount="100.00", side="buy")
        ).value
        request = ExecuteRequest(trading_account_id=account_id)
        trades.append(world.engine.execute_quote(quote.id, request).value.id)
    others = [build(own_postgres_bank, clock=world.clock) for _ in range(3)]
    for _ in range(2):
        if world.clock is not None:
            world.clock.advance(60 * SECOND)
        start = threading.Barrier(len(others), timeout=PATIENCE_S)

        def drain(each: World, start: threading.Barrier = start) -> int:
            start.wait()
            return due.run(each.context, 1_000)

        with ThreadPoolExecutor(len(others)) as pool:
            assert sum(pool.map(drain, others)) == len(trades)
    assert {world.engine.trade(account_id, each).status for each in trades} == {"settled"}
    assert verify(world.context.database) == ()
    for each in (world, *others):
        each.engine.close()


def _bought(world: World, number: int = 1) -> str:
    """A trade of a new account that is to be filled."""
    account_id = opened(world, number)
    deposit(world, account_id, "500.00")
    quote = world.engine.create_quote("sol-usd", QuoteRequest(amount="100.00", side="buy")).value
    request = ExecuteRequest(trading_account_id=account_id)
    return world.engine.execute_quote(quote.id, request).value.id


def _filled(world: World, trade_id: str) -> bool:
    """Whether a worker fills the trade, which nobody reads: that would fill it, too."""

    def status() -> str:
        with world.context.database.read() as session:
            found = trades.find_any(session, trade_id)
        return "" if found is None else str(found.status)

    if world.clock is not None:
        world.clock.advance(30 * SECOND)
    worker = Worker(world.context)
    worker.start()
    for _ in range(100):
        if status() != "processing":
            break
        threading.Event().wait(0.05)
    worker.stop()
    return status() == "executed"


def test_work_that_fails_holds_up_no_other_work(world: World) -> None:
    trade_id = _bought(world)
    with sealed(world.context.database) as rows:
        jobs.schedule(rows, "trade.fill", "TXN_NOTHING", 0)
    assert _filled(world, trade_id)


def _execute(world: World, statement: str) -> None:
    with world.context.database.write() as session:
        session.execute(built(statement, Value))
        session.commit()


def test_work_that_the_database_refuses_holds_up_no_other_work(world: World) -> None:
    refused = _bought(world)
    of_refused = f"id = '{refused}' AND status <> 'processing'"
    fails = f"CREATE INDEX fails ON trade ((1 / CASE WHEN {of_refused} THEN 0 ELSE 1 END))"
    _execute(world, fails)
    assert _filled(world, _bought(world, 3))
    _execute(world, "DROP INDEX fails")


def test_many_processes_may_create_the_schema_at_once(postgres_url: str) -> None:
    with ThreadPoolExecutor(6) as pool:
        databases = list(pool.map(lambda _: open_database(postgres_url, KEYS), range(6)))
    assert verify(databases[0]) == ()
    for each in databases:
        each.close()


def test_a_url_with_several_hosts_uses_the_one_that_answers(cutter: CuttingProxy) -> None:
    found = make_url(cutter.url)
    build(cutter.url).engine.close()
    listed = f"127.0.0.1:1,{found.host}:{found.port}"
    several = cutter.url.replace(f"{found.host}:{found.port}", listed)
    world = build(f"{several}{'&' if '?' in several else '?'}target_session_attrs=read-write")
    assert len(world.engine.markets().data) > 1
    world.engine.close()

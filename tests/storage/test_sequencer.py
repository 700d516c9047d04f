"""The sequencer on PostgreSQL: writes leave unnumbered records, and every number comes in order."""

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import func, make_url, select, text
from tests.postgres import PostgresServer, start_bundled
from tests.world.bank import World, build
from tests.world.serving import deployment

from chainteller.engine.verification import verify
from chainteller.service.errors import ServiceUnavailable
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.funding import Currency, DepositRequest
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.service.models.records import Event
from chainteller.storage import sequencer
from chainteller.storage.database import Database, open_database
from chainteller.storage.sequencer import Sequencer
from chainteller.storage.tables import Tables

TOKEN = Currency(type="deposit-token-currency", id="DPT_USD")
_ROOT = Path(__file__).parents[2]


@pytest.fixture
def world(postgres_url: str) -> Iterator[World]:
    made = build(postgres_url)
    yield made
    assert verify(made.context.database) == ()
    made.engine.close()


@contextmanager
def unnumbered(world: World) -> Iterator[None]:
    """Writes leave numbering to a thread that doesn't run, as between commit and sequencer."""
    backlog = world.context.database.backlog
    backlog.has_sequencer = True
    yield
    backlog.has_sequencer = False


def opened(world: World, number: int = 1) -> str:
    request = OpenTradingAccount(bank_account_id=f"DDA-{number}", bank_account_type="checking")
    return world.engine.open_trading_account(request).value.id


def deposit(world: World, account_id: str, amount: str = "10.00") -> None:
    world.engine.deposit(account_id, DepositRequest(amount=amount, currency=TOKEN))


def quote(world: World) -> str:
    return world.engine.create_quote("sol-usd", QuoteRequest(amount="100", side="buy")).value.id


def waiting(database: Database) -> int:
    with database.look() as connection:
        statement = select(func.count()).select_from(Tables.unnumbered)
        return connection.execute(statement).scalar_one()


def events(world: World, after: int = 0) -> tuple[Event, ...]:
    return world.engine.events(after, 1_000).data


def core(world: World) -> int:
    with world.context.database.look() as connection:
        found = connection.execute(
            text("SELECT sum(balance) FROM ledger_account WHERE code='core'")
        )
        return int(found.scalar_one() or 0)


def test_a_write_without_a_sequencer_is_numbered_before_it_returns(world: World) -> None:
    made = quote(world)
    assert waiting(world.context.database) == 0
    assert [each.resource for each in events(world)] == [made]
    assert [each.object for each in world.engine.audit().data] == [made]


def test_what_is_not_numbered_yet_is_done_and_numbered_by_the_next(world: World) -> None:
    account = opened(world)
    before, numbered = core(world), len(events(world))
    with unnumbered(world):
        deposit(world, account, "10.00")
        made = quote(world)
    assert world.engine.token_balances(account).data[0].amount == "10.00"
    assert world.engine.quote(made).status == "open"
    assert waiting(world.context.database) == 2
    assert core(world) == before, "the bank's side is posted with the numbers"
    assert len(events(world)) == numbered
    deposit(world, account, "5.00")
    assert waiting(world.context.database) == 0
    assert abs(core(world) - before) > 0
    found = events(world)
    assert [each.seq for each in found] == [*range(1, len(found) + 1)]
    kinds = [each.type for each in found[numbered:]]
    assert kinds.index("quote.created") < len(kinds) - 1 - kinds[::-1].index("deposit.completed")


def test_verification_numbers_what_is_committed_first(world: World) -> None:
    account = opened(world)
    with unnumbered(world):
        deposit(world, account)
        assert waiting(world.context.database) == 1
        assert verify(world.context.database) == ()
        assert waiting(world.context.database) == 0


def test_an_open_transaction_holds_up_no_number(world: World) -> None:
    """Neither one that has put something on record, nor one that only holds an account's lock."""
    database, account = world.context.database, opened(world)
    with database.write() as other:
        other.execute(text("SELECT 1 FROM trading_account FOR UPDATE"))
        other.execute(
            text("INSERT INTO unnumbered (organisation_id, written, body) VALUES ('x', 0, '{}')")
        )
        made = quote(world)
        assert events(world)[-1].resource == made
        assert sequencer.delay(database).waiting == 0
        other.rollback()
    deposit(world, account)


def test_a_sleeping_writer_in_another_database_holds_up_no_number(
    world: World, postgres_server: PostgresServer
) -> None:
    elsewhere = open_database(postgres_server.fresh())
    with elsewhere.write() as sleeping:
        sleeping.execute(text("UPDATE organisation SET name = 'asleep'"))
        made = quote(world)
        assert events(world)[-1].resource == made
        sleeping.rollback()
    elsewhere.close()


def test_a_delay_names_the_transaction_that_causes_it(world: World) -> None:
    database = world.context.database
    served = deployment(world)
    with database.write() as other:
        other.execute(text("SET LOCAL application_name = 'an operator'"))
        other.execute(text("SELECT 1 FROM head FOR UPDATE"))
        with unnumbered(world):
            made = quote(world)
        with database.write() as older:
            older.execute(text("UPDATE unnumbered SET written = written - 9000000"))
            older.commit()
        late = sequencer.delay(database)
        assert (late.waiting, late.seconds > 8) == (1, True)
        assert "(an operator)" in late.blocked_by
        health = served.health()
        assert health.ready
        assert health.numbering_delay_s > 8
        assert health.checks["numbering"].endswith("(an operator) blocks them")
        other.rollback()
    assert sequencer.catch_up(database)
    assert served.health().checks == {"database": "ok"}
    assert events(world)[-1].resource == made


def test_readers_see_every_event_once_and_in_order_while_many_write(postgres_url: str) -> None:
    """Two engines with their sequencers; customers of their own, and one that all share."""
    worlds = [build(postgres_url), build(postgres_url)]
    shared = opened(worlds[0], 19)
    own = [opened(worlds[0], number) for number in range(1, 9, 2)]
    over = threading.Event()
    seen: list[int] = []
    breaches: list[object] = []

    def read() -> None:
        seen.extend(each.seq for each in events(worlds[1], seen[-1] if seen else 0))

    def check() -> None:
        breaches.extend(verify(worlds[0].context.database))

    def work(number: int) -> None:
        for _ in range(6):
            deposit(worlds[number % 2], own[number], "1.00")
            deposit(worlds[number % 2], shared, "2.00")
            quote(worlds[number % 2])

    with sequencing(*worlds), ThreadPoolExecutor(len(own) + 2) as pool:
        besides = [
            pool.submit(repeated, read, over),
            pool.submit(
                repeated, lambda: breaches.extend(verify(worlds[0].context.database)), over
            ),
        ]
        try:
            list(pool.map(work, range(len(own))))
        finally:
            over.set()
        rounds = [each.result() for each in besides]
    read()
    assert all(rounds)
    everything = [each.seq for each in events(worlds[0])]
    assert seen == everything == [*range(1, len(everything) + 1)]
    assert breaches == [*verify(worlds[0].context.database)] == []
    assert worlds[0].engine.token_balances(shared).data[0].amount == "48.00"
    for world in worlds:
        world.engine.close()


@contextmanager
def sequencing(*worlds: World) -> Iterator[None]:
    """Each engine has the thread that a server has."""
    threads = [Sequencer(each.context.database) for each in worlds]
    for each in threads:
        each.start()
    yield
    for each in threads:
        each.stop()


def repeated(work: Callable[[], None], over: threading.Event) -> int:
    rounds = 0
    while not over.is_set():
        work()
        rounds += 1
    return rounds


def test_an_account_of_the_bank_below_zero_is_named_and_loses_no_more(world: World) -> None:
    account, database = opened(world), world.context.database
    deposit(world, account, "100.00")
    request = QuoteRequest(amount="50.00", side="buy", trading_account_id=account)
    bought = world.engine.create_quote("sol-usd", request).value
    trade = world.engine.execute_quote(bought.id, ExecuteRequest(trading_account_id=account)).value
    taken = 10**9
    take(database, taken)
    assert {each.where for each in verify(database) if each.invariant == 2} == {
        "custody BUSD1@bank"
    }
    with sequencing(world):
        pass
    assert deployment(world).health().checks["ledger"] == "below zero: custody BUSD1@bank"
    with pytest.raises(ServiceUnavailable) as refused:
        world.advance(60)
    assert refused.value.details["reason"] == "OVERDRAWN"
    assert world.engine.trade(account, trade.id).status == "processing"
    take(database, -taken)
    with sequencing(world):
        pass
    world.advance(60)
    assert world.engine.trade(account, trade.id).status == "executed"


def take(database: Database, atoms: int) -> None:
    """Change what the bank has of the deposit token's backing, behind the program."""
    with database.write() as connection:
        changed = connection.execute(
            text(
                "UPDATE ledger_account SET balance = balance - :atoms "
                "WHERE code = 'custody' AND asset = 'BUSD1@bank'"
            ),
            {"atoms": atoms},
        )
        assert changed.rowcount == 1
        connection.commit()


@pytest.mark.slow
def test_a_killed_server_leaves_nothing_without_a_number_for_long(
    world: World, postgres_url: str
) -> None:
    account = opened(world)
    program = (
        "import os, signal\n"
        "from tests.world.bank import build\n"
        "from chainteller.service.models.funding import Currency, DepositRequest\n"
        f"world = build({postgres_url!r})\n"
        "world.context.database.backlog.has_sequencer = True\n"
        "token = Currency(type='deposit-token-currency', id='DPT_USD')\n"
        f"world.engine.deposit({account!r}, DepositRequest(amount='7.00', currency=token))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    path = f"{_ROOT / 'src'}:{_ROOT}"
    killed = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONPATH": path, "PATH": ""}, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    database = world.context.database
    assert waiting(database) == 1
    with sequencing(world):
        for _ in range(200):
            if not waiting(database):
                break
            threading.Event().wait(0.05)
        assert waiting(database) == 0
    assert events(world)[-1].type == "deposit.completed"


@pytest.mark.slow
def test_a_prepared_transaction_holds_up_no_number_unless_it_holds_the_head() -> None:
    bundled = start_bundled()
    try:
        server = PostgresServer(bundled.url)
        server.say("ALTER SYSTEM SET max_prepared_transactions = 5")
        bundled.stop()
        bundled.start()
        world = build(server.fresh())
        database = world.context.database
        prepare(database, "UPDATE organisation SET name = name", "harmless")
        made = quote(world)
        assert events(world)[-1].resource == made
        prepare(database, "SELECT 1 FROM head FOR UPDATE", "forgotten")
        with unnumbered(world):
            quote(world)
        with database.write() as older:
            older.execute(text("UPDATE unnumbered SET written = written - 9000000"))
            older.commit()
        assert sequencer.delay(database).blocked_by == "the prepared transaction forgotten"
        for name in ("harmless", "forgotten"):
            with database.look() as connection:
                connection.execute(text(f"ROLLBACK PREPARED '{name}'"))
        assert verify(database) == ()
        assert sequencer.delay(database).waiting == 0
        world.engine.close()
    finally:
        bundled.remove()


def prepare(database: Database, statement: str, name: str) -> None:
    with database.look() as connection:
        for each in ("BEGIN", statement, f"PREPARE TRANSACTION '{name}'"):
            connection.execute(text(each))


@pytest.mark.slow
def test_a_dump_with_unnumbered_records_is_restored_and_goes_on(
    world: World, postgres_url: str, postgres_server: PostgresServer
) -> None:
    account = opened(world)
    with unnumbered(world):
        for _ in range(3):
            deposit(world, account)
        restored = postgres_server.fresh()
        dumped = run(_program(postgres_server, "pg_dump"), _plain(postgres_url))
        psql = _program(postgres_server, "psql")
        run(psql, "-q", "-v", "ON_ERROR_STOP=1", _plain(restored), given=dumped)
    as_restored = open_database(restored)
    assert waiting(as_restored) == 3
    as_restored.close()
    other = build(restored)
    deposit(other, account)
    assert waiting(other.context.database) == 0
    assert verify(other.context.database) == ()
    completed = [each for each in events(other) if each.type == "deposit.completed"]
    assert len(completed) == 4
    other.engine.close()


def run(program: str, *arguments: str, given: bytes = b"") -> bytes:
    done = subprocess.run([program, *arguments], input=given, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _plain(url: str) -> str:
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


def _program(server: PostgresServer, name: str) -> str:
    """A program of the server's own version."""
    ((folder,),) = server.say("SELECT setting FROM pg_config WHERE name = 'BINDIR'")
    found = Path(folder) / name
    if not found.exists():
        pytest.skip(f"the server's {name} is not on this machine")
    return str(found)

"""Group commit on PostgreSQL: units that share a transaction keep their own outcomes."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from tests.world.bank import World, build
from tests.world.waiting import PATIENCE_S

from chainteller.domain.actors import DEFAULT_ORGANISATION
from chainteller.engine.verification.full_pass import verify
from chainteller.service.errors import (
    InsufficientFunds,
    QuoteAlreadyUsed,
    ServiceError,
    ServiceUnavailable,
)
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.funding import Currency, DepositRequest, WithdrawalRequest
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.storage.db import joint_writes
from chainteller.storage.db.errors import DatabaseError
from chainteller.storage.db.group_commit import Keep
from chainteller.storage.db.joint_writes import _MOST_S
from chainteller.storage.db.pipeline import Step
from chainteller.storage.db.postgres import PostgresSession
from chainteller.storage.db.query import Query, Session, Value, built, row_of
from chainteller.storage.log import append
from chainteller.storage.log.rows import DEPLOYMENT

TOKEN = Currency(type="deposit-token-currency", id="DPT_USD")
CUSTOMERS = 4


@pytest.fixture
def world(own_postgres_bank: str) -> Iterator[World]:
    made = build(own_postgres_bank)
    yield made
    assert verify(made.context.database) == ()
    made.engine.close()


@pytest.fixture
def accounts(world: World) -> list[str]:
    """One of each customer, with 100 USD."""
    made = []
    for number in range(1, 2 * CUSTOMERS, 2):  # those whose bank account is a checking one
        request = OpenTradingAccount(bank_account_id=f"DDA-{number}", bank_account_type="checking")
        made.append(world.engine.open_trading_account(request).value.id)
        world.engine.deposit(made[-1], DepositRequest(amount="100.00", currency=TOKEN))
    world.advance(60)
    return made


@pytest.fixture
def sent(world: World, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Grows with every round trip, by what it sends."""
    trips: list[list[str]] = []
    run = PostgresSession.run

    def noted(session: PostgresSession, steps: Sequence[Step]) -> Any:
        trips.append([step.sql for step in steps])
        return run(session, steps)

    monkeypatch.setattr(PostgresSession, "run", noted)
    return trips


def commits(sent: list[list[str]]) -> int:
    return sum("COMMIT" in trip for trip in sent)


def together(world: World, calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """The results or errors of calls that come into one group."""
    turns = world.context.database.writers._turns[DEFAULT_ORGANISATION]
    turns._expected, turns._until = len(calls), time.monotonic() + PATIENCE_S

    def outcome(call: Callable[[], Any]) -> Any:
        try:
            return call()
        except Exception as error:  # noqa: BLE001 - the test judges it
            return error

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(outcome, calls))


def quote(world: World, amount: str = "10.00") -> str:
    request = QuoteRequest(amount=amount, side="buy")
    return world.engine.create_quote("sol-usd", request).value.id


def execute(world: World, quote_id: str, account: str, key: str | None = None) -> Callable[[], Any]:
    request = ExecuteRequest(trading_account_id=account)
    return lambda: world.engine.execute_quote(quote_id, request, idempotency_key=key).value


def trades(world: World, account: str) -> set[str]:
    return {trade.id for trade in world.engine.trades(account).data}


def test_a_group_takes_three_round_trips_and_one_commit(
    world: World, accounts: list[str], sent: list[list[str]]
) -> None:
    calls = [execute(world, quote(world), account) for account in accounts]
    sent.clear()
    done = together(world, calls)
    assert (len(sent), commits(sent)) == (3, 1)
    for account, trade in zip(accounts, done, strict=True):
        assert trades(world, account) == {trade.id}


def test_one_that_is_refused_leaves_the_others_standing(
    world: World, accounts: list[str], sent: list[list[str]]
) -> None:
    dear = quote(world, "5000.00")
    calls = [execute(world, quote(world), each) for each in accounts[:2]]
    calls.insert(1, execute(world, dear, accounts[2]))
    sent.clear()
    first, refused, last = together(world, calls)
    assert isinstance(refused, InsufficientFunds)
    assert trades(world, accounts[0]) == {first.id}
    assert trades(world, accounts[1]) == {last.id}
    assert trades(world, accounts[2]) == set()
    assert commits(sent) == 2  # the refusal's own
    assert [row.error for row in world.engine.audit().data].count("INSUFFICIENT_FUNDS") == 1


def test_the_same_key_twice_has_one_effect(world: World, accounts: list[str]) -> None:
    wanted = quote(world)
    once, again, other, elsewhere = together(
        world,
        [
            execute(world, wanted, accounts[0], "key"),
            execute(world, wanted, accounts[0], "key"),
            execute(world, quote(world), accounts[1], "another"),
            execute(world, quote(world), accounts[2]),
        ],
    )
    assert once == again
    assert other.id != elsewhere.id
    assert [len(trades(world, each)) for each in accounts] == [1, 1, 1, 0]


def test_one_quote_is_executed_once_for_two_accounts(world: World, accounts: list[str]) -> None:
    wanted = quote(world)
    outcomes = together(world, [execute(world, wanted, each) for each in accounts])
    used = [each for each in outcomes if isinstance(each, QuoteAlreadyUsed)]
    assert len(used) == CUSTOMERS - 1
    assert sum(len(trades(world, each)) for each in accounts) == 1


def test_what_one_account_has_is_spent_once(
    world: World, accounts: list[str], sent: list[list[str]]
) -> None:
    """Nobody reads what another one is about to take."""
    mine, others = accounts[0], accounts[1:]
    request = WithdrawalRequest(amount="60.00", currency=TOKEN)
    calls = [partial(world.engine.withdraw, mine, request) for _ in range(3)]
    calls += [partial(world.engine.withdraw, each, request) for each in others]
    sent.clear()
    outcomes = together(world, calls)
    refused = [each for each in outcomes if isinstance(each, InsufficientFunds)]
    assert len(refused) == 2
    assert not any(isinstance(each, Exception) for each in outcomes[3:])
    assert commits(sent) <= 3  # the group's, and those of the two that are refused after it


INSERT = built("INSERT INTO market_control VALUES (:name, 'X', NULL, NULL)", None)
NAMES = built("SELECT market AS value FROM market_control", Value)
REMOVE = built("DELETE FROM market_control", None)
ROW = row_of("market", "reason")
LOCKED = built("SELECT market, reason FROM market_control WHERE market = :name FOR UPDATE", ROW)
LOCKED_BY_REASON = built(
    "SELECT market, reason FROM market_control WHERE reason > :least FOR UPDATE", ROW
)
REASON = built("SELECT reason AS value FROM market_control", Value)
COUNT = built("UPDATE market_control SET reason = :reason WHERE market = :name", None)
DIVIDE = built("SELECT 1 / (length('') * 2) AS value", Value)


def insert(name: str) -> Callable[[Session, Keep], str]:
    def unit(session: Session, keep: Keep) -> str:
        session.later(INSERT, {"name": name})
        end = append.lock(session, DEFAULT_ORGANISATION)
        keep(end.transaction)
        return name

    return unit


def run(world: World, unit: Any) -> Callable[[], Any]:
    return lambda: world.context.database.transact(unit, DEFAULT_ORGANISATION)


def names(world: World) -> set[str]:
    with world.context.database.read() as session:
        return set(NAMES.values(session))


def forget(world: World) -> None:
    with world.context.database.write() as session:
        session.execute(REMOVE)
        session.commit()


@pytest.fixture
def begun(world: World) -> Iterator[World]:
    """A bank that wrote already, and whose rows without seals are removed at the end."""
    quote(world)
    yield world
    forget(world)


def test_who_finds_a_row_locked_sees_what_was_made_of_it(begun: World) -> None:
    """However they name the row: each writes what it read and one more."""

    def counts(locked: Query, **named: str) -> Callable[[Session, Keep], str]:
        def unit(session: Session, keep: Keep) -> str:
            read = session.execute(locked, named).one()
            session.later(COUNT, {"name": read.market, "reason": f"{int(read.reason) + 1}"})
            keep(append.lock(session, DEFAULT_ORGANISATION).transaction)
            return "done"

        return unit

    with begun.context.database.write() as session:
        session.execute(built("INSERT INTO market_control VALUES ('a', '0', NULL, NULL)", None))
        session.commit()
    by_name = [counts(LOCKED, name="a")] * 3
    units = [*by_name, counts(LOCKED_BY_REASON, least="")]
    assert together(begun, [run(begun, each) for each in units]) == ["done"] * 4
    with begun.context.database.read() as session:
        assert REASON.value(session) == "4"


def test_whoever_reads_after_it_wrote_runs_alone(begun: World, sent: list[list[str]]) -> None:
    def looks(session: Session, keep: Keep) -> int:
        session.later(INSERT, {"name": "looks"})
        found = len(NAMES.values(session))
        keep(append.lock(session, DEFAULT_ORGANISATION).transaction)
        return found

    a, seen, b = together(begun, [run(begun, each) for each in (insert("a"), looks, insert("b"))])
    assert (a, b) == ("a", "b")
    assert seen in (1, 3)  # its own, before or after those of the others
    assert names(begun) == {"a", "b", "looks"}
    assert commits(sent) == 2


def test_nothing_is_written_before_all_have_read(begun: World, sent: list[list[str]]) -> None:
    def reads_twice(session: Session, keep: Keep) -> list[list[str]]:
        found = [NAMES.values(session), NAMES.values(session)]
        keep(None)
        return found

    units = [insert("a"), reads_twice, insert("b")]
    assert together(begun, [run(begun, each) for each in units]) == ["a", [[], []], "b"]
    assert names(begun) == {"a", "b"}
    assert commits(sent) == 1


def test_what_was_written_before_a_refusal_does_not_stay(begun: World) -> None:
    def regrets(session: Session, _keep: Keep) -> str:
        session.later(INSERT, {"name": "regretted"})
        append.lock(session, DEFAULT_ORGANISATION)
        return "kept nothing"

    def fails(session: Session, _keep: Keep) -> str:
        session.later(INSERT, {"name": "failed"})
        append.lock(session, DEFAULT_ORGANISATION)
        raise ServiceError("Not after all.")

    units = [insert("a"), regrets, fails, insert("b")]
    a, regretted, failed, b = together(begun, [run(begun, each) for each in units])
    assert (a, regretted, b) == ("a", "kept nothing", "b")
    assert isinstance(failed, ServiceError)
    assert names(begun) == {"a", "b"}


def test_what_the_database_refuses_one_is_told_to_that_one(begun: World) -> None:
    def faulty(session: Session, _keep: Keep) -> Any:
        return DIVIDE.value(session)

    units = [insert("a"), faulty, insert("a"), insert("b")]
    outcomes = together(begun, [run(begun, each) for each in units])
    assert isinstance(outcomes[1], DatabaseError)
    assert "zero" in str(outcomes[1])
    assert sorted(isinstance(outcomes[at], DatabaseError) for at in (0, 2)) == [False, True]
    assert outcomes[3] == "b"
    assert names(begun) == {"a", "b"}


def test_those_who_wait_for_one_another_run_alone(begun: World) -> None:
    both = threading.Barrier(2)

    def locks(*logs: str) -> Callable[[Session, Keep], Any]:
        def unit(session: Session, keep: Keep) -> Any:
            append.lock(session, logs[0])
            if not tried:
                both.wait(PATIENCE_S)
            tried.append(logs)
            number = append.lock(session, logs[1]).transaction
            keep(number)
            return logs

        return unit

    tried: list[Any] = []
    pairs = (DEFAULT_ORGANISATION, DEPLOYMENT), (DEPLOYMENT, DEFAULT_ORGANISATION)
    assert together(begun, [run(begun, locks(*each)) for each in pairs]) == [*pairs]


def test_one_that_takes_long_is_not_waited_for(begun: World) -> None:
    """Another one is written meanwhile, though the first one has neither ended nor failed."""
    begins, go_on = threading.Event(), threading.Event()

    def slow(session: Session, keep: Keep) -> str:
        begins.set()
        assert go_on.wait(PATIENCE_S)
        return insert("slow")(session, keep)

    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(run(begun, slow))
        assert begins.wait(PATIENCE_S)
        try:
            assert run(begun, insert("quick"))() == "quick"
            assert not first.done()
        finally:
            go_on.set()
    assert first.result() == "slow"
    assert names(begun) == {"quick", "slow"}


def test_who_follows_the_log_does_not_wait_for_others_that_do(begun: World) -> None:
    """One thread at a time follows it, while the statements of a group wait for all."""
    database, state = begun.context.database, begun.context.state

    def follows(name: str) -> Callable[[Session, Keep], str]:
        def unit(session: Session, keep: Keep) -> str:
            state.follow(session, DEFAULT_ORGANISATION)
            return insert(name)(session, keep)

        return unit

    started = time.monotonic()
    units = [follows("a"), insert("b"), follows("c")]
    assert together(begun, [run(begun, each) for each in units]) == ["a", "b", "c"]
    assert time.monotonic() - started < _MOST_S
    assert database.writers._turns[DEFAULT_ORGANISATION]._running is None


def test_who_waits_for_a_lock_of_another_one_holds_up_the_group_for_seconds(
    begun: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joint_writes, "_MOST_S", 0.2)
    lock = threading.Lock()

    def locks(session: Session, _keep: Keep) -> str:
        with lock:
            NAMES.values(session)
        return "done"

    assert together(begun, [run(begun, locks) for _ in range(3)]) == ["done"] * 3


def test_who_locks_the_end_twice_has_one_turn(begun: World, sent: list[list[str]]) -> None:
    def twice(name: str) -> Callable[[Session, Keep], str]:
        def unit(session: Session, keep: Keep) -> str:
            append.lock(session, DEFAULT_ORGANISATION)
            return insert(name)(session, keep)

        return unit

    assert together(begun, [run(begun, twice(name)) for name in "abc"]) == ["a", "b", "c"]
    assert commits(sent) == 1
    assert names(begun) == {"a", "b", "c"}


def test_nobody_is_answered_before_the_commit(begun: World) -> None:
    database = begun.context.database
    committing, go_on = threading.Event(), threading.Event()
    commit = database.commit

    def slowly(session: Session, number: str | None) -> None:
        committing.set()
        assert go_on.wait(PATIENCE_S)
        commit(session, number)

    vars(database)["commit"] = slowly
    answered = []

    def told(unit: Any) -> Any:
        answered.append(database.transact(unit, DEFAULT_ORGANISATION))

    def refusing(session: Session, _keep: Keep) -> str:
        NAMES.values(session)
        return "refused"

    def watched() -> None:
        assert committing.wait(PATIENCE_S)
        assert not answered
        go_on.set()

    calls = [partial(told, unit) for unit in (insert("a"), refusing, insert("b"))]
    with ThreadPoolExecutor(1) as watching:
        watch = watching.submit(watched)
        together(begun, calls)
        watch.result()
    del vars(database)["commit"]
    assert sorted(answered) == ["a", "b", "refused"]


def test_after_a_commit_of_which_nothing_is_known_nobody_runs_again(begun: World) -> None:
    database = begun.context.database
    commit, ran = database.commit, []

    def uncertain(session: Session, number: str | None) -> None:
        commit(session, number)
        raise ServiceUnavailable("Not known.", {"reason": "COMMIT_UNCERTAIN"})

    def counted(name: str) -> Callable[[Session, Keep], str]:
        def unit(session: Session, keep: Keep) -> str:
            ran.append(name)
            return insert(name)(session, keep)

        return unit

    vars(database)["commit"] = uncertain
    outcomes = together(begun, [run(begun, counted(name)) for name in "abc"])
    del vars(database)["commit"]
    assert sorted(ran) == ["a", "b", "c"]
    assert [each.details["reason"] for each in outcomes] == ["COMMIT_UNCERTAIN"] * 3
    assert names(begun) == {"a", "b", "c"}


def test_after_a_commit_that_failed_each_runs_alone(begun: World) -> None:
    database = begun.context.database
    commit, numbers = database.commit, []

    def failing_once(session: Session, number: str | None) -> None:
        numbers.append(number)
        if len(numbers) == 1:
            session.rollback()
            raise DatabaseError(OSError("lost"), is_lost=True)
        commit(session, number)

    vars(database)["commit"] = failing_once
    assert together(begun, [run(begun, insert(name)) for name in "abc"]) == ["a", "b", "c"]
    del vars(database)["commit"]
    assert len(numbers) == 4
    assert None not in numbers
    assert names(begun) == {"a", "b", "c"}

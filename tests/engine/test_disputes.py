"""Books that are verified by themselves: the alarm, what it stops, and how a person clears it."""

import threading
from collections.abc import Callable
from time import perf_counter

import pytest
from sqlalchemy import text, update
from tests.engine.test_recent_writes import (
    delete_a_job,
    put_a_job_off,
    raise_a_balance,
    redirect_a_wallet,
    take_a_guard_away,
)
from tests.tampering.altering import Alteration, found_in_log, require_noticed
from tests.tampering.bank import NAMES, prove_wallet
from tests.world.declared import sealed_tables
from tests.world.engines import USDC_ETHEREUM, World

from chainteller.domain.actors import Actor
from chainteller.domain.agents import public_key_text
from chainteller.domain.clock import DAY, MINUTE, SECOND
from chainteller.engine.core import pacing
from chainteller.engine.core.breaches import Breach
from chainteller.engine.deployment import EmbeddedDeployment
from chainteller.engine.operations.disputes import clear_any, open_for
from chainteller.engine.operations.keys import ApiKeys
from chainteller.engine.verification.full_pass import verify
from chainteller.engine.verification.in_rounds import INTERVAL, Verifier
from chainteller.service.deployment import DeploymentOptions
from chainteller.service.errors import BooksDisputed, Conflict, NotFound, ValidationFailed
from chainteller.service.models.agents import EnrolAgent
from chainteller.service.models.books import ClearDispute, Dispute
from chainteller.service.models.decisions import OpenDecision
from chainteller.service.models.quotes import QuoteRequest
from chainteller.storage.db.query import Session
from chainteller.storage.log import marks
from chainteller.storage.schema import guards
from chainteller.storage.schema.wallet_tables import Tables

Alter = Callable[[Session], str]
_TRANSFER = Tables.transfer


@pytest.fixture
def verifier(world: World) -> Verifier:
    """It looked at a bank with a wallet, where a withdrawal to the bank is due in five seconds."""
    found = Verifier(world.context)
    world.deposit("200.00", USDC_ETHEREUM)
    prove_wallet(world.engine, world.account, NAMES[0])
    world.settle()
    found.turn()
    world.withdraw("12.00")
    return found


def alter(world: World, by: Alter) -> str:
    with world.database.write() as connection:
        named = by(connection)
        connection.commit()
    return named


def a_minute(world: World, verifier: Verifier) -> tuple[Dispute, ...]:
    """The disputes that are open after a minute, in which it looked every second."""
    for _ in range(60):
        world.clock.advance(SECOND)
        verifier.turn()
    return tuple(each for each in world.engine.disputes().data if each.cleared is None)


def statuses(world: World) -> set[str]:
    return {each.status for each in world.engine.withdrawals(world.account).data}


def clear(world: World, dispute: Dispute) -> Dispute:
    return world.engine.clear_dispute(dispute.id, ClearDispute(reason="put back")).value


def restore_the_guards(world: World) -> None:
    """PostgreSQL's database is that of other tests too."""
    with world.database.write() as connection:
        guards.create(connection)
        connection.commit()


def test_a_trade_that_only_the_database_has_raised_is_not_booked(world: World) -> None:
    world.deposit("100.00")
    bought = world.buy("10.00")
    with world.database.write() as connection:
        connection.execute(text("UPDATE trade SET amount = '9000000000000'"))
        connection.commit()
    world.settle()
    assert world.engine.trade(world.account, bought.id).status == "processing"
    assert [each.where for each in world.engine.disputes().data] == [f"trade {bought.id}"]


@pytest.mark.parametrize(
    "by", [raise_a_balance, redirect_a_wallet, delete_a_job, put_a_job_off, take_a_guard_away]
)
def test_whatever_is_altered_stops_payouts_within_a_minute_and_nothing_else(
    world: World, verifier: Verifier, by: Alter
) -> None:
    assert world.engine.disputes().data == ()
    named = alter(world, by)
    try:
        (dispute,) = a_minute(world, verifier)
    finally:
        if named == "catalogue":
            restore_the_guards(world)
    scope = "deployment" if named == "catalogue" else "organisation"
    assert (dispute.where, dispute.scope) == (named, scope)
    assert dispute.found.timestamp() * SECOND <= world.clock.now()
    with pytest.raises(BooksDisputed):
        world.withdraw("1.00")
    world.deposit("10.00")
    bought = world.buy("10.00")
    world.settle()
    assert world.engine.trade(world.account, bought.id).status == "settled"
    assert "processing" in statuses(world)
    assert not {"failed", "sent"} & statuses(world)
    told = [each.type for each in world.engine.events(0, 1_000).data]
    assert told.count("books.disputed") == 1
    assert [each.action for each in world.engine.audit().data].count("dispute_books") == (
        scope == "organisation"
    )


def close_a_market(world: World) -> None:
    request = OpenDecision(kind="market", subject="sol-usd", reason="HALTED")
    world.engine.open_decision(request)


def enrol_an_agent(world: World) -> None:
    key = public_key_text(bytes(32))
    world.engine.enrol_agent(EnrolAgent(name="meri", public_key=key))


def clear_by_nobody(world: World) -> None:
    open_for(world.context, [Breach(20, "changed", "trade TXN_1", "default")])


def make_a_key(world: World) -> None:
    ApiKeys(world.context).create("till")


@pytest.mark.forms(5)
@pytest.mark.parametrize(
    ("prepare", "statement", "where"),
    [
        (close_a_market, "DELETE FROM market_control", "market_control sol-usd"),
        (enrol_an_agent, "UPDATE agent SET name = 'other'", "agent "),
        (clear_by_nobody, "UPDATE dispute SET cleared_at = 1", "dispute "),
        (make_a_key, "DELETE FROM api_key", "api_key "),
        (
            lambda world: world.engine.create_quote(
                "sol-usd", QuoteRequest(amount="9.00", side="buy"), idempotency_key="again"
            ),
            "DELETE FROM idempotency",
            "idempotency default create_quote again",
        ),
        (World.settle, "UPDATE organisation SET fee_bps = 0", "organisation default"),
        (World.settle, "UPDATE bank_account SET balance = '900000000'", "bank_account default "),
        (World.settle, "UPDATE customer SET kyc_level = 'enhanced', control = 'x'", "customer "),
    ],
    ids=["market", "agent", "dispute", "quota", "repetition", "fees", "bank's balance", "customer"],
)
def test_what_limits_somebody_is_named_within_a_minute(
    world: World,
    verifier: Verifier,
    prepare: Callable[[World], object],
    statement: str,
    where: str,
) -> None:
    prepare(world)
    with world.database.write() as connection:
        assert connection.execute(text(statement)).rowcount > 0
        connection.commit()
    found = a_minute(world, verifier)
    assert any(each.where.startswith(where) for each in found), found


def test_payouts_go_on_once_the_rows_are_mended_and_the_dispute_is_cleared(
    world: World, verifier: Verifier
) -> None:
    code, asset = alter(world, raise_a_balance).split(" ")
    (first,) = a_minute(world, verifier)
    assert clear(world, first).cleared_by == "local"
    (second,) = a_minute(world, verifier)
    assert (second.where, second.id != first.id) == (first.where, True)

    def put_back(connection: Session) -> str:
        balance = Tables.ledger_account
        here = (balance.c.code == code, balance.c.asset == asset)
        row = connection.execute(balance.select().where(*here)).one()
        connection.execute(update(balance).where(*here).values(balance=row.balance - 1))
        return ""

    alter(world, put_back)
    assert a_minute(world, verifier) == (second,)
    clear(world, second)
    world.engine.run_due()
    assert a_minute(world, verifier) == ()
    world.settle()
    assert statuses(world) == {"completed"}
    assert world.withdraw("1.00").status == "processing"
    told = [(each.type, each.data) for each in world.engine.events(0, 1_000).data]
    stopped = [data["payoutsStopped"] for kind, data in told if kind.startswith("books.")]
    assert stopped == [True, False, True, False]
    assert verify(world.database) == ()


def test_one_breach_is_one_dispute_however_often_it_is_found(
    world: World, verifier: Verifier
) -> None:
    alter(world, raise_a_balance)
    for _ in range(5):
        assert len(a_minute(world, verifier)) == 1
    world.quote("5.00")
    assert len(a_minute(world, verifier)) == 1


def test_a_look_rests_for_what_it_worked_and_not_for_the_time_between_looks(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds, rests = [perf_counter()], list[float | None]()

    class Resting(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            rests.append(timeout)
            return False

    monkeypatch.setattr(pacing, "perf_counter", lambda: seconds[0])
    with monkeypatch.context() as patched:
        patched.setattr(threading, "Event", Resting)
        verifier = Verifier(world.context)
    for _ in range(2):
        seconds[0] += INTERVAL / SECOND
        world.clock.advance(INTERVAL)
        verifier.turn()
    assert rests == []


def test_the_books_of_one_organisation_stop_no_other(world: World, verifier: Verifier) -> None:
    alter(world, raise_a_balance)
    a_minute(world, verifier)
    other = world.engine.acting_as(Actor("bank-2", "other"))
    assert other.disputes().data == ()
    (mine,) = world.engine.disputes().data
    with pytest.raises(NotFound):
        other.clear_dispute(mine.id, ClearDispute(reason="put back"))
    assert clear_any(world.context, Actor(name="root"), mine.id, "put back").cleared_by == "root"


def test_a_dispute_of_all_is_cleared_by_who_has_the_database(world: World) -> None:
    open_for(world.context, [Breach(22, "a guard is missing", "catalogue", "")])
    (found,) = world.engine.disputes().data
    with pytest.raises(Conflict, match=f"db dispute clear {found.id}"):
        clear(world, found)
    with pytest.raises(BooksDisputed):
        world.withdraw("1.00")
    clear_any(world.context, Actor(name="root"), found.id, "put back")
    assert world.withdraw("1.00").status == "processing"


def test_what_is_altered_of_old_rows_is_found_at_night(world: World, verifier: Verifier) -> None:
    """The new ones are so many that a look doesn't reach the old ones any more."""
    late = Verifier(world.context)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("chainteller.engine.verification.in_rounds.RECENT", 0)
        late.turn()
        alter(world, redirect_a_wallet)
        assert a_minute(world, late) == ()
        world.clock.advance(DAY)
        found = a_minute(world, late)
    assert {each.where.partition(" ")[0] for each in found} == {"counterparty", "claim"}
    assert {each.scope for each in found} == {"organisation"}


def test_everything_is_verified_again_after_a_dispute_was_cleared(
    world: World, verifier: Verifier
) -> None:
    alter(world, redirect_a_wallet)
    (first,) = a_minute(world, verifier)
    late = Verifier(world.context)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("chainteller.engine.verification.in_rounds.RECENT", 0)
        late.turn()
        clear(world, first)
        again = a_minute(world, late)
    assert first.where in {each.where for each in again}


def test_everything_is_verified_once_a_day_and_never_without_a_time(world: World) -> None:
    whole: list[int] = []
    found = Verifier(world.context)

    def verify_all(_: object) -> tuple[()]:
        whole.append(world.clock.now())
        return ()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "chainteller.engine.verification.full_pass.verify_all",
            verify_all,
        )
        for _ in range(3 * 24 * 2):
            found.turn()
            world.clock.advance(30 * MINUTE)
        Verifier(world.context).turn()
    assert len(whole) == 4
    assert [at % DAY // MINUTE for at in whole[1:]] == [130, 130, 130]


def test_it_goes_on_after_a_schema_that_could_not_be_read(world: World, verifier: Verifier) -> None:
    """SQLite says so of a definition that was rewritten, and only then."""
    if world.database.path is None:
        pytest.skip("PostgreSQL keeps no definitions as text")

    def rewrite(old: str, new: str) -> Alter:
        def change(connection: Session) -> str:
            connection.driver.execute("PRAGMA writable_schema = ON")
            changed = connection.driver.execute(
                "UPDATE sqlite_master SET sql = replace(sql, ?, ?) WHERE name = 'ix_entry_object'",
                (old, new),
            )
            connection.driver.execute("PRAGMA schema_version = 7000")
            connection.driver.execute("PRAGMA writable_schema = OFF")
            return str(changed.rowcount)

        return change

    alter(world, rewrite("organisation_id", "nowhere"))
    world.clock.advance(MINUTE)
    verifier.attempt()
    alter(world, rewrite("nowhere", "organisation_id"))
    named = alter(world, raise_a_balance)
    assert named in {each.where for each in a_minute(world, verifier)}


def test_a_server_that_another_one_stands_for_looks_as_often(
    world: World, verifier: Verifier
) -> None:
    """Whoever has SQL can write the lease of a server that isn't there."""
    follower = Verifier(world.context, leads=lambda: False)
    follower.turn()
    alter(world, raise_a_balance)
    assert len(a_minute(world, follower)) == 1


def test_it_looks_although_the_clock_was_set_back(world: World, verifier: Verifier) -> None:
    named = alter(world, raise_a_balance)
    world.clock.set(world.clock.now() - DAY)
    verifier.turn()
    assert [each.where for each in world.engine.disputes().data] == [named]


def test_the_row_that_says_when_can_be_deleted_without_an_effect(
    world: World, verifier: Verifier
) -> None:
    with world.database.write() as connection:
        connection.execute(Tables.verification.delete())
        connection.commit()
    alter(world, raise_a_balance)
    assert len(a_minute(world, verifier)) == 1


def test_a_dispute_that_is_deleted_is_opened_again(world: World, verifier: Verifier) -> None:
    alter(world, raise_a_balance)
    a_minute(world, verifier)
    with world.database.write() as connection:
        connection.execute(Tables.dispute.delete())
        connection.commit()
    kinds = {each.where.partition(" ")[0] for each in a_minute(world, verifier)}
    assert "dispute" in kinds


@pytest.mark.parametrize("reason", ["", "  ", "x" * 201, "a\x1bb"])
def test_a_dispute_is_cleared_with_a_reason(world: World, verifier: Verifier, reason: str) -> None:
    alter(world, raise_a_balance)
    (dispute,) = a_minute(world, verifier)
    with pytest.raises(ValidationFailed):
        world.engine.clear_dispute(dispute.id, ClearDispute(reason=reason))
    with pytest.raises(NotFound):
        world.engine.clear_dispute("DSP_none", ClearDispute(reason="put back"))
    assert len(a_minute(world, verifier)) == 1


def test_the_deployment_stays_ready_and_says_what_is_in_dispute(
    world: World, verifier: Verifier
) -> None:
    deployment = EmbeddedDeployment(world.engine, DeploymentOptions("0"))
    sound = deployment.health()
    assert sound.ready
    assert sound.books is not None
    assert (sound.books.verified_at is None, sound.books.disputes) == (False, ())
    alter(world, raise_a_balance)
    (dispute,) = a_minute(world, verifier)
    health = deployment.health()
    assert health.ready
    assert health.books is not None
    (told,) = health.books.disputes
    assert told.startswith(f"{dispute.id}: invariant 3")
    assert "TDA_" not in told
    figures = {each.name: each.value for each in deployment.figures()}
    assert figures["chainteller_disputes"] == 1
    assert figures["chainteller_books_age_seconds"] <= 60


def test_a_payout_of_another_account_waits_too_and_isnt_audited_each_minute(
    world: World, verifier: Verifier
) -> None:
    alter(world, raise_a_balance)
    a_minute(world, verifier)
    size = len(world.engine.audit().data)
    for _ in range(10):
        world.clock.advance(MINUTE)
        world.engine.run_due()
    assert len(world.engine.audit().data) == size
    assert "processing" in statuses(world)
    with world.database.read() as connection:
        assert connection.execute(Tables.counterparty.select()).first() is not None


def test_a_key_that_was_replaced_is_no_breach(world: World, verifier: Verifier) -> None:
    with world.database.write() as connection:
        marks.of(connection).replace(connection)
        connection.commit()
    assert a_minute(world, verifier) == ()
    world.deposit("1.00")
    assert a_minute(world, verifier) == ()
    assert world.withdraw("1.00").status == "processing"
    world.clock.advance(DAY)
    assert a_minute(world, verifier) == ()


def alter_the_first_entry(connection: Session) -> str:
    entry = Tables.entry
    guards.drop(connection)
    first = update(entry).where(entry.c.organisation_id == "*", entry.c.number == 1)
    connection.execute(first.values(leaf=bytes(32)))
    guards.create(connection)
    return "entry 1 of *"


def test_who_alters_what_names_the_key_does_not_silence_verification(
    world: World, verifier: Verifier
) -> None:
    named = alter(world, alter_the_first_entry)
    assert named in {each.where for each in a_minute(world, verifier)}
    assert "processing" in statuses(world)


def test_every_cell_and_row_of_a_dispute_is_sealed(world: World) -> None:
    """Who could remove or clear one by SQL could let payouts go on."""
    open_for(world.context, [Breach(20, "changed", f"trade {at}", "default") for at in "123"])
    first, *_ = world.engine.disputes().data
    clear(world, first)
    (table,) = (each for each in sealed_tables() if each.name == "dispute")

    def is_named(connection: Session, altered: Alteration) -> bool:
        return f"dispute {altered.row}" in {each.where for each in found_in_log(connection)}

    assert require_noticed(world, is_named, [table], rows=3) > 3

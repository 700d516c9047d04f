"""What was written since a head is checked again, whatever somebody altered of it by SQL."""

from collections.abc import Callable

import pytest
from sqlalchemy import delete, func, select, update
from tests.tampering.bank import NAMES, prove_wallet
from tests.world.engines import USDC_ETHEREUM, World

from chainteller.domain.clock import HOUR
from chainteller.engine.verification.full_pass import recent_ends, verify_since
from chainteller.storage.db.query import Session
from chainteller.storage.schema import guards
from chainteller.storage.schema.wallet_tables import Tables

_BALANCE, _JOB, _ENTRY = Tables.ledger_account, Tables.job, Tables.entry


def raise_a_balance(connection: Session) -> str:
    here = (_BALANCE.c.code.like("customer:%"), _BALANCE.c.asset == "BUSD1@bank")
    held = _BALANCE.c.code.not_like("%:held")
    row = connection.execute(select(_BALANCE).where(*here, held)).one()
    raised = update(_BALANCE).where(_BALANCE.c.code == row.code, here[1])
    connection.execute(raised.values(balance=row.balance + 1))
    return f"{row.code} {row.asset}"


def redirect_a_wallet(connection: Session) -> str:
    wallet = Tables.counterparty
    connection.execute(update(wallet).values(address="0x" + "12" * 20))
    return f"counterparty {connection.execute(select(wallet.c.id)).scalar_one()}"


def delete_a_job(connection: Session) -> str:
    job = connection.execute(select(_JOB)).first()
    assert job is not None
    connection.execute(delete(_JOB).where(_JOB.c.reference == job.reference))
    return f"job {job.kind} {job.reference}"


def put_a_job_off(connection: Session) -> str:
    job = connection.execute(select(_JOB)).first()
    assert job is not None
    mine = update(_JOB).where(_JOB.c.reference == job.reference)
    connection.execute(mine.values(run_at=job.run_at + HOUR))
    return f"{job.kind} {job.reference}"


def rewrite_an_entry(connection: Session) -> str:
    guards.drop(connection)
    last = select(func.max(_ENTRY.c.number)).where(_ENTRY.c.organisation_id == "default")
    number = connection.execute(last).scalar_one()
    here = (_ENTRY.c.organisation_id == "default", _ENTRY.c.number == number)
    connection.execute(update(_ENTRY).where(*here).values(leaf=bytes(32)))
    guards.create(connection)
    return f"entry {number} of default"


def cut_the_log(connection: Session) -> str:
    guards.drop(connection)
    here = _ENTRY.c.organisation_id == "default"
    last = connection.execute(select(func.max(_ENTRY.c.number)).where(here)).scalar_one()
    connection.execute(delete(_ENTRY).where(here, _ENTRY.c.number == last))
    guards.create(connection)
    return "log default"


def alter_the_end_of_the_log(connection: Session) -> str:
    guards.drop(connection)
    log = Tables.log
    mine = update(log).where(log.c.organisation_id == "default")
    connection.execute(mine.values(last_at=log.c.last_at + 1))
    guards.create(connection)
    return "log default"


def take_a_guard_away(connection: Session) -> str:
    guards.drop(connection)
    return "catalogue"


@pytest.mark.parametrize(
    "alter",
    [
        raise_a_balance,
        redirect_a_wallet,
        delete_a_job,
        put_a_job_off,
        rewrite_an_entry,
        cut_the_log,
        alter_the_end_of_the_log,
        take_a_guard_away,
    ],
)
def test_what_is_altered_of_new_writes_is_named_with_its_organisation(
    world: World, alter: Callable[[Session], str]
) -> None:
    before = verify_since(world.database, {}).ends
    world.deposit("200.00", USDC_ETHEREUM)
    prove_wallet(world.engine, world.account, NAMES[0])
    world.withdraw("12.00")
    assert verify_since(world.database, before).breaches == ()
    with world.database.write() as connection:
        named = alter(connection)
        connection.commit()
    found = verify_since(world.database, before).breaches
    if named == "catalogue":  # PostgreSQL's database is that of other tests too
        with world.database.write() as connection:
            guards.create(connection)
            connection.commit()
    whose = "*" if named == "catalogue" else "default"
    assert named in {each.where for each in found}
    assert {each.organisation for each in found} == {whose}


def test_what_was_written_before_is_not_read_again(world: World) -> None:
    world.deposit("200.00", USDC_ETHEREUM)
    prove_wallet(world.engine, world.account, NAMES[0])
    heads = verify_since(world.database, {}).ends
    assert heads == recent_ends(world.database, 0)
    world.deposit("1.00")
    with world.database.write() as connection:
        redirect_a_wallet(connection)
        connection.commit()
    assert verify_since(world.database, heads).breaches == ()
    recent = recent_ends(world.database, 1_000)
    found = {each.where.partition(" ")[0] for each in verify_since(world.database, recent).breaches}
    assert found == {"counterparty"}


def test_a_balance_that_was_altered_before_its_next_posting_is_named(world: World) -> None:
    heads = verify_since(world.database, {}).ends
    with world.database.write() as connection:
        named = raise_a_balance(connection)
        connection.commit()
    world.deposit("1.00")
    newest = sum(end.size for name, end in heads.items() if name == "default") + 1
    found = {each.where for each in verify_since(world.database, heads).breaches}
    assert found >= {f"entry {newest} of default"}
    assert found <= {f"entry {newest} of default", named}


def test_a_row_that_was_altered_before_its_next_write_is_named(world: World) -> None:
    """The write has sealed the alteration."""
    heads = verify_since(world.database, {}).ends
    world.deposit("1.00")
    account = Tables.trading_account
    with world.database.write() as connection:
        mine = update(account).where(account.c.id == world.account)
        connection.execute(mine.values(bank_account_type="savings"))
        connection.commit()
    world.deposit("1.00")
    (found,) = verify_since(world.database, heads).breaches
    assert found.where == f"trading_account {world.account}"
    assert "then written over by" in found.what

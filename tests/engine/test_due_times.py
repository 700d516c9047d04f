"""Work is done when its record says, whatever its job's row says; ``verify`` names the difference.

``run_at`` isn't sealed: whoever can write to the database can move it.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import delete, select, text, update
from tests.tampering.altering import unguarded
from tests.world.engines import DPT, USDC_SOLANA, FixedPrices, World, make_world

from chainteller.domain.clock import DAY, HOUR, MINUTE, SECOND, format_instant
from chainteller.domain.options import EngineOptions
from chainteller.domain.second_method import DEFAULT_VALIDITY_S, WATCH, WATCHED_AFTER
from chainteller.engine.engine import Engine
from chainteller.engine.operations import (
    decision_records,
    deposits,
    provider_requests,
    settlement,
    trades,
    transfers,
)
from chainteller.engine.operations.due_times import WORK
from chainteller.engine.upkeep import due
from chainteller.engine.verification.full_pass import (
    breaches,
    recent_ends,
    verify,
    verify_since,
)
from chainteller.service.models.counterparties import (
    OpenBlockchainAccount,
    RegisterCounterparty,
    SmallTransferRequest,
)
from chainteller.service.models.decisions import OpenDecision
from chainteller.service.models.funding import Destination, WithdrawalRequest
from chainteller.storage.queries import jobs
from chainteller.storage.schema.wallet_tables import Tables

OPTIONS = EngineOptions(deposit_delay_s=60)
ADDRESS = "DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hy"
LONG_AGO, NEVER = 1, 4_000_000_000_000_000
_JOB = Tables.job


@pytest.fixture
def bank(tmp_path: Path) -> Iterator[World]:
    """A bank whose every step takes its time, with money and a wallet that is old enough."""
    world = make_world(tmp_path / "bank.db", options=OPTIONS)
    world.open()
    for currency in (DPT, USDC_SOLANA):
        world.deposit("500.00", currency)
    yield world
    world.close()


def _wallet(bank: World) -> tuple[str, str]:
    opened = OpenBlockchainAccount(trading_account_id=bank.account, network="solana")
    registered = RegisterCounterparty(address=ADDRESS, network="solana")
    custody = bank.engine.open_blockchain_account(opened).value
    return custody.id, bank.engine.register_counterparty(registered).value.id


def _fill(bank: World) -> None:
    bank.settle()
    bank.buy()


def _settle(bank: World) -> None:
    _fill(bank)
    _pass(bank, OPTIONS.fill_delay_s)


def _complete_deposit(bank: World) -> None:
    bank.settle()
    bank.deposit("1.00")


def _send(bank: World) -> None:
    bank.settle()
    bank.withdraw("1.00")


def _complete(bank: World) -> None:
    _send(bank)
    _pass(bank, OPTIONS.withdrawal_delay_s)


def _review(bank: World) -> None:
    custody, wallet = _wallet(bank)
    bank.clock.advance(DAY)
    bank.settle()
    destination = Destination(
        type="counterparty", counterparty_id=wallet, blockchain_account_id=custody
    )
    request = WithdrawalRequest(amount="1.00", currency=USDC_SOLANA, destination=destination)
    assert bank.engine.withdraw(bank.account, request).value.status == "reviewing"


def _freeze(bank: World) -> None:
    bank.settle()
    until = format_instant(bank.clock.now() + HOUR)
    bank.engine.open_decision(
        OpenDecision(
            kind="control", subject=bank.account, control="FROZEN", reason="TEST", until=until
        )
    )


def _watch(bank: World) -> None:
    custody, wallet = _wallet(bank)
    bank.settle()
    bank.engine.create_small_transfer(custody, SmallTransferRequest(counterparty_id=wallet))


BEGIN: dict[str, Callable[[World], None]] = {
    trades.FILL: _fill,
    trades.SETTLE: _settle,
    deposits.COMPLETE: _complete_deposit,
    transfers.REVIEW: _review,
    transfers.SEND: _send,
    transfers.COMPLETE: _complete,
    decision_records.DUE: _freeze,
    WATCH: _watch,
}
"""How a record comes to wait for each kind of work."""
DECIDING = sorted(set(BEGIN) - {WATCH})
"""A look for arrivals decides by its own deadline, whenever it's made."""


def _pass(bank: World, seconds: float) -> None:
    bank.clock.advance(round(seconds * SECOND))
    bank.engine.run_due()


def _job(bank: World, kind: str) -> tuple[str, int]:
    """What the only job of a kind is about, and when it's due."""
    with bank.database.read() as connection:
        found = connection.execute(select(_JOB).where(_JOB.c.kind == kind)).one()
    return found.reference, found.run_at


def _move(bank: World, kind: str, run_at: int) -> None:
    with bank.database.write() as connection:
        connection.execute(update(_JOB).where(_JOB.c.kind == kind).values(run_at=run_at))
        connection.commit()


def _status(bank: World, kind: str, reference: str) -> str:
    found = text(f"SELECT status FROM {WORK[kind].table.name} WHERE id = :id")  # noqa: S608 - our own names
    with bank.database.read() as connection:
        return str(connection.execute(found, {"id": reference}).scalar_one())


def _said(bank: World) -> list[str]:
    return [str(each) for each in verify(bank.database)]


def test_every_kind_of_work_is_tried_here() -> None:
    of_a_bank = WORK.keys() - {provider_requests.SETTLE}  # a gateway's is in tests/gateway
    assert BEGIN.keys() == of_a_bank
    assert of_a_bank - {WATCH} == {kind for kind, work in WORK.items() if work.step}


@pytest.mark.parametrize("kind", DECIDING)
def test_work_that_was_moved_forward_is_named_and_waits_for_its_time(
    bank: World, kind: str
) -> None:
    BEGIN[kind](bank)
    reference, due_at = _job(bank, kind)
    assert _said(bank) == []
    for moved in (-(2**62), LONG_AGO, due_at - 1):
        _move(bank, kind, moved)
        (found,) = _said(bank)
        assert found.startswith("invariant 8: work was moved forward to ")
        assert found.endswith(f" ({kind} {reference})")
        bank.clock.set(due_at - 1)
        bank.engine.run_due()
        assert _status(bank, kind, reference) in WORK[kind].statuses
        assert _job(bank, kind) == (reference, due_at)
        assert _said(bank) == []
        rows = [each for each in bank.engine.audit().data if each.action == trades.PUT_BACK]
        assert (rows[0].object, rows[0].outcome) == (reference, "done")
    bank.clock.advance(1)
    bank.engine.run_due()
    assert _status(bank, kind, reference) not in WORK[kind].statuses
    assert _said(bank) == []


@pytest.mark.parametrize("kind", sorted(BEGIN))
def test_work_that_was_put_off_is_named(bank: World, kind: str) -> None:
    BEGIN[kind](bank)
    reference, due_at = _job(bank, kind)
    assert _said(bank) == []
    for moved, shown in ((NEVER, "2096-10-02T07:06:40.000000Z"), (2**62, f"{2**62} microseconds")):
        _move(bank, kind, moved)
        (found,) = _said(bank)
        assert found.startswith(f"invariant 8: work was put off to {shown}, its record says 20")
        assert found.endswith(f" ({kind} {reference})")
    _move(bank, kind, due_at)
    assert _said(bank) == []


@pytest.mark.parametrize("kind", sorted(BEGIN))
def test_work_of_long_ago_that_was_put_off_is_named_by_every_look(bank: World, kind: str) -> None:
    BEGIN[kind](bank)
    reference, _ = _job(bank, kind)
    ends = recent_ends(bank.database, 0)  # nothing was written since
    assert verify_since(bank.database, ends).breaches == ()
    for moved in (2**63 - 1, NEVER):
        _move(bank, kind, moved)
        (found,) = verify_since(bank.database, ends).breaches
        assert (found.invariant, found.where) == (8, f"{kind} {reference}")
        assert found.what.startswith("work was put off to ")


@pytest.mark.parametrize("kind", DECIDING)
def test_work_that_was_put_off_by_a_moment_is_named_when_it_is_done(bank: World, kind: str) -> None:
    """No look at the books comes between."""
    BEGIN[kind](bank)
    reference, due_at = _job(bank, kind)
    _move(bank, kind, due_at + SECOND)
    bank.clock.set(due_at + SECOND)
    bank.engine.run_due()
    assert _status(bank, kind, reference) not in WORK[kind].statuses
    (found,) = bank.engine.disputes().data
    assert (found.invariant, found.where) == (8, f"{kind} {reference}")
    assert _said(bank) == []


@pytest.mark.parametrize("kind", DECIDING)
def test_work_that_came_too_early_is_put_off_no_longer_than_its_record_says(
    bank: World, kind: str
) -> None:
    BEGIN[kind](bank)
    _, due_at = _job(bank, kind)
    _move(bank, kind, LONG_AGO)
    bank.engine.run_due()
    assert _said(bank) == []
    _move(bank, kind, due_at + 1)
    assert "work was put off to" in " ".join(_said(bank))


@pytest.mark.parametrize("kind", DECIDING)
def test_work_that_was_put_off_by_a_moment_is_named(bank: World, kind: str) -> None:
    """Unless an entry says that it failed a minute ago at most."""
    BEGIN[kind](bank)
    _, due_at = _job(bank, kind)
    bank.clock.set(due_at)
    bank.quote("10.00")  # so something was written since the work is due
    _move(bank, kind, due_at + 1)
    assert "work was put off to" in " ".join(_said(bank))
    _move(bank, kind, due_at)
    due.put_off(bank.context)
    _, run_at = _job(bank, kind)
    assert run_at == due_at + MINUTE
    assert _said(bank) == []
    _move(bank, kind, run_at + 1)
    assert "work was put off to" in " ".join(_said(bank))


@pytest.mark.parametrize("kind", DECIDING)
def test_work_that_is_missing_is_named(bank: World, kind: str) -> None:
    BEGIN[kind](bank)
    reference, _ = _job(bank, kind)
    with unguarded(bank) as connection:
        connection.execute(delete(_JOB).where(_JOB.c.kind == kind))
        found = [str(each) for each in breaches(connection) if each.invariant == 8]
    what = "the work that it waits for isn't scheduled"
    assert found == [f"invariant 8: {what} ({kind} {reference})"]


def test_a_small_transfer_that_nobody_sent_needs_no_work_any_more(bank: World) -> None:
    BEGIN[WATCH](bank)
    reference, _ = _job(bank, WATCH)
    _pass(bank, DEFAULT_VALIDITY_S + WATCHED_AFTER // SECOND + 1)
    assert bank.engine.next_due() is None
    assert _status(bank, WATCH, reference) == "open"
    assert _said(bank) == []


@pytest.mark.parametrize("kind", [trades.FILL, transfers.SEND, transfers.COMPLETE])
def test_work_on_a_record_that_needs_none_is_named(bank: World, kind: str) -> None:
    BEGIN[kind](bank)
    reference, due_at = _job(bank, kind)
    bank.settle()
    with unguarded(bank) as connection:
        connection.execute(_JOB.insert().values(kind=kind, reference=reference, run_at=due_at))
        found = [str(each) for each in breaches(connection) if each.invariant == 8]
    status = _status(bank, kind, reference)
    what = f"work is scheduled on a record that is {status} and needs none"
    assert found == [f"invariant 8: {what} ({kind} {reference})"]


def test_a_withdrawal_is_never_completed_as_a_deposit(bank: World) -> None:
    BEGIN[transfers.SEND](bank)
    reference, due_at = _job(bank, transfers.SEND)
    before = bank.balances()
    with unguarded(bank) as connection:
        job = {"kind": deposits.COMPLETE, "reference": reference, "run_at": due_at}
        connection.execute(_JOB.insert().values(job))
        named = [str(each) for each in breaches(connection) if each.invariant == 8]
        connection.commit()
    what = "work is scheduled on a record that is missing"
    assert named == [f"invariant 8: {what} (deposit.complete {reference})"]
    _move(bank, transfers.SEND, NEVER)
    _pass(bank, OPTIONS.deposit_delay_s)
    assert bank.balances() == before
    assert bank.engine.withdrawal_record(bank.account, reference).status == "processing"


def test_a_review_without_an_end_is_not_ended_by_a_job(bank: World) -> None:
    """A withdrawal to a contract wallet that no chain confirmed waits for a person."""
    BEGIN[transfers.REVIEW](bank)
    reference, due_at = _job(bank, transfers.REVIEW)
    with unguarded(bank) as connection:
        connection.execute(text("UPDATE transfer SET review_eta = NULL"))
        named = [str(each) for each in breaches(connection) if each.invariant == 8]
        connection.commit()
    what = "work is scheduled on a record that says no time for it"
    assert named == [f"invariant 8: {what} (withdrawal.review {reference})"]
    bank.clock.set(due_at)
    with pytest.raises(AssertionError, match="doesn't say since when or until when"):
        bank.engine.run_due()
    assert bank.engine.withdrawal_record(bank.account, reference).status == "reviewing"


def test_a_job_that_is_left_when_its_record_ended_is_no_breach(bank: World) -> None:
    _fill(bank)
    trade_id, _ = _job(bank, trades.FILL)
    bank.engine.cancel_trade(bank.account, trade_id)
    assert _job(bank, trades.FILL)[0] == trade_id
    assert _said(bank) == []


@pytest.mark.parametrize("kind", DECIDING)
def test_work_that_failed_and_is_tried_again_is_no_breach(bank: World, kind: str) -> None:
    BEGIN[kind](bank)
    reference, due_at = _job(bank, kind)
    bank.clock.set(due_at + HOUR)
    due.put_off(bank.context)
    assert _job(bank, kind) == (reference, due_at + HOUR + MINUTE)
    assert _said(bank) == []
    _move(bank, kind, due_at + HOUR + MINUTE + 1)
    (found,) = _said(bank)
    assert "work was put off to" in found


def test_a_fill_that_waits_for_its_market_is_no_breach(tmp_path: Path) -> None:
    feed = FixedPrices(checks_staleness=True)
    bank = make_world(tmp_path / "bank.db", feed=feed)
    bank.open()
    bank.deposit("500.00")
    bank.buy()
    feed.age = HOUR
    began = bank.clock.now()
    for _ in range(3):
        _pass(bank, 10)
        _, run_at = _job(bank, trades.FILL)
        assert run_at == bank.clock.now() + settlement._TRY_AGAIN
        assert _said(bank) == []
    _move(bank, trades.FILL, began + settlement.FILL_TIMEOUT + 1)
    (found,) = _said(bank)
    assert "work was put off to" in found
    bank.close()


@pytest.mark.parametrize("kind", [trades.FILL, transfers.SEND])
def test_a_delay_that_was_changed_at_a_restart_is_no_breach(bank: World, kind: str) -> None:
    """Work that is under way keeps the time that it was given, unless the new delay is longer."""
    BEGIN[kind](bank)
    reference, due_at = _job(bank, kind)
    for delay_s in (3_600, 1):
        options = replace(OPTIONS, fill_delay_s=delay_s, withdrawal_delay_s=delay_s)
        bank.engine = Engine(replace(bank.context, options=options), bank.engine.actor)
        bank.withdraw("2.00")
        assert _said(bank) == []
    bank.clock.set(due_at)
    bank.engine.run_due()
    assert _status(bank, kind, reference) not in WORK[kind].statuses


def test_a_longer_delay_holds_for_what_is_under_way(bank: World) -> None:
    BEGIN[transfers.SEND](bank)
    reference, due_at = _job(bank, transfers.SEND)
    longer = replace(bank.context, options=replace(OPTIONS, withdrawal_delay_s=3_600))
    bank.engine = Engine(longer, bank.engine.actor)
    bank.clock.set(due_at)
    bank.engine.run_due()
    assert _status(bank, transfers.SEND, reference) == "processing"
    assert _job(bank, transfers.SEND) == (reference, due_at + 3_595 * SECOND)
    assert _said(bank) == []


def test_the_next_event_is_at_the_record_s_time_again(bank: World) -> None:
    """Training skips to it."""
    BEGIN[transfers.REVIEW](bank)
    _, due_at = _job(bank, transfers.REVIEW)
    _move(bank, transfers.REVIEW, LONG_AGO)
    assert bank.engine.next_due() == LONG_AGO
    bank.engine.run_due()
    assert bank.engine.next_due() == due_at
    with bank.database.read() as connection:
        assert jobs.take_due(connection, due_at - 1, transfers.SEND) is None

"""Decisions: withdrawals that wait for a person, controls, closed markets and statements."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.refusals import details, refusal
from tests.tampering.altering import unguarded
from tests.world.engines import DPT, START, USDC_SOLANA, World, make_world

from chainteller.domain.actors import DESK_SCOPES, Actor
from chainteller.domain.agents import public_key_text
from chainteller.domain.clock import HOUR, SECOND, format_instant
from chainteller.domain.decisions import AtDeadline, ReviewCondition, ReviewLine
from chainteller.domain.limits import DestinationClass
from chainteller.domain.options import EngineOptions
from chainteller.domain.policy import Policy
from chainteller.domain.preconditions import Control
from chainteller.engine.core.outcome import Outcome, apply
from chainteller.engine.core.unit_of_work import UnitOfWork, act
from chainteller.engine.operations import accounts, deposits
from chainteller.engine.verification.full_pass import verify
from chainteller.service.errors import ServiceError
from chainteller.service.models.agents import EnrolAgent
from chainteller.service.models.counterparties import (
    OpenBlockchainAccount,
    RegisterCounterparty,
    StatementRequest,
)
from chainteller.service.models.decisions import (
    Approval,
    Decision,
    DecisionNote,
    OpenDecision,
    Refusal,
)
from chainteller.service.models.funding import Destination, Transfer, WithdrawalRequest
from chainteller.service.models.pages import ListQuery

ADDRESS = "DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hy"
REVIEW = (
    ReviewLine(ReviewCondition.UNVERIFIED_WALLET, 5_000, 3_600, AtDeadline.REFUSE),
    ReviewLine(ReviewCondition.UNVERIFIED_WALLET, 3_000, 1_800, AtDeadline.APPROVE),
)
"""Over 50 USD: refused after an hour; over 30 USD: passed after half an hour."""
OPTIONS = EngineOptions(policy=Policy(REVIEW))
_UNLIMITED = dict.fromkeys(DestinationClass, (10**12, 10**12, 10**12))
YES = Approval(answer="The customer called back.")
NO = Refusal(reason="SUSPECTED_FRAUD", answer="A caller urged the customer.")


class Bank:
    """A bank with a policy, 500 USDC and a wallet that may be paid."""

    def __init__(self, world: World) -> None:
        self.world, self.engine = world, world.engine
        world.deposit("500.00", USDC_SOLANA)
        account = OpenBlockchainAccount(trading_account_id=world.account, network="solana")
        self.custody = self.engine.open_blockchain_account(account).value.id
        wallet = RegisterCounterparty(address=ADDRESS, network="solana")
        self.wallet = self.engine.register_counterparty(wallet).value.id
        self.step(25 * 3_600)

    def withdraw(self, amount: str) -> Transfer:
        destination = Destination(
            type="counterparty",
            counterparty_id=self.wallet,
            blockchain_account_id=self.custody,
        )
        request = WithdrawalRequest(amount=amount, currency=USDC_SOLANA, destination=destination)
        return self.engine.withdraw(self.world.account, request).value

    def step(self, seconds: int) -> None:
        self.world.clock.advance(seconds * SECOND)
        self.engine.run_due()

    def status(self, withdrawal: Transfer) -> str:
        return self.engine.withdrawal_record(self.world.account, withdrawal.id).status

    def decision(self, subject: str) -> Decision:
        """The only open one about a record."""
        (found,) = self.engine.decisions(ListQuery(text=subject, status="open")).data
        return found

    def free(self) -> str:
        return self.world.balances()["USDC@solana"][0]

    def controls(self) -> list[str]:
        return list(self.engine.trading_account(self.world.account).controls)

    def control(self, control: str | None = "FROZEN", **more: str) -> OpenDecision:
        asked = {"kind": "control", "subject": self.world.account, "reason": "COMPLIANCE_REVIEW"}
        return OpenDecision(control=control, **(asked | more))


@pytest.fixture
def bank(tmp_path: Path) -> Iterator[Bank]:
    world = make_world(tmp_path / "bank.db", options=OPTIONS)
    world.open()
    yield Bank(world)
    assert verify(world.database) == ()
    world.close()


ROLE = Actor(name="m.koch", scopes=frozenset({"decisions:write"}), roles=frozenset({"supervisor"}))
NO_ROLE = replace(ROLE, name="a.brandt", roles=frozenset({"reviewer"}))


@pytest.fixture
def stepwise(tmp_path: Path) -> Iterator[Bank]:
    """A bank in which supervisors decide after an hour what nobody has decided."""
    condition = ReviewCondition.UNVERIFIED_WALLET
    line = ReviewLine(condition, 3_000, 3_600, AtDeadline.ESCALATE, "supervisor")
    world = make_world(tmp_path / "bank.db", options=EngineOptions(policy=Policy((line,))))
    world.open()
    yield Bank(world)
    assert verify(world.database) == ()
    world.close()


@pytest.mark.parametrize("is_asked", [False, True])
def test_a_role_decides_after_the_first_deadline(stepwise: Bank, is_asked: bool) -> None:
    bank, waiting = stepwise, stepwise.withdraw("60.00")
    first = bank.decision(waiting.id)
    assert (first.at_deadline, first.to_role, first.escalated_at) == (
        "escalate",
        "supervisor",
        None,
    )
    if is_asked:  # which gives as much time again once, and not to the role
        bank.engine.note_decision(first.id, DecisionNote(note="Send a photo."))
        bank.step(3_600)
    bank.step(3_600)
    found = bank.decision(waiting.id)
    assert found.escalated_at is not None
    assert found.due is not None
    assert (found.due - found.escalated_at).total_seconds() == 3_600
    assert found.at_deadline == "refuse"
    record = bank.engine.withdrawal_record(bank.world.account, waiting.id)
    assert record.review is not None
    assert (record.status, record.review.eta) == ("reviewing", found.due)
    (told,) = (each for each in bank.engine.events().data if each.type == "decision.escalated")
    assert told.data["role"] == "supervisor"
    (row,) = (each for each in bank.engine.audit().data if each.action == "decision.escalated")
    assert (row.object, row.actor, row.inputs["role"]) == (found.id, "worker", "supervisor")
    other = bank.engine.acting_as(NO_ROLE)
    assert refusal(partial(other.approve_decision, found.id, YES)).code == "ROLE_REQUIRED"
    assert refusal(partial(other.refuse_decision, found.id, NO)).code == "ROLE_REQUIRED"
    assert bank.engine.acting_as(ROLE).approve_decision(found.id, YES).value.status == "approved"
    bank.step(60)
    assert bank.status(waiting) == "sent"


def test_at_the_second_deadline_it_is_refused(stepwise: Bank) -> None:
    before, waiting = stepwise.free(), stepwise.withdraw("60.00")
    stepwise.step(3_600)
    stepwise.step(3_599)
    assert stepwise.status(waiting) == "reviewing"
    stepwise.step(1)
    assert stepwise.status(waiting) == "rejected"
    assert stepwise.free() == before
    (found,) = stepwise.engine.decisions(ListQuery(text=waiting.id)).data
    assert (found.status, found.decided_by) == ("lapsed", "worker")


def test_the_first_line_that_fits_gives_a_withdrawal_to_a_person(bank: Bank) -> None:
    now = bank.world.clock.now()
    strict, lenient, free = (bank.withdraw(each) for each in ("60.00", "40.00", "20.00"))
    assert [each.status for each in (strict, lenient, free)] == ["reviewing"] * 3
    first, second = bank.decision(strict.id), bank.decision(lenient.id)
    assert (first.reason, first.at_deadline) == ("REVIEW_UNVERIFIED_WALLET", "refuse")
    assert (second.reason, second.at_deadline) == ("REVIEW_UNVERIFIED_WALLET", "approve")
    assert first.due is not None
    assert format_instant(now + HOUR) == first.model_dump(by_alias=True)["due"]
    assert strict.review is not None
    assert strict.review.eta == first.due
    assert bank.engine.decisions(ListQuery(text=free.id)).data == ()
    listed = bank.engine.decisions(ListQuery(status="open")).data
    assert [each.subject for each in listed] == [lenient.id, strict.id]  # by deadline


@pytest.mark.parametrize(
    ("approves", "ends"), [(True, ("processing", "sent", "completed")), (False, ("rejected",) * 3)]
)
def test_a_person_decides_a_withdrawal_once(
    bank: Bank,
    approves: bool,
    ends: tuple[str, ...],
) -> None:
    withdrawal = bank.withdraw("60.00")
    found = bank.decision(withdrawal.id)
    reviewer = bank.engine.acting_as(Actor(name="r.iyer"))
    bank.step(10)
    if approves:
        decided = reviewer.approve_decision(found.id, YES).value
    else:
        decided = reviewer.refuse_decision(found.id, NO).value
    assert decided.decided_by == "r.iyer"
    assert decided.answer == (YES.answer if approves else NO.answer)
    for again in (
        refusal(reviewer.approve_decision, found.id, YES),
        refusal(reviewer.refuse_decision, found.id, NO),
    ):
        assert (again.code, details(again)["reason"]) == ("CONFLICT", "ALREADY_DECIDED")
    shown = []
    for _ in ends:
        shown.append(bank.status(withdrawal))
        bank.step(10)
    assert tuple(shown) == ends
    assert bank.free() == ("440.00" if approves else "500.00")
    bank.step(86_400)
    assert bank.engine.decision(found.id).status == ("approved" if approves else "refused")


def test_what_nobody_decides_ends_as_the_policy_says(bank: Bank) -> None:
    strict, lenient = bank.withdraw("60.00"), bank.withdraw("40.00")
    ids = bank.decision(strict.id).id, bank.decision(lenient.id).id
    bank.step(1_800)
    assert (bank.status(strict), bank.status(lenient)) == ("reviewing", "processing")
    bank.step(1_800)
    assert bank.status(strict) == "rejected"
    failed = bank.engine.withdrawal_record(bank.world.account, strict.id).failure_reason
    assert failed is not None
    assert failed.message == "The review was not finished in time."
    for found, status in zip(ids, ("lapsed", "approved"), strict=True):
        decision = bank.engine.decision(found)
        assert (decision.status, decision.decided_by) == (status, "worker")
    types = [each.type for each in bank.engine.events(limit=100).data]
    assert types.count("decision.opened") == 2
    assert {"decision.lapsed", "decision.approved"} <= set(types)


def test_a_cancelled_withdrawal_withdraws_its_decision(bank: Bank) -> None:
    withdrawal = bank.withdraw("60.00")
    found = bank.decision(withdrawal.id)
    bank.engine.cancel_withdrawal(bank.world.account, withdrawal.id)
    assert bank.engine.decision(found.id).status == "withdrawn"
    assert refusal(bank.engine.approve_decision, found.id, YES).code == "CONFLICT"
    assert bank.free() == "500.00"
    bank.step(7_200)


def test_a_note_moves_the_deadline_once(bank: Bank) -> None:
    withdrawal = bank.withdraw("60.00")
    found = bank.decision(withdrawal.id)
    bank.step(600)
    asked = bank.engine.note_decision(found.id, DecisionNote(note="A photo of the device")).value
    assert asked.due is not None
    assert found.due is not None
    assert (asked.due - found.due).total_seconds() == 3_600
    shown = bank.engine.withdrawal_record(bank.world.account, withdrawal.id)
    assert shown.review is not None
    assert shown.review.eta == asked.due
    again = bank.engine.note_decision(found.id, DecisionNote(note="And a date")).value
    assert (again.due, again.asked) == (asked.due, "And a date")
    assert verify(bank.world.database) == ()
    bank.step(3_600)
    assert bank.status(withdrawal) == "reviewing"
    bank.engine.approve_decision(found.id, YES)
    bank.step(10)
    assert bank.status(withdrawal) == "sent"


def test_a_decision_is_taken_by_one_at_a_time(bank: Bank) -> None:
    found = bank.decision(bank.withdraw("60.00").id)
    first, second = (bank.engine.acting_as(Actor(name=each)) for each in ("a.brandt", "s.iyer"))
    taken = first.take_decision(found.id).value
    assert taken.holder == "a.brandt"
    error = refusal(second.take_decision, found.id)
    assert details(error)["reason"] == "TAKEN"
    assert first.take_decision(found.id).value.holder == "a.brandt"
    bank.step(15 * 60)
    assert second.take_decision(found.id).value.holder == "s.iyer"


def test_a_frozen_account_is_lifted_by_a_person(bank: Bank) -> None:
    frozen = bank.engine.open_decision(bank.control(words="Called by the police")).value
    assert (bank.controls(), frozen.control, frozen.due) == (["FROZEN"], "FROZEN", None)
    assert refusal(bank.withdraw, "20.00").code == "ACCOUNT_RESTRICTED"
    error = refusal(bank.engine.open_decision, bank.control())
    assert (details(error)["id"], details(error)["reason"]) == (frozen.id, "ALREADY_SET")
    kept = Refusal(reason="INVESTIGATION", answer="Not finished.")
    bank.engine.refuse_decision(frozen.id, kept)
    standing = bank.decision(bank.world.account)
    assert (standing.id != frozen.id, standing.reason) == (True, "INVESTIGATION")
    assert bank.controls() == ["FROZEN"]
    bank.engine.approve_decision(standing.id, YES)
    assert bank.controls() == []
    assert bank.withdraw("20.00").status == "reviewing"


def test_another_control_replaces_the_one_that_is_set(bank: Bank) -> None:
    frozen = bank.engine.open_decision(bank.control()).value
    selling = bank.engine.open_decision(bank.control("SELL_ONLY")).value
    assert bank.engine.decision(frozen.id).status == "withdrawn"
    assert bank.controls() == ["SELL_ONLY"]
    bank.engine.approve_decision(selling.id, YES)
    assert bank.controls() == []


def test_a_control_ends_at_its_time(bank: Bank) -> None:
    until = format_instant(bank.world.clock.now() + HOUR)
    frozen = bank.engine.open_decision(bank.control(until=until)).value
    bank.step(3_599)
    assert bank.engine.decision(frozen.id).status == "open"
    bank.step(1)
    assert bank.engine.decision(frozen.id).status == "approved"
    assert bank.controls() == []


def test_a_freeze_stops_withdrawals_that_were_not_sent(bank: Bank) -> None:
    sent = bank.withdraw("20.00")
    bank.step(7_200)
    bank.step(5)
    waiting, held = bank.world.withdraw("5.00", USDC_SOLANA), bank.withdraw("10.00")
    bank.engine.open_decision(bank.control())
    bank.step(5)
    assert bank.status(sent) == "completed"
    bank.step(7_200)
    bank.step(5)
    for withdrawal in (waiting, held):
        failed = bank.engine.withdrawal_record(bank.world.account, withdrawal.id)
        assert failed.failure_reason is not None
        assert (failed.status, failed.failure_reason.code) == ("failed", "ACCOUNT_FROZEN")
    assert bank.free() == "480.00"


def test_a_returned_deposit_freezes_under_a_decision(bank: Bank) -> None:
    deposit = bank.world.deposit("50.00", DPT)
    act(
        bank.world.context,
        Actor(name="core-bank"),
        lambda tx: deposits.claw_back(tx, deposit.id, "Unpaid."),
    )
    found = bank.decision(bank.world.account)
    assert (found.reason, found.opened_by) == ("DEPOSIT_RETURNED", "core-bank")
    bank.engine.approve_decision(found.id, YES)
    assert bank.controls() == []


def test_a_returned_deposit_leaves_a_closed_account_closed(bank: Bank) -> None:
    """Otherwise the freeze could be lifted, and the account would be open again."""
    deposit = bank.world.deposit("50.00", DPT)

    def close(tx: UnitOfWork) -> None:
        row = accounts.locked(tx, bank.world.account)
        update, event = accounts.restrict(row, Control.CLOSED, "CUSTOMER_REQUEST")
        apply(tx, Outcome(row.id, (update,), events=(event,)))

    act(bank.world.context, Actor(), close)
    act(bank.world.context, Actor(), lambda tx: deposits.claw_back(tx, deposit.id, "Unpaid."))
    assert bank.controls() == ["CLOSED"]
    assert bank.engine.decisions(ListQuery(text=bank.world.account)).data == ()
    error = refusal(bank.engine.open_decision, bank.control())
    assert details(error)["reason"] == "ACCOUNT_CLOSED"


def test_a_market_that_stays_closed_gives_the_new_reason(bank: Bank) -> None:
    asked = OpenDecision(kind="market", subject="sol-usd", reason="MAINTENANCE")
    closed = bank.engine.open_decision(asked).value
    kept = Refusal(reason="HALTED", answer="The venue has stopped.")
    bank.engine.refuse_decision(closed.id, kept)
    assert bank.decision("sol-usd").reason == "HALTED"
    assert bank.engine.market("sol-usd").status == "HALTED"


def test_a_market_is_closed_and_opened(bank: Bank) -> None:
    until = format_instant(bank.world.clock.now() + HOUR)
    asked = OpenDecision(kind="market", subject="sol-usd", reason="MAINTENANCE", until=until)
    closed = bank.engine.open_decision(asked).value
    error = refusal(bank.world.quote, "100.00")
    assert (error.code, details(error)["estimatedResolution"]) == ("MARKET_UNAVAILABLE", until)
    assert details(refusal(bank.engine.open_decision, asked))["reason"] == "ALREADY_CLOSED"
    bank.engine.approve_decision(closed.id, YES)
    assert bank.world.quote("100.00").market_name == "sol-usd"
    bank.engine.open_decision(asked)
    bank.step(3_600)
    assert bank.world.quote("100.00").market_name == "sol-usd"
    assert bank.engine.decisions(ListQuery(text="sol-usd", status="open")).data == ()


def test_of_several_who_do_the_same_at_once_one_does_it(own_postgres_bank: str) -> None:
    """Close a market, or enrol a key: the others are told that it's done."""
    world = make_world(own_postgres_bank)
    closing = OpenDecision(kind="market", subject="sol-usd", reason="MAINTENANCE")
    enrolling = EnrolAgent(name="anna", public_key=public_key_text(bytes(32)))
    acts = (
        partial(world.engine.open_decision, closing),
        partial(world.engine.enrol_agent, enrolling),
    )

    def code(do: Callable[[], object]) -> str:
        try:
            do()
        except ServiceError as error:
            return error.code
        return "done"

    with ThreadPoolExecutor(8) as pool:
        for do in acts:
            codes = sorted(pool.map(code, [do] * 8))
            assert codes == ["CONFLICT"] * 7 + ["done"]
    assert verify(world.database) == ()
    world.close()


def test_closing_a_market_needs_the_scope_of_the_deployment(bank: Bank) -> None:
    scopes = frozenset(DESK_SCOPES)
    limited = bank.engine.acting_as(Actor(name="desk", key_id="k", scopes=scopes))
    asked = OpenDecision(kind="market", subject="sol-usd", reason="MAINTENANCE")
    assert refusal(limited.open_decision, asked).code == "FORBIDDEN"
    bank.engine.open_decision(asked)
    found = bank.decision("sol-usd")
    assert refusal(limited.approve_decision, found.id, YES).code == "FORBIDDEN"
    assert refusal(limited.refuse_decision, found.id, NO).code == "FORBIDDEN"
    assert limited.open_decision(bank.control()).value.status == "open"


@pytest.mark.parametrize("accepts", [True, False])
def test_a_statement_is_judged(bank: Bank, accepts: bool) -> None:
    request = StatementRequest(
        counterparty_id=bank.wallet, reason="OTHER", statement="It is my own wallet."
    )
    stated = bank.engine.create_ownership_statement(bank.custody, request).value
    found = bank.decision(stated.id)
    if accepts:
        bank.engine.approve_decision(found.id, YES)
    else:
        bank.engine.refuse_decision(found.id, Refusal(reason="OTHER", answer="Not enough."))
    shown = bank.engine.ownership_statement_by_id(stated.id)
    assert shown.status == ("accepted" if accepts else "refused")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"reason": "because"}, "reason"),
        ({"reason": ""}, "reason"),
        ({"control": "CLOSED"}, "control"),
        ({"control": None}, "control"),
        ({"kind": "withdrawal"}, "kind"),
        ({"until": format_instant(START)}, "until"),
        ({"until": "tomorrow"}, "until"),
        ({"words": "x" * 501}, "words"),
        ({"words": " "}, "words"),
    ],
)
def test_what_a_control_cannot_be_is_named(bank: Bank, changes: dict[str, str], field: str) -> None:
    asked = bank.control(**changes)
    error = refusal(bank.engine.open_decision, asked)
    assert error.code == "VALIDATION_ERROR"
    assert [each["field"] for each in details(error)["errors"]] == [field]


def test_the_end_of_time_is_no_time_that_is_past(bank: Bank) -> None:
    error = refusal(bank.engine.open_decision, bank.control(until="9999-12-31T23:59:59Z"))
    (told,) = details(error)["errors"]
    assert told["message"] == "a time before the end of 9999; left out, it never ends"


@pytest.mark.parametrize(
    "altered",
    [
        "UPDATE decision SET at_deadline = 'approve'",
        "UPDATE decision SET status = 'approved', decided_at = created, decided_by = 'me'",
        "UPDATE decision SET due = due - 1",
    ],
)
def test_an_altered_decision_pays_nothing(tmp_path: Path, altered: str) -> None:
    """Whatever it was altered to, the worker's write over it is found before a payout."""
    world = make_world(tmp_path / "bank.db", options=OPTIONS)
    world.open()
    bank = Bank(world)
    withdrawal = bank.withdraw("60.00")
    with unguarded(world) as connection:
        connection.execute(text(altered))
        connection.commit()
    assert verify(world.database) != ()
    for _ in range(4):
        with suppress(AssertionError):  # the worker puts off what it can't do
            bank.step(3_600)
        assert bank.status(withdrawal) not in {"sent", "completed"}
    world.close()


def test_a_withdrawal_without_its_decision_is_named_and_not_paid(tmp_path: Path) -> None:
    world = make_world(tmp_path / "bank.db", options=OPTIONS)
    world.open()
    bank = Bank(world)
    withdrawal = bank.withdraw("60.00")
    with unguarded(world) as connection:
        connection.execute(text("DELETE FROM decision"))
        connection.commit()
    named = " ".join(map(str, verify(world.database)))
    assert f"it waits for a decision that isn't open (withdrawal {withdrawal.id})" in named
    world.clock.advance(2 * HOUR)
    with pytest.raises(AssertionError, match="vanished"):
        bank.engine.run_due()
    assert bank.status(withdrawal) == "reviewing"
    world.close()


def _at_once(pool: ThreadPoolExecutor, acts: Sequence[Callable[[], object]]) -> None:
    for done in [pool.submit(each) for each in acts]:
        with suppress(ServiceError):
            done.result()


@pytest.mark.parametrize(
    "rounds", [15, pytest.param(1_000, marks=pytest.mark.slow)], ids=["short", "whole"]
)
def test_whoever_decides_first_decides_alone(tmp_path: Path, rounds: int) -> None:
    """An approval, a refusal, a cancellation and the deadline at once, then a cancellation and the
    payment: one of them counts, and what is held is paid or given back once."""
    world = make_world(tmp_path / "bank.db", options=replace(OPTIONS, limits=_UNLIMITED))
    world.open()
    bank = Bank(world)
    paid, ends = Decimal(0), set[str]()
    with ThreadPoolExecutor(4) as pool:
        for number in range(rounds):
            amount = Decimal("60.00") + number % 7
            withdrawal = bank.withdraw(str(amount))
            found = bank.decision(withdrawal.id)
            world.clock.advance(3_600 * SECOND - number % 2)
            acts = (
                partial(bank.engine.approve_decision, found.id, YES),
                partial(bank.engine.refuse_decision, found.id, NO),
                partial(bank.engine.cancel_withdrawal, world.account, withdrawal.id),
                bank.engine.run_due,
            )
            _at_once(pool, acts[number % 4 :] + acts[: number % 4])
            if bank.status(withdrawal) == "processing":
                world.clock.advance(5 * SECOND)
                _at_once(pool, acts[2:] if number % 2 else acts[:1:-1])
            for _ in range(3):
                bank.step(10)
            decided, status = bank.engine.decision(found.id), bank.status(withdrawal)
            ends.add(f"{decided.status} {status}")
            paid += amount if status == "completed" else 0
            if paid > 300:
                world.deposit(str(paid), USDC_SOLANA)
                paid = Decimal(0)
            assert Decimal(bank.free()) == 500 - paid
            assert world.balances()["USDC@solana"][1] == "0.00"
    assert ends <= {
        "approved completed",
        "approved cancelled",  # before it was sent
        "refused rejected",
        "lapsed rejected",
        "withdrawn cancelled",
    }
    assert len(ends) > 1
    assert verify(world.database) == ()
    world.close()

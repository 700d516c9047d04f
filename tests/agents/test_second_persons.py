"""Four eyes: what needs two persons happens after two, and exactly as the first one saw it."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from nacl.signing import SigningKey
from tests.engine.test_decisions import NO, REVIEW, YES, Bank
from tests.refusals import details, refusal
from tests.world.engines import make_world

from chainteller.domain.actors import Actor
from chainteller.domain.agents import public_key_text
from chainteller.domain.clock import HOUR, format_instant
from chainteller.domain.decisions import AtDeadline, Payment, ReviewCondition, ReviewLine
from chainteller.domain.limits import DestinationClass
from chainteller.domain.options import EngineOptions
from chainteller.domain.policy import Needing, Policy, TwoPersons
from chainteller.engine.engine import Engine
from chainteller.engine.operations.keys import ApiKeys
from chainteller.engine.operations.withdrawals import waits_for_person
from chainteller.engine.verification.full_pass import verify
from chainteller.service.models.agents import ApproveAgent, EnrolAgent
from chainteller.service.models.decisions import DecisionNote, OpenDecision

TWO = TwoPersons(10_000, 1_200, frozenset({Needing.LIFT, Needing.OPEN_MARKET}))
"""Withdrawals over 100 USD, for twenty minutes, and the end of every control and closure."""
_LIMITS = dict.fromkeys(DestinationClass, (10**12, 10**12, 10**12))
OPTIONS = EngineOptions(policy=Policy(REVIEW, two=TWO), limits=_LIMITS)


class TwoPersonBank(Bank):
    """Persons of the bank by name; what ``core`` does is of no person."""

    def person(self, name: str) -> Engine:
        return self.engine.acting_as(Actor(name=name))

    def act_as(self, actor: Actor) -> None:
        self.engine = self.world.engine.acting_as(actor)


@pytest.fixture
def bank(tmp_path: Path) -> Iterator[TwoPersonBank]:
    world = make_world(tmp_path / "bank.db", options=OPTIONS)
    world.open()
    found = TwoPersonBank(world)
    found.act_as(Actor(name="a.brandt"))
    yield found
    assert verify(world.database) == ()
    world.close()


def test_whoever_asks_for_a_withdrawal_is_the_first_of_two(bank: TwoPersonBank) -> None:
    withdrawal = bank.withdraw("150.00")
    found = bank.decision(withdrawal.id)
    assert (found.needs_two, found.first_by, found.at_deadline) == (True, "a.brandt", "refuse")
    error = refusal(bank.engine.approve_decision, found.id, YES)
    assert (error.code, details(error)["reason"]) == ("CONFLICT", "SAME_PERSON")
    bank.step(30 * 60)
    decided = bank.person("s.iyer").approve_decision(found.id, YES).value
    assert (decided.status, decided.decided_by) == ("approved", "s.iyer")
    bank.step(10)
    assert bank.status(withdrawal) == "sent"


def test_a_systems_withdrawal_waits_for_two_persons(bank: TwoPersonBank) -> None:
    key_id = ApiKeys(bank.world.context).create("app").key_id
    bank.act_as(Actor(name="app", key_id=key_id, scopes=frozenset({"transfers:write"})))
    withdrawal = bank.withdraw("150.00")
    found = bank.decision(withdrawal.id)
    assert found.first_by is None
    first = bank.person("a.brandt").approve_decision(found.id, YES).value
    assert (first.status, first.first_by) == ("open", "a.brandt")
    assert bank.status(withdrawal) == "reviewing"
    bank.person("s.iyer").approve_decision(found.id, YES)
    bank.step(10)
    assert bank.status(withdrawal) == "sent"


def test_no_second_person_is_needed_below_the_amount_or_to_refuse(bank: TwoPersonBank) -> None:
    small, large = bank.withdraw("100.00"), bank.withdraw("150.00")
    assert bank.decision(small.id).needs_two is None
    bank.engine.approve_decision(bank.decision(small.id).id, YES)
    bank.engine.refuse_decision(bank.decision(large.id).id, NO)
    bank.step(10)
    assert (bank.status(small), bank.status(large)) == ("sent", "rejected")


def test_what_fits_no_line_waits_for_the_second_person_alone(bank: TwoPersonBank) -> None:
    withdrawal = bank.world.engine.acting_as(Actor(name="a.brandt"))
    bank.world.deposit("500.00")
    made = bank.world.withdraw("150.00")
    found = bank.decision(made.id)
    assert (found.reason, made.status) == ("REVIEW_SECOND_PERSON", "reviewing")
    assert found.due is not None
    assert format_instant(bank.world.clock.now() + 1_200_000_000) == format_instant(
        round(found.due.timestamp() * 1_000_000)
    )
    bank.step(1_200)
    assert withdrawal.decision(found.id).status == "lapsed"


def test_the_first_approval_lapses_after_fifteen_minutes(bank: TwoPersonBank) -> None:
    frozen = bank.engine.open_decision(bank.control()).value
    bank.engine.approve_decision(frozen.id, YES)
    bank.step(15 * 60 + 1)
    second = bank.person("s.iyer").approve_decision(frozen.id, YES).value
    assert (second.status, second.first_by) == ("open", "s.iyer")
    assert bank.controls() == ["FROZEN"]
    bank.engine.approve_decision(frozen.id, YES)
    assert bank.controls() == []


def _with_other_rules(bank: TwoPersonBank) -> None:
    options = replace(OPTIONS, quote_window_s=77)
    context = replace(bank.world.context, options=options)
    bank.engine = Engine(context, bank.engine.actor)
    bank.world.engine = bank.engine


def _with_another_control(bank: TwoPersonBank) -> None:
    bank.engine.open_decision(bank.control("SELL_ONLY"))


@pytest.mark.parametrize("change", [_with_other_rules, _with_another_control])
def test_an_approval_lapses_when_what_it_is_of_changes(
    bank: TwoPersonBank, change: Callable[[TwoPersonBank], None]
) -> None:
    withdrawal = bank.withdraw("150.00")
    found = bank.decision(withdrawal.id)
    change(bank)
    again = bank.person("s.iyer").approve_decision(found.id, YES).value
    assert (again.status, again.first_by, bank.status(withdrawal)) == (
        "open", "s.iyer", "reviewing",
    )  # fmt: skip
    assert again.digest != found.digest


def test_an_approval_lapses_when_whoever_gave_it_is_revoked(bank: TwoPersonBank) -> None:
    """Nobody knows whose hands a lost key was in. An agent of another name changes nothing."""
    manager = bank.world.engine
    agents = []
    for name in ("a.brandt", "c.okafor"):
        key = public_key_text(SigningKey.generate().verify_key.encode())
        agents.append(manager.enrol_agent(EnrolAgent(name=name, public_key=key)).value.id)
        manager.approve_agent(agents[-1], ApproveAgent())
    before, after = bank.withdraw("150.00"), bank.withdraw("150.00")
    manager.revoke_agent(agents[1])
    found = bank.decision(before.id)
    assert bank.person("s.iyer").approve_decision(found.id, YES).value.status == "approved"
    manager.revoke_agent(agents[0])
    found = bank.decision(after.id)
    again = bank.person("s.iyer").approve_decision(found.id, YES).value
    assert (again.status, again.first_by, bank.status(after)) == ("open", "s.iyer", "reviewing")
    bank.step(1)
    decided = bank.person("c.okafor").approve_decision(found.id, YES).value
    assert decided.status == "approved"


def test_a_longer_deadline_changes_nothing_of_what_leaves(bank: TwoPersonBank) -> None:
    found = bank.decision(bank.withdraw("150.00").id)
    bank.engine.note_decision(found.id, DecisionNote(note="A photo of the device"))
    assert bank.person("s.iyer").approve_decision(found.id, YES).value.status == "approved"


def test_nothing_ends_by_itself_that_needs_two(bank: TwoPersonBank) -> None:
    until = format_instant(bank.world.clock.now() + HOUR)
    market = OpenDecision(kind="market", subject="sol-usd", reason="MAINTENANCE", until=until)
    for asked in (bank.control(until=until), market):
        assert refusal(bank.engine.open_decision, asked).code == "VALIDATION_ERROR"
    assert bank.controls() == []


def test_a_line_passes_at_its_deadline_only_what_needs_no_second_person() -> None:
    line = ReviewLine(ReviewCondition.UNVERIFIED_WALLET, 0, 3_600, AtDeadline.APPROVE)
    policy = Policy((line,), two=TWO)
    found = [
        waits_for_person(Payment(DestinationClass.UNVERIFIED, cents), policy, 0)
        for cents in (10_000, 10_001)
    ]
    assert [each and (each.needs_two, each.then) for each in found] == [
        (False, AtDeadline.APPROVE),
        (True, AtDeadline.REFUSE),
    ]


def test_a_weaker_control_replaces_none_that_two_persons_lift(bank: TwoPersonBank) -> None:
    bank.engine.open_decision(bank.control())
    error = refusal(bank.engine.open_decision, bank.control("SELL_ONLY"))
    assert details(error)["reason"] == "SECOND_PERSON"
    assert bank.controls() == ["FROZEN"]


def test_a_customer_may_cancel_between_two_approvals(bank: TwoPersonBank) -> None:
    withdrawal = bank.withdraw("150.00")
    found = bank.decision(withdrawal.id)
    bank.engine.cancel_withdrawal(bank.world.account, withdrawal.id)
    error = refusal(bank.person("s.iyer").approve_decision, found.id, YES)
    assert details(error)["reason"] == "ALREADY_DECIDED"
    assert bank.free() == "500.00"

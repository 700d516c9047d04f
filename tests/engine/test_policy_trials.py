"""Why a withdrawal waited, and what another policy would have asked for."""

from pathlib import Path

import pytest
from tests.engine.test_decisions import YES, Bank, bank  # noqa: F401 - a fixture
from tests.world.engines import make_world

from chainteller.domain.decisions import AtDeadline, ReviewCondition, ReviewLine
from chainteller.domain.options import EngineOptions
from chainteller.domain.policy import Policy, TwoPersons
from chainteller.engine.operations.policy_trials import Verdict, explain, tried
from chainteller.service.errors import NotFound

FIRST_USE = ReviewLine(ReviewCondition.FIRST_USE, 0, 3_600, AtDeadline.REFUSE)


def verdicts(bank: Bank, identifier: str) -> list[Verdict]:  # noqa: F811
    return [verdict for _, verdict in explain(bank.world.context, identifier).lines]


def test_the_lines_of_its_own_policy_are_explained(bank: Bank) -> None:  # noqa: F811
    large, middle, small = (bank.withdraw(each) for each in ("60.00", "40.00", "20.00"))
    assert verdicts(bank, large.id) == [Verdict.COUNTS, Verdict.FITS_TOO]
    assert verdicts(bank, bank.decision(middle.id).id) == [Verdict.TOO_SMALL, Verdict.COUNTS]
    assert verdicts(bank, small.id) == [Verdict.TOO_SMALL] * 2
    assert explain(bank.world.context, small.id).reason == "UNVERIFIED_DESTINATION"
    to_bank = bank.world.withdraw("60.00")
    assert verdicts(bank, to_bank.id) == [Verdict.NOT_MET] * 2
    with pytest.raises(NotFound):
        explain(bank.world.context, "TXN_0000000000000000000000")


def test_a_line_is_explained_with_what_its_deadline_does(tmp_path: Path) -> None:
    """What needs two persons isn't approved by its deadline, whatever the line says."""
    line = ReviewLine(ReviewCondition.UNVERIFIED_WALLET, 0, 3_600, AtDeadline.APPROVE)
    options = EngineOptions(policy=Policy((line, line), two=TwoPersons(5_000)))
    world = make_world(tmp_path / "bank.db", options=options)
    world.open()
    two = Bank(world)
    large, small = two.withdraw("60.00"), two.withdraw("40.00")
    for withdrawal, then in ((large, AtDeadline.REFUSE), (small, AtDeadline.APPROVE)):
        counts, unused = explain(world.context, withdrawal.id).lines
        assert counts == (line._replace(then=then), Verdict.COUNTS)
        assert unused == (line, Verdict.FITS_TOO)
        assert two.decision(withdrawal.id).at_deadline == then
    world.close()


def test_another_policy_is_tried_on_what_was_so_at_each_request(bank: Bank) -> None:  # noqa: F811
    large, small = bank.withdraw("60.00"), bank.withdraw("20.00")
    bank.engine.approve_decision(bank.decision(large.id).id, YES)
    bank.step(600)
    again = bank.withdraw("10.00")
    trial = tried(bank.world.context, Policy((FIRST_USE,)), 30)
    assert (trial.withdrawals, trial.waited, trial.would_wait) == (3, 1, 2)
    assert [(each.withdrawal.id, each.after) for each in trial.changes] == [
        (small.id, "REVIEW_FIRST_USE")
    ], f"{again.id} isn't the first use"
    none = tried(bank.world.context, Policy(), 30)
    assert [(each.withdrawal.id, each.after) for each in none.changes] == [(large.id, "")]
    two = tried(bank.world.context, Policy(two=TwoPersons(1_500)), 30)
    assert (two.would_wait, two.changes[0].after) == (2, "REVIEW_SECOND_PERSON")
    bank.step(40 * 86_400)
    assert tried(bank.world.context, Policy((FIRST_USE,)), 30).withdrawals == 0

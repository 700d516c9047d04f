"""Whoever owns the database file can't change what was witnessed, and what wasn't is named."""

from collections.abc import Iterator

import pytest
from tests.witnessing.tampering import KINDS, judge_of_cases, run_case
from tests.witnessing.witnesses import RunningWitness


@pytest.fixture(scope="module")
def running() -> Iterator[RunningWitness]:
    with judge_of_cases() as found:
        yield found


@pytest.mark.parametrize("case", range(2 * len(KINDS)))
def test_an_attack_on_the_log_is_found_or_its_beginning_named(
    case: int, running: RunningWitness
) -> None:
    assert run_case(case, running).wrong == ""


@pytest.mark.slow
def test_a_thousand_attacks_are_found_or_their_beginning_named(running: RunningWitness) -> None:
    wrong = [each for each in (run_case(case, running) for case in range(1_000)) if each.wrong]
    assert wrong == []

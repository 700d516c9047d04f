"""No permitted history raises a breach, and damage to what a history left is found."""

from collections import Counter

import pytest
from tests.simulation.damage import case
from tests.simulation.histories import history, kind_of, lived


@pytest.mark.forms(1)
@pytest.mark.parametrize("number", [3, 1, 2, 4, 5, 6])
def test_a_permitted_history_raises_no_breach(number: int) -> None:
    assert history(number) == []


def test_a_link_that_another_withdrawal_wrote_last_is_no_breach() -> None:
    assert history(6553) == []


def test_histories_begin_in_every_way() -> None:
    assert {kind_of(number) for number in range(40)} == {"own", "sample"}


def test_damage_is_found() -> None:
    outcomes = Counter(case(number) for number in range(100, 112))
    assert outcomes["named"] + outcomes["found"] >= 6
    assert outcomes["missed"] == 0
    assert outcomes["ended with an error"] == 0


@pytest.mark.slow
def test_four_hundred_histories_raise_no_breach() -> None:
    kinds, found = lived(0, 400)
    assert found == {}
    assert kinds == {"own": 390, "sample": 10}


@pytest.mark.slow
def test_of_five_hundred_cases_of_damage_at_most_five_are_missed() -> None:
    outcomes = Counter[str]()
    number = 0
    while sum(outcomes.values()) < 500:
        number += 1
        outcome = case(number)
        if outcome is not None:
            outcomes[outcome] += 1
    assert outcomes["missed"] <= 5, outcomes
    assert outcomes["ended with an error"] == 0

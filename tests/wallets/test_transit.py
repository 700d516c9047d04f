"""What is tried of a text: composed alterations, each form once, the likeliest first."""

from itertools import islice

import pytest
from tests.wallets.customers import customers, text_for

from chainteller.wallets.transit import journeys, simplest

TEXT = text_for(customers("evm")[0].registered)


@pytest.mark.parametrize(
    "signed",
    [
        f"> {TEXT}\n",
        f"Text to sign: {TEXT}\n",
        f'"{TEXT}"\n\nBest regards',
        f"\ufeff{TEXT.lower()}",
        f"{TEXT[:160]}\r\n",
        TEXT.replace(" ", "\u00a0") + "\n",
    ],
)
def test_two_usual_alterations_are_among_the_first_forms(signed: str) -> None:
    first = [journey.signed for journey in islice(journeys(TEXT), 3000)]
    assert signed.encode() in first
    assert len(set(first)) == len(first)
    assert TEXT.encode() not in first


def test_what_one_step_explains_is_said_as_one() -> None:
    signed = f"{TEXT}\r\n".encode()
    made = [simplest(TEXT, each) for each in islice(journeys(TEXT), 3000) if each.signed == signed]
    assert [len(each.steps) for each in made] == [1]

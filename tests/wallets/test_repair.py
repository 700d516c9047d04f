"""One wrong character is corrected where the result verifies, and said; more is not tried."""

import pytest
from tests.wallets.customers import Customer, case, customers, text_for

from chainteller.wallets.diagnose import diagnose

EVERYONE = [customers(name)[0] for name in ("evm", "solana", "bitcoin", "tron")]
TYPED = {"0": "O", "1": "l", "8": "B", "5": "S", "B": "8", "S": "5", "o": "0", "u": "v", "b": "6"}


@pytest.mark.parametrize("customer", EVERYONE, ids=lambda c: c.family)
def test_a_look_alike_and_a_doubled_character_are_corrected(customer: Customer) -> None:
    right = customer.answer(text_for(customer.registered))
    places = [place for place in range(4, len(right) - 2) if right[place] in TYPED][:6]
    assert places
    for place in places:
        alike = right[:place] + TYPED[right[place]] + right[place + 1 :]
        doubled = right[:place] + right[place] + right[place:]
        for typed in (alike, doubled, f"Here: {alike}"):
            answer = diagnose(case(customer.registered, typed))
            assert answer.accepted
            assert answer.proof == diagnose(case(customer.registered, right)).proof
            assert "typing error" in answer.explanation


@pytest.mark.parametrize("customer", EVERYONE, ids=lambda c: c.family)
def test_two_wrong_characters_are_not_tried_and_nothing_is_certain(customer: Customer) -> None:
    right = customer.answer(text_for(customer.registered))
    typed = right[:10] + "!" + right[11:20] + "?" + right[21:]
    answer = diagnose(case(customer.registered, typed))
    assert (answer.accepted, answer.certain) == (False, False)
    short = diagnose(case(customer.registered, right[:20] + right[23:]))
    assert not short.accepted
    assert "not tried" in short.explanation


@pytest.mark.parametrize("customer", EVERYONE, ids=lambda c: c.family)
def test_another_wallets_signature_is_never_repaired_into_ours(customer: Customer) -> None:
    other = customers(customer.family)[1]
    typed = other.answer(text_for(customer.registered)).replace("1", "l", 1)
    assert not diagnose(case(customer.registered, typed)).accepted

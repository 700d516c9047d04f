"""The checker proves an altered text with the bytes that were signed.

That it proves every scheme, and nothing that was changed: test_recorded_signatures.py.
"""

import pytest
from tests.wallets.customers import EVERY_FAMILY, Customer, case, customers, text_for

from chainteller.wallets.checker import proves
from chainteller.wallets.diagnose import diagnose

EVERYONE = [
    pytest.param(each, id=each.registered.display)
    for name in EVERY_FAMILY
    for each in customers(name)[1:]
]


@pytest.mark.parametrize("customer", EVERYONE)
def test_an_altered_text_is_proved_with_the_bytes_that_were_signed(customer: Customer) -> None:
    signed = text_for(customer.registered).replace(" ", "\u00a0") + "\r\n"
    answer = diagnose(case(customer.registered, customer.answer(signed)))
    assert (answer.finding, answer.certain) == ("ALTERED_TEXT", True)
    assert answer.witness is not None
    assert answer.witness.message == signed.encode()
    assert proves(answer.witness)
    assert len(answer.differences) == 2
    assert any("no-break space" in each for each in answer.differences)

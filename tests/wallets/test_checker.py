"""The checker proves true witnesses again, and nothing that was changed."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.wallets.customers import (
    Customer,
    address,
    case,
    challenge,
    customers,
    recorded,
    text_for,
)

from chainteller.wallets.checker import proves
from chainteller.wallets.diagnose import diagnose
from chainteller.wallets.witness import Witness

FAMILIES = ("evm", "solana", "bitcoin", "tron")


def witnesses(family: str) -> Iterator[Witness]:
    """One of every scheme that the family's recorded signatures and mistakes lead to."""
    seen = set()
    for row in recorded(family):
        registered = address(row["address"], row["network"])
        attempt = challenge(registered, text=row["text"])
        answer = diagnose(case(registered, row["signature"], challenge=attempt))
        if answer.witness is not None and (answer.witness.scheme, registered.kind) not in seen:
            seen.add((answer.witness.scheme, registered.kind))
            yield answer.witness


@pytest.mark.parametrize("family", FAMILIES)
def test_proves_every_scheme_and_refuses_each_change(family: str) -> None:
    found = list(witnesses(family))
    assert len(found) >= 2
    for witness in found:
        assert proves(witness), witness.scheme
        stranger = customers(family)[2].registered.display
        changed = [
            replace(witness, message=witness.message + b" "),
            replace(witness, signed=bytes([witness.signed[0] ^ 1]) + witness.signed[1:]),
            replace(witness, signature=witness.signature[:40] + b"\1" + witness.signature[41:]),
            replace(witness, key=witness.key[::-1]),
            replace(witness, scheme="raw-sha256"),
            replace(witness, scheme="none"),
            replace(witness, signature=b""),
            replace(witness, address=stranger if witness.address != stranger else "x"),
        ]
        assert not any(proves(each) for each in changed), witness.scheme


@pytest.mark.parametrize("customer", [customers(name)[1] for name in FAMILIES])
def test_an_altered_text_is_proved_with_the_bytes_that_were_signed(customer: Customer) -> None:
    signed = text_for(customer.registered).replace(". ", ".\u00a0") + "\r\n"
    answer = diagnose(case(customer.registered, customer.answer(signed)))
    assert (answer.finding, answer.certain) == ("ALTERED_TEXT", True)
    assert answer.witness is not None
    assert answer.witness.message == signed.encode()
    assert proves(answer.witness)
    assert len(answer.differences) == 2
    assert any("no-break space" in each for each in answer.differences)

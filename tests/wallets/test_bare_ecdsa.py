"""XRP's and Cosmos's signatures: what isn't recorded from a library, because none makes it."""

import pytest
from tests.wallets.customers import case, customers, sign_xrp, text_for

from chainteller.wallets.diagnose import diagnose
from chainteller.wallets.secp256k1 import ORDER, packed_numbers, read_der, write_der


def test_the_second_form_of_a_signature_is_refused_and_named() -> None:
    xrp, cosmos = customers("xrp")[0], customers("cosmos")[0]
    r, s = read_der(xrp.sign(text_for(xrp.registered).encode())) or (0, 0)
    numbers = cosmos.sign(text_for(cosmos.registered).encode())
    other = ORDER - int.from_bytes(numbers[32:], "big")
    high = packed_numbers(int.from_bytes(numbers[:32], "big"), other)
    for customer, data in ((xrp, write_der(r, ORDER - s)), (cosmos, high)):
        answer = diagnose(case(customer.registered, data.hex()))
        assert (answer.accepted, answer.finding, answer.certain) == (False, "HIGH_S", True)


@pytest.mark.parametrize(
    ("key", "signature", "finding"),
    [
        ("stranger", "stranger", "OTHER_ADDRESS_OF_KEY"),
        ("registered", "stranger", "UNKNOWN_TEXT"),
        ("stranger", "registered", "NO_MATCH"),
        ("", "registered", "PUBLIC_KEY_MISSING"),
    ],
)
def test_an_ed25519_key_and_its_signature_prove_their_own_address_alone(
    key: str, signature: str, finding: str
) -> None:
    registered = customers("xrp")[2].registered
    keys = {"registered": customers("xrp")[2].key, "stranger": b"\xed" + bytes(32)}
    made = {who: sign_xrp(each, text_for(registered).encode()) for who, each in keys.items()}
    paste = (made[key][:33] if key else b"") + made[signature][33:]
    answer = diagnose(case(registered, paste.hex()))
    assert (answer.accepted, answer.finding) == (False, finding)

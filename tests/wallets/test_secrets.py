"""Secrets are recognised whatever wallet they are of; signatures and hashes are not called one."""

import pytest
from tests.wallets.clipboards import clipboards
from tests.wallets.customers import Customer, case, customers, known, text_for
from tests.wallets.secrets_of_wallets import secrets_of_wallets

from chainteller.wallets.diagnose import diagnose

EVERYONE = [customers(name)[0] for name in ("evm", "solana", "bitcoin", "tron")]
HASH = "5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060"


@pytest.mark.parametrize("customer", EVERYONE, ids=lambda c: c.family)
def test_recognises_secrets_of_every_kind_and_repeats_none(customer: Customer) -> None:
    for name, secret in secrets_of_wallets(4).items():
        answer = diagnose(case(customer.registered, secret))
        assert answer.finding == "SECRET_PASTED", name
        assert all(word not in repr(answer) for word in secret.split() if len(word) > 20), name


@pytest.mark.parametrize("customer", EVERYONE, ids=lambda c: c.family)
def test_64_hex_digits_are_certain_only_as_the_key_of_a_known_address(customer: Customer) -> None:
    own = diagnose(case(customer.registered, f"see 0x{customer.key.hex()} ok"))
    assert (own.finding, own.certain) == ("SECRET_PASTED", True)
    assert customer.registered.display[-6:] in own.explanation
    other = EVERYONE[EVERYONE.index(customer) - 1]
    attempt = case(customer.registered, other.key.hex(), known_addresses=known(other.registered))
    assert diagnose(attempt).certain
    unknown = diagnose(case(customer.registered, f"0x{HASH}"))
    assert (unknown.finding, unknown.certain) == ("SECRET_PASTED", False)
    assert "transaction" in unknown.explanation


@pytest.mark.parametrize("customer", EVERYONE, ids=lambda c: c.family)
@pytest.mark.parametrize(
    "paste",
    [f"txid: {HASH}", f"https://etherscan.io/tx/0x{HASH}", f"Here is the transaction 0x{HASH}"],
)
def test_a_transaction_hash_is_named(customer: Customer, paste: str) -> None:
    answer = diagnose(case(customer.registered, paste))
    assert (answer.finding, answer.certain) == ("TRANSACTION_HASH_PASTED", False)


@pytest.mark.forms(2)
@pytest.mark.parametrize("customer", EVERYONE, ids=lambda c: c.family)
def test_no_form_of_a_signature_is_called_a_secret(customer: Customer) -> None:
    wrong = customers(customer.family)[1].sign(text_for(customer.registered).encode())
    for name, paste in list(clipboards(customer, "x", wrong).items())[::3]:
        assert diagnose(case(customer.registered, paste)).finding != "SECRET_PASTED", name

"""Secrets are recognised whatever wallet they are of; signatures and hashes are not called one."""

from base64 import b64decode, b64encode, urlsafe_b64encode
from collections.abc import Callable

import pytest
from tests.wallets.clipboards import clipboards
from tests.wallets.customers import Customer, case, customers, known, text_for
from tests.wallets.secrets_of_wallets import secrets_of_wallets

from chainteller.domain.pasted_secrets import Digits, find_secret
from chainteller.domain.secret_forms import find_form
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


@pytest.mark.forms(1)
@pytest.mark.parametrize("customer", EVERYONE, ids=lambda c: c.family)
def test_no_form_of_a_signature_is_called_a_secret(customer: Customer) -> None:
    wrong = customers(customer.family)[1].sign(text_for(customer.registered).encode())
    for name, paste in list(clipboards(customer, "x", wrong).items())[::3]:
        assert diagnose(case(customer.registered, paste)).finding != "SECRET_PASTED", name


@pytest.mark.parametrize("length", [64, 65])
@pytest.mark.parametrize("encode", [b64encode, urlsafe_b64encode])
def test_a_word_within_base64_is_no_secret(length: int, encode: Callable[[bytes], bytes]) -> None:
    """A signature in base64 now and then has a word that looks like a mistyped key."""
    words = ("5" + "g" * 50, "K" + "b" * 51, "6P" + "c" * 56, "9" + "h" * 50)
    minis = (f"S{number:021}".replace("0", "x") for number in range(10_000))
    mini = next(each for each in minis if find_form(each))
    assert all(find_form(word) for word in words)
    for word in (*words, mini):
        for mark in "+/":
            text = (mark + word + mark).ljust(4 * (length // 3) + 4, "Q")
            signature = b64decode(text)[:length]
            found = encode(signature).decode()
            assert word in found
            assert find_secret(found) is None, found
            assert find_secret(f"Here it is: {found}\nRegards") is None, found


def test_a_signature_that_looked_like_a_mistyped_key_is_none() -> None:
    found = (
        "H8/x3C5bGLzU1Jp5JAUVK18bI+N1dW+s1dg+5vibM3xQC9JpywV6RFD21foxonPih6nGg39Bymu9E2PU4M3bGjg="
    )
    assert find_secret(found) is None
    assert find_secret(found.rpartition("+")[2].rstrip("=")) == "a private key (WIF)"


@pytest.mark.parametrize("width", [33, 51, 52, 76, 80])
def test_no_line_of_a_wrapped_signature_is_called_a_secret(width: int) -> None:
    """A line of 51 or 52 characters looks like a mistyped key in WIF, and the end of hex does."""
    for customer in EVERYONE:
        for text in map(str, range(40)):
            shown = customer.answer(text)
            lines = [shown[at : at + width] for at in range(0, len(shown), width)]
            assert find_secret("\n".join(lines), Digits.SIGNATURE) is None, lines
            assert find_secret("\n> ".join(lines), Digits.SIGNATURE) is None, lines


@pytest.mark.parametrize("beside", ["", "\n1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", " thanks"])
def test_a_mistyped_key_beside_its_address_is_a_secret(beside: str) -> None:
    mistyped = "5Kb8kLf9zgWQnogidDA76MzPL6TsZZY36hWXMssSzNydYXYB69K"
    assert find_secret(mistyped + beside, Digits.SIGNATURE) == "a private key (WIF)"

import re
from string import ascii_letters, digits
from typing import Any

import pytest
from tests.wallets.customers import IDS, address

from chainteller.domain.bank_names import check_bank_code, check_bank_name, code_of_name
from chainteller.wallets.networks import NETWORKS
from chainteller.wallets.texts import (
    LONGEST_LABEL,
    Party,
    is_challenge_text,
    label,
    long_text,
    reference_word,
    short_text,
)

LONGEST = "tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c"


_SHORT = "1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA"
PARTY = Party("C-1001")
VALUES: dict[str, Any] = {
    "address": address(LONGEST, "bitcoin-testnet4"),
    "challenge_id": IDS[0],
    "valid_until": "2026-11-20T14:00:00.123456Z",
}
_UNTIL = "2026-11-20T14:00:00.123456Z"
_HOSTILE = (
    "",
    "~",
    "-",
    "C 1001",
    "C-1001, control ethereum wallet 0x1 for withdrawals. Not you? Sign it anyway",
    "C-1001\r\nSign only",
    "\u202e1001-C",
    "\u0421-1001",
    "%20",
    '"quoted"\\',
    "x" * 64,
    "x" * 63 + "y",
)


def short(customer: str = "C-1001", code: str = "EXAMPLEBANK") -> str:
    return short_text(bank_code=code, customer=customer, challenge_id=IDS[0])


def test_the_short_text_names_bank_customer_and_challenge() -> None:
    assert short() == f"EXAMPLEBANK-C1001-{IDS[0].removeprefix('CHG_')}"


@pytest.mark.parametrize("customer", [*_HOSTILE, "C-1001", "c-1001", "X" * 16, "X" * 17])
def test_nothing_in_a_short_text_can_be_wrapped_quoted_or_translated(customer: str) -> None:
    made = short(customer, "X" * 12)
    assert re.fullmatch(r"[A-Z0-9]{1,12}-[A-Z0-9]{1,16}-[A-Z0-9]{22}", made, re.ASCII)
    assert len(made) < 60
    assert is_challenge_text(made, party=Party(customer), **VALUES)
    assert not is_challenge_text(made, party=Party(f"{customer}0"), **VALUES)
    assert not is_challenge_text(made, party=Party(customer), **{**VALUES, "challenge_id": IDS[1]})


def test_no_reference_stands_for_another_in_a_short_text() -> None:
    references = ("", "c-1001", "C 1001", "C_1001", "\u0421-1001", "X" * 17, "X" * 18, "C-1001")
    assert len({reference_word(each) for each in references}) == len(references)


@pytest.mark.parametrize(
    ("name", "code"),
    [("Example Bank", "EXAMPLEBANK"), ("First & Last Savings", "FIRSTLASTSAV"), ("*", "BANK")],
)
def test_a_name_has_a_code(name: str, code: str) -> None:
    assert code_of_name(name) == check_bank_code(code) == code


@pytest.mark.parametrize("code", ["", "bank", "X" * 13, "A-B", "B\u00c4NK", "BANK\n"])
def test_refuses_codes_that_are_no_word(code: str) -> None:
    with pytest.raises(ValueError, match="bank's code"):
        check_bank_code(code)


def text(
    bank: str = "Example Bank",
    network: str = "bitcoin-testnet4",
    party: Party = PARTY,
    shown: str = LONGEST,
) -> str:
    return long_text(
        bank_name=bank,
        party=party,
        address=address(shown, network),
        challenge_id=IDS[0],
        valid_until=_UNTIL,
    )


def test_the_text_names_bank_customer_purpose_wallet_nonce_and_expiry() -> None:
    assert text() == (
        f"Example Bank: I, customer C-1001, control bitcoin-testnet4 wallet {LONGEST} for"
        f" withdrawals. Not you? Do not sign. Ref {IDS[0]}, valid until 2026-11-20T14:00:00Z."
    )


def test_the_text_names_the_account_where_it_is_given() -> None:
    named = text(party=Party("C-1001", "DDA-1001"), network="bitcoin", shown=_SHORT)
    assert named == (
        f"Example Bank: I, customer C-1001 (account DDA-1001), control bitcoin wallet {_SHORT} for"
        f" withdrawals. Not you? Do not sign. Ref {IDS[0]}, valid until 2026-11-20T14:00:00Z."
    )


@pytest.mark.parametrize("account", ["", "DDA-1001", "x" * 64])
@pytest.mark.parametrize("customer", _HOSTILE)
@pytest.mark.parametrize("bank", ["A", "x" * 39])
def test_the_longest_text_fits_the_smallest_hardware_wallet(
    bank: str, customer: str, account: str
) -> None:
    party = Party(customer, account)
    longest = text(bank=bank, party=party)
    assert len(longest) <= 240
    assert max(len(n.name) for n in NETWORKS if n.family.name == "bitcoin") == len(
        "bitcoin-testnet4"
    )
    assert longest.isascii()
    assert longest.isprintable()
    assert "  " not in longest
    assert not set(longest[len(bank) :]) & set("\"'`\\")
    assert is_challenge_text(longest, party=party, **VALUES)
    assert not is_challenge_text(longest, party=party._replace(customer=f"{customer}0"), **VALUES)


def test_no_reference_adds_words_or_stands_for_another() -> None:
    words = [label(each) for each in (*_HOSTILE, "C-1001", "C%201001")]
    assert len(set(words)) == len(set(words) | {"-"}) == len(words) - 1  # none is "-", too
    for word in words:
        assert 1 <= len(word) <= LONGEST_LABEL
        assert set(word) <= set(f"{ascii_letters}{digits}-._%~")


@pytest.mark.parametrize("name", ["A", "Example Bank", "x" * 39, "Bank & Co. (Zug)"])
def test_takes_printable_bank_names(name: str) -> None:
    assert check_bank_name(name) == name


@pytest.mark.parametrize(
    "name",
    ["", "x" * 40, " Bank", "Bank ", "B\u00e4nk", "Bank\n", "Two  spaces", 'The "Bank"', "a\\b"],
)
def test_refuses_names_that_hardware_or_copying_would_damage(name: str) -> None:
    with pytest.raises(ValueError, match="bank's name"):
        check_bank_name(name)


def test_refuses_ids_that_make_the_text_too_long() -> None:
    with pytest.raises(ValueError, match="240"):
        long_text(
            bank_name="x" * 39,
            party=PARTY,
            address=address(LONGEST, "bitcoin-testnet4"),
            challenge_id="CHG_" + "7" * 40,
            valid_until="2026-11-20T14:00:00Z",
        )


def test_the_account_of_a_text_is_compared_where_it_names_one() -> None:
    party = Party("C-1001", "DDA-1001")
    for made in (text(), text(party=party)):
        assert is_challenge_text(made, party=party, **VALUES)
    assert not is_challenge_text(text(party=party), party=Party("C-1001", "DDA-1002"), **VALUES)
    assert not is_challenge_text(text(party=party), party=PARTY, **VALUES)


def test_recognises_its_own_texts_under_any_name_and_no_other_text() -> None:
    values = dict(VALUES)
    values["party"] = PARTY
    made = text()
    assert is_challenge_text(made, **values)
    assert is_challenge_text(text(bank="Bank: I, customer C-2: I, customer C-1"), **values)
    for at in range(made.index(":"), len(made)):
        assert not is_challenge_text(made[:at] + "~" + made[at + 1 :], **values), at
    for name, value in (
        ("address", address(LONGEST, "bitcoin-signet")),
        ("challenge_id", IDS[1]),
        ("party", Party("C-1002")),
        ("valid_until", "2026-11-20T14:00:01Z"),
    ):
        assert not is_challenge_text(made, **{**values, name: value})
    for other in ("", "Example Bank"):
        assert not is_challenge_text(other, **values)
    assert not is_challenge_text(made.removeprefix("Example Bank"), **values)

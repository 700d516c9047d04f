from typing import Any

import pytest
from tests.wallets.customers import IDS, address

from chainteller.domain.bank_names import check_bank_name
from chainteller.wallets.networks import NETWORKS
from chainteller.wallets.texts import challenge_text, is_challenge_text

LONGEST = "tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c"


def text(bank: str = "Example Bank", network: str = "bitcoin-testnet4") -> str:
    return challenge_text(
        bank_name=bank,
        address=address(LONGEST, network),
        challenge_id=IDS[0],
        valid_until="2026-11-20T14:00:00.123456Z",
    )


def test_the_text_names_bank_network_address_nonce_and_expiry() -> None:
    assert text() == (
        f"Example Bank: I control bitcoin-testnet4 wallet {LONGEST}. Sign only if you asked us for"
        f" this. Ref {IDS[0]}, valid until 2026-11-20T14:00:00Z."
    )


def test_the_longest_text_fits_the_smallest_hardware_wallet() -> None:
    longest = text(bank="x" * 39)
    assert len(longest) <= 240
    assert max(len(n.name) for n in NETWORKS if n.family.name == "bitcoin") == len(
        "bitcoin-testnet4"
    )
    assert longest.isascii()
    assert longest.isprintable()
    assert "   " not in longest


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
        challenge_text(
            bank_name="x" * 39,
            address=address(LONGEST, "bitcoin-testnet4"),
            challenge_id="CHG_" + "7" * 40,
            valid_until="2026-11-20T14:00:00Z",
        )


def test_recognises_its_own_texts_under_any_name_and_no_other_text() -> None:
    values: dict[str, Any] = {
        "address": address(LONGEST, "bitcoin-testnet4"),
        "challenge_id": IDS[0],
        "valid_until": "2026-11-20T14:00:00.123456Z",
    }
    made = text()
    assert is_challenge_text(made, **values)
    assert is_challenge_text(text(bank="Bank: I control nothing"), **values)
    for at in range(made.index(":"), len(made)):
        assert not is_challenge_text(made[:at] + "~" + made[at + 1 :], **values), at
    for name, value in (
        ("address", address(LONGEST, "bitcoin-signet")),
        ("challenge_id", IDS[1]),
        ("valid_until", "2026-11-20T14:00:01Z"),
    ):
        assert not is_challenge_text(made, **{**values, name: value})
    for other in ("", "Example Bank"):
        assert not is_challenge_text(other, **values)
    assert not is_challenge_text(made.removeprefix("Example Bank"), **values)

import tomllib
from pathlib import Path

import pytest
from tests.wallets.customers import IDS, case, challenge, known

from chainteller.wallets.diagnose import diagnose
from chainteller.wallets.families import FAMILIES
from chainteller.wallets.simulated import (
    MISTAKES,
    SampleWallet,
    UnknownMistake,
    UnknownSampleWallet,
    sample_wallets,
    sign_sample,
)
from chainteller.wallets.texts import short_text

pytestmark = pytest.mark.thorough

WALLETS = sample_wallets(Path(__file__).resolve().parents[2] / "sample_data" / "wallets.toml")
FINDINGS = {
    "wrong-account": "OTHER_REGISTERED_ADDRESS",
    "earlier-challenge": "EARLIER_CHALLENGE",
    "trailing-newline": "TRAILING_NEWLINE",
    "crlf": "TRAILING_NEWLINE",
    "trailing-space": "TRAILING_SPACE",
    "quoted": "QUOTED_TEXT",
    "dashes": "CHARACTERS_REPLACED",
    "lower-case": "LOWER_CASE_TEXT",
    "lost-end": "PART_OF_TEXT",
    "hex-of-text": "HEX_OF_TEXT",
    "raw-keccak": "RAW_HASH_SIGNED",
    "high-s": "HIGH_S",
    "old-sign": "OLD_TRON_SIGN",
    "truncated": "TRUNCATED",
    "address": "ADDRESS_PASTED",
    "text": "TEXT_PASTED",
    "contract-wallet": "CONTRACT_WALLET",
    "secret": "SECRET_PASTED",
}


def _text(challenge_id: str) -> str:
    return short_text(bank_code="BANK", customer="C-1001", challenge_id=challenge_id)


def attempt(wallet: SampleWallet, mistake: str | None) -> str:
    made, earlier = (
        challenge(wallet.address, challenge_id=each, text=_text(each)) for each in IDS[:2]
    )
    paste = sign_sample(
        wallet.name, made.text, wallets=WALLETS, mistake=mistake, earlier_text=earlier.text
    )
    others = known(*(other.address for other in WALLETS if other.name == wallet.other_account))
    answer = diagnose(
        case(
            wallet.address,
            paste,
            challenge=made,
            other_challenges=(earlier,),
            known_addresses=others,
        )
    )
    return "accepted" if answer.accepted else answer.finding


@pytest.mark.parametrize("wallet", WALLETS, ids=lambda wallet: wallet.name)
def test_signs_rightly_when_no_mistake_is_asked_for(wallet: SampleWallet) -> None:
    assert attempt(wallet, None) == "accepted"


@pytest.mark.parametrize("mistake", MISTAKES)
def test_each_mistake_leads_to_its_finding(mistake: str) -> None:
    for wallet in WALLETS:
        try:
            finding = attempt(wallet, mistake)
        except UnknownMistake:
            assert mistake not in wallet.address.network.family.mistakes
            assert any(mistake in family.mistakes for family in FAMILIES)
            continue
        if mistake == "missing-v":
            # Half of such signatures still read as the compact form, and that is accepted.
            assert finding in {"MISSING_RECOVERY_BYTE", "accepted"}
        elif mistake in FINDINGS:
            assert finding == FINDINGS[mistake]
        else:
            assert finding != "accepted"


def test_knows_the_sample_wallets_only() -> None:
    with pytest.raises(UnknownSampleWallet):
        sign_sample("satoshi", "text", wallets=WALLETS)
    with pytest.raises(UnknownMistake):
        sign_sample("alice-solana", "text", wallets=WALLETS, mistake="raw-keccak")
    with pytest.raises(UnknownMistake):
        sign_sample("alice-solana", "text", wallets=WALLETS, mistake="earlier-challenge")


def test_the_sample_file_says_that_its_keys_are_published() -> None:
    text = (Path(__file__).resolve().parents[2] / "sample_data" / "wallets.toml").read_text()
    assert "PUBLISHED AND WORTHLESS" in text
    stated = tomllib.loads(text)["wallet"]
    assert len(stated) == len(WALLETS)
    assert all(each["published_in"] and each["published_test_key"] for each in stated)

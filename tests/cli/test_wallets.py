"""Part B by commands: from an address to a verified wallet, with a sample customer's key."""

import json
import re
from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.conftest import Teller
from tests.cli.program import Ended, chainteller, in_this_process

from chainteller.sqlite import sqlite3

pytestmark = pytest.mark.usefixtures("bank")

WALLETS = [
    ("ethereum", "alice-ethereum", "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"),
    ("solana", "alice-solana", "FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z"),
]

_SHARED = "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc"


def _signed(challenge: str, name: str, *more: str) -> str:
    ended = in_this_process("wallets", "sign", "--sample", name, *more, given=challenge)
    assert ended.code == 0, ended.err
    return ended.out.strip()


def _challenge(teller: Teller, network: str, address: str) -> tuple[str, Ended]:
    wallet = teller("wallets", "register", address, "--network", network, "--json").body["id"]
    return wallet, teller("wallets", "challenge", wallet, "--account", "BCA_SAMPLE1", "--json")


@pytest.mark.forms(1)
@pytest.mark.parametrize(("network", "name", "address"), WALLETS)
def test_a_wallet_is_verified_step_by_step_by_ids_alone(
    teller: Teller, network: str, name: str, address: str
) -> None:
    wallet, challenge = _challenge(teller, network, address)
    signature = _signed(challenge.out, name)
    diagnosed = teller("wallets", "diagnose", challenge.body["id"], signature, "--json")
    assert diagnosed.body["accepted"] is True
    claim = teller("wallets", "claim", challenge.body["id"], signature, "--json").body
    assert claim["status"] == "valid"
    linked = teller("wallets", "link", claim["id"], "--json").body
    assert (linked["id"], linked["type"]) == (wallet, "VerifiedCounterparty1P")
    listed = teller("wallets", "list", "--account", "BCA_SAMPLE1", "--json").body["data"]
    assert [each["address"] for each in listed] == [address]


def test_a_wrong_signature_is_explained_without_burning_an_attempt(teller: Teller) -> None:
    network, name, address = WALLETS[0]
    _, challenge = _challenge(teller, network, address)
    others = _signed(challenge.out, name, "--mistake", "wrong-account")
    signature = _signed(challenge.out, name, "--mistake", "trailing-newline")
    found = [(others, "WRONG_WALLET_ADDRESS"), (signature, "TRAILING_NEWLINE")]
    for given, finding in found:
        ended = teller("wallets", "diagnose", challenge.body["id"], given)
        assert ended.code == 0
        assert finding in ended.out
    untold = _signed(challenge.out, name, "--mistake", "typed-by-hand")
    ended = teller("wallets", "diagnose", challenge.body["id"], untold)
    assert f"diagnose {challenge.body['id']} SIGNATURE --signed-text TEXT" in ended.out
    listed = teller("wallets", "challenges", "--account", "BCA_SAMPLE1", "--json").body["data"]
    assert [each["attempts"] for each in listed if each["id"] == challenge.body["id"]] == [0]
    refused = teller("wallets", "claim", challenge.body["id"], signature, "--json")
    assert (refused.code, refused.body["error"]) == (1, "INVALID_SIGNATURE")
    good = _signed(challenge.out, name)
    assert teller("wallets", "claim", challenge.body["id"], good).code == 0


@pytest.mark.thorough
def test_what_is_not_found_at_once_is_searched_for_longer(teller: Teller) -> None:
    network, name, address = WALLETS[0]
    _, challenge = _challenge(teller, network, address)
    marked = _signed(f"**{challenge.body['challenge']}** Regards", name)
    found = teller("wallets", "diagnose", challenge.body["id"], marked, "--json").body
    assert (found["finding"], found["certain"]) == ("ALTERED_TEXT", True)


def test_the_text_alone_is_printed_for_a_person_and_signs_as_well(teller: Teller) -> None:
    network, name, address = WALLETS[0]
    wallet, _ = _challenge(teller, network, address)
    ended = teller("wallets", "challenge", wallet, "--account", "BCA_SAMPLE1")
    identifier = ended.err.splitlines()[0].removeprefix("challenge ")
    signature = _signed(ended.out, name)
    assert teller("wallets", "claim", identifier, signature).code == 0


def test_a_signature_is_read_from_stdin(teller: Teller) -> None:
    network, name, address = WALLETS[1]
    _, challenge = _challenge(teller, network, address)
    signature = chainteller("wallets", "sign", "--sample", name, given=challenge.out).out
    ended = chainteller("wallets", "claim", challenge.body["id"], "-", "--json", given=signature)
    assert ended.body["scheme"] == "ed25519"


def test_a_challenge_and_a_claim_of_another_desk_are_found(teller: Teller, home: Path) -> None:
    def forget() -> None:
        for file in (home / "state").glob("*.*"):
            file.unlink()

    network, name, address = WALLETS[0]
    wallet, challenge = _challenge(teller, network, address)
    forget()
    identifier, signature = challenge.body["id"], _signed(challenge.out, name)
    claim = teller("wallets", "claim", identifier, signature, "--json").body["id"]
    forget()
    linked = teller("wallets", "link", claim, "--json").body
    assert (linked["id"], linked["type"]) == (wallet, "VerifiedCounterparty1P")
    ended = teller("wallets", "link", "CLM_NOBODY")
    assert ended.code == 1
    assert "NOT_FOUND" in ended.err


def test_sign_knows_the_sample_wallets_only() -> None:
    ended = in_this_process("wallets", "sign", "--sample", "alice-etherum", given="text")
    assert ended.code == 2
    assert "did you mean alice-ethereum?" in ended.err


def test_a_blockchain_account_is_opened_for_a_trading_account(teller: Teller) -> None:
    account = teller("accounts", "open", "DDA-1001", "--type", "checking", "--json").body["id"]
    opened = teller("blockchain-accounts", "open", account, "--network", "solana", "--json").body
    assert opened["id"].startswith("BCA_")
    shown = teller("blockchain-accounts", "show", opened["id"], "--json").body
    assert shown == opened
    mine = teller("blockchain-accounts", "list", "--account", account, "--json").body
    assert [each["id"] for each in mine["data"]] == [opened["id"]]


def test_a_withdrawal_finds_the_only_account_of_a_linked_wallet(teller: Teller) -> None:
    network, name, address = WALLETS[0]
    wallet, challenge = _challenge(teller, network, address)
    signature = _signed(challenge.out, name)
    claim = teller("wallets", "claim", challenge.body["id"], signature, "--json").body
    teller("wallets", "link", claim["id"])
    shown = teller("blockchain-accounts", "show", "BCA_SAMPLE1", "--json").body
    account = shown["tradingAccountId"]
    assert teller("deposit", account, "40", "--currency", "USDC@ethereum").code == 0
    ended = teller(
        "withdraw", account, "25", "--currency", "USDC@ethereum", "--to", wallet, "--yes", "--json"
    )
    assert ended.code == 0, ended.err
    assert ended.body["destination"]["blockchainAccountId"] == "BCA_SAMPLE1"
    assert json.dumps(ended.body["destination"]["verified"]) == "true"


def test_stored_claims_are_checked_again(teller: Teller, bank: Path) -> None:
    network, name, address = WALLETS[1]
    _, challenge = _challenge(teller, network, address)
    signature = _signed(challenge.out, name)
    claim = teller("wallets", "claim", challenge.body["id"], signature, "--json").body["id"]
    alone = teller("wallets", "recheck", claim, "--json")
    (found,) = alone.body["data"]
    assert (alone.code, found["id"], found["holds"]) == (0, claim, True)
    assert (found["method"], found["address"], found["reason"]) == ("signature", address, None)
    every = teller("wallets", "recheck", "--json").body
    assert every["pagination"]["total"] == len(every["data"]) > 1
    assert claim in {each["id"] for each in every["data"]}
    assert all(each["holds"] for each in every["data"])
    with closing(sqlite3.connect(bank)) as connection, connection:
        connection.execute("UPDATE claim SET signer = 'somebody' WHERE id = ?", (claim,))
    for arguments in (("wallets", "recheck"), ("wallets", "recheck", claim)):
        ended = teller(*arguments)
        assert ended.code == 1
        assert f"CLAIM_UNVERIFIABLE: {claim}: " in ended.err
        assert "Next: " in ended.err
        broken = [each for each in teller(*arguments, "--json").body["data"] if not each["holds"]]
        assert [(each["id"], each["reason"]) for each in broken] == [(claim, "SIGNATURE")]
    ended = teller("db", "verify", "--json")
    assert (ended.code, ended.body["claims"]["contradictions"]) == (1, 1)
    unknown = teller("wallets", "recheck", "CLM_NOBODY", "--json")
    assert (unknown.code, unknown.body["error"]) == (1, "NOT_FOUND")


def test_a_shared_wallet_is_linked_when_that_was_acknowledged(
    teller: Teller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """frank-ethereum is verified for a sample customer; BCA_SAMPLE1 is another one's."""
    monkeypatch.setenv("CHAINTELLER_WALLETS__SHARED", "ask")
    before = teller("wallets", "shared", "--all", "--json").body["data"]
    assert _SHARED not in {each["address"] for each in before}
    _, challenge = _challenge(teller, "ethereum", _SHARED)
    signature = _signed(challenge.out, "frank-ethereum")
    claim = teller("wallets", "claim", challenge.body["id"], signature, "--json")
    assert claim.body["shared"] is True
    assert "Another customer has verified this wallet." in claim.err
    refused = teller("wallets", "link", claim.body["id"], "--json")
    assert (refused.code, refused.body["error"]) == (1, "WALLET_SHARED")
    linked = teller("wallets", "link", claim.body["id"], "--acknowledge-shared", "--json")
    assert (linked.code, linked.body["shared"]) == (0, True)
    listed = teller("wallets", "shared", "--all")
    assert listed.out.count(_SHARED) == 2


def test_the_link_of_a_page_is_printed_alone(
    teller: Teller, monkeypatch: pytest.MonkeyPatch
) -> None:
    network, _, address = WALLETS[0]
    wallet, _ = _challenge(teller, network, address)
    asked = ("wallets", "link-page", wallet, "--account", "BCA_SAMPLE1")
    refused = teller(*asked)
    assert (refused.code, "service.public_url" in refused.err) == (2, True)
    monkeypatch.setenv("CHAINTELLER_SERVICE__PUBLIC_URL", "https://bank.example")
    link = teller(*asked).out
    assert re.fullmatch(r"https://bank\.example/sign/[A-Za-z0-9_-]{22}\n", link)
    made = teller(*asked, "--json").body
    assert made["url"].startswith("https://bank.example/sign/")
    assert made["pageText"].startswith("bank.example wants you to sign in")
    other = teller("wallets", "register", WALLETS[1][2], "--network", WALLETS[1][0], "--json").body
    shared = teller(*asked, other["id"], "--json").body
    assert [each["counterpartyId"] for each in shared["data"]] == [wallet, other["id"]]
    assert shared["url"].startswith("https://bank.example/sign/")

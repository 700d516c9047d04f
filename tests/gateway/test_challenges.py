"""Messages to sign at a gateway: the provider's text, listed, diagnosed and on a page."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.gateway.conftest import Gateway, gateway_before
from tests.gateway.test_gateway import WALLET
from tests.world.bank import START

from chainteller.domain.signing_pages import hash_of
from chainteller.engine.verification.full_pass import verify
from chainteller.remote.client import RemoteService
from chainteller.service.errors import NotFound
from chainteller.service.models.counterparties import (
    BlockchainAccount,
    ChallengeRequest,
    OpenBlockchainAccount,
    RegisterCounterparty,
)
from chainteller.service.models.customers import CustomerLine, ImportCustomers
from chainteller.tui.wallets import book
from chainteller.tui.wallets.book import Book, Session
from chainteller.tui.wallets.paste import judge
from chainteller.wallets.simulated import sample_proof, sample_wallets

TOKENS = "a" * 22, "b" * 22
OTHER = next(
    each
    for each in sample_wallets(Path(__file__).parents[2] / "sample_data" / "wallets.toml")
    if each.address.network.name == "ethereum" and each.address != WALLET.address
)


class Asked(NamedTuple):
    """A wallet that was registered through a gateway, and the provider's account to verify it."""

    gateway: Gateway
    account: str
    counterparty: str

    @property
    def path(self) -> str:
        return f"/blockchain-accounts/{self.account}/1P-counterparty-ownership"

    def challenge(self, **more: Any) -> dict[str, Any]:
        body = {"counterpartyId": self.counterparty} | more
        found: dict[str, Any] = self.gateway.call("POST", f"{self.path}-challenges", **body)
        return found

    def listed(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.gateway.call("GET", f"{self.path}-challenges")["data"]
        return found

    def claim(self, challenge_id: str, signature: str) -> dict[str, str]:
        return {
            "challengeId": challenge_id,
            "completedChallenge": signature,
            "counterpartyId": self.counterparty,
        }


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Asked]:
    with gateway_before(tmp_path, public_url="https://pages.example") as gateway:
        opening = OpenBlockchainAccount(
            trading_account_id=gateway.open_account(), network="ethereum"
        )
        account = gateway.bank.engine.open_blockchain_account(opening).value.id
        named = {"address": WALLET.address.display, "network": "ethereum"}
        yield Asked(gateway, account, gateway.call("POST", "/counterparties", **named)["id"])


def test_a_page_shows_the_providers_text_and_its_signature_is_submitted_as_ever(
    asked: Asked,
) -> None:
    gateway = asked.gateway
    assert gateway.call("GET", "/capabilities")["signingPages"] == "https://pages.example/sign/"
    made = asked.challenge(pageTokenHash=hash_of(TOKENS[0]))
    page = f"/sign/{TOKENS[0]}"
    (shown,) = gateway.call("GET", f"{page}/message")["messages"]
    assert (shown["message"], shown["text"], shown["status"]) == (*[made["challenge"]] * 2, "open")
    for wallet, is_valid in ((OTHER, False), (WALLET, True)):
        signature = sample_proof(wallet, shown["message"]).signature
        sent = {"messageId": made["id"], "signature": signature}
        (kept,) = gateway.call("POST", f"{page}/signatures", **sent)["messages"]
        assert kept["valid"] is is_valid
        (listed,) = asked.listed()
        assert listed["pageSignature"] == signature
        judged = gateway.call(
            "POST", f"{asked.path}-diagnoses", **asked.claim(made["id"], signature)
        )
        assert judged["accepted"] is is_valid
    body = asked.claim(made["id"], sample_proof(WALLET, made["challenge"]).signature)
    claim = gateway.call("POST", f"{asked.path}-claims", **body)["id"]
    again = gateway.call("POST", f"{asked.path}-diagnoses", **body)
    assert again["details"]["claimId"] == claim
    assert gateway.call("GET", f"{page}/message")["messages"][0]["message"] is None
    found = gateway.call("GET", f"/1P-counterparty-ownership-claims/{claim}")
    assert (found["blockchainAccountId"], found["challengeId"]) == (asked.account, made["id"])
    gateway.call(
        "POST",
        path := f"/blockchain-accounts/{asked.account}/counterparties",
        address=WALLET.address.display,
        network="ethereum",
        ownershipClaimId=claim,
    )
    (linked,) = gateway.call("GET", path)["data"]
    assert (linked["type"], linked["network"]) == ("VerifiedCounterparty1P", "ethereum")
    assert [status["status"] for status in asked.listed()] == ["used"]
    told = [each["type"] for each in gateway.call("GET", "/events")["data"]]
    assert told[-4:-1] == [
        "ownership_challenge.signed", "ownership_claim.created", "ownership_challenge.used"
    ]  # fmt: skip
    assert told[-1] == "counterparty.linked"
    assert not verify(gateway.own.context.database)


def test_what_the_provider_cannot_do_is_refused_before_it_is_asked(asked: Asked) -> None:
    asked.challenge(pageTokenHash=hash_of(TOKENS[0]))
    sent = len(asked.gateway.provider.asked)
    wrong = (
        ({"validSeconds": 600}, "validSeconds"),
        ({"pageTokenHash": hash_of(TOKENS[0])}, "pageTokenHash"),
        ({"pageTokenHash": "0"}, "pageTokenHash"),
        ({"pageTokenHash": hash_of(TOKENS[1]), "counterpartyId": "CPT_1"}, "counterpartyId"),
    )
    for body, field in wrong:
        assert asked.challenge(**body)["details"]["errors"][0]["field"] == field
    assert len(asked.gateway.provider.asked) == sent


def test_a_challenge_that_the_provider_issues_again_has_the_newer_page(asked: Asked) -> None:
    first = asked.challenge(pageTokenHash=hash_of(TOKENS[0]))
    again = json.dumps({"id": first["id"], "challenge": "another text"}).encode()
    asked.gateway.provider.distort = lambda *_: again
    assert asked.challenge(pageTokenHash=hash_of(TOKENS[1]))["id"] == first["id"]
    pages = [asked.gateway.call("GET", f"/sign/{token}/message") for token in TOKENS]
    assert pages[0]["error"] == "NOT_FOUND"
    assert [each["message"] for each in pages[1]["messages"]] == ["another text"]
    assert len(asked.listed()) == 1


def test_what_a_provider_says_twice_that_it_created_is_no_breach(asked: Asked) -> None:
    """It may issue a challenge again, and have one id for an address on all its networks."""
    gateway, address = asked.gateway, WALLET.address.display
    known = {"type": "counterparty", "id": asked.counterparty, "address": address}
    issued = gateway.post(f"{asked.path}-challenges", "a", counterpartyId=asked.counterparty)
    for path, sent, answer in (
        ("/counterparties", {"address": address, "network": "base"}, known | {"network": "base"}),
        (f"{asked.path}-challenges", {"counterpartyId": asked.counterparty}, issued.json()),
    ):
        body = json.dumps(answer).encode()
        gateway.provider.distort = lambda *_, body=body: body
        told = gateway.post(path, "b", **sent)
        assert (told.status_code, told.json()["id"]) == (200, answer["id"]), told.text
    assert verify(gateway.own.context.database) == ()


def test_a_console_goes_on_with_a_message_that_the_gateway_does_not_list(asked: Asked) -> None:
    """That of a wallet that was registered at the provider before there was a gateway."""
    named = RegisterCounterparty(address=OTHER.address.display, network="ethereum")
    wallet = asked.gateway.bank.engine.register_counterparty(named).value
    key = asked.gateway.client.headers["Authorization"].removeprefix("Bearer ")
    with closing(RemoteService(str(asked.gateway.client.base_url), key)) as service:
        request = ChallengeRequest(counterparty_id=wallet.id)
        made = service.create_challenge(asked.account, request).value
        assert not service.challenges(asked.account).data
        account = BlockchainAccount(
            id=asked.account, trading_account_id="TDA_1", network="ethereum", address="", status=""
        )
        session = Session(offers=lambda _feature: False)
        session.add_issued(account.id, made)
        session.add_registered(account.id, wallet)
        ((shown,), _) = book._wallets_of(service, account, session)
        assert shown.challenge == made
        signature = sample_proof(OTHER, made.challenge).signature
        verdict = judge(service, Book((account,), (shown,)), shown, signature, START)
    assert verdict.accepted
    assert verdict.is_by_desk


def test_another_organisations_key_reads_none_of_it(asked: Asked) -> None:
    made = asked.challenge()
    other = asked.gateway.own.key("wallets:read", organisation="other")
    headers = {"Authorization": f"Bearer {other}"}
    for path in (f"{asked.path}-challenges", f"/1P-counterparty-ownership-challenges/{made['id']}"):
        assert asked.gateway.client.get(path, headers=headers).status_code == 403


def test_an_import_of_customers_is_refused_by_name(asked: Asked) -> None:
    line = CustomerLine(line=1, reference="C-1", name="A", kyc_level="basic", terms_accepted=True)
    with pytest.raises(NotFound, match="doesn't offer customer-import") as refused:
        asked.gateway.own.engine.import_customers(ImportCustomers(lines=(line,)))
    assert refused.value.suggestion == "chainteller info lists what this deployment offers."

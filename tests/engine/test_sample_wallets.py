"""The sample customers' wallets: a verification and a challenge in every state."""

from typing import Any

import pytest
from tests.world.samples import FOLDER, NOW, loaded_bank, rows

from chainteller.domain.actors import Actor
from chainteller.engine.core.context import EngineContext
from chainteller.engine.engine import Engine
from chainteller.service.models.counterparties import (
    ClaimRequest,
    LinkRequest,
)
from chainteller.service.models.pages import ListQuery
from chainteller.wallets.addresses import parse_address
from chainteller.wallets.networks import resolve_network
from chainteller.wallets.simulated import sample_wallets, sign_sample
from chainteller.wallets.verify import verify_signature

WALLETS = {wallet.name: wallet for wallet in sample_wallets(FOLDER / "wallets.toml")}
STATES = {
    "dave-ethereum": "current",
    "dave-solana": "revoked",
    "frank-ethereum": "expiring",
    "frank-solana": "expired",
}


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Any:
    bank = loaded_bank(tmp_path_factory.mktemp("wallets"))
    yield bank
    bank.database.close()


def name_of(address: str) -> str:
    return next(name for name, wallet in WALLETS.items() if wallet.address.display == address)


def test_shows_a_verification_in_every_state(loaded: EngineContext) -> None:
    engine = Engine(loaded)
    found = {
        name_of(row.address): row.verification.status
        for account in engine.blockchain_accounts(ListQuery(limit=100)).data
        for row in engine.linked_counterparties(account.id).data
        if row.verification is not None
    }
    assert STATES.items() <= found.items()


def test_shows_a_challenge_in_every_state(loaded: EngineContext) -> None:
    engine = Engine(loaded)
    found = {
        (challenge.status, name_of(challenge.address or ""))
        for account in engine.blockchain_accounts(ListQuery(limit=100)).data
        for challenge in engine.challenges(account.id).data
    }
    assert {
        ("open", "erin-ethereum"),
        ("expired", "erin-ethereum"),
        ("expired", "dave-bitcoin"),
        ("locked", "frank-bitcoin"),
        ("used", "erin-solana"),
    } <= found
    open_ones = [each for each in found if each[0] == "open"]
    assert open_ones == [("open", "erin-ethereum")]


def test_the_accounts_with_fixed_ids_know_no_wallet(loaded: EngineContext) -> None:
    engine = Engine(loaded)
    for account_id in ("BCA_SAMPLE1", "BCA_SAMPLE2"):
        assert engine.linked_counterparties(account_id).pagination.total == 0
        assert engine.challenges(account_id).pagination.total == 0


def test_alice_bob_and_carol_are_left_for_demonstrations(loaded: EngineContext) -> None:
    registered = {name_of(row.address) for row in rows(loaded, "SELECT address FROM counterparty")}
    assert not [name for name in registered if name.startswith(("alice", "bob", "carol"))]


def test_every_claim_can_be_checked_again_from_its_own_record(loaded: EngineContext) -> None:
    claims = rows(
        loaded,
        "SELECT m.*, c.text, p.network, p.address FROM claim m "
        "JOIN challenge c ON c.id = m.challenge_id JOIN counterparty p ON p.id = m.counterparty_id",
    )
    assert len(claims) > 50
    for row in claims:
        address = parse_address(row.address, resolve_network(row.network))
        proof = verify_signature(row.text, row.signature, address)
        assert proof is not None
        assert (proof.scheme, proof.signature, proof.signer) == (
            row.scheme,
            row.signature,
            row.signer,
        )


def test_the_open_text_can_be_signed_and_linked(tmp_path_factory: pytest.TempPathFactory) -> None:
    bank = loaded_bank(tmp_path_factory.mktemp("linking"))
    engine = Engine(bank, Actor(name="test"))
    (row,) = rows(
        bank,
        "SELECT * FROM challenge WHERE status = 'open' AND expires > :now "
        "AND id NOT IN (SELECT challenge_id FROM small_transfer)",
        now=NOW,
    )
    signature = sign_sample("erin-ethereum", row.text, wallets=tuple(WALLETS.values()))
    request = ClaimRequest(
        challenge_id=row.id, completed_challenge=signature, counterparty_id=row.counterparty_id
    )
    claim = engine.submit_claim(row.blockchain_account_id, request).value
    linked = engine.link_counterparty(
        row.blockchain_account_id,
        LinkRequest(address=claim.address or "", network="ethereum", ownership_claim_id=claim.id),
    ).value
    assert linked.type == "VerifiedCounterparty1P"
    bank.database.close()

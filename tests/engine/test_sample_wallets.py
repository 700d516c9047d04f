"""The sample customers' wallets: one of every state, and each row as the engine would write it."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.engine.test_samples_like_the_engine import PERSON, START, banks, in_samples
from tests.world.samples import FOLDER, NOW, history, load, new_bank, rows

from chainteller.domain.actors import Actor
from chainteller.domain.challenges import MAXIMUM_ATTEMPTS, ReverificationReason
from chainteller.domain.clock import HOUR, MINUTE, ManualClock
from chainteller.engine.context import EngineContext
from chainteller.engine.engine import Engine
from chainteller.engine.samples import opening, ownership
from chainteller.engine.samples.ownership import Pair
from chainteller.engine.samples.world import DESK, World
from chainteller.service.errors import InvalidSignature
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.counterparties import (
    ChallengeRequest,
    ClaimRequest,
    LinkRequest,
    OpenBlockchainAccount,
    RegisterCounterparty,
    ReverificationRequest,
)
from chainteller.service.models.pages import ListQuery
from chainteller.wallets.addresses import parse_address
from chainteller.wallets.networks import resolve_network
from chainteller.wallets.simulated import sample_wallets, sign_sample
from chainteller.wallets.verify import verify_signature

__all__ = ["banks"]
WALLETS = {wallet.name: wallet for wallet in sample_wallets(FOLDER / "wallets.toml")}
STATES = {
    "dave-ethereum": "current",
    "dave-solana": "revoked",
    "frank-ethereum": "expiring",
    "frank-solana": "expired",
}


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Any:
    bank = new_bank(tmp_path_factory.mktemp("wallets"))
    assert load(bank)
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
    assert found == STATES


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
    assert len(claims) == 5
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
    bank = new_bank(tmp_path_factory.mktemp("linking"))
    assert load(bank)
    engine = Engine(bank, Actor(name="test"))
    (row,) = rows(bank, "SELECT * FROM challenge WHERE status = 'open' AND expires > :now", now=NOW)
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


def by_hand(bank: EngineContext, pair: Pair) -> None:
    """The same deeds through the engine."""
    in_samples(bank, lambda _world, _row: None)
    engine = Engine(bank, Actor(name=DESK[0]))

    def at(instant: int) -> Engine:
        assert isinstance(bank.clock, ManualClock)
        bank.clock.set(instant)
        return engine

    opened = OpenTradingAccount(bank_account_id="DDA-1", bank_account_type="checking")
    trading_account = at(START).open_trading_account(opened).value.id
    account = (
        at(START + MINUTE)
        .open_blockchain_account(
            OpenBlockchainAccount(trading_account_id=trading_account, network="ethereum")
        )
        .value.id
    )
    address = pair.wallet.address.display
    wallet = (
        at(START + 2 * MINUTE)
        .register_counterparty(RegisterCounterparty(address=address, network="ethereum"))
        .value.id
    )
    asked = ChallengeRequest(counterparty_id=wallet, valid_seconds=3600)
    first = at(START + 3 * MINUTE).create_challenge(account, asked).value
    everyone = tuple(WALLETS.values())
    wrong = sign_sample("erin-ethereum", first.challenge, wallets=everyone, mistake="wrong-account")
    for number in range(MAXIMUM_ATTEMPTS):
        with pytest.raises(InvalidSignature):
            at(START + (4 + number) * MINUTE).submit_claim(
                account,
                ClaimRequest(
                    challenge_id=first.id, completed_challenge=wrong, counterparty_id=wallet
                ),
            )
    asked = ChallengeRequest(counterparty_id=wallet)
    second = at(START + HOUR).create_challenge(account, asked).value
    right = sign_sample("erin-ethereum", second.challenge, wallets=everyone)
    claim = (
        at(START + HOUR + MINUTE)
        .submit_claim(
            account,
            ClaimRequest(challenge_id=second.id, completed_challenge=right, counterparty_id=wallet),
        )
        .value
    )
    at(START + HOUR + 2 * MINUTE).link_counterparty(
        account, LinkRequest(address=address, network="ethereum", ownership_claim_id=claim.id)
    )
    at(START + 2 * HOUR).require_reverification(
        account, wallet, ReverificationRequest(reason="AGENT_REQUEST")
    )


def told(pair: Pair) -> Callable[[World, dict[str, Any]], None]:
    def happen(world: World, bank_account: dict[str, Any]) -> None:
        world.wallets = WALLETS
        account = opening.open_account(world, PERSON, bank_account, START)
        ownership.open_account(world, account, "ethereum", START + MINUTE)
        ownership.register(world, pair, START + 2 * MINUTE)
        first = ownership.challenge(world, pair, START + 3 * MINUTE, 3600)
        for number in range(MAXIMUM_ATTEMPTS):
            ownership.refuse(world, pair, first, "UNKNOWN_SIGNER", START + (4 + number) * MINUTE)
        second = ownership.challenge(world, pair, START + HOUR)
        claimed = ownership.claim(world, pair, second, START + HOUR + MINUTE)
        linked = ownership.link(world, pair, claimed, START + HOUR + 2 * MINUTE)
        reason = ReverificationReason.AGENT_REQUEST
        ownership.require_reverification(world, pair, linked, reason, START + 2 * HOUR)

    return happen


ORDERS = {
    "counterparty": "created",
    "challenge": "created",
    "attempt": "challenge_id, number",
    "claim": "created",
    "link": "first_linked_at",
    "event": "seq",
    "audit": "seq",
}
LEFT_OUT = {"hash", "previous_hash", "text", "signature"}
"""Texts and signatures hold generated ids; that they fit together is tested above."""


def test_each_deed_leaves_the_rows_that_the_engine_writes(
    banks: tuple[EngineContext, EngineContext],
) -> None:
    done, written = banks
    pair = Pair(PERSON.reference, "ethereum", WALLETS["erin-ethereum"])
    by_hand(done, pair)
    in_samples(written, told(pair))
    expected, found = (history(bank, ORDERS, LEFT_OUT) for bank in (done, written))
    for table in ORDERS:
        assert found[table] == expected[table], table

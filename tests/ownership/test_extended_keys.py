"""Extended public keys as evidence: a claim at its own level, and what ends it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.wallets.extended import JUNK, extended_public_key
from tests.world.bank import World, build, sqlite_url

from chainteller.domain.options import EngineOptions
from chainteller.engine.operations.claim_proofs import recheck
from chainteller.engine.verification.full_pass import verify
from chainteller.paths import shipped
from chainteller.service.errors import (
    ClaimUnverifiable,
    EvidenceExpired,
    InvalidSignature,
    LimitExceeded,
)
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.counterparties import (
    Challenge,
    ChallengeRequest,
    ClaimRequest,
    DiagnosisRequest,
    LinkRequest,
    OpenBlockchainAccount,
    OwnershipClaim,
    RegisterCounterparty,
    ReverificationRequest,
)
from chainteller.service.models.funding import (
    Currency,
    DepositRequest,
    Destination,
    Transfer,
    WithdrawalRequest,
)
from chainteller.wallets.simulated import sample_wallets, sign_sample

XPUB = extended_public_key(JUNK, "m/44'/60'/0'")
SAMPLES = sample_wallets(shipped("sample_data") / "wallets.toml")
ALICE, BOB = "alice-ethereum", "bob-ethereum"  # addresses 0/0 and 0/1 of the key
ADDRESSES = {each.name: each.address.display for each in SAMPLES}
USDC = Currency(type="stablecoin-currency", symbol="USDC", network="ethereum")


class Case:
    """A customer with two wallets of one extended key; the first one has signed."""

    def __init__(self, world: World, number: int = 1) -> None:
        self.world, self.service = world, world.engine
        kind = "checking" if number % 2 else "savings"
        opened = OpenTradingAccount(bank_account_id=f"DDA-{number}", bank_account_type=kind)
        self.account = self.service.open_trading_account(opened).value.id
        custody = OpenBlockchainAccount(trading_account_id=self.account, network="ethereum")
        self.custody = self.service.open_blockchain_account(custody).value.id

    def challenge(self, name: str) -> Challenge:
        asked = RegisterCounterparty(address=ADDRESSES[name], network="ethereum")
        wallet = self.service.register_counterparty(asked).value
        request = ChallengeRequest(counterparty_id=wallet.id)
        return self.service.create_challenge(self.custody, request).value

    def claim(self, challenge: Challenge, completed: str) -> OwnershipClaim:
        request = ClaimRequest(
            challenge_id=challenge.id,
            completed_challenge=completed,
            counterparty_id=str(challenge.counterparty_id),
        )
        return self.service.submit_claim(self.custody, request).value

    def link(self, claim: OwnershipClaim) -> None:
        request = LinkRequest(
            address=str(claim.address), network="ethereum", ownership_claim_id=claim.id
        )
        self.service.link_counterparty(self.custody, request)

    def sign(self, name: str) -> OwnershipClaim:
        asked = self.challenge(name)
        claim = self.claim(asked, sign_sample(name, asked.challenge, wallets=SAMPLES))
        self.link(claim)
        return claim

    def derive(self, name: str) -> OwnershipClaim:
        claim = self.claim(self.challenge(name), XPUB)
        self.link(claim)
        return claim

    def pay(self, claim: OwnershipClaim, amount: str = "20.00") -> Transfer:
        self.service.deposit(self.account, DepositRequest(amount=amount, currency=USDC))
        destination = Destination(
            type="counterparty",
            counterparty_id=claim.counterparty_id,
            blockchain_account_id=self.custody,
        )
        request = WithdrawalRequest(amount=amount, currency=USDC, destination=destination)
        return self.service.withdraw(self.account, request).value

    def finding(self, challenge: Challenge, completed: str = XPUB) -> str:
        with pytest.raises(InvalidSignature) as refused:
            self.claim(challenge, completed)
        return str(refused.value.details["finding"])


@pytest.fixture
def case(tmp_path: Path) -> Iterator[Case]:
    world = build(sqlite_url(tmp_path), options=EngineOptions(rate_limits=False))
    yield Case(world)
    world.engine.close()


def test_a_derived_address_is_verified_at_its_level_and_the_key_is_kept_nowhere(
    case: Case, tmp_path: Path
) -> None:
    anchor = case.sign(ALICE)
    asked = case.challenge(BOB)
    found = case.service.diagnose_signature(
        case.custody,
        DiagnosisRequest(
            challenge_id=asked.id,
            completed_challenge=XPUB,
            counterparty_id=str(asked.counterparty_id),
        ),
    )
    assert (found.accepted, found.scheme) == (True, "bip32")
    assert f"number 0/1 of the same extended public key as {ADDRESSES[ALICE]}" in found.explanation
    claim = case.claim(asked, XPUB)
    assert (claim.method, claim.level, claim.scheme) == ("derivation", "medium", "bip32")
    case.link(claim)
    assert case.service.claim_by_id(claim.id).signature == anchor.id
    assert case.pay(claim).destination is not None
    with pytest.raises(LimitExceeded):
        case.pay(claim, "20000.00")
    case.world.advance(10)
    assert list(verify(case.world.context.database)) == []
    case.world.context.database.close()
    files = [each.read_bytes() for each in tmp_path.rglob("*") if each.is_file()]
    assert any(claim.id.encode() in content for content in files)
    assert not any(XPUB[20:60].encode() in content for content in files)


def test_an_extended_key_alone_proves_nothing(case: Case) -> None:
    asked = case.challenge(BOB)
    assert case.finding(asked) == "EXTENDED_KEY_ALONE"
    other = Case(case.world, 2)
    other.sign(ALICE)  # another customer's signature
    assert case.finding(asked) == "EXTENDED_KEY_ALONE"
    signed = case.challenge(ALICE)
    case.claim(signed, sign_sample(ALICE, signed.challenge, wallets=SAMPLES))  # not linked
    assert case.finding(asked) == "EXTENDED_KEY_ALONE"
    case.sign(ALICE)
    derived = case.claim(asked, XPUB)
    assert derived.method == "derivation"
    case.link(derived)
    carol = case.challenge("carol-ethereum")
    wallet, why = str(signed.counterparty_id), ReverificationRequest(reason="AGENT_REQUEST")
    case.service.require_reverification(case.custody, wallet, why)
    assert case.finding(carol) == "EXTENDED_KEY_ALONE"  # a derived address is no anchor


def test_it_ends_with_the_signature_that_it_rests_on_and_by_its_age(case: Case) -> None:
    anchor, claim = case.sign(ALICE), case.derive(BOB)
    case.world.advance(89 * 86_400)
    assert case.pay(claim).destination is not None
    case.world.advance(2 * 86_400)
    with pytest.raises(EvidenceExpired):
        case.pay(claim)
    claim = case.derive(BOB)
    case.service.require_reverification(
        case.custody,
        str(anchor.counterparty_id),
        ReverificationRequest(reason="SUSPICIOUS_ACTIVITY"),
    )
    with pytest.raises(ClaimUnverifiable) as refused:
        case.pay(claim)
    assert refused.value.details["reason"] == "ANCHOR"
    with pytest.raises(InvalidSignature):
        case.derive("carol-ethereum")


def test_a_wallet_whose_verification_has_ended_proves_no_other(case: Case) -> None:
    case.sign(ALICE)
    case.world.advance(181 * 86_400)  # nobody has used it for so long
    assert case.finding(case.challenge(BOB)) == "EXTENDED_KEY_ALONE"


def test_the_policy_may_refuse_them(tmp_path: Path) -> None:
    options = EngineOptions(rate_limits=False, extended_keys=False)
    world = build(sqlite_url(tmp_path / "off"), options=options)
    case = Case(world)
    case.sign(ALICE)
    assert case.finding(case.challenge(BOB)) == "EXTENDED_KEYS_OFF"
    world.engine.close()


ALTERATIONS = {
    "UPDATE claim_evidence SET body = replace(body, '0/1', '0/0')": "EVIDENCE",
    "UPDATE claim_evidence SET body = replace(body, '0/1', '7/1')": "EVIDENCE",
    "UPDATE claim SET signature = id WHERE method = 'derivation'": "ANCHOR",
    "UPDATE claim SET method = 'contract' WHERE method = 'signature'": "ANCHOR",
    "UPDATE claim SET level = 'high' WHERE method = 'derivation'": "METHOD",
    "UPDATE claim SET method = 'signature' WHERE method = 'derivation'": "METHOD",
    "UPDATE claim SET scheme = 'eip191' WHERE method = 'derivation'": "SIGNATURE",
    "DELETE FROM claim_evidence": "UNREADABLE",
}


def test_altered_rows_are_found(case: Case) -> None:
    case.sign(ALICE)
    claim, found = case.derive(BOB), {}
    for statement in ALTERATIONS:
        with case.world.context.database.write() as connection:
            assert connection.execute(text(statement)).rowcount == 1
            (each,) = recheck(connection, claim.id)
            found[statement] = each.found and each.found.reason
            connection.rollback()
    assert found == ALTERATIONS


def test_a_payout_on_an_altered_anchor_is_refused(case: Case) -> None:
    case.sign(ALICE)
    claim = case.derive(BOB)
    sent = case.pay(claim)
    statement = "UPDATE claim SET signer = 'x' WHERE method = 'signature'"
    with case.world.context.database.write() as connection:
        assert connection.execute(text(statement)).rowcount == 1
        connection.commit()
    case.world.advance(10)
    failed = case.service.withdrawal_record(case.account, sent.id)
    assert (failed.status, failed.failure_reason and failed.failure_reason.code) == (
        "failed",
        "CLAIM_UNVERIFIABLE",
    )
    with pytest.raises(ClaimUnverifiable):
        case.pay(claim)
    assert len(list(verify(case.world.context.database))) > 0

"""Part B of the specification: registering, challenging, claiming, linking, verifying anew."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import base58
import pytest
from nacl.signing import SigningKey
from tests.contract.conftest import Place
from tests.contract.test_trading import opened

from chainteller.domain.challenges import MAXIMUM_ATTEMPTS
from chainteller.service.errors import (
    ChallengeAlreadyUsed,
    ChallengeLocked,
    ClaimAlreadyUsed,
    Conflict,
    InvalidAddress,
    InvalidSignature,
    NotFound,
    SecretEntered,
    ServiceError,
    UnsupportedCurrency,
    UnsupportedNetwork,
    ValidationFailed,
)
from chainteller.service.interface import Service
from chainteller.service.models.counterparties import (
    BlockchainAccount,
    Challenge,
    ChallengeRequest,
    ClaimRequest,
    Counterparty,
    DiagnosisRequest,
    LinkRequest,
    OpenBlockchainAccount,
    OwnershipClaim,
    RegisterCounterparty,
    ReverificationRequest,
)
from chainteller.service.models.funding import Currency, Destination, WithdrawalRequest
from chainteller.service.models.pages import ListQuery
from chainteller.wallets.addresses import parse_address
from chainteller.wallets.networks import resolve_network
from chainteller.wallets.simulated import sample_wallets, sign_sample

WALLET = SigningKey(b"a public key for tests only, ok!")
ADDRESS = base58.b58encode(bytes(WALLET.verify_key)).decode()
OTHER_WALLET = SigningKey(b"another public key for the tests")
SAMPLES = sample_wallets(Path(__file__).resolve().parents[2] / "sample_data" / "wallets.toml")
VERIFIED = "VerifiedCounterparty1P"


def signed(text: str, wallet: SigningKey = WALLET) -> str:
    return base58.b58encode(wallet.sign(text.encode()).signature).decode()


def custody(service: Service, number: int = 1) -> BlockchainAccount:
    account = opened(service, number, "checking" if number % 2 else "savings")
    request = OpenBlockchainAccount(trading_account_id=account.id, network="solana")
    return service.open_blockchain_account(request).value


def registered(service: Service) -> Counterparty:
    request = RegisterCounterparty(address=ADDRESS, network="solana")
    return service.register_counterparty(request).value


def challenged(service: Service, account: BlockchainAccount, wallet: Counterparty) -> Challenge:
    return service.create_challenge(account.id, ChallengeRequest(counterparty_id=wallet.id)).value


def answer(challenge: Challenge, wallet: Counterparty, signature: str) -> ClaimRequest:
    return ClaimRequest(
        challenge_id=challenge.id, completed_challenge=signature, counterparty_id=wallet.id
    )


def claimed(service: Service, account: BlockchainAccount, wallet: Counterparty) -> OwnershipClaim:
    challenge = challenged(service, account, wallet)
    request = answer(challenge, wallet, signed(challenge.challenge))
    return service.submit_claim(account.id, request).value


def link(claim: OwnershipClaim) -> LinkRequest:
    return LinkRequest(address=ADDRESS, network="solana", ownership_claim_id=claim.id)


def test_a_wallet_is_verified_and_listed_as_first_party(service: Service) -> None:
    account, wallet = custody(service), registered(service)
    assert (wallet.type, wallet.network, wallet.address) == ("counterparty", "solana", ADDRESS)
    claim = claimed(service, account, wallet)
    assert claim.id.startswith("CLM_")
    linked = service.link_counterparty(account.id, link(claim))
    assert (linked.created, linked.value.type) == (True, VERIFIED)
    [listed] = service.linked_counterparties(account.id).data
    assert (listed.id, listed.type, listed.address) == (wallet.id, VERIFIED, ADDRESS)
    assert listed.verification is not None
    assert listed.verification.status == "current"
    again = service.link_counterparty(account.id, link(claim))
    assert (again.created, again.value.id) == (False, wallet.id)


def test_a_verification_ends_when_it_says_if_its_wallet_is_not_used(place: Place) -> None:
    account, wallet = custody(place.service), registered(place.service)
    place.service.link_counterparty(account.id, link(claimed(place.service, account, wallet)))

    def listed() -> Counterparty:
        [found] = place.service.linked_counterparties(account.id).data
        return found

    first = listed().verification
    assert first is not None
    place.world.advance((first.expires_at - first.verified_at).total_seconds())
    last = listed()
    assert last.verification is not None
    assert (last.type, last.verification.status) == (VERIFIED, "expiring")
    place.world.advance(0.000_001)
    assert listed().type == "counterparty"


@pytest.mark.parametrize(
    ("name", "network"), [("bob-ethereum", "polygon"), ("bob-tron", "tron"), ("bob-tron", "TRX")]
)
def test_a_wallet_on_a_network_without_assets_is_verified(
    service: Service, name: str, network: str
) -> None:
    sample = next(wallet for wallet in SAMPLES if wallet.name == name)
    account = opened(service, 1, "checking")
    request = OpenBlockchainAccount(trading_account_id=account.id, network=network)
    custody = service.open_blockchain_account(request).value
    assert custody.network == resolve_network(network).name
    assert parse_address(custody.address, resolve_network(network)).display == custody.address
    asked = RegisterCounterparty(address=sample.address.display, network=network)
    wallet = service.register_counterparty(asked).value
    challenge = challenged(service, custody, wallet)
    assert challenge.challenge == f"EXAMPLEBANK-REFDDA1-{challenge.id.removeprefix('CHG_')}"
    signature = sign_sample(name, challenge.challenge, wallets=SAMPLES)
    claim = service.submit_claim(custody.id, answer(challenge, wallet, signature)).value
    linked = service.link_counterparty(
        custody.id,
        LinkRequest(address=wallet.address, network=network, ownership_claim_id=claim.id),
    ).value
    assert linked.type == VERIFIED
    for symbol, error in (("USDC", UnsupportedNetwork), ("USDT", UnsupportedCurrency)):
        currency = Currency(type="stablecoin-currency", symbol=symbol, network=custody.network)
        destination = Destination(
            type="counterparty", counterparty_id=wallet.id, blockchain_account_id=custody.id
        )
        withdrawal = WithdrawalRequest(amount="1.00", currency=currency, destination=destination)
        with pytest.raises(error):
            service.withdraw(account.id, withdrawal)


def test_a_claim_is_found_by_its_id_alone(place: Place) -> None:
    account, wallet = custody(place.service), registered(place.service)
    claim = claimed(place.service, account, wallet)
    shown = place.service.claim_by_id(claim.id)
    proof = {"text": shown.text, "signature": shown.signature, "signer": ADDRESS}
    assert shown == claim.model_copy(update=proof)
    WALLET.verify_key.verify(str(shown.text).encode(), bytes.fromhex(str(shown.signature)))
    assert (shown.method, claim.signature) == ("signature", None)
    place.service.link_counterparty(account.id, link(claim))
    found = place.service.claim_by_id(claim.id)
    assert (found.status, found.blockchain_account_id) == ("linked", account.id)
    for stranger, claim_id in ((place.stranger, claim.id), (place.service, "CLM_NOBODY")):
        with pytest.raises(NotFound):
            stranger.claim_by_id(claim_id)


def test_a_challenge_is_found_by_its_id_alone(place: Place) -> None:
    account, wallet = custody(place.service), registered(place.service)
    challenge = challenged(place.service, account, wallet)
    assert place.service.challenge_by_id(challenge.id) == challenge
    request = answer(challenge, wallet, signed(challenge.challenge))
    place.service.submit_claim(account.id, request)
    found = place.service.challenge_by_id(challenge.id)
    assert (found.status, found.blockchain_account_id) == ("used", account.id)
    for stranger, challenge_id in ((place.stranger, challenge.id), (place.service, "CHG_NOBODY")):
        with pytest.raises(NotFound):
            stranger.challenge_by_id(challenge_id)


def test_a_known_address_is_answered_again(service: Service) -> None:
    first = service.register_counterparty(RegisterCounterparty(address=ADDRESS, network="solana"))
    again = service.register_counterparty(RegisterCounterparty(address=ADDRESS, network="solana"))
    assert (first.created, again.created) == (True, False)
    assert first.value.id == again.value.id
    assert service.counterparty(first.value.id).address == ADDRESS
    assert [c.id for c in service.counterparties(ListQuery(text=ADDRESS)).data] == [first.value.id]


def test_lists_come_oldest_first_where_that_is_asked_for(service: Service) -> None:
    account = custody(service)
    for wallet in (WALLET, OTHER_WALLET):
        address = base58.b58encode(bytes(wallet.verify_key)).decode()
        named = service.register_counterparty(
            RegisterCounterparty(address=address, network="solana")
        ).value
        challenge = challenged(service, account, named)
        request = answer(challenge, named, signed(challenge.challenge, wallet))
        claim = service.submit_claim(account.id, request).value
        linked = LinkRequest(address=address, network="solana", ownership_claim_id=claim.id)
        service.link_counterparty(account.id, linked)
    oldest = ListQuery(sort="created", limit=100)
    for newest_first, oldest_first in (
        (service.counterparties().data, service.counterparties(oldest).data),
        (
            service.linked_counterparties(account.id).data,
            service.linked_counterparties(account.id, oldest).data,
        ),
        (service.audit(ListQuery(limit=100)).data, service.audit(oldest).data),
    ):
        assert len(newest_first) > 1
        assert oldest_first == newest_first[::-1]


@pytest.mark.parametrize(
    ("address", "network", "error"),
    [
        ("not an address", "solana", InvalidAddress),
        (ADDRESS, "ethereum", InvalidAddress),
        (ADDRESS, "atlantis", UnsupportedNetwork),
        ("", "solana", InvalidAddress),
    ],
)
def test_refuses_what_is_no_address_of_the_network(
    service: Service, address: str, network: str, error: type[ServiceError]
) -> None:
    with pytest.raises(error):
        service.register_counterparty(RegisterCounterparty(address=address, network=network))


@pytest.mark.parametrize(
    ("address", "network", "reason", "said"),
    [
        ("0xdAC17F958D2ee523a2206206994597C13D831ec7", "ethereum", "TOKEN_CONTRACT", "USDT"),
        ("0x000000000000000000000000000000000000dead", "base", "BURN_ADDRESS", "burn address"),
        ("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", "solana", "PROGRAM", "token program"),
        ("rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh", "solana", "WRONG_NETWORK", "XRP Ledger"),
    ],
)
def test_what_an_address_is_instead_of_a_wallet_is_named(
    service: Service, address: str, network: str, reason: str, said: str
) -> None:
    with pytest.raises(InvalidAddress) as refused:
        service.register_counterparty(RegisterCounterparty(address=address, network=network))
    assert refused.value.details["reason"] == reason
    assert said in refused.value.message
    assert service.counterparties().data == ()


def test_a_wrong_signature_is_explained_the_same_way_by_claim_and_diagnosis(
    service: Service,
) -> None:
    account, wallet = custody(service), registered(service)
    challenge = challenged(service, account, wallet)
    wrong = answer(challenge, wallet, signed(challenge.challenge, OTHER_WALLET))
    diagnosis = service.diagnose_signature(account.id, DiagnosisRequest.of(wrong))
    with pytest.raises(InvalidSignature) as refused:
        service.submit_claim(account.id, wrong)
    details = refused.value.details
    assert details["cause"] in {
        "WRONG_MESSAGE_FORMAT",
        "WRONG_WALLET_ADDRESS",
        "NETWORK_MISMATCH",
        "EXPIRED_CHALLENGE",
    }
    assert (details["cause"], details["finding"]) == (diagnosis.cause, diagnosis.finding)
    assert not diagnosis.accepted
    good = answer(challenge, wallet, signed(challenge.challenge))
    assert service.diagnose_signature(account.id, DiagnosisRequest.of(good)).accepted


@pytest.mark.usefixtures("everything_is_tried")
def test_a_longer_search_finds_what_a_diagnosis_offers_it_for(service: Service) -> None:
    account, wallet = custody(service), registered(service)
    challenge = challenged(service, account, wallet)
    marked = answer(challenge, wallet, signed(f"Hello,\n{challenge.challenge}\n"))
    brief = service.diagnose_signature(account.id, DiagnosisRequest.of(marked))
    assert (brief.certain, brief.can_search_longer) == (False, True)
    longer = DiagnosisRequest.of(marked, search_longer=True)
    found = service.diagnose_signature(account.id, longer)
    assert (found.finding, found.certain) == ("ALTERED_TEXT", True)
    assert found.can_search_longer is None
    assert service.challenges(account.id).data[0].attempts == 0


def test_the_text_that_a_wallet_shows_is_asked_for_and_proves_the_cause(service: Service) -> None:
    account, wallet = custody(service), registered(service)
    challenge = challenged(service, account, wallet)
    words = f"Maria agrees: {challenge.challenge}"
    worded = answer(challenge, wallet, signed(f"{words}\n"))
    first = service.diagnose_signature(account.id, DiagnosisRequest.of(worded))
    assert (first.certain, first.asks_for_text) == (False, True)
    back = DiagnosisRequest.of(worded, signed_text=words)
    found = service.diagnose_signature(account.id, back)
    assert (found.finding, found.cause, found.certain) == (
        "EDITED_TEXT", "WRONG_MESSAGE_FORMAT", True,
    )  # fmt: skip
    assert found.asks_for_text is None
    secret = DiagnosisRequest.of(worded, signed_text="test " * 11 + "junk")
    with pytest.raises((SecretEntered, ValidationFailed)):
        service.diagnose_signature(account.id, secret)


def test_a_challenge_is_used_once_and_locks_after_too_many_attempts(place: Place) -> None:
    service = place.service
    account, wallet = custody(service), registered(service)
    challenge = challenged(service, account, wallet)
    good = answer(challenge, wallet, signed(challenge.challenge))
    claim = service.submit_claim(account.id, good).value
    with pytest.raises(ChallengeAlreadyUsed) as refused:
        service.submit_claim(account.id, good)
    assert refused.value.details["claimId"] == claim.id
    place.world.advance(1)
    second = challenged(service, account, wallet)
    wrong = answer(second, wallet, signed(second.challenge + "\n"))
    errors = []
    for _ in range(MAXIMUM_ATTEMPTS + 1):
        with pytest.raises(ServiceError) as failed:
            service.submit_claim(account.id, wrong)
        errors.append(type(failed.value))
    assert set(errors) == {InvalidSignature, ChallengeLocked}
    assert [each.id for each in service.challenges(account.id).data] == [second.id, challenge.id]


def test_an_expired_challenge_is_one_of_the_four_causes(place: Place) -> None:
    service = place.service
    account, wallet = custody(service), registered(service)
    challenge = challenged(service, account, wallet)
    place.world.advance(3_601)
    with pytest.raises(InvalidSignature) as refused:
        service.submit_claim(account.id, answer(challenge, wallet, signed(challenge.challenge)))
    assert refused.value.details["cause"] == "EXPIRED_CHALLENGE"


def test_a_claim_serves_its_own_pair_only(service: Service) -> None:
    account, other, wallet = custody(service, 1), custody(service, 3), registered(service)
    claim = claimed(service, account, wallet)
    with pytest.raises(Conflict) as refused:
        service.link_counterparty(other.id, link(claim))
    assert refused.value.details["reason"] == "CLAIM_FOR_OTHER_PAIR"
    service.link_counterparty(account.id, link(claim))
    with pytest.raises(ClaimAlreadyUsed):
        service.link_counterparty(other.id, link(claim))


def test_two_claims_for_one_pair_may_be_linked_at_once(service: Service) -> None:
    account, wallet = custody(service), registered(service)
    claims = [claimed(service, account, wallet) for _ in range(6)]
    with ThreadPoolExecutor(6) as pool:
        linked = list(
            pool.map(lambda each: service.link_counterparty(account.id, link(each)).value, claims)
        )
    assert {each.id for each in linked} == {wallet.id}
    assert len(service.linked_counterparties(account.id).data) == 1


def test_a_verification_ends_when_it_is_asked_for_anew(service: Service) -> None:
    account, wallet = custody(service), registered(service)
    service.link_counterparty(account.id, link(claimed(service, account, wallet)))
    request = ReverificationRequest(reason="AGENT_REQUEST")
    ended = service.require_reverification(account.id, wallet.id, request).value
    assert ended.type == "counterparty"
    [listed] = service.linked_counterparties(account.id).data
    assert listed.type == "counterparty"
    service.link_counterparty(account.id, link(claimed(service, account, wallet)))
    [restored] = service.linked_counterparties(account.id).data
    assert restored.type == VERIFIED


def test_what_was_asked_for_before_a_verification_was_ended_verifies_nothing_again(
    place: Place,
) -> None:
    service = place.service
    account, wallet = custody(service), registered(service)
    first, spare = (claimed(service, account, wallet) for _ in range(2))
    waiting = challenged(service, account, wallet)
    service.link_counterparty(account.id, link(first))
    place.world.advance(1)
    request = ReverificationRequest(reason="SUSPICIOUS_ACTIVITY")
    service.require_reverification(account.id, wallet.id, request)
    place.world.advance(1)
    late = answer(waiting, wallet, signed(waiting.challenge))
    for claim in (spare, service.submit_claim(account.id, late).value):
        with pytest.raises(Conflict) as refused:
            service.link_counterparty(account.id, link(claim))
        assert refused.value.details["reason"] == "VERIFICATION_ENDED"
    [listed] = service.linked_counterparties(account.id).data
    assert listed.type == "counterparty"
    place.world.advance(1)
    again = claimed(service, account, wallet)
    assert service.link_counterparty(account.id, link(again)).value.type == VERIFIED


@pytest.mark.parametrize("seconds", [0, -1, 10**12])
def test_refuses_a_validity_that_cannot_be(service: Service, seconds: int) -> None:
    account, wallet = custody(service), registered(service)
    with pytest.raises(ValidationFailed):
        service.create_challenge(
            account.id, ChallengeRequest(counterparty_id=wallet.id, valid_seconds=seconds)
        )


def test_foreign_wallets_are_not_found(place: Place) -> None:
    near, foreign = place.service, place.stranger
    account, wallet = custody(near), registered(near)
    claim = claimed(near, account, wallet)
    challenge = challenged(near, account, wallet)
    good = answer(challenge, wallet, signed(challenge.challenge))
    for call in (
        lambda: foreign.blockchain_account(account.id),
        lambda: foreign.counterparty(wallet.id),
        lambda: foreign.challenges(account.id),
        lambda: foreign.linked_counterparties(account.id),
        lambda: foreign.create_challenge(account.id, ChallengeRequest(counterparty_id=wallet.id)),
        lambda: foreign.submit_claim(account.id, good),
        lambda: foreign.diagnose_signature(account.id, DiagnosisRequest.of(good)),
        lambda: foreign.link_counterparty(account.id, link(claim)),
    ):
        with pytest.raises(NotFound):
            call()
    assert foreign.blockchain_accounts().data == ()
    assert foreign.counterparties().data == ()
    assert foreign.register_counterparty(
        RegisterCounterparty(address=ADDRESS, network="solana")
    ).created

"""Part B of the specification over HTTP."""

from chainteller.remote.connection import Connection
from chainteller.remote.queries import listing, segment
from chainteller.remote.sending import Write
from chainteller.service.features import Feature
from chainteller.service.interface import ALL
from chainteller.service.models.base import Written
from chainteller.service.models.counterparties import (
    BlockchainAccount,
    Challenge,
    ChallengeRequest,
    ClaimRequest,
    Counterparty,
    LinkRequest,
    OpenBlockchainAccount,
    OwnershipClaim,
    RegisterCounterparty,
    ReverificationRequest,
    SignatureDiagnosis,
)
from chainteller.service.models.pages import ListQuery, Page


class RemoteWallets:
    """Each method is its line of the specification's table; errors are those of ``Wallets``."""

    _at: Connection

    def open_blockchain_account(
        self, request: OpenBlockchainAccount, *, idempotency_key: str | None = None
    ) -> Written[BlockchainAccount]:
        self._at.require(Feature.BLOCKCHAIN_ACCOUNTS)
        return self._at.write("/blockchain-accounts", request, BlockchainAccount, idempotency_key)

    def blockchain_accounts(self, query: ListQuery = ALL) -> Page[BlockchainAccount]:
        found: Page[BlockchainAccount] = self._at.read(
            "/blockchain-accounts",
            Page[BlockchainAccount],
            listing(query, "trading_account_id"),
            Feature.BLOCKCHAIN_ACCOUNTS,
        )
        return found

    def blockchain_account(self, blockchain_account_id: str) -> BlockchainAccount:
        found: BlockchainAccount = self._at.read(
            _account(blockchain_account_id), BlockchainAccount, needs=Feature.BLOCKCHAIN_ACCOUNTS
        )
        return found

    def register_counterparty(
        self, request: RegisterCounterparty, *, idempotency_key: str | None = None
    ) -> Written[Counterparty]:
        return self._at.write("/counterparties", request, Counterparty, idempotency_key)

    def counterparties(self, query: ListQuery = ALL) -> Page[Counterparty]:
        asked = listing(query, "text")
        found: Page[Counterparty] = self._at.read(
            "/counterparties", Page[Counterparty], asked, Feature.COUNTERPARTIES
        )
        return found

    def counterparty(self, counterparty_id: str) -> Counterparty:
        path = f"/counterparties/{segment(counterparty_id, 'counterparty')}"
        found: Counterparty = self._at.read(path, Counterparty, needs=Feature.COUNTERPARTIES)
        return found

    def create_challenge(
        self,
        blockchain_account_id: str,
        request: ChallengeRequest,
        *,
        idempotency_key: str | None = None,
    ) -> Written[Challenge]:
        path = f"{_account(blockchain_account_id)}/1P-counterparty-ownership-challenges"
        return self._at.write(path, request, Challenge, idempotency_key)

    def challenges(self, blockchain_account_id: str, query: ListQuery = ALL) -> Page[Challenge]:
        path = f"{_account(blockchain_account_id)}/1P-counterparty-ownership-challenges"
        asked = listing(query)
        found: Page[Challenge] = self._at.read(path, Page[Challenge], asked, Feature.CHALLENGES)
        return found

    def challenge_by_id(self, challenge_id: str) -> Challenge:
        record = segment(challenge_id, "ownership challenge")
        path = f"/1P-counterparty-ownership-challenges/{record}"
        found: Challenge = self._at.read(path, Challenge, needs=Feature.CHALLENGE_BY_ID)
        return found

    def submit_claim(
        self,
        blockchain_account_id: str,
        request: ClaimRequest,
        *,
        idempotency_key: str | None = None,
    ) -> Written[OwnershipClaim]:
        path = f"{_account(blockchain_account_id)}/1P-counterparty-ownership-claims"
        return self._at.write(path, request, OwnershipClaim, idempotency_key)

    def claim_by_id(self, claim_id: str) -> OwnershipClaim:
        path = f"/1P-counterparty-ownership-claims/{segment(claim_id, 'ownership claim')}"
        found: OwnershipClaim = self._at.read(path, OwnershipClaim, needs=Feature.CLAIM_BY_ID)
        return found

    def diagnose_signature(
        self, blockchain_account_id: str, request: ClaimRequest
    ) -> SignatureDiagnosis:
        """It changes nothing, so it may always be repeated."""
        self._at.require(Feature.DIAGNOSES)
        path = f"{_account(blockchain_account_id)}/1P-counterparty-ownership-diagnoses"
        asking = Write("POST", path, self._at.sender.new_key(), request)
        answered: SignatureDiagnosis = self._at.sender.write(
            asking, SignatureDiagnosis, repeatable=True
        ).value
        return answered

    def link_counterparty(
        self,
        blockchain_account_id: str,
        request: LinkRequest,
        *,
        idempotency_key: str | None = None,
    ) -> Written[Counterparty]:
        path = f"{_account(blockchain_account_id)}/counterparties"
        return self._at.write(path, request, Counterparty, idempotency_key)

    def require_reverification(
        self,
        blockchain_account_id: str,
        counterparty_id: str,
        request: ReverificationRequest,
        *,
        idempotency_key: str | None = None,
    ) -> Written[Counterparty]:
        self._at.require(Feature.REVERIFICATIONS)
        record = segment(counterparty_id, "counterparty")
        path = f"{_account(blockchain_account_id)}/counterparties/{record}/reverifications"
        return self._at.write(path, request, Counterparty, idempotency_key)

    def linked_counterparties(
        self, blockchain_account_id: str, query: ListQuery = ALL
    ) -> Page[Counterparty]:
        path = f"{_account(blockchain_account_id)}/counterparties"
        found: Page[Counterparty] = self._at.read(path, Page[Counterparty], listing(query))
        return found


def _account(blockchain_account_id: str) -> str:
    return f"/blockchain-accounts/{segment(blockchain_account_id, 'blockchain account')}"

"""Counterparties (specification 2.7), blockchain accounts, challenges (2.8), claims (2.9), and what
customers do who can't sign: small transfers and statements."""

from typing import Annotated

from pydantic import StrictBool, StrictInt

from chainteller.domain.challenges import (
    ChallengeStatus,
    ClaimStatus,
    ReverificationReason,
    VerificationStatus,
)
from chainteller.domain.evidence import AddressCode, EvidenceLevel, VerificationMethod
from chainteller.domain.second_method import (
    ArrivalFinding,
    SmallTransferStatus,
    StatementReason,
    StatementStatus,
)
from chainteller.service.models.base import (
    AccountRecord,
    Amount,
    Many,
    OneOf,
    RequestModel,
    SharedRecord,
    Timestamp,
    WireModel,
)

COUNTERPARTY = "counterparty"
VERIFIED_FIRST_PARTY = "VerifiedCounterparty1P"


class OpenBlockchainAccount(RequestModel):
    trading_account_id: str
    network: str


class BlockchainAccount(AccountRecord):
    id: str
    trading_account_id: str
    network: str
    address: str
    status: str
    created: Timestamp | None = None


class RegisterCounterparty(RequestModel):
    address: str
    network: str


class Verification(WireModel):
    status: Annotated[str, OneOf("VerificationStatus", VerificationStatus)]
    verified_at: Timestamp
    expires_at: Timestamp
    claim_id: str
    method: Annotated[str, OneOf("VerificationMethod", VerificationMethod)] | None = None
    level: Annotated[str, OneOf("EvidenceLevel", EvidenceLevel)] | None = None


class OnChain(WireModel):
    """What the chain had at a wallet's address, at the block of this number."""

    code: Annotated[str, OneOf("AddressCode", AddressCode)]
    block: int


class Counterparty(SharedRecord):
    """What a chain has at the address is told where its providers said it at registration.

    ``shared`` is told of a linked wallet: whether another customer has verified it, too.
    """

    type: Annotated[str, OneOf("CounterpartyType", (COUNTERPARTY, VERIFIED_FIRST_PARTY))] = (
        COUNTERPARTY
    )
    id: str
    network: str | None = None
    address: str
    created: Timestamp | None = None
    verification: Verification | None = None
    shared: bool | None = None
    on_chain: OnChain | None = None

    @property
    def verification_state(self) -> str:
        """The status of the verification: current, expiring, expired or revoked; empty without one.

        A deployment that tells no dates tells by the type that a wallet is verified.
        """
        if self.verification is not None:
            return self.verification.status
        return "current" if self.type == VERIFIED_FIRST_PARTY else ""


class SharedWallet(WireModel):
    """A blockchain account that a wallet was verified for which another customer's has, too."""

    counterparty_id: str
    network: str
    address: str
    trading_account_id: str
    blockchain_account_id: str
    customer_name: str
    customer_reference: str
    status: str
    verified_at: Timestamp


class ChallengeRequest(RequestModel):
    """``valid_seconds`` is an extension for air-gapped signing, up to seven days.

    ``page_token_hash`` gives the challenge a signing page: the SHA-256, in 64 hex digits, of the
    page's token, which the caller draws. The service learns it when somebody opens the page.
    Challenges of one customer's wallets with the same hash share the page, while all are open.
    """

    counterparty_id: str
    valid_seconds: StrictInt | None = None
    page_token_hash: str | None = None


class Challenge(AccountRecord):
    """``page_text`` is what the signing page has signed where that isn't ``challenge``, and
    ``page_signature`` what was last sent from it: it may be anybody's until it's checked.
    """

    id: str
    challenge: str
    expires: Timestamp | None = None
    network: str | None = None
    address: str | None = None
    counterparty_id: str | None = None
    blockchain_account_id: str | None = None
    status: Annotated[str, OneOf("ChallengeStatus", ChallengeStatus)] | None = None
    attempts: int | None = None
    created: Timestamp | None = None
    page_text: str | None = None
    page_signature: str | None = None


class PageMessage(WireModel):
    """A message that a signing page shows: that of the challenge with this id.

    ``text`` is what a wallet signs elsewhere, ``message`` what it signs on the page; both are null
    once the challenge is closed. ``received`` says that a signature was sent for it, and ``valid``,
    where that was checked, whether it's the address's. ``chain`` is the network's CAIP-2 name.
    """

    id: str
    network: str
    chain: str
    family: str
    address: str
    status: Annotated[str, OneOf("ChallengeStatus", ChallengeStatus)]
    expires: Timestamp
    text: str | None = None
    message: str | None = None
    received: bool
    valid: bool | None = None


class SigningPage(WireModel):
    """What a signing page shows to whoever has its link: the bank, and a message for each wallet.

    ``sent`` is the id of the message that a signature which was just sent is kept for.
    """

    bank: str
    messages: Many[PageMessage]
    sent: str | None = None


class PageSignature(RequestModel):
    """What the signing page sends: a candidate for the signature of a message, by its id.

    A signature that proves another message of the page is kept for that one.
    """

    signature: str
    message_id: str


class ClaimRequest(RequestModel):
    challenge_id: str
    completed_challenge: str
    counterparty_id: str


class DiagnosisRequest(ClaimRequest):
    """A claim to be explained. With ``searchLonger``, the search for a text that was altered takes
    a few seconds; ask for it where an answer says ``canSearchLonger``. ``signedText`` is the text
    that the customer's wallet shows as signed; send it where an answer says ``asksForText``.
    """

    search_longer: StrictBool | None = None
    signed_text: str | None = None

    @classmethod
    def of(
        cls, claim: ClaimRequest, *, search_longer: bool = False, signed_text: str | None = None
    ) -> "DiagnosisRequest":
        """Ask about a claim instead of submitting it."""
        return cls(
            **dict(claim), search_longer=search_longer or None, signed_text=signed_text or None
        )


class OwnershipClaim(AccountRecord):
    """``text``, ``signature`` and ``signer`` are given where a claim is fetched by its id: with
    ``scheme``, they are all that anybody needs to check it. ``shared`` says whether another
    customer has verified the wallet: ask about it before it is linked.
    """

    id: str
    type: str = "ownership-claim"
    blockchain_account_id: str | None = None
    counterparty_id: str | None = None
    challenge_id: str | None = None
    network: str | None = None
    address: str | None = None
    method: Annotated[str, OneOf("VerificationMethod", VerificationMethod)] | None = None
    level: Annotated[str, OneOf("EvidenceLevel", EvidenceLevel)] | None = None
    scheme: str | None = None
    status: Annotated[str, OneOf("ClaimStatus", ClaimStatus)] | None = None
    created: Timestamp | None = None
    expires: Timestamp | None = None
    linked_at: Timestamp | None = None
    text: str | None = None
    signature: str | None = None
    signer: str | None = None
    shared: bool | None = None


class SmallTransferRequest(RequestModel):
    """``valid_seconds`` is from ten minutes to seven days, by default two hours."""

    counterparty_id: str
    valid_seconds: StrictInt | None = None


class Arrival(WireModel):
    """A transfer that arrived for a small transfer; ``explanation`` says what it means."""

    transaction_hash: str
    sender: str
    amount: Amount
    symbol: str
    arrived_at: Timestamp
    finding: Annotated[str, OneOf("ArrivalFinding", ArrivalFinding)]
    explanation: str


class SmallTransfer(AccountRecord):
    """Proof by an exact amount of the network's own coin: the wallet sends it from ``sender`` to
    ``recipient``, which are the same address, before it expires. ``instruction`` is what the
    customer is told; ``claim_id`` follows once it arrived.
    """

    id: str
    type: str = "small-transfer"
    blockchain_account_id: str
    counterparty_id: str
    network: str
    status: Annotated[str, OneOf("SmallTransferStatus", SmallTransferStatus)]
    amount: Amount
    symbol: str
    sender: str
    recipient: str
    created: Timestamp
    expires: Timestamp
    level: Annotated[str, OneOf("EvidenceLevel", EvidenceLevel)]
    instruction: str
    claim_id: str | None = None
    arrivals: Many[Arrival] = ()


class StatementRequest(RequestModel):
    """What the customer says, in their words, and why the wallet can't be verified otherwise."""

    counterparty_id: str
    reason: Annotated[str, OneOf("StatementReason", StatementReason)]
    statement: str


class OwnershipStatement(AccountRecord):
    """A customer's statement, on which a person decides. It verifies nothing, accepted or not."""

    id: str
    type: str = "ownership-statement"
    blockchain_account_id: str
    counterparty_id: str
    network: str
    address: str
    reason: Annotated[str, OneOf("StatementReason", StatementReason)]
    statement: str
    status: Annotated[str, OneOf("StatementStatus", StatementStatus)]
    level: Annotated[str, OneOf("EvidenceLevel", EvidenceLevel)]
    created: Timestamp


class LinkRequest(RequestModel):
    """``acknowledged`` links a wallet although another customer has verified it."""

    address: str
    network: str
    ownership_claim_id: str
    acknowledged: StrictBool | None = None


class SignatureDiagnosis(WireModel):
    """Why a signature would be accepted or refused; the words are those of INVALID_SIGNATURE.

    ``differences`` are sentences that say how the signed text differs from ours.
    ``canSearchLonger`` says that a diagnosis with ``searchLonger`` may find more, and
    ``asksForText``, that one with ``signedText`` may prove the cause.
    """

    accepted: bool
    cause: str | None = None
    certain: bool = False
    finding: str
    explanation: str
    ask_customer: str
    challenge_id: str
    counterparty_id: str
    network: str
    expected_address: str
    recovered_address: str | None = None
    scheme: str | None = None
    other_challenge_id: str | None = None
    other_counterparty_id: str | None = None
    expired_at: Timestamp | None = None
    suggestion: str = ""
    differences: list[str] | None = None
    can_search_longer: bool | None = None
    asks_for_text: bool | None = None


class ReverificationRequest(RequestModel):
    reason: Annotated[str, OneOf("ReverificationReason", ReverificationReason)]

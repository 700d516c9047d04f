"""Wallets of customers, and the proof that they own them."""

from dataclasses import replace

from chainteller.service import errors
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
    OwnershipStatement,
    RegisterCounterparty,
    ReverificationRequest,
    SharedWallet,
    SignatureDiagnosis,
    SmallTransfer,
    SmallTransferRequest,
    StatementRequest,
)
from chainteller.service.models.heads import WalletAttestation
from chainteller.service.models.pages import Page
from chainteller.service.operations.declaring import (
    ATTESTATIONS,
    OWNERSHIP_STATEMENTS_FEATURE,
    SHARED_WALLETS_FEATURE,
    SMALL_TRANSFERS_FEATURE,
    TEXT,
    TRADING_ACCOUNT,
    Read,
    Section,
    Write,
    listing,
)

_WALLETS = Section("Counterparties", "wallets:read", "wallets:write")
_PROOF = Section("Wallet ownership", "wallets:read", "wallets:write")
_SMALL = replace(_PROOF, feature=SMALL_TRANSFERS_FEATURE)
_STATED = replace(_PROOF, feature=OWNERSHIP_STATEMENTS_FEATURE)

# -- counterparties -----------------------------------------------------------------------------

_CUSTODY = "/blockchain-accounts/{blockchainAccountId}"

REGISTER_COUNTERPARTY = Write(
    _WALLETS,
    "register_counterparty",
    "POST /counterparties",
    "Register a wallet; returns the existing record if it's already registered",
    Counterparty,
    operation_id="createCounterparty",
    request=RegisterCounterparty,
    creates="/counterparties/{counterpartyId}",
    errors=(errors.UnsupportedNetwork, errors.InvalidAddress),
)
COUNTERPARTIES = Read(
    _WALLETS,
    "counterparties",
    "GET /counterparties",
    "Find counterparties by id or address",
    Page[Counterparty],
    query=listing(TEXT),
    feature="counterparties",
)
SHOW_COUNTERPARTY = Read(
    _WALLETS,
    "counterparty",
    "GET /counterparties/{counterpartyId}",
    "Show a counterparty",
    Counterparty,
    feature="counterparties",
)
LINK_COUNTERPARTY = Write(
    _WALLETS,
    "link_counterparty",
    f"POST {_CUSTODY}/counterparties",
    "Link a counterparty to a blockchain account with an ownership claim",
    Counterparty,
    request=LinkRequest,
    creates=f"{_CUSTODY}/counterparties",
    additions={"acknowledged": SHARED_WALLETS_FEATURE},
    hints=("acknowledged",),
    is_shown=False,
    errors=(
        errors.ClaimUnverifiable,
        errors.ClaimAlreadyUsed,
        errors.ClaimExpired,
        errors.WalletShared,
        errors.DecisionRequired,
        errors.Conflict,
        errors.UnsupportedNetwork,
        errors.InvalidAddress,
    ),
)
LINKED_COUNTERPARTIES = Read(
    _WALLETS,
    "linked_counterparties",
    f"GET {_CUSTODY}/counterparties",
    "List a blockchain account's counterparties",
    Page[Counterparty],
    query=listing(),
)
SHARED_WALLETS = Read(
    _WALLETS,
    "shared_wallets",
    "GET /shared-counterparties",
    "List the wallets that several customers have verified, with a line for each of them",
    Page[SharedWallet],
    operation_id="listSharedCounterparties",
    scope="wallets:review",
    query=listing(TEXT),
    feature=SHARED_WALLETS_FEATURE,
)
REQUIRE_REVERIFICATION = Write(
    _WALLETS,
    "require_reverification",
    f"POST {_CUSTODY}/counterparties/{{counterpartyId}}/reverifications",
    "End a wallet's verification at once, so that it must be verified again",
    Counterparty,
    request=ReverificationRequest,
    feature="reverifications",
    errors=(errors.Conflict,),
)

# -- wallet ownership ---------------------------------------------------------------------------

_OWNERSHIP = "1P-counterparty-ownership"

OPEN_BLOCKCHAIN_ACCOUNT = Write(
    _PROOF,
    "open_blockchain_account",
    "POST /blockchain-accounts",
    "Open a blockchain account with a custody address",
    BlockchainAccount,
    operation_id="createBlockchainAccount",
    scope="accounts:write",
    request=OpenBlockchainAccount,
    creates=_CUSTODY,
    feature="blockchain-accounts",
    errors=(errors.NotFound, errors.UnsupportedNetwork, errors.AccountRestricted),
)
BLOCKCHAIN_ACCOUNTS = Read(
    _PROOF,
    "blockchain_accounts",
    "GET /blockchain-accounts",
    "List blockchain accounts",
    Page[BlockchainAccount],
    query=listing(TRADING_ACCOUNT),
    feature="blockchain-accounts",
)
SHOW_BLOCKCHAIN_ACCOUNT = Read(
    _PROOF,
    "blockchain_account",
    f"GET {_CUSTODY}",
    "Show a blockchain account",
    BlockchainAccount,
    feature="blockchain-accounts",
)
CREATE_CHALLENGE = Write(
    _PROOF,
    "create_challenge",
    f"POST {_CUSTODY}/{_OWNERSHIP}-challenges",
    "Create the message that the wallet's owner signs",
    Challenge,
    operation_id="createOwnershipChallenge",
    request=ChallengeRequest,
    creates=f"/{_OWNERSHIP}-challenges/{{ownershipChallengeId}}",
    is_harmless=True,
    additions={"valid_seconds": "challenges", "page_token_hash": "challenges"},
    errors=(errors.NetworkMismatch, errors.QuotaExceeded),
)
CHALLENGES = Read(
    _PROOF,
    "challenges",
    f"GET {_CUSTODY}/{_OWNERSHIP}-challenges",
    "List a blockchain account's challenges",
    Page[Challenge],
    operation_id="listOwnershipChallenges",
    query=listing(),
    feature="challenges",
)
CHALLENGE_BY_ID = Read(
    _PROOF,
    "challenge_by_id",
    f"GET /{_OWNERSHIP}-challenges/{{ownershipChallengeId}}",
    "Show an ownership challenge of any account",
    Challenge,
    operation_id="getOwnershipChallenge",
    feature="challenge-by-id",
)
SUBMIT_CLAIM = Write(
    _PROOF,
    "submit_claim",
    f"POST {_CUSTODY}/{_OWNERSHIP}-claims",
    "Submit the wallet's signature of a challenge",
    OwnershipClaim,
    operation_id="createOwnershipClaim",
    request=ClaimRequest,
    creates=f"/{_OWNERSHIP}-claims/{{ownershipClaimId}}",
    errors=(
        errors.Conflict,
        errors.ChallengeAlreadyUsed,
        errors.ChallengeLocked,
        errors.InvalidSignature,
        errors.ChainUnavailable,
    ),
)
CLAIM_BY_ID = Read(
    _PROOF,
    "claim_by_id",
    f"GET /{_OWNERSHIP}-claims/{{ownershipClaimId}}",
    "Show an ownership claim of any account",
    OwnershipClaim,
    operation_id="getOwnershipClaim",
    feature="claim-by-id",
)
CLAIM_ATTESTATION = Read(
    _PROOF,
    "claim_attestation",
    f"GET /{_OWNERSHIP}-claims/{{ownershipClaimId}}/attestation",
    "Attest an ownership claim: all its facts, signed by the bank, for anybody to verify",
    WalletAttestation,
    operation_id="getOwnershipClaimAttestation",
    feature=ATTESTATIONS,
    errors=(errors.Conflict,),
)
DIAGNOSE_SIGNATURE = Read(
    _PROOF,
    "diagnose_signature",
    f"POST {_CUSTODY}/{_OWNERSHIP}-diagnoses",
    "Explain why a signature would be refused; doesn't count as an attempt",
    SignatureDiagnosis,
    operation_id="diagnoseSignature",
    scope="wallets:write",
    request=DiagnosisRequest,
    feature="diagnoses",
    errors=(errors.Conflict, errors.ChallengeAlreadyUsed),
)

CREATE_SMALL_TRANSFER = Write(
    _SMALL,
    "create_small_transfer",
    f"POST {_CUSTODY}/{_OWNERSHIP}-transfers",
    "Ask a wallet that can't sign to send an exact amount to itself",
    SmallTransfer,
    request=SmallTransferRequest,
    creates=f"/{_OWNERSHIP}-transfers/{{smallTransferId}}",
    errors=(
        errors.Conflict,
        errors.NetworkMismatch,
        errors.QuotaExceeded,
        errors.UnsupportedNetwork,
        errors.ArrivalsUnwatched,
    ),
)
SMALL_TRANSFERS = Read(
    _SMALL,
    "small_transfers",
    f"GET {_CUSTODY}/{_OWNERSHIP}-transfers",
    "List a blockchain account's small transfers",
    Page[SmallTransfer],
    query=listing(),
)
SMALL_TRANSFER_BY_ID = Read(
    _SMALL,
    "small_transfer_by_id",
    f"GET /{_OWNERSHIP}-transfers/{{smallTransferId}}",
    "Show a small transfer of any account, and what arrived for it",
    SmallTransfer,
    operation_id="getSmallTransfer",
)
CREATE_OWNERSHIP_STATEMENT = Write(
    _STATED,
    "create_ownership_statement",
    f"POST {_CUSTODY}/{_OWNERSHIP}-statements",
    "Record a customer's statement that a wallet is theirs; it verifies nothing",
    OwnershipStatement,
    request=StatementRequest,
    creates=f"/{_OWNERSHIP}-statements/{{ownershipStatementId}}",
    errors=(errors.NetworkMismatch,),
)
OWNERSHIP_STATEMENTS = Read(
    _STATED,
    "ownership_statements",
    f"GET {_CUSTODY}/{_OWNERSHIP}-statements",
    "List the statements about wallets of a blockchain account",
    Page[OwnershipStatement],
    query=listing(),
)
OWNERSHIP_STATEMENT_BY_ID = Read(
    _STATED,
    "ownership_statement_by_id",
    f"GET /{_OWNERSHIP}-statements/{{ownershipStatementId}}",
    "Show a statement about a wallet of any account",
    OwnershipStatement,
    operation_id="getOwnershipStatement",
)

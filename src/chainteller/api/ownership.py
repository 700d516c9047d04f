"""Blockchain accounts, ownership challenges and ownership claims."""

from chainteller.api.limits import Bucket
from chainteller.api.operations import Call, Operation, Routes
from chainteller.service import errors
from chainteller.service.models.base import Written
from chainteller.service.models.counterparties import (
    BlockchainAccount,
    Challenge,
    ChallengeRequest,
    ClaimRequest,
    OpenBlockchainAccount,
    OwnershipClaim,
    SignatureDiagnosis,
)
from chainteller.service.models.pages import Page

routes = Routes("Wallet ownership")

_ONE = "/blockchain-accounts/{blockchainAccountId}"


@routes.add(
    Operation(
        "createBlockchainAccount",
        "POST",
        "/blockchain-accounts",
        "Open a blockchain account with a custody address",
        "accounts:write",
        BlockchainAccount,
        Bucket.WRITE,
        OpenBlockchainAccount,
        creates="/blockchain-accounts/{id}",
        made="blockchainAccountId",
        errors=(errors.NotFound, errors.UnsupportedNetwork, errors.AccountRestricted),
    )
)
def create_blockchain_account(call: Call) -> Written[BlockchainAccount]:
    return call.service.open_blockchain_account(
        call.read(OpenBlockchainAccount), idempotency_key=call.idempotency_key
    )


@routes.add(
    Operation(
        "listBlockchainAccounts",
        "GET",
        "/blockchain-accounts",
        "List blockchain accounts",
        "wallets:read",
        Page[BlockchainAccount],
        filters=("trading_account_id",),
    )
)
def list_blockchain_accounts(call: Call) -> Page[BlockchainAccount]:
    return call.service.blockchain_accounts(call.listing)


@routes.add(
    Operation(
        "getBlockchainAccount",
        "GET",
        _ONE,
        "Show a blockchain account",
        "wallets:read",
        BlockchainAccount,
        errors=(errors.NotFound,),
    )
)
def get_blockchain_account(call: Call) -> BlockchainAccount:
    return call.service.blockchain_account(call.path["blockchainAccountId"])


@routes.add(
    Operation(
        "createOwnershipChallenge",
        "POST",
        f"{_ONE}/1P-counterparty-ownership-challenges",
        "Ask for the text that the wallet's owner signs",
        "wallets:write",
        Challenge,
        Bucket.WRITE,
        ChallengeRequest,
        creates="/1P-counterparty-ownership-challenges/{id}",
        made="ownershipChallengeId",
        errors=(errors.NotFound, errors.NetworkMismatch),
    )
)
def create_challenge(call: Call) -> Written[Challenge]:
    return call.service.create_challenge(
        call.path["blockchainAccountId"],
        call.read(ChallengeRequest),
        idempotency_key=call.idempotency_key,
    )


@routes.add(
    Operation(
        "listOwnershipChallenges",
        "GET",
        f"{_ONE}/1P-counterparty-ownership-challenges",
        "List a blockchain account's challenges",
        "wallets:read",
        Page[Challenge],
        filters=(),
        errors=(errors.NotFound,),
    )
)
def list_challenges(call: Call) -> Page[Challenge]:
    return call.service.challenges(call.path["blockchainAccountId"], call.listing)


@routes.add(
    Operation(
        "getOwnershipChallenge",
        "GET",
        "/1P-counterparty-ownership-challenges/{ownershipChallengeId}",
        "Show an ownership challenge of any account",
        "wallets:read",
        Challenge,
        errors=(errors.NotFound,),
    )
)
def get_challenge(call: Call) -> Challenge:
    return call.service.challenge_by_id(call.path["ownershipChallengeId"])


@routes.add(
    Operation(
        "createOwnershipClaim",
        "POST",
        f"{_ONE}/1P-counterparty-ownership-claims",
        "Submit the wallet's signature of a challenge",
        "wallets:write",
        OwnershipClaim,
        Bucket.WRITE,
        ClaimRequest,
        creates="/1P-counterparty-ownership-claims/{id}",
        made="ownershipClaimId",
        errors=(
            errors.NotFound,
            errors.Conflict,
            errors.ChallengeAlreadyUsed,
            errors.ChallengeLocked,
            errors.InvalidSignature,
        ),
    )
)
def create_claim(call: Call) -> Written[OwnershipClaim]:
    return call.service.submit_claim(
        call.path["blockchainAccountId"],
        call.read(ClaimRequest),
        idempotency_key=call.idempotency_key,
    )


@routes.add(
    Operation(
        "getOwnershipClaim",
        "GET",
        "/1P-counterparty-ownership-claims/{ownershipClaimId}",
        "Show an ownership claim of any account",
        "wallets:read",
        OwnershipClaim,
        errors=(errors.NotFound,),
    )
)
def get_claim(call: Call) -> OwnershipClaim:
    return call.service.claim_by_id(call.path["ownershipClaimId"])


@routes.add(
    Operation(
        "diagnoseSignature",
        "POST",
        f"{_ONE}/1P-counterparty-ownership-diagnoses",
        "Explain why a signature would be refused; changes nothing and burns no attempt",
        "wallets:write",
        SignatureDiagnosis,
        Bucket.WRITE,
        ClaimRequest,
        errors=(errors.NotFound, errors.Conflict, errors.ChallengeAlreadyUsed),
    )
)
def diagnose_signature(call: Call) -> SignatureDiagnosis:
    return call.service.diagnose_signature(
        call.path["blockchainAccountId"], call.read(ClaimRequest)
    )

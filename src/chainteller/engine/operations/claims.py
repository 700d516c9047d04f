"""Ownership claims: a challenge that the registered wallet has signed.

The diagnosis takes up to half a second, so it runs before the write begins; the write then
decides on the locked challenge, whose text and address never change.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import NamedTuple

from chainteller.domain.actors import Actor
from chainteller.domain.challenges import (
    CLAIM_LIFETIME,
    MAXIMUM_ATTEMPTS,
    ChallengeStatus,
    ClaimStatus,
    challenge_status,
)
from chainteller.domain.evidence import VerificationMethod
from chainteller.domain.ids import Prefix
from chainteller.engine.core import outcome, reading
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.outcome import Event, Insert, Moment, Outcome, Update
from chainteller.engine.core.table import answers, reads_in_context, writes
from chainteller.engine.core.unit_of_work import UnitOfWork, now
from chainteller.engine.operations import challenges, contract_checks, counterparties
from chainteller.service import operations
from chainteller.service.errors import InvalidSignature, ServiceError, ServiceUnavailable
from chainteller.service.models.counterparties import (
    ClaimRequest,
    DiagnosisRequest,
    OwnershipClaim,
    SignatureDiagnosis,
)
from chainteller.storage.db.query import Record, Session
from chainteller.storage.db.records import Tables
from chainteller.storage.queries import challenges as challenge_rows
from chainteller.storage.queries import wallets
from chainteller.wallets import contracts, extended_keys
from chainteller.wallets.cases import MAX_KNOWN_ADDRESSES, Case, Diagnosis
from chainteller.wallets.extended_keys import Anchor, Derived
from chainteller.wallets.judging import diagnosis_model
from chainteller.wallets.proof import Proof

RESOURCE = "ownership claim"
# A longer search takes seconds of a processor: this process does one of them at a time.
_SEARCHING = threading.Lock()


@reads_in_context(operations.CLAIM_BY_ID)
def show(
    context: EngineContext, connection: Session, organisation_id: str, claim_id: str
) -> OwnershipClaim:
    """A claim by its id alone, with what it takes to check it elsewhere; another organisation's
    is as unknown as none.
    """
    find = challenge_rows.find_claim
    row = reading.row_by_id(find, connection, RESOURCE, organisation_id, claim_id)
    return challenge_rows.claim_with_proof(row, now(context, connection))


class Cases(NamedTuple):
    """Where a diagnosis finds the challenge, and what else may explain a signature."""

    find: Callable[[Session, str, str, ClaimRequest], Record] = challenges.find_for_claim
    with_context: Callable[[EngineContext, Session, Record, Case], Case] = challenges.with_context


_OWN = Cases()


@answers(operations.DIAGNOSE_SIGNATURE)
def explain(
    context: EngineContext,
    actor: Actor,
    account_id: str,
    request: DiagnosisRequest,
    cases: Cases = _OWN,
) -> SignatureDiagnosis:
    """Why the signature would be accepted or refused; changes nothing. Raises NotFound, Conflict,
    ChallengeAlreadyUsed, ChallengeLocked."""
    with _longer(actor.organisation, request) as search:
        judged = _judge(context, actor.organisation, account_id, request, search, cases)
    about, found, chain, _ = judged
    model = diagnosis_model(about, found)
    if chain is None or not chain.answer.is_valid:
        return model
    return model.model_copy(update=contract_checks.acceptance(chain))


def _judge(
    context: EngineContext,
    organisation_id: str,
    account_id: str,
    request: ClaimRequest,
    search: "_Search | None" = None,
    cases: Cases = _OWN,
) -> "Prepared":
    """A right signature is accepted before anything that could explain a wrong one is read."""
    from chainteller.wallets.diagnose import accept, diagnose  # noqa: PLC0415 - long to import

    with context.database.read() as connection:
        challenge, attempt = challenges.without_context(
            context, connection, organisation_id, account_id, request, cases.find
        )
    accepted = accept(attempt)
    if accepted is not None:
        return Prepared(attempt, accepted)
    with context.database.read() as connection:
        by_key = _proved_by_extended_key(context, connection, challenge, attempt)
        if by_key is not None:
            return Prepared(attempt, by_key[0], derived=by_key[1])
        about = cases.with_context(context, connection, challenge, attempt)
    if search is not None:
        about = replace(
            about,
            signed_text=search.signed_text,
            search_longer=search.is_longer,
            is_cancelled=search.ended.is_set,
        )
    found = diagnose(about)
    return Prepared(about, found, contract_checks.ask(context, about, found))


def _proved_by_extended_key(
    context: EngineContext, connection: Session, challenge: Record, about: Case
) -> tuple[Diagnosis, Derived | None] | None:
    """What an extended public key proves for an open challenge; None for any other paste."""
    if about.challenge.state != "open" or not extended_keys.is_extended_key(about.signature):
        return None
    at, customer_id = now(context, connection), challenge.customer_id
    found = wallets.proved_by_key(connection, customer_id, at, MAX_KNOWN_ADDRESSES)
    anchors = [Anchor(row.claim_id, counterparties.stored_address(row)) for row in found]
    is_taken = context.options.extended_keys and context.provider is None
    return extended_keys.judge(about, anchors, is_taken=is_taken)


class _Search(NamedTuple):
    """How a diagnosis searches; ``ended`` is set when nobody waits for it any more."""

    signed_text: str | None
    is_longer: bool
    ended: threading.Event


_under_way: dict[tuple[str, str], threading.Event] = {}
"""The longer search of this process, if any, by its organisation and challenge."""


@contextmanager
def _longer(organisation_id: str, request: DiagnosisRequest) -> Iterator[_Search]:
    """Search longer where it is asked for, and no other longer search is under way. Whoever asks
    about the same challenge again doesn't wait for the earlier answer, which therefore ends.
    """
    about = (organisation_id, request.challenge_id)
    earlier, ended = _under_way.get(about), threading.Event()
    if earlier is not None:
        earlier.set()
    if not (request.search_longer and _SEARCHING.acquire(blocking=False)):
        yield _Search(request.signed_text, is_longer=False, ended=ended)
        return
    _under_way[about] = ended
    try:
        yield _Search(request.signed_text, is_longer=True, ended=ended)
    finally:
        _under_way.clear()
        _SEARCHING.release()


class Prepared(NamedTuple):
    """The diagnosis of a claim about to be submitted, what the chain said if it was asked, and what
    follows from an extended public key."""

    about: Case
    found: Diagnosis
    chain: contract_checks.Asked | None = None
    derived: Derived | None = None


def prepare(
    context: EngineContext, organisation_id: str, account_id: str, request: ClaimRequest
) -> Prepared | None:
    """The diagnosis for a claim about to be submitted; None where the write will refuse it."""
    try:
        return _judge(context, organisation_id, account_id, request)
    except ServiceUnavailable:
        raise
    except ServiceError:
        return None


@writes(operations.SUBMIT_CLAIM, prepare)
def submit(
    tx: UnitOfWork,
    account_id: str,
    request: ClaimRequest,
    prepared: Prepared | None,
) -> OwnershipClaim:
    challenge = challenges.find_for_claim(
        tx.connection, tx.organisation_id, account_id, request, lock=True
    )
    challenges.require_undecided(challenge)
    if prepared is None:
        raise AssertionError("a challenge that exists now was absent a moment ago")
    about, found, chain, derived = prepared
    state = challenge_status(challenge.status, now=tx.now, expires=challenge.expires)
    if state != about.challenge.state:
        from chainteller.wallets.diagnose import diagnose  # noqa: PLC0415 - as above

        about = replace(about, challenge=replace(about.challenge, state=state))
        found = diagnose(about)
    proof, evidence = (found.proof if found.accepted else None), None
    of_page = found.of_page
    method = VerificationMethod.SIGNATURE
    if proof is not None and derived is not None:
        evidence, method = derived.evidence(), VerificationMethod.DERIVATION
    if proof is None and chain is not None and chain.answer.is_valid:
        proof, evidence, of_page = chain.proof(), chain.answer.evidence(), chain.of_page
        method = VerificationMethod.CONTRACT
    if state is not ChallengeStatus.OPEN or proof is None:
        if state is ChallengeStatus.OPEN and chain is not None:
            chain.require_answer()
        raise _refusal(tx, challenge, about, found)
    accepted = Accepted(proof, method, evidence, of_page=of_page)
    decided = decide_acceptance(challenge, accepted, outcome.moment(tx))
    outcome.apply(tx, decided)
    stored = challenge_rows.find_claim(tx.connection, tx.organisation_id, decided.subject)
    return challenge_rows.claim_model(
        reading.require_found(stored, RESOURCE, decided.subject), tx.now
    )


class Accepted(NamedTuple):
    """What a claim rests on.

    ``evidence`` is what a chain answered about a contract wallet, the transfer that arrived, or
    where an address is derived; None for a signature by a key. ``of_page`` says that the signing
    page's text was signed.
    """

    proof: Proof
    method: VerificationMethod = VerificationMethod.SIGNATURE
    evidence: str | None = None
    of_page: bool = False


def decide_acceptance(challenge: Record, accepted: Accepted, moment: Moment) -> Outcome:
    """The challenge is used up, and a claim stands for the proof."""
    proof, method, evidence, of_page = accepted
    claim_id = moment.new_id(Prefix.CLAIM)
    used = {
        "status": ChallengeStatus.USED.value,
        "used_at": moment.now,
        "claim_id": claim_id,
    }
    claim = {
        "id": claim_id,
        "organisation_id": moment.organisation_id,
        "blockchain_account_id": challenge.blockchain_account_id,
        "counterparty_id": challenge.counterparty_id,
        "challenge_id": challenge.id,
        "scheme": proof.scheme,
        "signature": proof.signature,
        "signer": proof.signer,
        "status": ClaimStatus.VALID.value,
        "created": moment.now,
        "expires": moment.now + CLAIM_LIFETIME,
        "method": method.value,
        "level": contracts.proof_level(method, evidence).value,
        "of_page": of_page or None,
    }
    kept: tuple[Insert, ...] = ()
    if evidence is not None:
        organisation = {"organisation_id": moment.organisation_id}
        body = {"claim_id": claim_id, **organisation, "body": evidence}
        kept = (Insert(Tables.claim_evidence, (body,)),)
    told = {"counterpartyId": challenge.counterparty_id}
    return Outcome(
        claim_id,
        rows=(_update(challenge, **used), Insert(Tables.claim, (claim,)), *kept),
        events=(
            Event("ownership_challenge.used", challenge.id, {"claimId": claim_id}),
            Event("ownership_claim.created", claim_id, told),
        ),
    )


def _refusal(tx: UnitOfWork, challenge: Record, about: Case, found: Diagnosis) -> InvalidSignature:
    """The error with its diagnosis; the attempt is counted in the refusal's own commit."""
    tx.when_refused(lambda record: _count(record, challenge, found))
    diagnosis = diagnosis_model(about, found)
    details = diagnosis.model_dump(mode="json", by_alias=True, exclude_none=True)
    for name in ("accepted", "scheme"):
        details.pop(name, None)
    return InvalidSignature("The signature wasn't accepted.", details)


def _count(record: UnitOfWork, challenge: Record, found: Diagnosis) -> None:
    stored = challenge_rows.find(
        record.connection, challenge.organisation_id, challenge.id, lock=True
    )
    if stored is not None and stored.status == ChallengeStatus.OPEN:
        # Kept for the next attempts alone: an unproven signer is nobody's until seen again.
        signer = found.unproven_signer or found.recovered_address
        decided = decide_attempt(stored, found.finding, signer, record.now)
        outcome.apply(record, decided)


def decide_attempt(
    challenge: Record, finding: str, recovered_address: str | None, now: int
) -> Outcome:
    """Count a refused signature; the last attempt locks the challenge."""
    number = challenge.attempts + 1
    locks = number >= MAXIMUM_ATTEMPTS
    status = ChallengeStatus.LOCKED if locks else ChallengeStatus.OPEN
    attempt = {
        "challenge_id": challenge.id,
        "number": number,
        "at": now,
        "finding": finding,
        "recovered_address": recovered_address,
    }
    kind = "ownership_challenge.locked" if locks else "ownership_challenge.refused"
    return Outcome(
        challenge.id,
        rows=(
            _update(challenge, attempts=number, status=status.value),
            Insert(Tables.attempt, (attempt,)),
        ),
        events=(Event(kind, challenge.id, {"finding": finding, "attempts": number}),),
    )


def _update(challenge: Record, **values: object) -> Update:
    """A change of an open challenge."""
    open_ = {"status": ChallengeStatus.OPEN.value}
    return Update(Tables.challenge, {"id": challenge.id}, values, open_)

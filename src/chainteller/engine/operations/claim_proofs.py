"""Check ownership claims again, from what is stored: at each payout, and over the whole database.

A claim, its challenge, the wallet, the blockchain account and the link repeat each other's facts,
and the signature covers the text that names most of them. ``contradiction`` compares them all; it
is what payouts, ``db verify`` and ``wallets recheck`` use. It reads no clock: whether a
verification has ended by now is for the caller to ask. Instants are compared for equality, or as
the engine compared them when it wrote them: a clock that was set back makes no contradiction.

Not compared, because no payment depends on it and no other row repeats it: ``created`` of the
challenge and of the wallet.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from chainteller.domain.assets import ASSETS_BY_KEY
from chainteller.domain.challenges import (
    CLAIM_LIFETIME,
    POLICY_VERSION,
    ChallengeStatus,
    ClaimStatus,
)
from chainteller.domain.clock import SECOND, format_instant
from chainteller.domain.evidence import METHODS as EVIDENCE
from chainteller.domain.evidence import VerificationMethod, evidence_of
from chainteller.domain.json_depth import parse_json
from chainteller.domain.money import Amount
from chainteller.domain.second_method import (
    SCHEME,
    WATCHED_AFTER,
    ArrivalFinding,
    Awaited,
    Seen,
    judge,
)
from chainteller.engine.core import reading
from chainteller.engine.core.breaches import UNREADABLE
from chainteller.service.errors import ClaimUnverifiable
from chainteller.storage.db.query import Record, Session
from chainteller.storage.queries import claim_evidence, wallets
from chainteller.wallets import addresses, contracts, extended_keys
from chainteller.wallets.addresses import Address
from chainteller.wallets.networks import known_network
from chainteller.wallets.pasted_secrets import SecretPasted
from chainteller.wallets.texts import (
    Party,
    Request,
    SignIn,
    is_challenge_text,
    is_sign_in_text,
    is_transfer_text,
)
from chainteller.wallets.verify import verify_signature


class Contradiction(NamedTuple):
    """Stored facts that don't agree. ``reason`` is one word for programs."""

    reason: str
    explanation: str


Contradictions = Iterator[Contradiction]


def _check_text(evidence: Record, address: Address) -> Contradictions:
    until = format_instant(evidence.challenge_expires)
    if evidence.claim_of_page:
        issued = format_instant(evidence.challenge_created)
        values = (evidence.customer_reference, address, evidence.challenge_id, issued, until)
        is_told = is_sign_in_text(evidence.signed_text, SignIn("", "", *values))
    else:
        is_told = is_challenge_text(
            evidence.signed_text,
            party=Party(evidence.customer_reference, evidence.account_bank_account_id),
            address=address,
            challenge_id=evidence.challenge_id,
            valid_until=until,
        )
    if not is_told or evidence.challenge_expires % SECOND:  # the text shows whole seconds
        yield Contradiction(
            "TEXT", "The signed text names another customer, wallet, challenge or expiry."
        )


def _check_signature(evidence: Record, address: Address) -> Contradictions:
    yield from _check_text(evidence, address)
    if evidence.evidence_body is not None:
        yield Contradiction("EVIDENCE", "A claim by signature holds a chain's answers.")
    try:
        proof = verify_signature(evidence.signed_text, evidence.claim_signature, address)
    except SecretPasted:
        proof = None
    stored = (evidence.claim_scheme, evidence.claim_signature, evidence.claim_signer)
    if proof is None:
        yield Contradiction("SIGNATURE", "The wallet's key didn't sign the stored text.")
    elif (proof.scheme, proof.signature, proof.signer) != stored:
        yield Contradiction("SIGNATURE", "The signature isn't stored as it was accepted.")


def _check_contract(evidence: Record, address: Address) -> Contradictions:
    yield from _check_text(evidence, address)
    if evidence.claim_signer != evidence.wallet_address:
        yield Contradiction("SIGNATURE", "The claim is about another wallet.")
    signed = (evidence.signed_text, evidence.claim_signature)
    found = contracts.contradicts(evidence.evidence_body, *signed, address)
    if found:
        yield Contradiction("EVIDENCE", found)
    scheme = contracts.question(signed[0], bytes.fromhex(signed[1]), address).scheme
    if scheme != evidence.claim_scheme:
        yield Contradiction("SIGNATURE", "The signature isn't stored as it was accepted.")


def _check_transfer(evidence: Record, address: Address) -> Contradictions:
    """The transfer that arrived is the one that was asked for, judged again by the same rule."""
    asset = ASSETS_BY_KEY[evidence.small_asset]
    amount, deadline = Amount(evidence.small_amount, asset), evidence.small_deadline
    asked = Awaited(amount, address.canonical, evidence.challenge_created, deadline)
    request = Request.of(asked, evidence.customer_reference, evidence.challenge_id)
    if not is_transfer_text(evidence.challenge_text, address, request):
        yield Contradiction("TEXT", "The request names another amount, wallet, address or time.")
    if evidence.challenge_expires != deadline + WATCHED_AFTER:
        yield Contradiction("CHALLENGE", "The challenge's end isn't that of its deadline.")
    seen = Seen.of_evidence(parse_json(evidence.evidence_body))
    at = evidence.claim_created if _have_order(evidence) else seen.arrived
    if judge(asked, seen, at) is not ArrivalFinding.EXACT or evidence.arrivals_found != 1:
        yield Contradiction("EVIDENCE", "The transfer that arrived isn't the one asked for.")
    stored = (evidence.claim_scheme, evidence.claim_signature, evidence.claim_signer)
    if stored != (SCHEME, seen.hash, address.display):
        yield Contradiction("SIGNATURE", "The transfer isn't stored as it was accepted.")


def _check_derivation(evidence: Record, address: Address) -> Contradictions:
    """The stored paths are some that are looked at, and another address of the customer signed.
    The extended key isn't kept, so that the derivation itself can't be repeated."""
    yield from _check_text(evidence, address)
    found = extended_keys.contradicts(evidence.evidence_body)
    if found:
        yield Contradiction("EVIDENCE", found)
    anchor = (evidence.anchor_method, evidence.anchor_status, evidence.anchor_customer_id)
    signed = (VerificationMethod.SIGNATURE, ClaimStatus.LINKED, evidence.challenge_customer_id)
    if anchor != signed or evidence.anchor_counterparty_id == evidence.claim_counterparty_id:
        yield Contradiction("ANCHOR", "No other wallet of the customer signed for the same key.")
    if (evidence.claim_scheme, evidence.claim_signer) != (extended_keys.SCHEME, address.display):
        yield Contradiction("SIGNATURE", "The claim isn't stored as it was accepted.")


CHECKS: Mapping[VerificationMethod, Callable[[Record, Address], Contradictions]] = {
    VerificationMethod.SIGNATURE: _check_signature,
    VerificationMethod.CONTRACT: _check_contract,
    VerificationMethod.DERIVATION: _check_derivation,
    VerificationMethod.TRANSFER: _check_transfer,
}
"""How a claim's proof is checked again: arguments are the evidence and the wallet's address. No
claim rests on a statement, which waits for a person's decision."""


def contradiction(evidence: Record) -> Contradiction | None:
    """The first thing that doesn't agree with a claim; None where everything does."""
    return _first(evidence, (_claim, _link))


def _first(
    evidence: Record, checks: tuple[Callable[[Record], Contradictions], ...]
) -> Contradiction | None:
    try:
        return next((found for check in checks for found in check(evidence)), None)
    except UNREADABLE:
        return Contradiction("UNREADABLE", "The claim's records hold a value that can't be read.")


def _claim(evidence: Record) -> Contradictions:
    """What the claim itself rests on, linked or not."""
    check = CHECKS.get(evidence.claim_method)
    if check is None:
        yield Contradiction("METHOD", "This build doesn't know the claim's method.")
        return
    level = contracts.proof_level(VerificationMethod(evidence.claim_method), evidence.evidence_body)
    if evidence.claim_level != level:
        yield Contradiction("METHOD", "The claim's level isn't that of its method.")
    if (evidence.small_challenge_id is None) == (check is _check_transfer):
        yield Contradiction("METHOD", "The challenge asked for another proof than was given.")
        return
    for part, name in (
        ("challenge_id", "challenge"),
        ("wallet_id", "wallet"),
        ("custody_id", "blockchain account"),
        ("account_customer_id", "trading account"),
        ("customer_reference", "customer"),
    ):
        if getattr(evidence, part) is None:
            yield Contradiction("MISSING", f"The {name} of the claim is missing.")
            return
    address = address_of(evidence.wallet_network, evidence.wallet_address)
    if address is None or (address.canonical, address.display, address.kind) != (
        evidence.wallet_canonical,
        evidence.wallet_address,
        evidence.wallet_kind,
    ):
        yield _REDIRECTED
        return
    yield from check(evidence, address)
    yield from _parties(evidence)
    yield from _times(evidence)


_REDIRECTED = Contradiction("ADDRESS", "The wallet's address isn't the one that was registered.")


def address_of(network: str, text: str) -> Address | None:
    """The address on a network, which may have been closed since; None where it is none."""
    known = known_network(network)
    try:
        return None if known is None else addresses.parse_address(text, known)
    except addresses.InvalidAddress:
        return None


def _parties(evidence: Record) -> Contradictions:
    pair = (evidence.claim_blockchain_account_id, evidence.claim_counterparty_id)
    if (evidence.challenge_blockchain_account_id, evidence.challenge_counterparty_id) != pair:
        yield Contradiction("CHALLENGE", "The challenge was made for another pair.")
    if evidence.challenge_claim_id != evidence.claim_id:
        yield Contradiction("CHALLENGE", "The challenge led to another claim.")
    if evidence.challenge_status != ChallengeStatus.USED:
        yield Contradiction("CHALLENGE", "The challenge wasn't completed.")
    if evidence.challenge_attempts != evidence.attempts_made:
        yield Contradiction("CHALLENGE", "The challenge counts other attempts than were made.")
    customers = {
        evidence.challenge_customer_id,
        evidence.custody_customer_id,
        evidence.account_customer_id,
    }
    if len(customers) > 1:
        yield Contradiction("CUSTOMER", "The claim belongs to another customer.")
    organisations = {
        evidence.claim_organisation_id,
        evidence.challenge_organisation_id,
        evidence.wallet_organisation_id,
        evidence.custody_organisation_id,
        evidence.account_organisation_id,
    }
    if len(organisations) > 1:
        yield Contradiction("CUSTOMER", "The claim belongs to another organisation.")
    on, custody = known_network(evidence.wallet_network), known_network(evidence.custody_network)
    if on is None or custody is None or on.main != custody.main:
        yield Contradiction("ADDRESS", "The wallet and the account can't be on these networks.")


def _have_order(evidence: Record) -> bool:
    """Whether the claim's times can be compared. Where the clock was put right since its challenge
    was made, which begins an epoch, they have no order, and a period may end earlier."""
    return bool(evidence.epochs_since == 0)


def _ends_as_meant(evidence: Record, ends: int, meant: int) -> bool:
    return ends == meant or (ends < meant and not _have_order(evidence))


def _times(evidence: Record) -> Contradictions:
    claimed, have_order = evidence.claim_created, _have_order(evidence)
    ends_as_meant = _ends_as_meant(evidence, evidence.claim_expires, claimed + CLAIM_LIFETIME)
    if not ends_as_meant or claimed != evidence.challenge_used_at:
        yield Contradiction("EXPIRY", "The claim's times aren't those of its challenge.")
    if have_order and claimed > evidence.challenge_expires:
        yield Contradiction("EXPIRY", "The challenge had expired before it was completed.")
    was_linked = evidence.claim_linked_at is not None
    if ClaimStatus(evidence.claim_status) not in (ClaimStatus.VALID, ClaimStatus.LINKED) or (
        was_linked != (evidence.claim_status == ClaimStatus.LINKED)
    ):
        yield Contradiction("LINK", "The claim's status isn't that of its link.")
    elif was_linked and have_order and evidence.claim_linked_at > evidence.claim_expires:
        yield Contradiction("EXPIRY", "The claim was linked too late.")


def _link(evidence: Record) -> Contradictions:
    """The link of the claim's pair; it may rest on another claim that proves the same."""
    if evidence.link_claim_id is None:
        if evidence.claim_linked_at is not None:
            yield Contradiction("LINK", "The claim was linked, and its link is missing.")
        return
    if not evidence.rests_on_claims:
        yield Contradiction("LINK", "The link doesn't rest on a linked claim of its pair.")
    if not evidence.first_linked_claims:
        yield Contradiction("LINK", "No claim was linked when the link was first made.")
    if evidence.link_claim_id == evidence.claim_id:
        yield from _verification(evidence)


def _is_last_use(evidence: Record, used_at: int) -> bool:
    if evidence.last_paid is None:
        return bool(used_at >= evidence.link_verified_at)
    return used_at in (evidence.link_verified_at, evidence.last_paid)


def _verification(evidence: Record) -> Contradictions:
    """The verification that rests on the claim."""
    verified_at, used_at = evidence.link_verified_at, evidence.link_last_used_at
    if verified_at != evidence.claim_linked_at:
        yield Contradiction("LINK", "The link was verified at another time than its claim says.")
    lifetime = EVIDENCE[VerificationMethod(evidence.claim_method)].lifetime
    if not _ends_as_meant(evidence, evidence.link_expires, verified_at + lifetime):
        yield Contradiction("EXPIRY", "The verification ends at another time than it should.")
    if _have_order(evidence) and not _is_last_use(evidence, used_at):
        yield Contradiction("LINK", "The link's last use isn't that of its last payout.")
    if not 1 <= evidence.link_policy_version <= POLICY_VERSION:
        yield Contradiction("LINK", "The link follows a policy that this build doesn't know.")
    if (evidence.link_revoked_at is None) != (evidence.link_revoked_reason is None):
        yield Contradiction("LINK", "The link is revoked without a reason, or the reverse.")


def of_wallet(connection: Session, custody: Record, wallet: Record) -> Record | None:
    """The link of a blockchain account and a wallet, locked, after its claim was checked again.

    Returns:
        The link, which may have ended; None where the pair was never linked.

    Raises:
        ClaimUnverifiable: the stored claim can't be verified again.
    """
    try:
        link = wallets.find_link(connection, custody.id, wallet.id, lock=True)
        claim_id = link.claim_id if link is not None else None
        claim_id = claim_id or claim_evidence.linked_claim(connection, custody.id, wallet.id)
        found = _of_pair(connection, claim_id, custody, wallet)
    except UNREADABLE:
        claim_id, link = None, None
        found = Contradiction("UNREADABLE", "The wallet's records hold a value that can't be read.")
    if found is not None:
        raise _unverifiable(found, custody.id, wallet.id, claim_id)
    return link


def require_linkable(connection: Session, claim: Record) -> None:
    """Check a claim again before it is linked; an earlier link of its pair doesn't matter. Raises
    ClaimUnverifiable: the stored claim can't be verified again."""
    evidence = claim_evidence.find(connection, claim.id)
    found = _MISSING if evidence is None else _first(evidence, (_claim,))
    if found is None and evidence is not None:
        found = _of_anchor(connection, evidence)
    if found is not None:
        pair = (claim.blockchain_account_id, claim.counterparty_id)
        raise _unverifiable(found, *pair, claim.id)


_MISSING = Contradiction("MISSING", "The claim is missing.")


def _unverifiable(
    found: Contradiction, custody_id: str, wallet_id: str, claim_id: str | None
) -> ClaimUnverifiable:
    return ClaimUnverifiable(
        f"The wallet's verification can't be confirmed. {found.explanation}",
        {
            "counterpartyId": wallet_id,
            "blockchainAccountId": custody_id,
            "claimId": claim_id,
            "reason": found.reason,
            "suggestion": ClaimUnverifiable.next_step,
        },
    )


def _of_pair(
    connection: Session, claim_id: str | None, custody: Record, wallet: Record
) -> Contradiction | None:
    if claim_id is None:
        address = address_of(wallet.network, wallet.address)
        as_registered = address is not None and (address.canonical, address.display) == (
            wallet.canonical,
            wallet.address,
        )
        return None if as_registered else _REDIRECTED
    evidence = claim_evidence.find(connection, claim_id)
    if evidence is None:
        return _MISSING
    pair = (evidence.claim_blockchain_account_id, evidence.claim_counterparty_id)
    if pair != (custody.id, wallet.id):
        return Contradiction("LINK", "The link rests on a claim for another pair.")
    return contradiction(evidence) or _of_anchor(connection, evidence)


def _of_anchor(connection: Session, evidence: Record) -> Contradiction | None:
    """Why the wallet that a derived address rests on doesn't hold any more; None for other claims.

    Whether its year is over doesn't matter: the derived address has a shorter time of its own.
    """
    if evidence.claim_method != VerificationMethod.DERIVATION:
        return None
    anchor = claim_evidence.find(connection, evidence.claim_signature)
    if anchor is None or anchor.link_claim_id is None or anchor.link_revoked_at is not None:
        return Contradiction(
            "ANCHOR", "The wallet that signed for its key isn't verified any more."
        )
    found = contradiction(anchor)
    said = "" if found is None else found.explanation
    return (
        Contradiction("ANCHOR", f"Of the wallet that signed for its key: {said}") if found else None
    )


class Rechecked(NamedTuple):
    """A claim that was checked again; ``found`` is None where everything agrees."""

    evidence: Record
    found: Contradiction | None

    def to_wire(self) -> dict[str, Any]:
        """The result as ``wallets recheck`` shows it."""
        evidence, found = self.evidence, self.found
        method = evidence_of(evidence.claim_method)
        return {
            "id": evidence.claim_id,
            "blockchainAccountId": evidence.claim_blockchain_account_id,
            "counterpartyId": evidence.claim_counterparty_id,
            "network": evidence.wallet_network,
            "address": evidence.wallet_address,
            "method": evidence.claim_method,
            "level": None if method is None else evidence.claim_level,
            "checked": None if method is None else method.checked,
            "holds": found is None,
            "reason": None if found is None else found.reason,
            "explanation": None if found is None else found.explanation,
        }


def recheck(connection: Session, claim_id: str | None = None) -> Iterator[Rechecked]:
    """Check every claim of the database again, or one. Raises NotFound: there is no such claim."""
    if claim_id is None:
        rows = claim_evidence.every(connection)
    else:
        reading.checked_id("ownership claim", claim_id)
        found = claim_evidence.find(connection, claim_id)
        rows = iter((reading.require_found(found, "ownership claim", claim_id),))
    return (Rechecked(evidence, contradiction(evidence)) for evidence in rows)

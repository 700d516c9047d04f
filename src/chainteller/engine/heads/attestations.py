"""Attestations of wallets: a claim with its place in the log, signed by the keys of the heads."""

from itertools import chain

from chainteller.domain.clock import format_instant
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.table import reads_in_context
from chainteller.engine.core.unit_of_work import now
from chainteller.engine.heads.signed_heads import signed_head, signing
from chainteller.engine.operations import claims
from chainteller.service import operations
from chainteller.service.errors import NotFound
from chainteller.service.models.counterparties import OwnershipClaim
from chainteller.service.models.heads import WalletAttestation
from chainteller.storage.db.query import Session
from chainteller.storage.log import entry, views
from chainteller.wallets.attestation import attested_text, facts
from chainteller.witnessing.notes import Note, to_base64
from chainteller.witnessing.publishing import sign


@reads_in_context(operations.CLAIM_ATTESTATION, is_short=False)
def attest(
    context: EngineContext, connection: Session, organisation_id: str, claim_id: str
) -> WalletAttestation:
    """Sign all facts of a claim and where the log has it.

    Raises:
        NotFound: there is no such claim, no key that signs, or the entry was archived.
        Conflict: the log isn't the one whose heads were signed before.
    """
    claim = claims.show(context, connection, organisation_id, claim_id)
    standing, keys = signing(context, connection)
    number, leaf = _place(connection, organisation_id, claim)
    tree, found = signed_head(context, connection, organisation_id, standing.deployment, keys)
    origin = found.checkpoint.origin
    attested = facts(claim) | {
        "attestedAt": format_instant(now(context, connection)),
        "entry": number,
        "leaf": to_base64(leaf),
    }
    text = attested_text(origin, attested)
    return WalletAttestation(
        note=Note(text, tuple(each.sign(text) for each in keys.signers(origin))).encode(),
        hashes=tuple(map(to_base64, tree.inclusion_proof(number - 1, found.head.size))),
        # Signed anew: the stored note may be of before a key's rotation.
        checkpoint=sign(origin, found.head, keys).note.encode(),
    )


def _place(connection: Session, organisation_id: str, claim: OwnershipClaim) -> tuple[int, bytes]:
    """The number and the leaf of the entry that told of the claim. Raises NotFound: it isn't here
    any more."""
    subjects = (claim.id, str(claim.challenge_id))
    found = chain.from_iterable(
        views.about(connection, organisation_id, subject) for subject in subjects
    )
    for each in found:
        told = ((event.type, event.resource) for event in each.events)
        if ("ownership_claim.created", claim.id) not in told:
            continue
        body = views.body_of(connection, organisation_id, each.number)
        if body is not None:
            return each.number, entry.leaf_of(body)
    missing = NotFound("audit row", claim.id)
    missing.details["suggestion"] = (
        "The entry of the claim was archived; its operator has the archive. Without it, the claim "
        "can be attested by its own text and signature alone."
    )
    raise missing

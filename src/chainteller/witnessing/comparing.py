"""Compare heads that a client knows with what a deployment says, by the proofs that it gives."""

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from chainteller.domain.merkle import EMPTY_ROOT, verify_consistency
from chainteller.witnessing.checkpoints import Head, SignedHead
from chainteller.witnessing.errors import AuditContradicted, CheckpointRefused, Refusal
from chainteller.witnessing.judging import accept, signed_by_retired
from chainteller.witnessing.notes import NoteInvalid, VerifierKey, to_base64

if TYPE_CHECKING:
    from chainteller.service.interface import Service
    from chainteller.service.models.heads import AuditCheckpoint

KnownKeys = Callable[[str], Mapping[VerifierKey, str]]
"""The keys of a log that are known here, with the times from which retired ones don't sign."""


def parse_keys(texts: Sequence[str]) -> tuple[VerifierKey, ...]:
    """Read verifier keys. Raises CheckpointRefused (MALFORMED)."""
    try:
        return tuple(VerifierKey.parse(each) for each in texts)
    except NoteInvalid as error:
        raise CheckpointRefused(Refusal.MALFORMED, f"a verifier key {error}") from None


def require_continuation(service: "Service", old: Head, new: Head) -> None:
    """Have the deployment prove that its log continues a head that was seen earlier.

    Raises:
        AuditContradicted: it doesn't.
        TellerError: the proof can't be fetched.
    """
    if new.size < old.size:
        raise AuditContradicted(
            f"The log has {new.size} entries, and it had {old.size}: entries were removed."
        )
    proof: list[bytes] = []
    if 0 < old.size < new.size:
        found = service.audit_consistency(old.size, new.size)
        try:
            proof = [base64.b64decode(each, validate=True) for each in found.hashes]
        except binascii.Error:
            proof = []
    known = old.root if old.size else EMPTY_ROOT
    if not verify_consistency(old.size, new.size, known, new.root, proof):
        raise AuditContradicted(
            f"The first {old.size} entries of the log aren't those of the head "
            f"{to_base64(old.root)}: entries were changed."
        )


def read_answer(
    answer: "AuditCheckpoint", keys: Sequence[VerifierKey], origin: str = ""
) -> SignedHead:
    """The head in a deployment's answer, signed by one of ``keys``. Raises CheckpointRefused: it
    isn't one, or that of another log than ``origin``."""
    return accept(answer.note.encode(), origin or answer.origin, keys)


def known_here(origin: str, pinned: str, known: KnownKeys) -> tuple[tuple[VerifierKey, ...], str]:
    """The keys that are trusted for a log, and whose they are: the profile's, or this place's.
    Raises CheckpointRefused: the profile's key is none (MALFORMED)."""
    if pinned:
        return parse_keys([pinned]), "the profile's key"
    return tuple(known(origin)), "the signing keys of this place"


def compare_file(
    service: "Service", data: bytes, pinned: str, known: KnownKeys
) -> dict[str, object]:
    """Compare a checkpoint, as it was written to a file, with the log of a deployment.

    Args:
        service: the deployment.
        data: the file's content.
        pinned: the verifier key of the profile, or empty.
        known: keys that are known here. Without any, and without a pinned key, those that the
            deployment names are trusted.

    Raises:
        CheckpointRefused: the file says nothing about this log.
        AuditContradicted: the log isn't the one of the checkpoint.
        TellerError: the deployment doesn't answer.
    """
    answer = service.audit_checkpoint()
    keys, trusted = known_here(answer.origin, pinned, known)
    if not keys:
        keys, trusted = parse_keys(answer.verifier_keys), "the keys that the deployment names"
    found = accept(data, answer.origin, keys)
    since = signed_by_retired(found, known(answer.origin))
    now = read_answer(answer, keys)
    if found.head.size > now.head.size:
        raise CheckpointRefused(
            Refusal.LARGER_THAN_LOG,
            f"it has {found.head.size} entries, and the log has {now.head.size}",
        )
    try:
        require_continuation(service, found.head, now.head)
    except AuditContradicted as contradicted:
        doubt = f" It is signed by a key that was retired at {since}." if since else ""
        raise AuditContradicted(contradicted.message + doubt) from None
    return {
        "origin": answer.origin,
        "size": found.head.size,
        "rootHash": to_base64(found.head.root),
        "logSize": now.head.size,
        "logRootHash": to_base64(now.head.root),
        "trusted": trusted,
        "retiredKey": since or None,
    }

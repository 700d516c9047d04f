"""Compare the heads that witnesses and notes vouch for with the log as it is now."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from chainteller.domain.merkle import GrownTree
from chainteller.witnessing.checkpoints import (
    Checkpoint,
    Head,
    SignedHead,
    read_signed_head,
    split_origin,
    verified,
)
from chainteller.witnessing.errors import CheckpointRefused, Refusal
from chainteller.witnessing.keys import SigningKeys
from chainteller.witnessing.notes import Defect, NoteInvalid, VerifierKey
from chainteller.witnessing.submissions import KeptNote

_SIGNED_WRONG = {
    Defect.UNKNOWN_KEY: Refusal.UNKNOWN_KEY,
    Defect.BAD_SIGNATURE: Refusal.BAD_SIGNATURE,
}


def accept(data: bytes, origin: str, keys: Sequence[VerifierKey]) -> SignedHead:
    """Read a checkpoint of the log ``origin`` that one of ``keys`` signed.

    Raises:
        CheckpointRefused: MALFORMED, OTHER_DEPLOYMENT, OTHER_ORGANISATION, UNKNOWN_KEY or
            BAD_SIGNATURE.
    """
    try:
        read = read_signed_head(data)
    except NoteInvalid as error:
        raise CheckpointRefused(
            Refusal.MALFORMED, f"it is no checkpoint: {error.defect}, {error}"
        ) from None
    _require_origin(read.checkpoint, origin)
    try:
        return verified(read, tuple(keys))
    except NoteInvalid as error:
        raise CheckpointRefused(_SIGNED_WRONG[error.defect], str(error)) from None


def _require_origin(found: Checkpoint, origin: str) -> None:
    if found.origin == origin:
        return
    (deployment, organisation), (ours, our_own) = split_origin(found.origin), split_origin(origin)
    if deployment != ours:
        raise CheckpointRefused(
            Refusal.OTHER_DEPLOYMENT, f"it is of the deployment {deployment}, and this is {ours}"
        )
    raise CheckpointRefused(
        Refusal.OTHER_ORGANISATION,
        f"it is of the organisation {organisation or '(none)'}, and this is {our_own}",
    )


def continues(tree: GrownTree, head: Head) -> bool:
    """Whether the log still begins with the entries of a head."""
    return head.size <= tree.size and tree.root(head.size) == head.root


class Restored(NamedTuple):
    """What an entry of the log says of a restore: the head before it, and the one restored."""

    seq: int
    old: Head
    new_size: int

    def explains(self, head: Head) -> bool:
        """Whether a head may be one of the entries that the restore removed."""
        return self.new_size < head.size <= self.old.size


class Source(NamedTuple):
    """Notes that somebody kept, the largest first; ``is_outside``: not in the database."""

    name: str
    notes: Iterable[KeptNote]
    is_outside: bool = True


class Finding(NamedTuple):
    """A head that the log contradicts, where it was found, and whether a restore explains it."""

    head: Head
    source: str
    restored: Restored | None = None

    def describe(self, tree: GrownTree) -> str:
        size = self.head.size
        what = (
            f"the log has {tree.size} entries only"
            if size > tree.size
            else f"the first {size} entries have another root"
        )
        return f"{self.source} has the head {self.head}, and {what}"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the kept heads say about a log of ``size`` entries.

    ``honest`` is the largest head that the log continues; ``is_witnessed`` whether it is known
    outside the database. ``unusable`` names notes that say nothing.
    """

    origin: str
    size: int
    honest: Head | None = None
    is_witnessed: bool = False
    contradicted: tuple[Finding, ...] = ()
    explained: tuple[Finding, ...] = ()
    unusable: tuple[str, ...] = ()

    @property
    def first_unwitnessed(self) -> int | None:
        """The number of the first entry that no witnessed head covers; None: all are covered."""
        covered = self.honest.size if self.honest and self.is_witnessed else 0
        return covered + 1 if covered < self.size else None


def judge(
    origin: str,
    tree: GrownTree,
    sources: Iterable[Source],
    keys: SigningKeys | None,
    restores: Sequence[Restored] = (),
) -> Judgement:
    """Compare a log with every head that is known of it.

    A source's notes follow each other, so those below the first one that the log continues need
    not be looked at.
    """
    known = keys.verifiers(origin) if keys else ()
    best: tuple[Head, bool] | None = None
    findings: list[Finding] = []
    unusable: list[str] = []
    for source in sources:
        for note in source.notes:
            try:
                head = accept(note.data, origin, known).head
            except CheckpointRefused as error:
                unusable.append(f"{note.name}: {error.message}")
                continue
            if continues(tree, head):
                best = max(best or (head, False), (head, source.is_outside))
                break
            findings.append(Finding(head, note.name, _explaining(restores, head)))
    return Judgement(
        origin,
        tree.size,
        best[0] if best else None,
        bool(best and best[1]),
        tuple(each for each in findings if each.restored is None),
        tuple(each for each in findings if each.restored is not None),
        tuple(unusable),
    )


def _explaining(restores: Sequence[Restored], head: Head) -> Restored | None:
    return next((each for each in restores if each.explains(head)), None)


def signed_by_retired(signed: SignedHead, retired: Mapping[VerifierKey, str]) -> str:
    """Since when the keys of a head no longer sign, where none of them still does; else empty."""
    times = [retired.get(each, "") for each in signed.signed_by]
    return max(times) if all(times) else ""

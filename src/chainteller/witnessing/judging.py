"""Compare the heads that witnesses and notes vouch for with the log as it is now."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from chainteller.witnessing.errors import (
    CONTRADICTIONS,
    CheckpointRefused,
    Refusal,
    WitnessFailed,
)
from chainteller.witnessing.keys import SigningKeys
from chainteller.witnessing.notes import Defect, NoteInvalid, VerifierKey, to_base64
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
    """What the log's own entry says of a restore: the size before it, and the size restored."""

    seq: int
    old_size: int
    new_size: int

    def explains(self, size: int) -> bool:
        """Whether a head of this size may be one of those that the restore left behind."""
        return self.new_size < size <= self.old_size


class Source(NamedTuple):
    """Notes that somebody kept, the largest first; ``is_outside``: not in the database."""

    notes: Iterable[KeptNote]
    is_outside: bool = True


class Asked(NamedTuple):
    """What a witness that keeps no notes says: the size of its head, and why it disagrees."""

    witness: str
    size: int = 0
    failure: WitnessFailed | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the kept heads say about a log of ``size`` entries.

    ``honest`` is the largest known head that the log continues, and ``witnessed`` the largest of
    those known outside the database. ``contradictions`` and, where an entry about a restore
    explains them, ``explained`` are in words, and ``left_behind`` has the heads of both, without a
    root where a witness doesn't say it. ``contradicted_at`` is the size of the smallest head that
    nothing explains. ``unusable`` names notes and witnesses that say nothing.
    """

    origin: str
    size: int
    honest: Head | None = None
    witnessed: Head | None = None
    contradictions: tuple[str, ...] = ()
    explained: tuple[str, ...] = ()
    left_behind: tuple[Head, ...] = ()
    contradicted_at: int | None = None
    unusable: tuple[str, ...] = ()

    @property
    def first_unwitnessed(self) -> int | None:
        """The number of the first entry that no witnessed head covers; None: all are covered."""
        covered = self.witnessed.size if self.witnessed else 0
        return covered + 1 if covered < self.size else None


class _Judging:
    """Collects what one log's heads say."""

    def __init__(self, tree: GrownTree, restores: Sequence[Restored]) -> None:
        self.tree, self.restores = tree, restores
        self.honest: Head | None = None
        self.witnessed: Head | None = None
        self.contradictions: list[str] = []
        self.explained: list[str] = []
        self.left_behind: list[Head] = []
        self.contradicted_at: int | None = None
        self.unusable: list[str] = []

    def agrees(self, head: Head, *, is_outside: bool) -> None:
        self.honest = max(self.honest or head, head)
        if is_outside:
            self.witnessed = max(self.witnessed or head, head)

    def disagrees(self, head: Head, said: str) -> None:
        self.left_behind.append(head)
        restored = next((each for each in self.restores if each.explains(head.size)), None)
        if restored is None:
            self.contradictions.append(said)
            self.contradicted_at = min(self.contradicted_at or head.size, head.size)
        else:
            self.explained.append(f"{said}; audit row {restored.seq} says that it was restored")


class Evidence(NamedTuple):
    """What is known of a log besides the log itself.

    ``sources`` are notes that were kept; those of one source follow each other, so those below the
    first one that the log continues aren't looked at. ``asked`` is what other witnesses say,
    ``keys`` those that signed, ``restores`` what the log says about restores. A note that one of
    ``witness_keys`` cosigned is known outside the database.
    """

    sources: Sequence[Source]
    asked: Sequence[Asked]
    keys: SigningKeys
    witness_keys: Sequence[VerifierKey] = ()
    restores: Sequence[Restored] = ()


def judge(origin: str, tree: GrownTree, evidence: Evidence) -> Judgement:
    """Compare a log, whose leaves were hashed anew, with every head that is known of it."""
    found = _Judging(tree, evidence.restores)
    for source in evidence.sources:
        keys = evidence.keys.verifiers(origin)
        _judge_notes(found, origin, source, keys, evidence.witness_keys)
    for each in evidence.asked:
        _judge_asked(found, each)
    return Judgement(
        origin,
        tree.size,
        found.honest,
        found.witnessed,
        tuple(found.contradictions),
        tuple(found.explained),
        tuple(found.left_behind),
        found.contradicted_at,
        tuple(found.unusable),
    )


def _judge_notes(
    found: _Judging,
    origin: str,
    source: Source,
    keys: Sequence[VerifierKey],
    witness_keys: Sequence[VerifierKey],
) -> None:
    try:
        for name, signed in _accepted(found, origin, source.notes, keys):
            if not continues(found.tree, signed.head):
                said = f"{name} has {_described(signed.head, found.tree.size)}"
                found.disagrees(signed.head, said)
                continue
            is_outside = source.is_outside or _is_cosigned(signed, witness_keys)
            found.agrees(signed.head, is_outside=is_outside)
            if is_outside or not witness_keys:
                return
    except WitnessFailed as failure:
        found.unusable.append(failure.message)


def _accepted(
    found: _Judging, origin: str, notes: Iterable[KeptNote], keys: Sequence[VerifierKey]
) -> Iterator[tuple[str, SignedHead]]:
    """The notes that a known key signed, with their names."""
    for kept in notes:
        try:
            yield kept.name, accept(kept.data, origin, keys)
        except CheckpointRefused as error:
            found.unusable.append(f"{kept.name}: {error.message}")


def _is_cosigned(signed: SignedHead, keys: Sequence[VerifierKey]) -> bool:
    text, signatures = signed.note.text, signed.note.signatures
    return any(key.verifies(text, each) for key in keys for each in signatures if key.made(each))


def _described(head: Head, size: int) -> str:
    """How a head differs from a log of ``size`` entries."""
    if head.size > size:
        return f"a head of {head.size} entries, and the log has {size}"
    return f"another root of the first {head.size} entries: {to_base64(head.root)}"


def _judge_asked(found: _Judging, asked: Asked) -> None:
    failure = asked.failure
    if failure is None:
        if asked.size:
            found.agrees(Head(asked.size, found.tree.root(asked.size)), is_outside=True)
    elif failure.problem in CONTRADICTIONS:
        found.disagrees(Head(asked.size, b""), f"{asked.witness}: {failure.message}")
    else:
        found.unusable.append(f"{asked.witness}: {failure.message}")


def signed_by_retired(signed: SignedHead, retired: Mapping[VerifierKey, str]) -> str:
    """Since when the keys of a head no longer sign, where none of them still does; else empty."""
    times = [retired.get(each, "") for each in signed.signed_by]
    return max(times) if all(times) else ""

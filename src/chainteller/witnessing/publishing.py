"""Sign the head of a log and have its witnesses remember it."""

from collections.abc import Callable
from dataclasses import dataclass

from chainteller.domain.merkle import EMPTY_ROOT, GrownTree
from chainteller.witnessing.checkpoints import Checkpoint, Head, SignedHead
from chainteller.witnessing.errors import WitnessFailed, WitnessProblem
from chainteller.witnessing.judging import Asked
from chainteller.witnessing.keys import SigningKeys
from chainteller.witnessing.notes import Note, NoteSignature
from chainteller.witnessing.submissions import Submission, Witness


def sign(origin: str, head: Head, keys: SigningKeys) -> SignedHead:
    """Make a checkpoint: all keys that sign now sign one note."""
    checkpoint = Checkpoint(origin, head)
    text = checkpoint.text()
    signers = keys.signers(origin)
    note = Note(text, tuple(each.sign(text) for each in signers))
    return SignedHead(checkpoint, note, tuple(each.verifier for each in signers))


@dataclass(frozen=True, slots=True)
class Published:
    """What a witness did with a checkpoint.

    ``size`` is that of the largest head of this log that it is known to have, ``failure`` why it
    didn't take this one.
    """

    witness: str
    size: int = 0
    cosignatures: tuple[NoteSignature, ...] = ()
    failure: WitnessFailed | None = None


def publish(
    signed: SignedHead,
    tree: GrownTree,
    witness: Witness,
    known: int,
    size_now: Callable[[], int],
) -> Published:
    """Submit a checkpoint of a log to one witness; a failure is returned, not raised.

    ``known`` is the size of the witness's own head, as far as it is known, else 0; ``size_now`` is
    the log's at present: another server may have published more meanwhile.
    """
    head = signed.head
    try:
        try:
            made = witness.submit(_submission(signed, tree, min(known, head.size)))
        except WitnessFailed as first:
            if first.size is None:
                raise
            if first.size > head.size:
                return _overtaken(witness, first, size_now())
            made = witness.submit(_submission(signed, tree, first.size))
    except WitnessFailed as failure:
        return Published(witness.address, known, failure=failure)
    return Published(witness.address, head.size, made)


def _submission(signed: SignedHead, tree: GrownTree, old: int) -> Submission:
    return Submission(signed, old, tuple(tree.consistency_proof(old, signed.head.size)))


def _overtaken(witness: Witness, refused: WitnessFailed, size: int) -> Published:
    """The witness has a larger head: of another server that was quicker, or of another log."""
    seen = refused.size or 0
    if seen <= size:
        return Published(witness.address, seen)
    failure = WitnessFailed(
        WitnessProblem.LARGER_HEAD, f"it has seen {seen} entries, and the log has {size}", seen
    )
    return Published(witness.address, seen, failure=failure)


def known_size(witness: Witness, origin: str, keys: SigningKeys) -> int:
    """The size of a witness's own head of a log; 0 where it has none.

    Asked with a checkpoint of the empty log, which every log continues.

    Raises:
        WitnessFailed: it doesn't say.
    """
    empty = sign(origin, Head(0, EMPTY_ROOT), keys)
    try:
        witness.submit(Submission(empty))
    except WitnessFailed as failure:
        if failure.size is None:
            raise
        return failure.size
    return 0


def ask(witness: Witness, origin: str, tree: GrownTree, keys: SigningKeys) -> Asked:
    """Compare a witness's own head, which it keeps to itself, with the log.

    It is asked to cosign the log's head of the size that it has: it does only if the roots agree.
    """
    try:
        size = known_size(witness, origin, keys)
    except WitnessFailed as failure:
        return Asked(witness.address, 0, failure)
    if size > tree.size:
        message = f"it has seen {size} entries, and the log has {tree.size}"
        return Asked(
            witness.address, size, WitnessFailed(WitnessProblem.LARGER_HEAD, message, size)
        )
    same = sign(origin, Head(size, tree.root(size)), keys)
    try:
        witness.submit(Submission(same, size))
    except WitnessFailed as failure:
        return Asked(witness.address, size, failure)
    return Asked(witness.address, size)

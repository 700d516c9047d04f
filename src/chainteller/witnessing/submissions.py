"""What is sent to a witness, and what its replies mean (https://c2sp.org/tlog-witness)."""

from collections.abc import Sequence
from typing import NamedTuple, NoReturn, Protocol

from chainteller.witnessing.checkpoints import SignedHead, parse_size
from chainteller.witnessing.errors import WitnessFailed, WitnessProblem
from chainteller.witnessing.notes import (
    NoteInvalid,
    NoteSignature,
    VerifierKey,
    parse_signatures,
    to_base64,
)

MAXIMUM_REPLY_BYTES = 64 * 1024


class Submission(NamedTuple):
    """A checkpoint, with the proof that it follows the first ``old`` entries."""

    signed: SignedHead
    old: int = 0
    proof: tuple[bytes, ...] = ()

    def body(self) -> bytes:
        """The body of a request to ``add-checkpoint``."""
        lines = [f"old {self.old}", *(to_base64(each) for each in self.proof), ""]
        return ("\n".join(lines) + "\n" + self.signed.note.encode()).encode()


class Witness(Protocol):
    """Somebody outside the database who remembers the largest head of each log."""

    @property
    def address(self) -> str:
        """The folder or the URL that it is configured by."""

    @property
    def kind(self) -> str:
        """``folder`` or ``http``."""

    def submit(self, submission: Submission) -> tuple[NoteSignature, ...]:
        """Have a checkpoint remembered; returns the witness's cosignatures.

        Raises:
            WitnessFailed: it wasn't; ``size`` is that of the witness's own head where the
                submission doesn't follow it.
        """

    def kept(self, origin: str) -> Sequence["KeptNote"]:
        """The notes that can be read back, the largest first; empty for a witness over HTTP."""


class KeptNote(NamedTuple):
    """A note as a witness has kept it: not checked, and read when it is asked for."""

    name: str
    size: int
    data: bytes


def read_reply(
    status: int, body: bytes, submission: Submission, keys: Sequence[VerifierKey]
) -> tuple[NoteSignature, ...]:
    """Return the cosignatures in a witness's reply; without any keys of it, they are taken
    unchecked. Raises WitnessFailed: the witness refused, or its reply can't be used."""
    if status != 200:
        _refuse(status, body, submission)
    found = _signatures(body)
    if not keys:
        return tuple(each for each in found if len(each.value) == 72) or _garbage()
    text, made = submission.signed.note.text, []
    for key in keys:
        own = [each for each in found if key.made(each)]
        if not all(key.verifies(text, each) for each in own):
            raise WitnessFailed(
                WitnessProblem.BAD_COSIGNATURE, f"the cosignature of {key.name} is wrong"
            )
        made += own
    if not made:
        wanted = ", ".join(each.name for each in keys)
        raise WitnessFailed(WitnessProblem.BAD_COSIGNATURE, f"no cosignature of {wanted}")
    return tuple(made)


def _signatures(body: bytes) -> tuple[NoteSignature, ...]:
    try:
        return parse_signatures(body.decode("utf-8"))
    except (NoteInvalid, UnicodeDecodeError):
        _garbage()


def _garbage() -> NoReturn:
    raise WitnessFailed(WitnessProblem.GARBAGE, "the reply holds no cosignature")


_MEANINGS = {
    403: (WitnessProblem.UNKNOWN_KEY, "it doesn't know the key that signs this log"),
    404: (WitnessProblem.UNKNOWN_LOG, "it doesn't know this log"),
    422: (WitnessProblem.OTHER_HEAD, "this log doesn't continue the one that it has seen"),
}


def _refuse(status: int, body: bytes, submission: Submission) -> NoReturn:
    if status == 409:
        _conflict(body, submission)
    problem, message = _MEANINGS.get(status, (WitnessProblem.REFUSED, f"it answers {status}"))
    raise WitnessFailed(problem, message)


def _conflict(body: bytes, submission: Submission) -> NoReturn:
    """Not the size that was named, or another root of the same size."""
    try:
        size = parse_size(body.decode("ascii").removesuffix("\n"))
    except (NoteInvalid, UnicodeDecodeError):
        raise WitnessFailed(WitnessProblem.GARBAGE, "it answers 409 without a size") from None
    head = submission.signed.head
    if size == submission.old == head.size:
        raise WitnessFailed(WitnessProblem.OTHER_HEAD, f"it has another root of {size} entries")
    if size == submission.old:
        raise WitnessFailed(WitnessProblem.GARBAGE, "it answers 409 with the size that was named")
    raise behind(size, head.size)


def behind(size: int, named: int) -> WitnessFailed:
    """The witness's own head has another size than the one that a submission follows."""
    problem = WitnessProblem.LARGER_HEAD if size > named else WitnessProblem.OTHER_HEAD
    return WitnessFailed(problem, f"it has seen {size} entries", size)

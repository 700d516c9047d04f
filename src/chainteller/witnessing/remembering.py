"""The last head that a client saw of a log, and whether the log still continues it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from chainteller.service.errors import Conflict, Forbidden, NotFound, NotOffered
from chainteller.witnessing.checkpoints import Head, split_origin
from chainteller.witnessing.comparing import parse_keys, read_answer, require_continuation
from chainteller.witnessing.errors import AuditContradicted, CheckpointRefused
from chainteller.witnessing.notes import NoteInvalid, root_hash

if TYPE_CHECKING:
    from chainteller.service.interface import Service
    from chainteller.service.models.heads import AuditCheckpoint


@dataclass(frozen=True, slots=True)
class SeenHead:
    """A head as it was seen; ``keys`` are the verifier keys that are trusted for its log."""

    origin: str
    size: int
    root_hash: str
    keys: tuple[str, ...] = ()

    @property
    def organisation(self) -> str:
        return split_origin(self.origin)[1]

    def __str__(self) -> str:
        return f"{self.size} entries, root {self.root_hash}"

    def stored(self) -> dict[str, Any]:
        return asdict(self) | {"keys": list(self.keys)}

    @classmethod
    def restored(cls, stored: object) -> "SeenHead | None":
        """Read what ``stored`` wrote; None for anything else."""
        try:
            found = cls(**stored) if isinstance(stored, Mapping) else None
            if found is not None:
                root_hash(found.root_hash)
                return cls(found.origin, int(found.size), found.root_hash, tuple(found.keys))
        except (TypeError, ValueError, NoteInvalid):
            pass
        return None


class HeadConflict(NamedTuple):
    """The log isn't the one that was seen: ``seen`` then, ``shown`` now; None for no head."""

    reason: str
    seen: SeenHead | None
    shown: SeenHead | None = None


def follow(
    service: "Service", seen: Mapping[str, SeenHead], last: str, pinned: str
) -> SeenHead | HeadConflict | None:
    """Fetch the head that the deployment shows now, and check it against the one seen last.

    Args:
        service: the deployment.
        seen: the heads seen here, by organisation.
        last: the organisation of the last one; empty before the first.
        pinned: the verifier key that the profile names, or empty: then the first key that is seen
            is trusted from then on.

    Returns:
        The head to remember; a conflict; or None where nobody signs heads.

    Raises:
        TellerError: the deployment doesn't answer.
    """
    before = seen.get(last)
    try:
        answer = service.audit_checkpoint()
    except Forbidden:
        return None
    except (NotFound, NotOffered):
        if before is None:
            return None
        return HeadConflict("It shows no signed head of its audit log any more.", before)
    except Conflict as contradicted:
        found = contradicted.details.get("found") or contradicted.message
        return HeadConflict(f"It says itself: {found}", before)
    return _checked(service, answer, seen, before, pinned)


def _checked(
    service: "Service",
    answer: "AuditCheckpoint",
    seen: Mapping[str, SeenHead],
    before: SeenHead | None,
    pinned: str,
) -> SeenHead | HeadConflict:
    shown = SeenHead(answer.origin, answer.size, answer.root_hash, answer.verifier_keys)
    known = seen.get(shown.organisation)
    expected = known or before
    try:
        keys = parse_keys([pinned] if pinned else expected.keys if expected else shown.keys)
        origin = keys[0].name if pinned and keys else expected.origin if expected else ""
        signed = read_answer(answer, keys, origin)
        now = SeenHead(
            signed.checkpoint.origin,
            signed.head.size,
            answer.root_hash,
            tuple(each.encode() for each in keys),
        )
        if expected is not None:
            old = Head(expected.size, root_hash(expected.root_hash))
            require_continuation(service, old, signed.head)
    except (CheckpointRefused, AuditContradicted) as error:
        return HeadConflict(error.message, expected, shown)
    return now


def accepted(conflict: HeadConflict, pinned: str) -> SeenHead | None:
    """What is remembered once a person accepted the head that is shown now."""
    shown = conflict.shown
    return (
        SeenHead(shown.origin, shown.size, shown.root_hash, (pinned,))
        if (shown is not None and pinned)
        else shown
    )

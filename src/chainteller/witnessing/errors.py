"""Why a checkpoint, a witness or the file of signing keys can't be used."""

from enum import StrEnum

from chainteller.service.errors import ClientError


class Refusal(StrEnum):
    """Why a checkpoint isn't accepted as a head of a log."""

    MALFORMED = "MALFORMED"
    OTHER_DEPLOYMENT = "OTHER_DEPLOYMENT"
    OTHER_ORGANISATION = "OTHER_ORGANISATION"
    UNKNOWN_KEY = "UNKNOWN_KEY"
    BAD_SIGNATURE = "BAD_SIGNATURE"
    LARGER_THAN_LOG = "LARGER_THAN_LOG"
    NO_KEY = "NO_KEY"


class CheckpointRefused(ClientError):
    """A checkpoint that says nothing about this log; ``reason`` names why."""

    code = "CHECKPOINT_REFUSED"
    next_step = "Compare with another checkpoint: chainteller audit checkpoint writes one."

    def __init__(self, reason: Refusal, message: str) -> None:
        super().__init__(f"{reason}: {message}")
        self.reason = reason


class AuditContradicted(ClientError):
    """The log isn't the one that a checkpoint was made of: entries were changed or removed."""

    code = "AUDIT_CONTRADICTED"
    next_step = (
        "Stop writing to this database, keep it as it is, and compare it with a backup: "
        "chainteller db verify names the last honest head."
    )


class WitnessProblem(StrEnum):
    """What is wrong with a witness, or with the log in a witness's eyes."""

    SILENT = "SILENT"
    GARBAGE = "GARBAGE"
    REFUSED = "REFUSED"
    UNKNOWN_LOG = "UNKNOWN_LOG"
    UNKNOWN_KEY = "UNKNOWN_KEY"
    LARGER_HEAD = "LARGER_HEAD"
    OTHER_HEAD = "OTHER_HEAD"
    BAD_COSIGNATURE = "BAD_COSIGNATURE"
    UNUSABLE_FOLDER = "UNUSABLE_FOLDER"


CONTRADICTIONS = frozenset({WitnessProblem.LARGER_HEAD, WitnessProblem.OTHER_HEAD})
"""Problems that are the log's: the witness has seen another one."""


class WitnessFailed(ClientError):
    """A witness that didn't accept a checkpoint; ``problem`` names why.

    ``size`` is that of the witness's own head, where it said so.
    """

    code = "WITNESS_FAILED"
    next_step = "Look at the witness: chainteller audit witness list."

    def __init__(self, problem: WitnessProblem, message: str, size: int | None = None) -> None:
        super().__init__(f"{problem}: {message}")
        self.problem = problem
        self.size = size


class SigningKeysUnusable(ClientError):
    """The file of signing keys can't be read, or isn't protected."""

    code = "SIGNING_KEYS_UNUSABLE"
    next_step = "Correct the file, or restore it from its backup; chainteller info names it."

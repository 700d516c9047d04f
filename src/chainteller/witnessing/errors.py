"""The reasons for which a checkpoint or a witness can't be used; the errors name them."""

from enum import StrEnum

from chainteller.service.errors import (
    AuditContradicted,
    CheckpointRefused,
    SigningKeysUnusable,
    WitnessFailed,
)


class Refusal(StrEnum):
    """Why a checkpoint isn't accepted as a head of a log."""

    MALFORMED = "MALFORMED"
    OTHER_DEPLOYMENT = "OTHER_DEPLOYMENT"
    OTHER_ORGANISATION = "OTHER_ORGANISATION"
    UNKNOWN_KEY = "UNKNOWN_KEY"
    BAD_SIGNATURE = "BAD_SIGNATURE"
    LARGER_THAN_LOG = "LARGER_THAN_LOG"
    NO_KEY = "NO_KEY"


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

__all__ = [
    "CONTRADICTIONS",
    "AuditContradicted",
    "CheckpointRefused",
    "Refusal",
    "SigningKeysUnusable",
    "WitnessFailed",
    "WitnessProblem",
]

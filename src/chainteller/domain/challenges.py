"""Wallet ownership: validity of challenges, claims and verifications."""

from enum import StrEnum

from chainteller.domain.clock import DAY, SECOND

MAXIMUM_ATTEMPTS = 10
MINIMUM_VALIDITY_S = 60
MAXIMUM_VALIDITY_S = 7 * 86_400
CLAIM_LIFETIME = DAY
EXPIRY_WARNING = 30 * DAY
DORMANCY = 180 * DAY
POLICY_VERSION = 1
"""Increase it to require that every wallet is verified again."""


class ChallengeStatus(StrEnum):
    """``expired`` is never stored: an ``open`` challenge is expired after its last instant."""

    OPEN = "open"
    EXPIRED = "expired"
    USED = "used"
    LOCKED = "locked"


class ChallengeForm(StrEnum):
    """The text to sign: one word that names the challenge, or a sentence that says everything."""

    SHORT = "short"
    LONG = "long"


class ClaimStatus(StrEnum):
    """``expired`` is never stored: a ``valid`` claim is expired after its last instant to link."""

    VALID = "valid"
    LINKED = "linked"
    EXPIRED = "expired"


class VerificationStatus(StrEnum):
    CURRENT = "current"
    EXPIRING = "expiring"
    EXPIRED = "expired"
    REVOKED = "revoked"


class SharedWallets(StrEnum):
    """What happens when a wallet is linked that another customer has verified before.

    ``ask`` refuses until the request says that this was acknowledged, ``refuse`` always.
    """

    ALLOW = "allow"
    ASK = "ask"
    REFUSE = "refuse"


class ReverificationReason(StrEnum):
    """Why a wallet must be verified again (specification 8, rule 5)."""

    AGENT_REQUEST = "AGENT_REQUEST"
    SUSPICIOUS_ACTIVITY = "SUSPICIOUS_ACTIVITY"
    SANCTIONS_HIT = "SANCTIONS_HIT"
    POLICY_CHANGE = "POLICY_CHANGE"


def expiry(now: int, valid_seconds: int) -> int:
    """The last instant of a challenge: a whole second, because its message shows seconds."""
    return -(-now // SECOND) * SECOND + valid_seconds * SECOND


def challenge_status(stored: str, *, now: int, expires: int) -> ChallengeStatus:
    status = ChallengeStatus(stored)
    lapsed = status is ChallengeStatus.OPEN and now > expires
    return ChallengeStatus.EXPIRED if lapsed else status


def claim_status(stored: str, *, now: int, expires: int) -> ClaimStatus:
    status = ClaimStatus(stored)
    lapsed = status is ClaimStatus.VALID and now > expires
    return ClaimStatus.EXPIRED if lapsed else status


def verification_end(expires: int, last_used_at: int) -> int:
    """The last instant of a verification whose wallet isn't used again: a wallet that is used stays
    verified until the end of its evidence."""
    return min(expires, last_used_at + DORMANCY)


def verification_status(
    *, now: int, expires: int, last_used_at: int, policy_version: int, revoked: bool
) -> VerificationStatus:
    """The status at ``now``: age, dormancy, a newer policy and revocation end a verification."""
    if revoked or policy_version < POLICY_VERSION:
        return VerificationStatus.REVOKED
    end = verification_end(expires, last_used_at)
    if now > end:
        return VerificationStatus.EXPIRED
    if now > end - EXPIRY_WARNING:
        return VerificationStatus.EXPIRING
    return VerificationStatus.CURRENT


def is_verified(status: str) -> bool:
    """Whether a ``VerificationStatus`` still counts; no other word does."""
    return status in (VerificationStatus.CURRENT, VerificationStatus.EXPIRING)

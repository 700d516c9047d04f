"""How a wallet can be proven to be the customer's, and what each method is worth.

``METHODS`` is the one table of it: a claim stores its method and its level, the level selects the
withdrawal limits of the wallet, and the lifetime ends its verification.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from chainteller.domain.clock import DAY


class VerificationMethod(StrEnum):
    """How a claim proves that the customer controls the wallet."""

    SIGNATURE = "signature"
    CONTRACT = "contract"
    DERIVATION = "derivation"
    TRANSFER = "transfer"
    STATEMENT = "statement"


class AddressCode(StrEnum):
    """What a chain has at an address.

    ``delegated`` is an account with a key that lets a contract act for it (EIP-7702): its key
    still signs.
    """

    CONTRACT = "contract"
    DELEGATED = "delegated"
    NONE = "none"


class EvidenceLevel(StrEnum):
    """What a proof is worth. ``high`` has the limits of a verified wallet alone; lower levels have
    limits of their own besides."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Evidence(NamedTuple):
    """A method of verification.

    ``level`` is the highest that its evidence can have; a chain's answers may be worth less
    (``wallets/contracts.py``).
    ``checked`` says what is checked again at a payout. ``lifetime`` is how long a verification
    lasts, in microseconds. ``is_repeatable`` says whether anybody can verify the evidence again at
    any time; other evidence is about a moment in the past, and refuses payouts once it is too old.
    """

    level: EvidenceLevel
    checked: str
    lifetime: int
    is_repeatable: bool


_YEAR = 365 * DAY
METHODS: Mapping[VerificationMethod, Evidence] = {
    VerificationMethod.SIGNATURE: Evidence(
        EvidenceLevel.HIGH,
        "the signature, over the stored text, by the wallet's key",
        _YEAR,
        is_repeatable=True,
    ),
    VerificationMethod.CONTRACT: Evidence(
        EvidenceLevel.HIGH,
        "the stored answers of the chain, about the stored text and signature",
        _YEAR,
        is_repeatable=False,
    ),
    VerificationMethod.DERIVATION: Evidence(
        EvidenceLevel.MEDIUM,
        "the stored path, and the signature by another address of the same extended key",
        90 * DAY,
        is_repeatable=False,
    ),
    VerificationMethod.TRANSFER: Evidence(
        EvidenceLevel.MEDIUM,
        "the stored transfer: amount, sender, recipient and time, as they were asked for",
        90 * DAY,
        is_repeatable=False,
    ),
    VerificationMethod.STATEMENT: Evidence(
        EvidenceLevel.LOW,
        "the customer's own words",
        30 * DAY,
        is_repeatable=False,
    ),
}


def evidence_of(method: str) -> Evidence | None:
    """What a stored method is; None for one that this release doesn't know."""
    return METHODS[VerificationMethod(method)] if method in set(VerificationMethod) else None

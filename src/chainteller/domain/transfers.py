"""States of deposits and withdrawals; the specification defines neither record."""

from collections.abc import Mapping
from enum import StrEnum


class TransferStatus(StrEnum):
    PROCESSING = "processing"
    REVIEWING = "reviewing"
    SENT = "sent"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    REJECTED = "rejected"
    FAILED = "failed"
    RETURNED = "returned"


class Direction(StrEnum):
    DEPOSIT = "deposit"
    WITHDRAWAL = "withdrawal"


def type_of(direction: str) -> str:
    """The type that the wire names such records by."""
    return f"{direction}-transaction"


DEPOSIT_TYPE, WITHDRAWAL_TYPE = type_of(Direction.DEPOSIT), type_of(Direction.WITHDRAWAL)

LEAST_OF_ID = 4
"""Letters at which a search looks into ids and addresses; fewer stand in most of them by chance."""
_S = TransferStatus

DEPOSIT_TRANSITIONS: Mapping[TransferStatus, frozenset[TransferStatus]] = {
    _S.PROCESSING: frozenset({_S.COMPLETED, _S.FAILED}),
    _S.COMPLETED: frozenset({_S.RETURNED}),
    _S.FAILED: frozenset(),
    _S.RETURNED: frozenset(),
}
WITHDRAWAL_TRANSITIONS: Mapping[TransferStatus, frozenset[TransferStatus]] = {
    _S.REVIEWING: frozenset({_S.PROCESSING, _S.CANCELLED, _S.REJECTED}),
    _S.PROCESSING: frozenset({_S.SENT, _S.CANCELLED, _S.FAILED}),
    _S.SENT: frozenset({_S.COMPLETED, _S.FAILED}),
    _S.COMPLETED: frozenset({_S.RETURNED}),
    _S.CANCELLED: frozenset(),
    _S.REJECTED: frozenset(),
    _S.FAILED: frozenset(),
    _S.RETURNED: frozenset(),
}
TRANSITIONS = {
    Direction.DEPOSIT: DEPOSIT_TRANSITIONS,
    Direction.WITHDRAWAL: WITHDRAWAL_TRANSITIONS,
}
HOLDING = frozenset({_S.REVIEWING, _S.PROCESSING})
"""Withdrawals in these states hold their funds and can be cancelled."""
FINAL = frozenset({_S.COMPLETED, _S.CANCELLED, _S.REJECTED, _S.FAILED, _S.RETURNED})
"""Nothing more is expected in these states."""
COUNTED = frozenset({_S.REVIEWING, _S.PROCESSING, _S.SENT, _S.COMPLETED})
"""Withdrawals in these states count against their limits."""

"""States of deposits and withdrawals; the specification defines neither record."""

from collections.abc import Mapping
from enum import StrEnum

from chainteller.domain.statuses import Facts, Status


class TransferStatus(Status):
    """Of a deposit, ``holds`` and ``has_left`` say nothing. ``accepted`` is a gateway's: what its
    provider said nothing more about. ``unknown`` is what got no answer from whom it was sent to: a
    gateway's provider, or the core bank or custody."""

    PROCESSING = "processing", Facts("[>]", "warn", holds=True, counts=True)
    REVIEWING = "reviewing", Facts("[>]", "warn", holds=True, counts=True, is_timed=True)
    SENT = "sent", Facts(
        "[>]", "warn", has_left=True, counts=True, is_searched=False,
        no_cancellation="the withdrawal was sent and is on its way",
    )  # fmt: skip
    ACCEPTED = "accepted", Facts(
        "[ok]", "good", has_left=True, counts=True,
        no_cancellation="the provider has accepted the withdrawal",
    )  # fmt: skip
    UNKNOWN = "unknown", Facts(
        "[?]", "warn", counts=True, is_searched=False,
        no_cancellation="it isn't known whether it was carried out",
    )  # fmt: skip
    COMPLETED = "completed", Facts(
        "[ok]", "good", has_left=True, counts=True, is_final=True,
        no_cancellation="the withdrawal is completed: the money has arrived",
    )  # fmt: skip
    CANCELLED = "cancelled", Facts(
        "[-]", "muted", gives_back=True, is_final=True,
        no_cancellation="the withdrawal is already cancelled",
    )  # fmt: skip
    REJECTED = "rejected", Facts("[x]", "bad", gives_back=True, is_final=True)
    FAILED = "failed", Facts("[x]", "bad", gives_back=True, is_final=True)
    RETURNED = "returned", Facts("[x]", "bad", has_left=True, is_final=True)


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
    _S.PROCESSING: frozenset({_S.COMPLETED, _S.FAILED, _S.UNKNOWN}),
    _S.COMPLETED: frozenset({_S.RETURNED}),
    _S.FAILED: frozenset(),
    _S.RETURNED: frozenset(),
    _S.ACCEPTED: frozenset(),
    _S.UNKNOWN: frozenset({_S.ACCEPTED, _S.COMPLETED, _S.FAILED}),
}
WITHDRAWAL_TRANSITIONS: Mapping[TransferStatus, frozenset[TransferStatus]] = {
    _S.REVIEWING: frozenset({_S.PROCESSING, _S.CANCELLED, _S.REJECTED}),
    _S.PROCESSING: frozenset({_S.SENT, _S.CANCELLED, _S.FAILED, _S.UNKNOWN}),
    _S.SENT: frozenset({_S.COMPLETED, _S.FAILED, _S.ACCEPTED, _S.UNKNOWN}),
    _S.ACCEPTED: frozenset(),
    _S.UNKNOWN: frozenset({_S.ACCEPTED, _S.SENT, _S.FAILED}),
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
REPORTED = (TransferStatus.FAILED, TransferStatus.RETURNED)
"""What the core bank or a network reports of a transfer; everything else of it is the service's own
work, or a person's."""
HOLDING = frozenset(status for status in TransferStatus if status.facts.holds)
"""Withdrawals in these states hold their funds and can be cancelled."""
MAY_HOLD = HOLDING | {TransferStatus.UNKNOWN}
"""Withdrawals in these states hold their funds as far as is known."""
LEFT = frozenset(status for status in TransferStatus if status.facts.has_left)
"""What withdrawals in these states held has left the account."""
PAID = LEFT - {TransferStatus.RETURNED}
"""After a withdrawal in these states, another one to its wallet isn't the first."""
TIMED = frozenset(status for status in TransferStatus if status.facts.is_timed)
"""Withdrawals in these states wait until their ``review_eta``."""
FINAL = frozenset(status for status in TransferStatus if status.facts.is_final)
"""Nothing more is expected in these states."""
COUNTED = frozenset(status for status in TransferStatus if status.facts.counts)
"""Withdrawals in these states count against their limits."""

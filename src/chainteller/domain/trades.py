"""The life of a trade: ``processing -> executed -> settled``, or cancelled or failed before that.

The specification names ``processing`` only (section 3); the other words are this deployment's.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class TradeStatus(StrEnum):
    PROCESSING = "processing"
    EXECUTED = "executed"
    SETTLED = "settled"
    CANCELLED = "cancelled"
    FAILED = "failed"


TRANSITIONS: Mapping[TradeStatus, frozenset[TradeStatus]] = {
    TradeStatus.PROCESSING: frozenset(
        {TradeStatus.EXECUTED, TradeStatus.CANCELLED, TradeStatus.FAILED}
    ),
    TradeStatus.EXECUTED: frozenset({TradeStatus.SETTLED}),
    TradeStatus.SETTLED: frozenset(),
    TradeStatus.CANCELLED: frozenset(),
    TradeStatus.FAILED: frozenset(),
}
TERMINAL = frozenset(status for status, following in TRANSITIONS.items() if not following)


class QuoteStatus(StrEnum):
    """``expired`` is never stored: it is ``open`` seen after the quote's last instant."""

    OPEN = "open"
    EXECUTED = "executed"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"


def quote_is_live(*, now: int, expires: int) -> bool:
    """Whether it can be executed: not *after* its expiry (specification 2.5)."""
    return now <= expires


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why the liquidity provider refused a trade."""

    code: str
    message: str

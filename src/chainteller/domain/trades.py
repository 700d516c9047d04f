"""Trade states: ``processing -> executed -> settled``, or cancelled or failed from processing.

The specification defines only ``processing`` (section 3); the other states are our own.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


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
FILLED = frozenset({TradeStatus.EXECUTED, TradeStatus.SETTLED})
TERMINAL = frozenset(status for status, following in TRANSITIONS.items() if not following)


class QuoteStatus(StrEnum):
    """``expired`` is never stored: an ``open`` quote is expired after its last instant."""

    OPEN = "open"
    EXECUTED = "executed"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"


def quote_is_live(*, now: int, expires: int) -> bool:
    """Whether a quote can be executed: until its expiry, inclusive (specification 2.5)."""
    return now <= expires


class Rejection(NamedTuple):
    """The reason why the liquidity provider refused a trade."""

    code: str
    message: str

"""Trade states: ``processing -> executed -> settled``, or cancelled or failed from processing.

The specification defines only ``processing`` (section 3); the other states are our own.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from chainteller.domain.statuses import Facts, Status


class TradeStatus(Status):
    PROCESSING = "processing", Facts("[>]", "warn", holds=True)
    EXECUTED = "executed", Facts("[>]", "accent", has_left=True, is_searched=False)
    SETTLED = "settled", Facts("[ok]", "good", has_left=True, is_final=True)
    CANCELLED = "cancelled", Facts("[-]", "muted", gives_back=True, is_final=True)
    FAILED = "failed", Facts("[x]", "bad", gives_back=True, is_final=True)


TRANSITIONS: Mapping[TradeStatus, frozenset[TradeStatus]] = {
    TradeStatus.PROCESSING: frozenset(
        {TradeStatus.EXECUTED, TradeStatus.CANCELLED, TradeStatus.FAILED}
    ),
    TradeStatus.EXECUTED: frozenset({TradeStatus.SETTLED}),
    TradeStatus.SETTLED: frozenset(),
    TradeStatus.CANCELLED: frozenset(),
    TradeStatus.FAILED: frozenset(),
}
FILLED = frozenset(status for status in TradeStatus if status.facts.has_left)
TERMINAL = frozenset(status for status in TradeStatus if status.facts.is_final)
OPEN = frozenset(TradeStatus) - TERMINAL


class QuoteStatus(StrEnum):
    """``expired`` is never stored: an ``open`` quote is expired after its last instant."""

    OPEN = "open"
    EXECUTED = "executed"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"


LAPSED = frozenset({QuoteStatus.EXPIRED, QuoteStatus.WITHDRAWN})
"""A quote in these states was never executed, and can't be any more."""


def quote_is_live(*, now: int, expires: int) -> bool:
    """Whether a quote can be executed: until its expiry, inclusive (specification 2.5)."""
    return now <= expires


class Rejection(NamedTuple):
    """The reason why the liquidity provider refused a trade."""

    code: str
    message: str

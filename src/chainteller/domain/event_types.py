"""The types of events: a record, and what happened to it."""

from collections.abc import Mapping

from chainteller.domain.decisions import ENDED
from chainteller.domain.second_method import StatementStatus
from chainteller.domain.trades import TradeStatus
from chainteller.domain.transfers import TransferStatus

_OF: Mapping[str, tuple[str, ...]] = {
    "account": ("control_changed",),
    "agent": ("enrolled", "approved", "revoked"),
    "api_key": ("created", "rotated", "revoked"),
    "blockchain_account": ("created",),
    "books": ("disputed", "cleared"),
    "clock": ("uncertain", "certain", "accepted"),
    "counterparty": ("registered", "linked", "shared", "reverification_required"),
    "customer": ("forgotten",),
    "customers": ("imported",),
    "decision": (
        "opened",
        "taken",
        "asked",
        "firstApproved",
        "escalated",
        *ENDED,
    ),
    "deposit": tuple(TransferStatus),
    "limit": ("exceeded",),
    "note": ("added", "erased"),
    "ownership_challenge": ("created", "signed", "used", "refused", "locked"),
    "ownership_claim": ("created", "linked"),
    "ownership_statement": ("created", StatementStatus.ACCEPTED, StatementStatus.REFUSED),
    "payout": ("refused",),
    "quote": ("created", "executed"),
    "small_transfer": ("created", "arrived"),
    "trade": ("other_terms", *TradeStatus),
    "trading_account": ("created",),
    "webhook": ("created", "paused", "resumed", "rotated", "replayed", "deleted"),
    "withdrawal": tuple(TransferStatus),
}
EVENT_TYPES = frozenset(f"{record}.{what}" for record, all_of in _OF.items() for what in all_of)
PATTERNS = EVENT_TYPES | {f"{record}.*" for record in _OF}
"""What names types of events: one, or all of a record."""

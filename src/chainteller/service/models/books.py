"""Disputes: what verification found wrong in the books."""

from typing import Annotated

from chainteller.domain.books import DisputeScope
from chainteller.service.models.base import OneOf, RequestModel, Timestamp, WireModel


class Dispute(WireModel):
    """A breach of an invariant, until a person clears it: payouts of its organisation wait, or with
    the scope ``deployment`` all payouts.

    ``where`` names a row, an entry or an account. ``cleared``, ``cleared_by`` and ``reason`` are
    left out until it's cleared.
    """

    id: str
    scope: Annotated[str, OneOf("DisputeScope", DisputeScope)]
    organisation: str
    invariant: int
    what: str
    where: str
    found: Timestamp
    cleared: Timestamp | None = None
    cleared_by: str | None = None
    reason: str | None = None


class ClearDispute(RequestModel):
    """``reason`` says in words why the books may be trusted again."""

    reason: str

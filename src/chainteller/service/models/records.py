"""What a deployment tells about itself and its history: capabilities, events, audit rows."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from chainteller.service.models.base import Many, Timestamp, WireModel


class CurrencyOffer(WireModel):
    """A currency object's fields (specification 2.2) with its decimals."""

    type: str
    id: str | None = None
    symbol: str
    network: str
    decimals: int


class Capabilities(WireModel):
    """``features`` names the additions to the specification that this deployment offers, and
    ``actor`` whoever asks, as events and the audit trail name them.
    """

    name: str = ""
    version: str = ""
    actor: str = ""
    features: Many[str] = ()
    currencies: Many[CurrencyOffer] = ()
    networks: Many[str] = ()
    markets: Many[str] = ()


class Event(WireModel):
    """A change. ``actor`` made it; left out where the service did it by itself."""

    seq: int
    id: str
    type: str
    at: Timestamp
    resource: str
    actor: str | None = None
    data: Mapping[str, Any]


class EventPage(WireModel):
    """Events after a cursor, oldest first; ``next`` is the cursor for the following call.

    ``reset`` is set where the cursor is ahead of the log, as after a restored backup: what was
    seen is no more, and everything is to be read again.
    """

    data: Many[Event]
    next: int
    reset: bool = Field(default=False, exclude_if=lambda value: not value)


class AuditRow(WireModel):
    """One link of the audit chain: ``hash`` covers ``previous_hash`` and every other field."""

    seq: int
    at: Timestamp
    organisation: str
    actor: str
    action: str
    object: str
    inputs: Mapping[str, Any]
    outcome: str
    error: str | None
    previous_hash: str
    hash: str


class ChainReport(WireModel):
    """The outcome of checking the audit chain; ``head`` is the newest row's hash."""

    intact: bool
    rows: int
    head: str
    first_broken: int | None = None
    problem: str | None = None

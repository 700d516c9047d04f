"""What a deployment tells about itself and its history: capabilities, events, audit rows."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from chainteller.service.models.base import Many, Timestamp, WireList, WireModel


class CurrencyOffer(WireModel):
    """A currency object's fields (specification 2.2) with its decimals."""

    type: str
    id: str | None = None
    symbol: str
    network: str
    decimals: int


class Capabilities(WireModel):
    """``features`` names the additions to the specification that this deployment offers, and
    ``actor`` whoever asks, as events and the audit trail name them. ``scopes`` are what they may
    do, and ``roles`` theirs in the bank's policy; none where they may do everything. ``case`` is
    ``asked`` or ``required`` where people name the case of what they change, and left out
    elsewhere. ``simulated`` names the parts of the bank that aren't real; none where the deployment
    doesn't say. ``signingPages`` is what the address of each signing page begins with, before its
    token, and null where there are none; ``signingPageMessages`` is how many messages a page may
    have.
    """

    name: str = ""
    version: str = ""
    actor: str = ""
    features: Many[str] = ()
    currencies: Many[CurrencyOffer] = ()
    networks: Many[str] = ()
    markets: Many[str] = ()
    scopes: Many[str] = ()
    roles: Many[str] = ()
    case: str | None = None
    simulated: Many[str] = ()
    signing_pages: str | None = None
    signing_page_messages: int | None = None


class Event(WireModel):
    """A change. ``actor`` made it; left out where the service did it by itself.

    ``seq`` grows with the organisation's events, with gaps.
    """

    seq: int
    id: str
    type: str
    at: Timestamp
    resource: str
    actor: str | None = None
    data: Mapping[str, Any]


class EventPage(WireList[Event]):
    """Events after a cursor, oldest first; ``next`` is the cursor for the following call.

    ``reset`` is set where the cursor is ahead of this log, as after a restored backup, and where
    events after it aren't kept any more. Everything is to be read again, and events may come that
    were seen before.
    """

    next: int
    reset: bool = Field(default=False, exclude_if=lambda value: not value)


EVENT_RESET = "reset"
"""The type of a stream's message that says what ``EventPage.reset`` says."""


class EventReset(WireModel):
    """What such a message says: the cursor from which the stream goes on."""

    next: int


class AuditRow(WireModel):
    """An entry of the organisation's log: ``seq`` counts its entries, and ``hash`` is the entry's
    leaf hash, which covers every other field. ``agent`` signed the request, ``case`` is what it was
    for."""

    seq: int
    at: Timestamp
    organisation: str
    actor: str
    action: str
    object: str
    inputs: Mapping[str, Any]
    outcome: str
    error: str | None
    hash: str
    agent: str | None = None
    case: str | None = None


class ChainReport(WireModel):
    """The outcome of checking the log; ``head`` is the newest row's hash."""

    intact: bool
    rows: int
    head: str
    first_broken: int | None = None
    problem: str | None = None

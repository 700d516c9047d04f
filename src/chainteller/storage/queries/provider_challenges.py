"""Query the challenges of a gateway's provider, in the form of those that this bank issues."""

from typing import Any

from chainteller.service.models.counterparties import Challenge
from chainteller.service.models.pages import ListQuery
from chainteller.storage.db import records
from chainteller.storage.db.query import Record, Session
from chainteller.storage.db.sources import Finder, Source
from chainteller.storage.lists.pages import Counted, Listing
from chainteller.storage.queries.challenges import to_model

_WITH_ADDRESS = Source(
    records.ProviderChallenge,
    "JOIN counterparty ON counterparty.id = provider_challenge.counterparty_id",
    network="counterparty.network",
    address="counterparty.address",
    canonical="counterparty.canonical",
    attempts=("NULL", Any),
    customer_id=("NULL", Any),
    page_text=("NULL", Any),
)
find = Finder(_WITH_ADDRESS, "organisation_id", "id")
_FIND_PAGE = Finder(_WITH_ADDRESS, "page_token")
_LISTED = Listing(_WITH_ADDRESS, "organisation_id", "blockchain_account_id")


def page(
    connection: Session, organisation_id: str, account_id: str, query: ListQuery, now: int
) -> tuple[tuple[Challenge, ...], Counted]:
    rows, total = _LISTED.page(connection, (organisation_id, account_id), query)
    return tuple(to_model(row, now) for row in rows), total


def of_page(connection: Session, token_hash: str) -> list[Record]:
    """The challenge of a signing page, which has one message here."""
    found = _FIND_PAGE(connection, token_hash)
    return [] if found is None else [found]


def others(connection: Session, challenge: Record, limit: int) -> list[Record]:
    """Other challenges of the same blockchain account, newest first."""
    of = challenge.organisation_id, challenge.blockchain_account_id
    rows, _ = _LISTED.page(connection, of, ListQuery(limit=limit + 1))
    return [row for row in rows if row.id != challenge.id][:limit]

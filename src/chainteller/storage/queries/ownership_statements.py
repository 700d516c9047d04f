"""Query customers' statements about wallets."""

from chainteller.service.models.counterparties import OwnershipStatement
from chainteller.service.models.pages import ListQuery
from chainteller.storage.db import records
from chainteller.storage.db.query import Record, Session
from chainteller.storage.db.sources import Finder, Source
from chainteller.storage.lists.pages import Counted, Listing

_WITH_ADDRESS = Source(
    records.OwnershipStatement,
    "JOIN counterparty ON counterparty.id = ownership_statement.counterparty_id",
    network="counterparty.network",
    address="counterparty.address",
)
find = Finder(_WITH_ADDRESS, "organisation_id", "id")
"""A statement, with the network and address of its counterparty."""
_LISTED = Listing(_WITH_ADDRESS, "blockchain_account_id")


def page(
    connection: Session, account_id: str, query: ListQuery
) -> tuple[tuple[OwnershipStatement, ...], Counted]:
    rows, total = _LISTED.page(connection, (account_id,), query)
    return tuple(to_model(row) for row in rows), total


def to_model(row: Record) -> OwnershipStatement:
    return OwnershipStatement(
        id=row.id,
        blockchain_account_id=row.blockchain_account_id,
        counterparty_id=row.counterparty_id,
        network=row.network,
        address=row.address,
        reason=row.reason,
        statement=row.statement,
        status=row.status,
        level=row.level,
        created=row.created,
    )

"""Query customers' statements about wallets."""

from chainteller.service.models.counterparties import OwnershipStatement
from chainteller.storage.db import records
from chainteller.storage.db.query import Record
from chainteller.storage.db.sources import Finder, Source
from chainteller.storage.lists.pages import Listing

_WITH_ADDRESS = Source(
    records.OwnershipStatement,
    "JOIN counterparty ON counterparty.id = ownership_statement.counterparty_id",
    network="counterparty.network",
    address="counterparty.address",
)
find = Finder(_WITH_ADDRESS, "organisation_id", "id")
"""A statement, with the network and address of its counterparty."""
_LISTED = Listing(_WITH_ADDRESS, "blockchain_account_id")


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


page = _LISTED.models(to_model)

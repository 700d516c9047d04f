"""Query customers' statements about wallets."""

from sqlalchemy import Connection, select

from chainteller.service.models.counterparties import OwnershipStatement
from chainteller.service.models.pages import ListQuery
from chainteller.storage.columns import Record
from chainteller.storage.pages import Counted, Listing
from chainteller.storage.rows import Finder
from chainteller.storage.wallet_tables import WalletTables

_T = WalletTables.statement
_C = WalletTables.counterparty
_WITH_ADDRESS = select(_T, _C.c.network, _C.c.address).join(_C, _C.c.id == _T.c.counterparty_id)
find = Finder(_T, "organisation_id", "id", rows=_WITH_ADDRESS)
"""A statement, with the network and address of its counterparty."""
_LISTED = Listing(_T, "blockchain_account_id", rows=_WITH_ADDRESS)


def page(
    connection: Connection, account_id: str, query: ListQuery
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

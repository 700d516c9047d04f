"""Showing deposits and withdrawals, which are one record in two directions."""

from sqlalchemy import Connection

from chainteller.domain.transfers import Direction
from chainteller.engine import accounts, reading
from chainteller.service.models.funding import Transfer
from chainteller.service.models.pages import ListQuery, Page
from chainteller.storage import transfers


def show(
    connection: Connection,
    organisation_id: str,
    account_id: str,
    transfer_id: str,
    direction: Direction,
) -> Transfer:
    """Raises NotFound, naming the direction as the resource."""
    account = accounts.find(connection, organisation_id, account_id)
    reading.checked_id(direction, transfer_id)
    row = transfers.find(connection, account.id, transfer_id, direction)
    return transfers.to_model(reading.require_found(row, direction, transfer_id))


def page(
    connection: Connection,
    organisation_id: str,
    account_id: str,
    query: ListQuery,
    direction: Direction,
) -> Page[Transfer]:
    checked = reading.checked_query(query)
    account = accounts.find(connection, organisation_id, account_id)
    count = getattr(account, f"{direction}_count")
    found, total = transfers.page(connection, account.id, direction, checked, count)
    return reading.page(found, total, checked)

"""Everything with the prefix TXN_ in one list: deposits, withdrawals and trades."""

from chainteller.domain.transfers import Direction, type_of
from chainteller.engine.core import reading
from chainteller.engine.core.table import reads
from chainteller.engine.operations import accounts, trades, transfers
from chainteller.service import operations
from chainteller.service.errors import NotFound, ValidationFailed
from chainteller.service.models.funding import Transfer
from chainteller.service.models.pages import ListQuery, Page
from chainteller.service.models.trades import TRADE_TYPE, Trade, Transaction
from chainteller.storage.db.query import Session
from chainteller.storage.lists.pages import ordinals
from chainteller.storage.queries import trades as trade_rows
from chainteller.storage.queries import transfers as transfer_rows

RESOURCE = "transaction"
_DIRECTIONS = {type_of(direction): direction for direction in Direction}


@reads(operations.TRANSACTIONS)
def page(
    connection: Session, organisation_id: str, account_id: str, query: ListQuery
) -> Page[Transaction]:
    checked = reading.checked_query(query)
    narrowed = checked.model_copy(update={"type": None})
    if checked.type is None:
        return _all(connection, organisation_id, account_id, checked)
    found: Page[Trade] | Page[Transfer]
    if checked.type == TRADE_TYPE:
        found = trades.page(connection, organisation_id, account_id, narrowed)
    elif checked.type in _DIRECTIONS:
        direction = _DIRECTIONS[checked.type]
        found = transfers.page(connection, organisation_id, account_id, narrowed, direction)
    else:
        types = ", ".join(operations.TRANSACTION_TYPES)
        raise ValidationFailed.of("filter[type]", f"one of {types}")
    return Page[Transaction].model_validate(found.model_dump())


def _all(
    connection: Session, organisation_id: str, account_id: str, query: ListQuery
) -> Page[Transaction]:
    account = accounts.find(connection, organisation_id, account_id)
    first, last = ordinals(query, account.transaction_count)
    found: list[tuple[int, Transaction]] = [
        *trade_rows.of_transactions(connection, account.id, first, last),
        *transfer_rows.of_transactions(connection, account.id, first, last),
    ]
    found.sort(key=lambda pair: pair[0], reverse=query.sort != "created")
    shown = tuple(transaction for _, transaction in found)
    return reading.page(shown, account.transaction_count, query)


@reads(operations.SHOW_TRANSACTION)
def show(
    connection: Session, organisation_id: str, account_id: str, transaction_id: str
) -> Transaction:
    account = accounts.find(connection, organisation_id, account_id)
    reading.checked_id(RESOURCE, transaction_id)
    trade = trade_rows.find(connection, account.id, transaction_id)
    if trade is not None:
        return trade_rows.to_model(trade)
    for direction in Direction:
        row = transfer_rows.find(connection, account.id, transaction_id, direction)
        if row is not None:
            return transfer_rows.to_model(row)
    raise NotFound(RESOURCE, transaction_id)


@reads(operations.TRANSACTION_BY_ID)
def show_any(connection: Session, organisation_id: str, transaction_id: str) -> Transaction:
    """A transaction by its id alone; another organisation's is as unknown as none."""
    reading.checked_id(RESOURCE, transaction_id)
    trade = trade_rows.find_any(connection, transaction_id)
    if trade is not None and trade.organisation_id == organisation_id:
        return trade_rows.to_model(trade)
    moved = transfer_rows.find_any(connection, transaction_id)
    if moved is not None and moved.organisation_id == organisation_id:
        return transfer_rows.to_model(moved)
    raise NotFound(RESOURCE, transaction_id)

"""Deposits and withdrawals, which are one record in two directions."""

from functools import partial

from chainteller.domain.ids import Prefix, plausible
from chainteller.domain.transfers import Direction, TransferStatus
from chainteller.engine.core import reading
from chainteller.engine.core.outcome import (
    AuditEntry,
    Event,
    Moment,
    Outcome,
    Row,
    Update,
    next_version,
)
from chainteller.engine.core.table import reads
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.engine.operations import accounts
from chainteller.engine.operations.currencies import Resolved
from chainteller.service import operations
from chainteller.service.errors import ValidationFailed
from chainteller.service.models.funding import Transfer
from chainteller.service.models.pages import ListQuery, Page
from chainteller.storage.db.query import Record, Session
from chainteller.storage.db.records import Tables
from chainteller.storage.queries import transfers

REVIEW = "withdrawal.review"
"""Kinds of due work of a withdrawal: the end of its review, sending, and its confirmation."""
SEND = "withdrawal.send"
COMPLETE = "withdrawal.complete"


def new_row(
    direction: Direction, account: Record, activity: Update, currency: Resolved, moment: Moment
) -> Row:
    """A transfer in ``processing``; ``amount`` and ``notional_cents`` are for the caller to add.

    ``activity`` is the update of the account that counts the transfer.
    """
    return {
        "id": moment.new_id(Prefix.TRANSACTION),
        "organisation_id": moment.organisation_id,
        "trading_account_id": account.id,
        "direction": direction.value,
        "ordinal": activity.values[f"{direction}_count"],
        "transaction_ordinal": activity.values["transaction_count"],
        "status": TransferStatus.PROCESSING.value,
        "asset": currency.asset.key,
        "currency_type": currency.type,
        "currency_id": currency.id,
        "bank_account_id": account.bank_account_id,
        "fee": 0,
        "hold": "[]",
        "created": moment.now,
        "updated": moment.now,
        "version": 1,
    }


def locked(tx: UnitOfWork, transfer_id: str, *statuses: TransferStatus) -> Record | None:
    """The transfer if it is in one of the statuses, locked after its account."""
    seen = transfers.find_any(tx.connection, transfer_id)
    if seen is None:
        return None
    accounts.locked_by_id(tx, seen.trading_account_id)
    row = transfers.find_any(tx.connection, transfer_id, lock=True)
    return row if row is not None and row.status in statuses else None


def reviewing(tx: UnitOfWork, withdrawal_id: str) -> Record:
    """The withdrawal that an open decision is about, locked after its account."""
    row = locked(tx, withdrawal_id, TransferStatus.REVIEWING)
    if row is None:
        raise AssertionError(f"{withdrawal_id} has an open decision and isn't in review")
    return row


def held_until(withdrawal: Record, until: int) -> Update:
    """A locked withdrawal in review that waits until another time."""
    guard = {"version": withdrawal.version}
    return Update(Tables.transfer, {"id": withdrawal.id}, {"review_eta": until}, guard)


def advance(transfer: Record, status: str, now: int, **values: object) -> tuple[Update, Event]:
    """Move a locked transfer to its next status, and tell it."""
    changed = {**values, "status": str(status), "updated": now}
    return (
        next_version(Tables.transfer, transfer, **changed),
        event(Direction(transfer.direction), transfer.id, transfer.trading_account_id, status),
    )


def moved(transfer: Record, status: str, now: int, *rows: Update, **values: object) -> Outcome:
    """The next status of a locked transfer, told and audited, and further ``rows``; ``values`` of
    the transfer."""
    update, told = advance(transfer, status, now, **values)
    audit = (AuditEntry(f"{transfer.direction}.{status}", transfer.id),)
    return Outcome(transfer.id, rows=(*rows, update), events=(told,), audit=audit)


def event(direction: Direction, transfer_id: str, account_id: str, status: str) -> Event:
    told = {"tradingAccountId": account_id, "status": str(status)}
    return Event(f"{direction}.{status}", transfer_id, told)


def show(
    connection: Session,
    organisation_id: str,
    account_id: str,
    transfer_id: str,
    direction: Direction,
) -> Transfer:
    """Raises NotFound, naming the direction as the resource."""
    if plausible(account_id) and plausible(transfer_id):
        connection.ahead(transfers.find, account_id, transfer_id, direction)
    account = accounts.find(connection, organisation_id, account_id)
    reading.checked_id(direction, transfer_id)
    row = transfers.find(connection, account.id, transfer_id, direction)
    return transfers.to_model(reading.require_found(row, direction, transfer_id))


def page(
    connection: Session,
    organisation_id: str,
    account_id: str,
    query: ListQuery,
    direction: Direction,
) -> Page[Transfer]:
    checked = reading.checked_query(query)
    reading.checked_id(accounts.RESOURCE, account_id)
    connection.ahead(transfers.page, account_id, direction, checked, 0)
    account = accounts.find(connection, organisation_id, account_id)
    count = getattr(account, f"{direction}_count")
    found, total = transfers.page(connection, account.id, direction, checked, count)
    return reading.page(found, total, checked)


@reads(operations.ALL_TRANSFERS)
def page_of_all(connection: Session, organisation_id: str, query: ListQuery) -> Page[Transfer]:
    """Raises ValidationFailed for a type that is neither of the two."""
    checked = reading.checked_query(query)
    types = operations.TRANSACTION_TYPES[1:]
    if checked.type is not None and checked.type not in types:
        raise ValidationFailed.of("filter[type]", f"one of {', '.join(types)}")
    found, total = transfers.page_of_all(connection, organisation_id, checked)
    return reading.page(found, total, checked)


reads(operations.DEPOSITS)(partial(page, direction=Direction.DEPOSIT))
reads(operations.DEPOSIT_RECORD)(partial(show, direction=Direction.DEPOSIT))
reads(operations.WITHDRAWALS)(partial(page, direction=Direction.WITHDRAWAL))
reads(operations.WITHDRAWAL_RECORD)(partial(show, direction=Direction.WITHDRAWAL))

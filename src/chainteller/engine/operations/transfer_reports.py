"""What the core bank or a network reports of a transfer that the service has done its part of: it
failed, or was returned. Whoever works on the database records it."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from chainteller.domain.actors import Actor
from chainteller.domain.decisions import MAXIMUM_WORDS
from chainteller.domain.transfers import REPORTED, TRANSITIONS, Direction, TransferStatus
from chainteller.engine.core import reading
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.unit_of_work import UnitOfWork, act
from chainteller.engine.operations import accounts, deposits, payouts
from chainteller.service.errors import Conflict, ValidationFailed
from chainteller.service.models.funding import Transfer
from chainteller.storage.db.query import Record
from chainteller.storage.queries import provider_requests, transfers

RESOURCE = "transfer"
_REFUSED = "BANK_REFUSED"
_EFFECTS: Mapping[tuple[Direction, TransferStatus], Callable[[UnitOfWork, str, str], None]] = {
    (Direction.DEPOSIT, TransferStatus.FAILED): (
        lambda tx, transfer_id, why: deposits.fail(tx, transfer_id, _REFUSED, why)
    ),
    (Direction.DEPOSIT, TransferStatus.RETURNED): deposits.claw_back,
    (Direction.WITHDRAWAL, TransferStatus.FAILED): (
        lambda tx, transfer_id, why: payouts.fail(tx, transfer_id, _REFUSED, why)
    ),
    (Direction.WITHDRAWAL, TransferStatus.RETURNED): payouts.bounce,
}


class Report(NamedTuple):
    """``reason`` is in words that customers may read."""

    transfer_id: str
    status: str
    reason: str


def record(context: EngineContext, actor: Actor, report: Report) -> Transfer:
    """Let a transfer of any organisation end as it was reported; the transfer as it is then.

    Raises:
        NotFound: there is no such transfer.
        ValidationFailed: the status is none that is reported, or the reason none.
        Conflict: a transfer in its status can't end so.
        ServiceUnavailable: the database can't be used.
    """
    ended: list[Transfer] = []

    def work(tx: UnitOfWork) -> None:
        ended[:] = [_record(tx, actor, report)]

    act(context, actor, work)
    return ended[0]


def _record(tx: UnitOfWork, actor: Actor, report: Report) -> Transfer:
    if report.status not in REPORTED:
        raise ValidationFailed.of("status", " or ".join(REPORTED))
    reason = reading.words("reason", report.reason, MAXIMUM_WORDS)
    status = next(each for each in REPORTED if each == report.status)
    seen = _found(tx, report.transfer_id)
    accounts.locked_by_id(tx, seen.trading_account_id)
    row = _found(tx, report.transfer_id)
    tx.actor = Actor(row.organisation_id, actor.name)
    tx.audited_account = row.trading_account_id
    direction = Direction(row.direction)
    is_to_wallet = status is TransferStatus.RETURNED and row.counterparty_id is not None
    if status not in TRANSITIONS[direction][row.status] or is_to_wallet:
        told = f"The {direction} is {row.status}, and can't be {status} from there."
        raise Conflict.over(RESOURCE, row.id, "NOT_POSSIBLE", told, "Look at the transfer again.")
    if provider_requests.is_under_way(tx.connection, row.id):
        told = f"The {direction} is at the core bank or custody, whose answer is waited for."
        todo = "Wait for the answer, or decide about it if there is a decision."
        raise Conflict.over(RESOURCE, row.id, "UNDER_WAY", told, todo)
    _EFFECTS[direction, status](tx, row.id, reason)
    return transfers.to_model(_found(tx, row.id))


def _found(tx: UnitOfWork, transfer_id: str) -> Record:
    """Raises NotFound."""
    reading.checked_id(RESOURCE, transfer_id)
    found = transfers.find_any(tx.connection, transfer_id)
    return reading.require_found(found, RESOURCE, transfer_id)

"""What due work other systems of the bank carry out; loaded by whatever finds some due."""

from collections.abc import Mapping

from chainteller.domain.outside import Step
from chainteller.engine.core.breaches import UNREADABLE
from chainteller.engine.core.context import EngineContext
from chainteller.engine.operations import deposits, trades, transfers
from chainteller.storage.db.query import Record, Session
from chainteller.storage.queries import provider_requests as rows
from chainteller.storage.queries import transfers as transfer_rows

KINDS: Mapping[Step, str] = {
    Step.DEBIT: deposits.COMPLETE,
    Step.CREDIT: transfers.SEND,
    Step.TRANSFER: transfers.SEND,
    Step.ORDER: trades.FILL,
}


def step_of(
    context: EngineContext, connection: Session, job: Record, organisation_id: str
) -> Step | None:
    """What a piece of due work asks another system for; None where this program does it, which also
    refuses a withdrawal that can't be read.

    What another system was ever asked for is never done here: a program with other settings must
    not pay or book what only that system can.
    """
    steps = [each for each, kind in KINDS.items() if kind == job.kind]
    if not steps or not _is_outside(context, connection, organisation_id, steps):
        return None
    if job.kind == transfers.SEND:
        try:
            row = transfer_rows.find_any(connection, job.reference)
        except UNREADABLE:
            return None
        is_to_bank = row is None or row.counterparty_id is None
        steps = [Step.CREDIT if is_to_bank else Step.TRANSFER]
    return steps[0] if _is_outside(context, connection, organisation_id, steps) else None


def _is_outside(
    context: EngineContext, connection: Session, organisation_id: str, steps: list[Step]
) -> bool:
    if any(context.ports.of(each.part) is not None for each in steps):
        return True
    return rows.was_asked(connection, organisation_id, steps)

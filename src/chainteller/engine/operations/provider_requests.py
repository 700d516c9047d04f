"""Requests to a gateway's provider, or to another system of the bank, as records: sent, answered,
and decided about by people."""

from chainteller.domain.decisions import DecisionKind, ReviewLine
from chainteller.domain.provider_requests import RequestStatus
from chainteller.domain.transfers import Direction, TransferStatus
from chainteller.engine.core import outcome
from chainteller.engine.core.outcome import AuditEntry, Insert, Moment, Outcome, Update
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.engine.operations import decision_records, transfers
from chainteller.engine.operations.logged_rows import require_as_logged
from chainteller.engine.operations.trades import DROPPED
from chainteller.storage.db.query import Record, Session
from chainteller.storage.db.records import Tables
from chainteller.storage.log.last_writes import Kept
from chainteller.storage.queries import decisions, jobs
from chainteller.storage.queries import provider_requests as rows
from chainteller.storage.queries import transfers as transfer_rows

SETTLE = "provider.settle"
"""The work of looking for the outcome of a request that got no answer."""
GATEWAY = "gateway"
"""Who opens decisions about requests to the provider."""
NOT_DONE = "NOT_CARRIED_OUT"
NOT_DONE_TEXT = "The provider did not carry it out."


def require_request_as_logged(connection: Session, request: Record) -> None:
    """As ``require_as_logged``, of a request that may be sent again, and of the decision about it:
    where that ended it, the entry is about the decision."""
    of, account_id = request.organisation_id, request.trading_account_id or ""
    decision = decisions.newest(connection, of, request.id)
    about = () if decision is None else (Kept(Tables.decision, decision.id),)
    kept = (Kept(Tables.provider_request, request.id), *about)
    require_as_logged(connection, of, kept, account_id)


def locked(tx: UnitOfWork, request_id: str) -> Record:
    """The request, locked: ids come from our own rows."""
    row = rows.find(tx.connection, request_id, lock=True)
    if row is None:
        raise AssertionError(f"{request_id} vanished")
    return row


def decide_new(
    tx: UnitOfWork,
    request_id: str,
    account_id: str | None,
    status: RequestStatus,
    **values: object,
) -> Outcome:
    """A new request; ``values`` are its operation, key, fingerprint and call, and what else it has
    already."""
    row = {
        "id": request_id,
        "organisation_id": tx.organisation_id,
        "actor": tx.name,
        "case_id": "",
        "trading_account_id": account_id,
        "status": status.value,
        "created": tx.now,
        "updated": tx.now,
        **dict.fromkeys(("before", "after", "answer")),
        "version": 1,
        **values,
    }
    return Outcome(request_id, rows=(Insert(Tables.provider_request, (row,)),))


def changed(request: Record, status: RequestStatus, now: int, **values: object) -> Update:
    """The next status of a locked request."""
    version = request.version
    made = {"status": status.value, "updated": now, "version": version + 1, **values}
    guard = {"version": version}
    return Update(Tables.provider_request, {"id": request.id}, made, guard, before=request)


def wait(tx: UnitOfWork, request: Record, due: int, **values: object) -> None:
    """Look for the outcome of a locked request again at ``due``. When it was sent stays."""
    update = changed(request, RequestStatus.SENDING, tx.now, **values, due=due)
    kept = update._replace(values={**update.values, "updated": request.updated})
    outcome.apply(tx, Outcome(request.id, rows=(kept,)))
    jobs.postpone(tx.rows, SETTLE, request.id, due)


def drop(tx: UnitOfWork, request_id: str) -> bool:
    """Due work on a request that has its outcome; that there was some."""
    jobs.remove(tx.rows, SETTLE, request_id)
    tx.audit(DROPPED, request_id, {"kind": SETTLE})
    return True


def decide_unknown(
    request: Record, reason: str, words: str, moment: Moment, by: str, /, **values: object
) -> Outcome:
    """Nothing says what became of a request: a person decides, with ``words`` as evidence. ``by``
    names who was asked."""
    opened = decision_records.opened(
        moment,
        DecisionKind.UNANSWERED,
        request.id,
        reason,
        by,
        account_id=request.trading_account_id,
        words=words,
    )
    update = changed(request, RequestStatus.UNKNOWN, moment.now, **{"due": None, **values})
    return Outcome(request.id, rows=(update,)).joined(opened)


def decide_wait(
    request_id: str, line: ReviewLine, account_id: str | None, moment: Moment
) -> Outcome:
    """A link waits for a person as a line of the policy says."""
    return decision_records.opened(
        moment,
        DecisionKind.LINK,
        request_id,
        line.condition.code,
        decision_records.POLICY,
        account_id=account_id,
        due=moment.now + line.within,
        at_deadline=line.then,
    )


def decide_link(request: Record, now: int, *, approved: bool) -> Outcome:
    """Whoever asked may repeat a link that is approved."""
    status = RequestStatus.APPROVED if approved else RequestStatus.DECLINED
    return Outcome(request.id, rows=(changed(request, status, now),))


def decide_fate(tx: UnitOfWork, request: Record, *, is_done: bool) -> Outcome:
    """A person says whether the provider carried out a request."""
    status = RequestStatus.DONE if is_done else RequestStatus.NOT_DONE
    decided = Outcome(request.id, rows=(changed(request, status, tx.now),))
    transfer = transfer_rows.find_any(tx.connection, request.id, lock=True)
    if transfer is None or transfer.status != TransferStatus.UNKNOWN:
        return decided
    return decided.joined(settled(transfer, tx.now, is_done=is_done))


def settled(transfer: Record, now: int, *, is_done: bool) -> Outcome:
    """The end of not knowing what became of a locked transfer; what it held is free again."""
    failure = {} if is_done else {"failure_code": NOT_DONE, "failure_message": NOT_DONE_TEXT}
    status = TransferStatus.ACCEPTED if is_done else TransferStatus.FAILED
    return moved(transfer, status, now, **failure)


def moved(transfer: Record, status: str, now: int, **values: object) -> Outcome:
    """A locked transfer in the status that its provider's answer gives it."""
    changed_values = {
        **values, "status": str(status), "updated": now, "version": transfer.version + 1
    }  # fmt: skip
    guard = {"version": transfer.version}
    direction, account_id = Direction(transfer.direction), transfer.trading_account_id
    return Outcome(
        transfer.id,
        rows=(
            Update(Tables.transfer, {"id": transfer.id}, changed_values, guard, before=transfer),
        ),
        events=(transfers.event(direction, transfer.id, account_id, str(status)),),
        audit=(AuditEntry(f"{direction}.{status}", transfer.id),),
    )

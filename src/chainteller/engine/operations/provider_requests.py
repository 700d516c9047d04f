"""Requests to a gateway's provider, or to another system of the bank, as records: sent, answered,
and decided about by people."""

import json

from chainteller.domain.decisions import DecisionKind, ReviewLine
from chainteller.domain.provider_requests import RequestStatus
from chainteller.domain.transfers import TransferStatus
from chainteller.engine.core import outcome
from chainteller.engine.core.outcome import (
    AuditEntry,
    Insert,
    Moment,
    Outcome,
    Update,
    next_version,
)
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.engine.operations import decision_records, logged_rows, transfers
from chainteller.engine.operations.trades import DROPPED
from chainteller.service import operations
from chainteller.storage.db.query import Record
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


def require_request_as_logged(tx: UnitOfWork, request: Record) -> None:
    """As ``require_as_logged``, of a request that may be sent again, and of the decision about it:
    where that ended it, the entry is about the decision."""
    decision = decisions.newest(tx.connection, request.organisation_id, request.id)
    about = () if decision is None else (Kept(Tables.decision, decision.id),)
    kept = (Kept(Tables.provider_request, request.id), *about)
    logged_rows.require_as_logged(tx, kept, request.trading_account_id)


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
        "version": 1,
        **values,
    }
    return Outcome(request_id, rows=(Insert(Tables.provider_request, (row,)),))


def changed(request: Record, status: RequestStatus, now: int, **values: object) -> Update:
    """The next status of a locked request."""
    made = {"status": status.value, "updated": now, **values}
    return next_version(Tables.provider_request, request, **made)


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
        to_role=line.to,
    )


def decide_link(request: Record, now: int, *, approved: bool) -> Outcome:
    """Whoever asked may repeat a link that is approved."""
    status = RequestStatus.APPROVED if approved else RequestStatus.DECLINED
    return Outcome(request.id, rows=(changed(request, status, now),))


def decide_done(request: Record, now: int, **values: object) -> Outcome:
    """The provider has carried out a request. The log says of each wallet by whom it was linked:
    rows alone could be removed to hide another customer's link."""
    done = Outcome(request.id, rows=(changed(request, RequestStatus.DONE, now, **values),))
    if request.operation != operations.LINK_COUNTERPARTY.name:
        return done
    told = {"blockchainAccountId": json.loads(request.call)["ids"][0]}
    return done._replace(audit=(AuditEntry(logged_rows.WALLET_LINKED, request.subject, told),))


def decide_fate(tx: UnitOfWork, request: Record, *, is_done: bool) -> Outcome:
    """A person says whether the provider carried out a request, also against a late answer."""
    if is_done:
        decided = decide_done(request, tx.now)
    else:
        not_done = changed(request, RequestStatus.NOT_DONE, tx.now)
        decided = Outcome(request.id, rows=(not_done,))
    transfer = transfer_rows.find_any(tx.connection, request.id, lock=True)
    if transfer is None:
        return decided
    is_open = transfer.status == TransferStatus.UNKNOWN
    is_denied = not is_done and transfer.status != TransferStatus.FAILED
    if not (is_open or is_denied):
        return decided
    return decided.joined(settled(transfer, tx.now, is_done=is_done))


def settled(transfer: Record, now: int, *, is_done: bool) -> Outcome:
    """The end of not knowing what became of a locked transfer; what it held is free again."""
    failure = {} if is_done else {"failure_code": NOT_DONE, "failure_message": NOT_DONE_TEXT}
    status = TransferStatus.ACCEPTED if is_done else TransferStatus.FAILED
    return transfers.moved(transfer, status, now, **failure)

"""Due work on withdrawals: review, sending and confirmation, and how they may fail."""

from chainteller.domain.actors import WORKER
from chainteller.domain.assets import ASSETS_BY_KEY
from chainteller.domain.decisions import (
    LAPSED_TEXT,
    REFUSED_REVIEW,
    UNCONFIRMED_HELD,
    UNVERIFIED_HELD,
    AtDeadline,
    DecisionStatus,
)
from chainteller.domain.ledger import (
    Journal,
    bank_withdrawal_returned,
    bank_withdrawal_sent,
    release,
    wallet_withdrawal_confirmed,
    wallet_withdrawal_failed,
    wallet_withdrawal_sent,
)
from chainteller.domain.money import Amount
from chainteller.domain.transfers import Direction, TransferStatus
from chainteller.engine.core import outcome
from chainteller.engine.core.outcome import AuditEntry, Job, Moment, Outcome, Update
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.engine.operations import (
    accounts,
    decision_records,
    logged_rows,
    payout_checks,
    transfers,
)
from chainteller.engine.operations.payout_checks import Hold, Refused
from chainteller.storage.db.query import Record
from chainteller.storage.db.records import Tables
from chainteller.storage.queries import decisions, trades

UNCONFIRMED = "No chain confirmed in time that the wallet's verification stands."
"""What a withdrawal says that failed because its wallet's contract wasn't asked in time."""


def end_review(tx: UnitOfWork, withdrawal_id: str) -> None:
    """The end of the time that a withdrawal is held: it passes, or is refused if its wallet's
    contract didn't answer, or what its decision says is done.

    Raises:
        AssertionError: it waits for a person, and its decision is missing.
    """
    row = transfers.locked(tx, withdrawal_id, TransferStatus.REVIEWING)
    if row is None:
        return
    decision = decisions.find_open(tx.connection, tx.organisation_id, row.id, lock=True)
    moment = outcome.moment(tx)
    if decision is not None and decision.at_deadline == AtDeadline.ESCALATE:
        outcome.apply(tx, decide_escalation(row, decision, moment))
    elif decision is not None:
        outcome.apply(tx, decide_lapse(row, decision, moment))
    elif row.review_reason == UNVERIFIED_HELD:
        outcome.apply(tx, decide_passed_review(row, moment))
    elif row.review_reason == UNCONFIRMED_HELD:
        outcome.apply(tx, decide_rejection(row, row.review_reason, UNCONFIRMED, moment.now))
    else:
        raise AssertionError(f"the decision about {row.id} vanished")


def decide_escalation(withdrawal: Record, decision: Record, moment: Moment) -> Outcome:
    """Nobody has decided by the first deadline: a role decides until the second one."""
    escalated = decision_records.escalated(decision, moment.now)
    due = escalated.record(Tables.decision, decision).due
    waits = transfers.held_until(withdrawal, due)
    return escalated._replace(
        rows=(*escalated.rows, waits), jobs=(Job(transfers.REVIEW, withdrawal.id, due),)
    )


def decide_lapse(withdrawal: Record, decision: Record, moment: Moment) -> Outcome:
    """Nobody has decided by the deadline: what the policy says then is done."""
    if decision.at_deadline == AtDeadline.APPROVE:
        decided, status = decide_passed_review(withdrawal, moment), DecisionStatus.APPROVED
    else:
        decided = decide_rejection(withdrawal, REFUSED_REVIEW, LAPSED_TEXT, moment.now)
        status = DecisionStatus.LAPSED
    return decided.joined(decision_records.ended(decision, status, WORKER.name, moment.now))


def decide_passed_review(withdrawal: Record, moment: Moment) -> Outcome:
    send_at = moment.after(moment.options.withdrawal_delay_s)
    moved = transfers.moved(withdrawal, TransferStatus.PROCESSING, moment.now)
    return moved._replace(jobs=(Job(transfers.SEND, withdrawal.id, send_at),))


def decide_rejection(withdrawal: Record, code: str, message: str, now: int) -> Outcome:
    failure = {"failure_code": code, "failure_message": message}
    moved = transfers.moved(withdrawal, TransferStatus.REJECTED, now, **failure)
    return moved._replace(journals=(_release(withdrawal),))


def send(tx: UnitOfWork, withdrawal_id: str) -> None:
    """``processing`` to ``sent``: the money has left the trading account.

    A withdrawal that contradicts its hold, its account or its wallet's claim fails instead, and
    so does one whose wallet isn't verified any more. Its hold is released, as the ledger has it.
    """
    row = sendable(tx, withdrawal_id)
    if row is not None:
        to_wallet = row.counterparty_id is not None
        network_hash = "0x" + tx.context.randomness.bytes(32).hex() if to_wallet else None
        outcome.apply(tx, decide_sending(row, network_hash, outcome.moment(tx)))


def sendable(tx: UnitOfWork, withdrawal_id: str) -> Record | None:
    """A withdrawal that may be sent now, locked; one that may not fails, as ``send`` says.

    Raises:
        Altered: a log was altered, or doesn't go on from its kept head; nothing is decided by it.
        ServiceUnavailable: HEADS_NOT_KEPT or LOG_UNREAD.
    """
    due = payout_checks.locked(tx, withdrawal_id)
    if due is None:
        return None
    row, hold = due.withdrawal, due.hold
    refused = payout_checks.refused(tx, due, logged_rows.followed(tx))
    if refused is None:
        return row
    if row is not None and hold is not None:
        outcome.apply(tx, decide_refusal(row, hold, refused, tx.now))
    outcome.apply(tx, payout_checks.alarm(withdrawal_id, due, refused))
    return None


def decide_refusal(withdrawal: Record, held: Hold, refused: Refused, now: int) -> Outcome:
    """Fail a withdrawal that isn't sent, whatever its own row says it holds, and whose it is: the
    log that has its hold has its end."""
    values = {
        "organisation_id": held.organisation_id,
        "status": TransferStatus.FAILED.value,
        "failure_code": refused.code,
        "failure_message": refused.message,
        "updated": now,
        "version": withdrawal.version + 1,
    }
    direction, status = Direction.WITHDRAWAL, TransferStatus.FAILED
    return Outcome(
        withdrawal.id,
        rows=(Update(Tables.transfer, {"id": withdrawal.id}, values),),
        journals=(release(held.account_id, withdrawal.id, held.parts),),
        events=(transfers.event(direction, withdrawal.id, held.account_id, status),),
        audit=(AuditEntry(f"withdrawal.{status}", withdrawal.id),),
    )


def decide_sending(withdrawal: Record, network_hash: str | None, moment: Moment) -> Outcome:
    """``network_hash`` is that of the network's transaction, None for a payment to the bank."""
    account_id, parts = withdrawal.trading_account_id, trades.hold_parts(withdrawal.hold)
    if withdrawal.counterparty_id is None:
        journal = bank_withdrawal_sent(account_id, withdrawal.id, parts)
    else:
        journal = wallet_withdrawal_sent(
            account_id, withdrawal.id, _amount(withdrawal), withdrawal.fee
        )
    confirm_at = moment.after(moment.options.withdrawal_delay_s)
    moved = transfers.moved(
        withdrawal, TransferStatus.SENT, moment.now, network_tx_hash=network_hash
    )
    job = Job(transfers.COMPLETE, withdrawal.id, confirm_at)
    return moved._replace(journals=(journal,), jobs=(job,))


def complete(tx: UnitOfWork, withdrawal_id: str) -> None:
    """``sent`` to ``completed``: the bank credited it, or the chain confirmed it."""
    row = transfers.locked(tx, withdrawal_id, TransferStatus.SENT)
    if row is not None:
        outcome.apply(tx, decide_completion(row, bank_account(tx, row), tx.now))


def decide_completion(withdrawal: Record, bank_account: Record | None, now: int) -> Outcome:
    """``bank_account`` is what a payment to the bank is credited to, None for a wallet's."""
    if bank_account is None:
        moved = transfers.moved(withdrawal, TransferStatus.COMPLETED, now, completed_at=now)
        confirmed = wallet_withdrawal_confirmed(withdrawal.id, _amount(withdrawal))
        return moved._replace(journals=(confirmed,))
    credit = accounts.credit(bank_account, withdrawal.notional_cents)
    return transfers.moved(withdrawal, TransferStatus.COMPLETED, now, credit, completed_at=now)


def fail(tx: UnitOfWork, withdrawal_id: str, code: str, message: str) -> None:
    """The bank or the chain refuses: before sending the hold is released, after it reversed."""
    row = transfers.locked(tx, withdrawal_id, TransferStatus.PROCESSING, TransferStatus.SENT)
    if row is not None:
        outcome.apply(tx, decide_failure(row, code, message, tx.now))


def decide_failure(withdrawal: Record, code: str, message: str, now: int) -> Outcome:
    if withdrawal.status != TransferStatus.SENT:
        journal = _release(withdrawal)
    elif withdrawal.counterparty_id is None:
        journal = _returned(withdrawal)
    else:
        journal = wallet_withdrawal_failed(
            withdrawal.trading_account_id, withdrawal.id, _amount(withdrawal)
        )
    failure = {"failure_code": code, "failure_message": message}
    moved = transfers.moved(withdrawal, TransferStatus.FAILED, now, **failure)
    return moved._replace(journals=(journal,))


def bounce(tx: UnitOfWork, withdrawal_id: str, reason: str) -> None:
    """``completed`` to ``returned``: the bank sends a payment back."""
    row = transfers.locked(tx, withdrawal_id, TransferStatus.COMPLETED)
    credited = None if row is None else bank_account(tx, row)
    if row is not None and credited is not None:
        outcome.apply(tx, decide_bounce(row, credited, reason, tx.now))


def decide_bounce(withdrawal: Record, bank_account: Record, reason: str, now: int) -> Outcome:
    """The core takes its credit back even where the customer has spent it: it is the bank's own
    book, so the bank account may be overdrawn, while no sub-balance of a trading account may.
    """
    debit = accounts.credit(bank_account, -withdrawal.notional_cents)
    failure = {"failure_code": "RETURNED", "failure_message": reason}
    moved = transfers.moved(withdrawal, TransferStatus.RETURNED, now, debit, **failure)
    return moved._replace(journals=(_returned(withdrawal),))


def bank_account(tx: UnitOfWork, withdrawal: Record) -> Record | None:
    """The bank account that a withdrawal went to, locked; None where it went to a wallet."""
    if withdrawal.counterparty_id is not None:
        return None
    return accounts.locked_bank_account(tx, withdrawal.bank_account_id)


def _release(withdrawal: Record) -> Journal:
    parts = trades.hold_parts(withdrawal.hold)
    return release(withdrawal.trading_account_id, withdrawal.id, parts)


def _returned(withdrawal: Record) -> Journal:
    parts = trades.hold_parts(withdrawal.hold)
    return bank_withdrawal_returned(withdrawal.trading_account_id, withdrawal.id, parts)


def _amount(row: Record) -> Amount:
    return Amount(row.amount, ASSETS_BY_KEY[row.asset])

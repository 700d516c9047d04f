"""What another system of the bank is asked to carry out: the request's record, and what its answer
does to the deposit, withdrawal or trade that it's for.

The request has the id of that record. It's committed before it's sent, and nothing is booked before
it's answered: what a withdrawal or a trade holds stays held meanwhile.
"""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import NamedTuple

from chainteller.domain.actors import WORKER, Actor
from chainteller.domain.assets import ASSETS_BY_KEY, MARKETS_BY_NAME
from chainteller.domain.clock import MINUTE, SECOND, format_instant
from chainteller.domain.money import format_atoms, format_cents
from chainteller.domain.outside import Answer, State, Step, key_of
from chainteller.domain.provider_requests import RequestStatus
from chainteller.domain.trades import Rejection, TradeStatus
from chainteller.domain.transfers import TransferStatus
from chainteller.engine.core import ledger, outcome
from chainteller.engine.core.outcome import AuditEntry, Job, Outcome, Row
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.engine.operations import (
    accounts,
    deposits,
    logged_rows,
    payouts,
    provider_requests,
    settlement,
    trades,
    transfers,
)
from chainteller.engine.operations.outside_steps import KINDS
from chainteller.engine.operations.provider_requests import NOT_DONE, SETTLE, changed
from chainteller.storage.db.query import Record
from chainteller.storage.db.records import Tables
from chainteller.storage.log.last_writes import Kept
from chainteller.storage.queries import jobs
from chainteller.storage.queries import provider_requests as rows
from chainteller.storage.queries import transfers as transfer_rows

_TRY_AGAIN = 15 * SECOND
"""When what certainly wasn't carried out is sent again at first."""
_LONGEST_PAUSE = 2 * MINUTE
_S = TransferStatus


class Asked(NamedTuple):
    """What a record asks another system for."""

    step: Step
    body: Mapping[str, str]


# -- before it's sent -----------------------------------------------------------------------------


def begin(tx: UnitOfWork, kind: str, record_id: str) -> Record | None:
    """Note that a record's request is about to be sent, once everything allows it; None where there
    is nothing to send, or another worker sends it. Raises Altered."""
    jobs.remove(tx.rows, kind, record_id)
    asked, account_id = _ASKS[kind](tx, record_id)
    if rows.is_under_way(tx.connection, record_id):
        return None
    if asked is None or account_id is None:
        if not tx.is_told:
            tx.audit(trades.DROPPED, record_id, {"kind": kind})
        return None
    table = Tables.trade if asked.step is Step.ORDER else Tables.transfer
    kept = (Kept(table, record_id), Kept(Tables.trading_account, account_id))
    logged_rows.require_as_logged(tx, kept, account_id)
    due = tx.after(tx.context.options.settle_after_s)
    decided = _request(tx, record_id, asked, account_id, due)
    step = f"{asked.step.part.name.lower()}.{asked.step}"
    sent = AuditEntry(f"{step}.sent", record_id, dict(asked.body))
    tx.audited_account = account_id
    outcome.apply(tx, decided._replace(jobs=(Job(SETTLE, record_id, due),), audit=(sent,)))
    return provider_requests.locked(tx, record_id)


def _request(tx: UnitOfWork, record_id: str, asked: Asked, account_id: str, due: int) -> Outcome:
    earlier = rows.find(tx.connection, record_id, lock=True)
    if earlier is not None:
        provider_requests.require_request_as_logged(tx, earlier)
        update = changed(earlier, RequestStatus.SENDING, tx.now, due=due, answer=None)
        return Outcome(record_id, rows=(update,))
    call = json.dumps(asked.body, sort_keys=True)
    return provider_requests.decide_new(
        tx,
        record_id,
        account_id,
        RequestStatus.SENDING,
        operation=asked.step.value,
        key=key_of(record_id, asked.step),
        fingerprint=sha256(call.encode()).hexdigest(),
        call=call,
        due=due,
        subject=record_id,
    )


def _ask_for_deposit(tx: UnitOfWork, deposit_id: str) -> tuple[Asked | None, str | None]:
    row = transfers.locked(tx, deposit_id, _S.PROCESSING)
    if row is None:
        return None, None
    return _payment(Step.DEBIT, row), row.trading_account_id


def _ask_for_withdrawal(tx: UnitOfWork, withdrawal_id: str) -> tuple[Asked | None, str | None]:
    row = payouts.sendable(tx, withdrawal_id)
    if row is None:
        return None, None
    if row.counterparty_id is None:
        return _payment(Step.CREDIT, row), row.trading_account_id
    asset = ASSETS_BY_KEY[row.asset]
    body = {
        "network": asset.network,
        "symbol": asset.symbol,
        "amount": format_atoms(row.amount, asset),
        "address": row.address,
    }
    return Asked(Step.TRANSFER, body), row.trading_account_id


def _payment(step: Step, row: Record) -> Asked:
    amount = format_cents(row.notional_cents)
    return Asked(step, {"bankAccountId": row.bank_account_id, "amount": amount, "currency": "USD"})


def _ask_for_trade(tx: UnitOfWork, trade_id: str) -> tuple[Asked | None, str | None]:
    locked = settlement.fillable(tx, trade_id)
    if locked is None:
        return None, None
    _, trade = locked
    body = {
        "market": trade.market,
        "side": trade.side,
        "amount": format_atoms(trade.amount, MARKETS_BY_NAME[trade.market].base),
        "usd": format_cents(trade.provider_cents),
    }
    return Asked(Step.ORDER, body), trade.trading_account_id


_ASKS = {
    deposits.COMPLETE: _ask_for_deposit,
    transfers.SEND: _ask_for_withdrawal,
    trades.FILL: _ask_for_trade,
}


# -- what became of it ----------------------------------------------------------------------------


def sent_before(tx: UnitOfWork, request_id: str) -> Record | None:
    """A request without an outcome, locked; None where it has one. Raises Altered."""
    row = _locked(tx, request_id)
    if row.status != RequestStatus.SENDING:
        return None
    provider_requests.require_request_as_logged(tx, row)
    return row


def put_back(tx: UnitOfWork, request_id: str, why: str) -> None:
    """It certainly wasn't carried out: its record is as before, and is tried again soon."""
    row = _locked(tx, request_id)
    if row.status != RequestStatus.SENDING:
        return
    said = json.dumps({"reason": why})
    update = changed(row, RequestStatus.NOT_DONE, tx.now, due=None, answer=said)
    pause = min(_LONGEST_PAUSE, max(_TRY_AGAIN, (tx.now - row.created) // 4))
    kind, due = KINDS[Step(row.operation)], tx.now + pause
    jobs.remove(tx.rows, SETTLE, row.id)
    told = {"kind": kind, "dueAt": format_instant(due), "reason": why}
    audit = (AuditEntry(trades.PUT_BACK, row.id, told),)
    outcome.apply(tx, Outcome(row.id, rows=(update,), jobs=(Job(kind, row.id, due),), audit=audit))


def look_again(tx: UnitOfWork, request_id: str) -> None:
    """Ask again what became of it: soon at first, then once a minute."""
    row = _locked(tx, request_id)
    if row.status == RequestStatus.SENDING:
        _wait(tx, row, {})


def _wait(tx: UnitOfWork, row: Record, values: Row) -> None:
    due = tx.now + min(MINUTE, max(SECOND, (tx.now - row.updated) // 2))
    provider_requests.wait(tx, row, due, **values)


def answered(tx: UnitOfWork, request_id: str, answer: Answer) -> None:
    """Commit what a system answered, with what follows from it."""
    row = _locked(tx, request_id)
    if row.status != RequestStatus.SENDING:
        return
    said = json.dumps({"status": answer.state, "hash": answer.hash, "code": answer.code or None})
    if row.answer is None or answer.state is not State.PENDING:
        apply(tx, row, answer)
    if answer.state is State.PENDING:
        _wait(tx, row, {"answer": said})
        return
    done = answer.state is State.DONE
    status = RequestStatus.DONE if done else RequestStatus.REFUSED
    outcome.apply(tx, Outcome(row.id, rows=(changed(row, status, tx.now, answer=said, due=None),)))
    jobs.remove(tx.rows, SETTLE, row.id)


def make_unknown(tx: UnitOfWork, request_id: str, reason: str, why: str) -> None:
    """Nothing says what became of it: a person decides, and it's never sent again."""
    row = _locked(tx, request_id)
    if row.status != RequestStatus.SENDING:
        return
    part = Step(row.operation).part
    words = f"Sent to the {part} at {format_instant(row.updated)} with the key {row.key}: {why}."
    moment = outcome.moment(tx)
    decided = provider_requests.decide_unknown(row, reason, words, moment, str(part))
    transfer = transfer_rows.find_any(tx.connection, row.id, lock=True)
    if transfer is not None and transfer.status == _S.PROCESSING:
        moved = transfers.moved(transfer, _S.UNKNOWN, tx.now)
        decided = decided.joined(moved)
    outcome.apply(tx, decided)
    jobs.remove(tx.rows, SETTLE, row.id)
    tx.audit(f"{row.operation}.unknown", row.id, {"reason": reason})


def decide_fate(tx: UnitOfWork, request: Record, *, is_done: bool) -> Outcome:
    """A person says whether a system carried out a request; what follows is applied."""
    said = Answer(State.REFUSED, code=NOT_DONE, message="It was not carried out.")
    apply(tx, request, Answer(State.DONE) if is_done else said)
    status = RequestStatus.DONE if is_done else RequestStatus.NOT_DONE
    return Outcome(request.id, rows=(changed(request, status, tx.now),))


def apply(tx: UnitOfWork, request: Record, answer: Answer) -> None:
    """Book what a system says of a request on the record that it's for. Raises Altered."""
    rows = [Kept(Tables.provider_request, request.id)]
    if request.operation != Step.ORDER:
        rows.append(Kept(Tables.transfer, request.id))
    logged_rows.require_as_logged(tx, tuple(rows), request.trading_account_id)
    if request.operation == Step.ORDER:
        _apply_to_trade(tx, request.id, answer)
    elif request.operation == Step.DEBIT:
        _apply_to_deposit(tx, request.id, answer)
    else:
        _apply_to_withdrawal(tx, request.id, answer)


def _apply_to_trade(tx: UnitOfWork, trade_id: str, answer: Answer) -> None:
    locked = settlement.locked(tx, trade_id, TradeStatus.PROCESSING)
    if locked is None or answer.state is State.PENDING:
        return
    account, trade = locked
    if answer.state is State.DONE:
        outcome.apply(tx, settlement.decide_fill(account, trade, outcome.moment(tx)))
    else:
        rejection = Rejection(answer.code, answer.message)
        outcome.apply(tx, settlement.decide_failure(trade, rejection, tx.now))


def _apply_to_deposit(tx: UnitOfWork, deposit_id: str, answer: Answer) -> None:
    row = transfers.locked(tx, deposit_id, _S.PROCESSING, _S.UNKNOWN)
    if row is None or answer.state is State.PENDING:
        return
    if answer.state is State.DONE:
        ledger.lock_balances(tx, row.trading_account_id)
        owed = ledger.owed_cents(tx, row.trading_account_id)
        outcome.apply(tx, deposits.decide_completion(row, owed, tx.now))
    else:
        bank_account = accounts.locked_bank_account(tx, row.bank_account_id)
        code, message = answer.code, answer.message
        outcome.apply(tx, deposits.decide_failure(row, bank_account, code, message, tx.now))


def _apply_to_withdrawal(tx: UnitOfWork, withdrawal_id: str, answer: Answer) -> None:
    row = transfers.locked(tx, withdrawal_id, _S.PROCESSING, _S.UNKNOWN, _S.SENT)
    if row is None:
        return
    if answer.state is State.REFUSED:
        outcome.apply(tx, payouts.decide_failure(row, answer.code, answer.message, tx.now))
        return
    if row.status != _S.SENT:
        sent = payouts.decide_sending(row, answer.hash, outcome.moment(tx))._replace(jobs=())
        outcome.apply(tx, sent)
        row = sent.record(Tables.transfer, row)
    if answer.state is State.DONE:
        outcome.apply(tx, payouts.decide_completion(row, payouts.bank_account(tx, row), tx.now))


def is_about(request: Record) -> bool:
    """Whether a request is to another system of the bank, and not to a gateway's provider."""
    return request.operation in set(Step)


def _locked(tx: UnitOfWork, request_id: str) -> Record:
    """The request, locked after its account."""
    seen = rows.find(tx.connection, request_id)
    if seen is None or seen.trading_account_id is None:
        raise AssertionError(f"{request_id} vanished")
    tx.actor = Actor(seen.organisation_id, WORKER.name)
    accounts.locked_by_id(tx, seen.trading_account_id)
    return provider_requests.locked(tx, request_id)

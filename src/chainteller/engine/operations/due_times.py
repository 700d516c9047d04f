"""When the work on a record may be done, as the record itself says.

A job's ``run_at`` only says when work is tried next, and nothing seals it. What decides is the
record: a review has its end, anything else counts from the record's last step and the delay of the
settings in force.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from chainteller.domain.challenges import ChallengeStatus
from chainteller.domain.clock import SECOND
from chainteller.domain.decisions import ENDED, NEVER, DecisionKind, DecisionStatus
from chainteller.domain.provider_requests import RequestStatus
from chainteller.domain.second_method import WATCH
from chainteller.domain.timekeeping import stamped
from chainteller.domain.trades import TradeStatus
from chainteller.domain.transfers import TIMED, Direction, TransferStatus
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.engine.operations import (
    decision_records,
    deposits,
    provider_requests,
    trades,
    transfers,
)
from chainteller.storage.db.query import Query, Record, Session, row_of
from chainteller.storage.db.records import Tables
from chainteller.storage.db.table import Table
from chainteller.storage.queries.provider_requests import IS_HERE, IS_OWN


class Work(NamedTuple):
    """Work of one kind.

    Records of ``table`` (and ``direction``) wait for it in ``statuses``. It's due at the instant in
    the column ``at``, or after it by the delay of the settings that ``delay`` names
    (``domain.rules.DELAYS``; empty for none). In ``ended``, a record doesn't need it any more: the
    job that is left is dropped when it's due. Only rows that fulfil ``only`` wait, if it's given.
    ``step`` is the function of ``engine.operations`` that does it, empty where no transaction does;
    a command imports those of the kinds that are due: payouts check wallets, and import every
    family of them.
    """

    table: Table
    statuses: Collection[str]
    at: str
    delay: str | None
    ended: Collection[str] = ()
    direction: Direction | None = None
    only: str = ""
    step: str = ""


_S = TransferStatus
WORK: Mapping[str, Work] = {
    trades.FILL: Work(
        Tables.trade,
        (TradeStatus.PROCESSING,),
        "created",
        "fill",
        frozenset({TradeStatus.CANCELLED}),
        only=IS_HERE,
        step="settlement.fill",
    ),
    trades.SETTLE: Work(
        Tables.trade,
        (TradeStatus.EXECUTED,),
        "executed_at",
        "settle",
        only=IS_OWN,
        step="settlement.settle",
    ),
    deposits.COMPLETE: Work(
        Tables.transfer,
        (_S.PROCESSING,),
        "created",
        "deposit",
        frozenset({_S.FAILED}),
        Direction.DEPOSIT,
        IS_HERE,
        "deposits.complete",
    ),
    transfers.REVIEW: Work(
        Tables.transfer,
        TIMED,
        "review_eta",
        None,
        frozenset({_S.CANCELLED, _S.REJECTED}),
        Direction.WITHDRAWAL,
        step="payouts.end_review",
    ),
    transfers.SEND: Work(
        Tables.transfer,
        (_S.PROCESSING,),
        "updated",
        "withdrawal",
        frozenset({_S.CANCELLED, _S.FAILED}),
        Direction.WITHDRAWAL,
        f"(told IS NOT NULL OR {IS_HERE})",
        "payouts.send",
    ),
    transfers.COMPLETE: Work(
        Tables.transfer,
        (_S.SENT,),
        "updated",
        "withdrawal",
        frozenset({_S.FAILED}),
        Direction.WITHDRAWAL,
        IS_HERE,
        "payouts.complete",
    ),
    decision_records.DUE: Work(
        Tables.decision,
        (DecisionStatus.OPEN,),
        "due",
        None,
        ENDED,
        only=f"due < {NEVER} AND kind <> '{DecisionKind.WITHDRAWAL}'",
        step="decisions.end",
    ),
    provider_requests.SETTLE: Work(
        Tables.provider_request,
        (RequestStatus.SENDING,),
        "due",
        None,
        frozenset(RequestStatus) - {RequestStatus.SENDING},
    ),
    WATCH: Work(
        Tables.challenge,
        (ChallengeStatus.OPEN,),
        "created",
        "",
        frozenset(ChallengeStatus) - {ChallengeStatus.OPEN},
    ),
}
"""Every kind of work. A look for arrivals decides by its own deadline, whenever it's made."""


def _record(work: Work) -> Query:
    has = work.table.columns
    account, direction = (
        name if name in has else "NULL" for name in ("trading_account_id", "direction")
    )
    return Query(
        f"SELECT organisation_id, status, {work.at} AS at, {account} AS account_id, "
        f"{direction} AS direction FROM {work.table.name} WHERE id = :id",
        row_of("organisation_id", "status", "at", "account_id", "direction"),
    )


_RECORDS = {kind: _record(work) for kind, work in WORK.items()}


def record_of(connection: Session, kind: str, reference: str) -> Record | None:
    """The record that a job is about: its ``organisation_id``, ``status``, ``account_id`` and
    ``direction``, and the instant ``at``; None if there is no such record."""
    return connection.execute(_RECORDS[kind], {"id": reference}).first()


def due_at(tx: UnitOfWork, kind: str, record: Record) -> int:
    """When work may be done on a record; now where nothing waits for it.

    An instant that is still to come was stamped before the clock was put right.

    Raises:
        AssertionError: the record doesn't say.
    """
    work = WORK[kind]
    if record.status not in work.statuses:
        return tx.now
    if record.at is None:
        raise AssertionError(f"a record that waits for {kind} doesn't say since when or until when")
    if work.delay is None:
        return int(record.at)
    options = tx.context.options
    delay_s: float = getattr(options, f"{work.delay}_delay_s") if work.delay else 0
    return stamped(record.at, tx.now, tx.time.began_at) + round(delay_s * SECOND)

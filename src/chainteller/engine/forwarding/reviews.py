"""What waits for a person before the provider is asked: withdrawals, links of shared wallets."""

from contextlib import suppress
from functools import partial
from typing import Any

from chainteller.domain.actors import DEFAULT_ORGANISATION, Actor
from chainteller.domain.assets import ASSETS_BY_KEY, CASH_EQUIVALENTS, Asset
from chainteller.domain.decisions import (
    DecisionStatus,
    Payment,
    ReviewCondition,
    ReviewLine,
    needs,
)
from chainteller.domain.ids import Prefix
from chainteller.domain.ledger import buying_power, draw
from chainteller.domain.limits import DestinationClass
from chainteller.domain.money import Amount, format_cents
from chainteller.domain.preconditions import Act, Control
from chainteller.domain.provider_requests import RequestStatus
from chainteller.domain.transfers import Direction, TransferStatus
from chainteller.engine.core import outcome, preconditions, unit_of_work
from chainteller.engine.core.breaches import Breach
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.outcome import Job, Outcome
from chainteller.engine.core.unit_of_work import UnitOfWork, fingerprint, now, work_unit
from chainteller.engine.forwarding import kept, requests, sending
from chainteller.engine.forwarding.requests import Plan
from chainteller.engine.operations import logged_rows, provider_requests, transfers, withdrawals
from chainteller.engine.operations.payout_checks import FROZEN
from chainteller.engine.operations.trades import DROPPED
from chainteller.engine.operations.transfers import REVIEW, SEND
from chainteller.service import operations
from chainteller.service.errors import (
    BooksDisputed,
    Conflict,
    DecisionRequired,
    InsufficientFunds,
    ServiceError,
    TellerError,
    UnsupportedCurrency,
    ValidationFailed,
)
from chainteller.service.models.base import WireModel, Written
from chainteller.service.models.funding import Currency, Transfer, WithdrawalRequest
from chainteller.service.operations import Call
from chainteller.storage.db.query import Record
from chainteller.storage.db.records import Tables
from chainteller.storage.log.last_writes import Kept
from chainteller.storage.queries import decisions, disputes, jobs
from chainteller.storage.queries import provider_requests as rows
from chainteller.storage.queries import transfers as transfer_rows

# -- withdrawals ---------------------------------------------------------------------------------


def withdraw(context: EngineContext, actor: Actor, call: Call[Any], plan: Plan) -> Written[Any]:
    """Send a withdrawal on, or keep it in review first if the policy gives it to a person."""
    request = call.request
    if not isinstance(request, WithdrawalRequest):
        raise TypeError("a withdrawal without its request")
    try:
        waits = _waits(context, actor.organisation, call.ids[0], request)
    except ServiceError as error:
        return requests.refused(context, actor, call, error)
    if not waits:
        return sending.send(context, actor, call, plan)
    before = requests.balances(context, call.ids[0])
    hold = partial(_hold, call=call, request=request, before=before)
    return unit_of_work.write(context, actor, call, hold)


def _waits(
    context: EngineContext, organisation_id: str, account_id: str, request: WithdrawalRequest
) -> bool:
    """Whether a withdrawal waits for a person. Raises ServiceError."""
    if request.destination is not None and request.destination.type != "bank-account":
        said = "bank-account: this deployment's provider pays to the customer's bank account alone"
        raise ValidationFailed.of("destination.type", said)
    with context.database.read() as connection:
        if disputes.is_open(connection, organisation_id):
            raise BooksDisputed("Withdrawals wait while the bank's books are in dispute.")
    policy = context.options.policy
    if not policy.review and policy.two.withdrawal_over_cents is None:
        return False
    order = kept.order(request)
    if order is None:
        symbol = request.currency.symbol or request.currency.id or ""
        raise UnsupportedCurrency(
            "The policy can't judge a withdrawal in this currency.", {"symbol": symbol}
        )
    with context.database.read() as connection:
        payment = _payment(context, connection, account_id, kept.worth_cents(order[1]))
        return withdrawals.waits_for_person(payment, policy, now(context, connection)) is not None


def _payment(context: EngineContext, connection: Any, account_id: str, cents: int) -> Payment:
    is_first = needs(context.options.policy.review, ReviewCondition.FIRST_USE)
    paid = rows.paid_to_bank(connection, account_id) if is_first else None
    if paid is not None:
        followed = context.state.follow(connection, DEFAULT_ORGANISATION)
        is_first = not logged_rows.is_transfer_logged(followed, account_id, paid)
    return Payment(DestinationClass.OWN_BANK, cents, is_first_use=is_first)


def _hold(
    tx: UnitOfWork, call: Call[Any], request: WithdrawalRequest, before: dict[str, str]
) -> Transfer:
    """The gateway's own record, in review with its funds held and its decision open."""
    requests.require_unsent(tx, call)
    account = kept.account(tx, call.ids[0])
    preconditions.require_uncontrolled(account.control, account.control_reason, Act.WITHDRAW)
    order = kept.order(request)
    if order is None:
        raise AssertionError("a withdrawal that the policy couldn't judge")
    moment, cents = outcome.moment(tx), kept.worth_cents(order[1])
    payment = _payment(tx.context, tx.connection, account.id, cents)
    review = withdrawals.waits_for_person(payment, tx.context.options.policy, moment.now)
    if review is None:
        raise Conflict.over(
            "withdrawal", account.id, "CHANGED", "It needs no decision any more.", "Send it again."
        )
    parts = _drawn(tx, account.id, order[1], before)
    made = kept.new_transfer(
        tx,
        Direction.WITHDRAWAL,
        account,
        order,
        transfer_id=tx.new_id(Prefix.TRANSACTION),
        status=TransferStatus.REVIEWING,
        hold=parts,
        review_reason=review.reason,
        review_eta=review.until,
        rule_id=tx.context.rule.id,
    )
    row = made.inserted(kept.TRANSFER)
    asked_by = tx.name if tx.actor.is_person else None
    decision = withdrawals.decide_wait(row, account, review, asked_by, moment)
    work = Outcome(made.subject, jobs=(Job(REVIEW, made.subject, review.until),))
    outcome.apply(tx, made.joined(decision).joined(work))
    return transfer_rows.to_model(made.record(kept.TRANSFER))


def _drawn(
    tx: UnitOfWork, account_id: str, amount: Amount, before: dict[str, str]
) -> tuple[Amount, ...]:
    """What a withdrawal takes of what an account can use. Raises InsufficientFunds."""
    usable, cents = free(tx, account_id, before), kept.worth_cents(amount)
    others = (each for each in CASH_EQUIVALENTS if each != amount.asset)
    parts = draw(usable, cents, (amount.asset, *others))
    if parts is None:
        raise InsufficientFunds(format_cents(buying_power(usable)), format_cents(cents), "USD")
    return parts


def require_free(
    tx: UnitOfWork, call: Call[Any], account: Record | None, before: dict[str, str]
) -> None:
    """A withdrawal that needs nobody isn't paid with what waits here. Raises InsufficientFunds."""
    order = kept.order(call.request)
    if order is not None and account is not None and rows.held(tx.connection, account.id):
        _drawn(tx, account.id, order[1], before)


def free(tx: UnitOfWork, account_id: str, told: dict[str, str]) -> dict[Asset, int]:
    """What an account can use: what the provider says it has, without what waits here."""
    found = kept.known_balances(told)
    for asset, atoms in rows.held(tx.connection, account_id).items():
        found[asset] = max(0, found.get(asset, 0) - atoms)
    return found


def send_approved(context: EngineContext, withdrawal_id: str, plan: Plan) -> None:
    """Due work: send a withdrawal that was approved, once. Raises as ``_begin``."""
    with context.database.read() as connection:
        row = transfer_rows.find_any(connection, withdrawal_id)
    if row is None or row.status != TransferStatus.PROCESSING:
        work_unit(context, Actor(name="worker"), lambda tx: _drop(tx, withdrawal_id))
        return
    actor = Actor(row.organisation_id, "worker")
    try:
        before = requests.balances(context, row.trading_account_id)
    except TellerError:
        work_unit(context, actor, lambda tx: _later(tx, withdrawal_id))
        return
    found: list[tuple[Call[Any], Record]] = []
    work_unit(context, actor, lambda tx: _begin(tx, withdrawal_id, before, found))
    for call, request in found:
        with suppress(ServiceError):  # the withdrawal says what became of it
            sending.deliver(context, actor, call, plan, request)


def _call(row: Record) -> Call[Any]:
    asset = ASSETS_BY_KEY[row.asset]
    is_token = row.currency_id is not None
    currency = Currency(
        type=row.currency_type,
        id=row.currency_id,
        symbol=None if is_token else asset.symbol,
        network=None if is_token else asset.network,
    )
    amount = transfer_rows.to_model(row).amount
    request = WithdrawalRequest(amount=amount, currency=currency)
    return Call(operations.WITHDRAW, (row.trading_account_id,), request, key=row.id)


def _begin(
    tx: UnitOfWork,
    withdrawal_id: str,
    before: dict[str, str],
    found: list[tuple[Call[Any], Record]],
) -> bool:
    """The withdrawal is on its way; one of a frozen account isn't sent.

    Raises:
        Altered, ServiceUnavailable: as ``logged_rows.followed``.
    """
    row = transfers.locked(tx, withdrawal_id, TransferStatus.PROCESSING)
    found.clear()
    if row is None:
        return _drop(tx, withdrawal_id)
    account = kept.account(tx, row.trading_account_id)
    _require_as_logged(tx, row, account)
    jobs.remove(tx.rows, SEND, row.id)
    if account.control == Control.FROZEN:
        logged_rows.followed(tx)  # what is missing may be that it was sent
        failure = {"failure_code": FROZEN.code, "failure_message": FROZEN.message}
        outcome.apply(tx, transfers.moved(row, TransferStatus.FAILED, tx.now, **failure))
        return True
    outcome.apply(tx, transfers.moved(row, TransferStatus.SENT, tx.now))
    call = _call(row)
    made = requests.record(
        tx, call, RequestStatus.SENDING, row.trading_account_id, before, own_id=row.id
    )
    found.append((call, made))
    return True


def _require_as_logged(tx: UnitOfWork, withdrawal: Record, account: Record) -> None:
    """The withdrawal, its account and the decision that approved it are as the log says."""
    of = withdrawal.organisation_id
    decision = decisions.newest(tx.connection, of, withdrawal.id)
    if decision is None or decision.status != DecisionStatus.APPROVED:
        where = f"{Tables.transfer.name} {withdrawal.id}"
        logged_rows.refuse_altered(
            tx, Breach(20, "not done: no decision has approved it", where, of)
        )
    rows = (
        Kept(Tables.transfer, withdrawal.id),
        Kept(Tables.trading_account, account.id),
        Kept(Tables.decision, decision.id),
    )
    logged_rows.require_as_logged(tx, rows, account.id)


def _drop(tx: UnitOfWork, withdrawal_id: str) -> bool:
    jobs.remove(tx.rows, SEND, withdrawal_id)
    tx.audit(DROPPED, withdrawal_id, {"kind": SEND})
    return True


def _later(tx: UnitOfWork, withdrawal_id: str) -> bool:
    row = transfers.locked(tx, withdrawal_id, TransferStatus.PROCESSING)
    if row is not None:
        jobs.remove(tx.rows, SEND, row.id)
        requests.put_back(tx, row.id)
    return row is not None


# -- links ----------------------------------------------------------------------------------------


def link(context: EngineContext, actor: Actor, call: Call[Any], plan: Plan) -> Written[Any]:
    """Send a link on, unless the policy gives shared wallets to a person: then it's refused until
    that was approved, and the caller repeats it.

    Raises:
        DecisionRequired: nothing was sent.
        Conflict: a person has refused it.
    """
    line = _shared_line(context)
    if line is not None:
        decided = _about_link(context, actor, call, line)
        if decided is not None:
            return decided
    return sending.send(context, actor, call, plan)


def _shared_line(context: EngineContext) -> ReviewLine | None:
    lines = context.options.policy.review
    return next((each for each in lines if each.condition is ReviewCondition.SHARED_WALLET), None)


def require_links(
    tx: UnitOfWork, call: Call[Any], _account: Record | None, _before: dict[str, str]
) -> None:
    """Where a person decides about shared wallets, a link is only sent if no earlier one of its
    wallet is gone. Raises Altered."""
    if _shared_line(tx.context) is not None:
        subject = str(requests.subject_of(call))
        linked = rows.linked(tx.connection, tx.organisation_id, subject)
        logged_rows.require_links_as_logged(tx, subject, linked)


def _about_link(
    context: EngineContext, actor: Actor, call: Call[Any], line: ReviewLine
) -> Written[Any] | None:
    """None where a link may be sent. One that a person was asked about stays that person's,
    whatever is known of other customers now. Raises DecisionRequired or Conflict."""
    of = actor.organisation
    with context.database.read() as connection:
        linked = rows.linked(connection, of, str(requests.subject_of(call)))
        earlier = rows.newest_like(connection, of, fingerprint(call))
        decision = None if earlier is None else decisions.newest(connection, of, earlier.id)
    status = None if earlier is None else earlier.status
    if status == RequestStatus.APPROVED:
        return None
    if decision is not None and status == RequestStatus.WAITING:
        required = DecisionRequired(decision.id, line.condition.code)
        return requests.refused(context, actor, call, required)
    if decision is not None and status == RequestStatus.DECLINED:
        told = "The link was refused: another customer has verified this wallet."
        declined = Conflict.over("decision", decision.id, "DECLINED", told, "See the decision.")
        return requests.refused(context, actor, call, declined)
    if linked <= {call.ids[0]}:
        return None

    def ask(tx: UnitOfWork) -> WireModel:
        request_id, decision_id = tx.new_id(Prefix.REQUEST), tx.new_id(Prefix.DECISION)
        tx.when_refused(lambda last: _wait(last, call, line, request_id, decision_id))
        raise DecisionRequired(decision_id, line.condition.code)

    return unit_of_work.write(context, actor, call, ask)


def _wait(
    tx: UnitOfWork, call: Call[Any], line: ReviewLine, request_id: str, decision_id: str
) -> None:
    requests.record(tx, call, RequestStatus.WAITING, None, {}, own_id=request_id)
    moment = outcome.moment(tx)._replace(new_id=lambda _prefix: decision_id)
    outcome.apply(tx, provider_requests.decide_wait(request_id, line, None, moment))

"""Withdrawals: to the customer's bank account or to a counterparty's wallet."""

from dataclasses import dataclass
from typing import NamedTuple

from chainteller.domain.assets import CASH_EQUIVALENTS, MARKETS, USD, Asset
from chainteller.domain.clock import SECOND, format_instant
from chainteller.domain.decisions import (
    SCREENED_WITHIN,
    SCREENING_HIT,
    SECOND_PERSON,
    UNCONFIRMED_HELD,
    UNVERIFIED_HELD,
    AtDeadline,
    DecisionKind,
    DecisionStatus,
    Payment,
    ReviewCondition,
    is_by_person,
    line_for,
    needs,
)
from chainteller.domain.ledger import hold, release
from chainteller.domain.limits import DestinationClass, Spent
from chainteller.domain.money import Amount, atoms_of_cents, ceil_div
from chainteller.domain.policy import Policy
from chainteller.domain.preconditions import Act
from chainteller.domain.quoting import MICROS_PER_CENT
from chainteller.domain.rules import rule_of
from chainteller.domain.transfers import HOLDING, Direction, TransferStatus
from chainteller.engine.core import ledger, outcome, preconditions, reading
from chainteller.engine.core.breaches import UNREADABLE
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.outcome import Insert, Job, Moment, Outcome, Row
from chainteller.engine.core.table import writes
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.engine.operations import (
    accounts,
    contract_checks,
    counterparties,
    currencies,
    decision_records,
    destinations,
    limits,
    logged_rows,
    markets,
    payout_checks,
    screening,
    second_persons,
    stablecoin_prices,
    transfers,
)
from chainteller.engine.operations.contract_checks import Renewal
from chainteller.engine.operations.currencies import Resolved
from chainteller.engine.operations.destinations import Target
from chainteller.engine.operations.screening import Screening
from chainteller.service import operations
from chainteller.service.amounts import read_amount
from chainteller.service.errors import (
    BooksDisputed,
    ClaimUnverifiable,
    LimitExceeded,
    ServiceUnavailable,
    WithdrawalNotCancellable,
)
from chainteller.service.models.funding import Transfer, WithdrawalRequest
from chainteller.storage.db.query import Record
from chainteller.storage.db.records import Tables
from chainteller.storage.queries import decisions, disputes, provider_requests, trades
from chainteller.storage.queries import markets as market_rows
from chainteller.storage.queries import transfers as transfer_rows

RESOURCE = "withdrawal"


@dataclass(frozen=True, slots=True)
class Order:
    """A withdrawal request, parsed."""

    currency: Resolved
    amount: Amount


@dataclass(frozen=True, slots=True)
class State:
    """What a withdrawal depends on besides its account.

    ``condition`` is that of the market of a crypto asset; ``spent`` counts against the limits.
    """

    target: Target
    available: dict[Asset, int]
    off_par: frozenset[Asset] = frozenset()
    spent: tuple[Spent, ...] = ()
    condition: markets.Condition | None = None
    is_unconfirmed: bool = False
    """Whether the wallet's contract didn't say again that its verification stands."""
    is_first_use: bool = False
    is_shared: bool = False
    """Whether the wallet was never paid, and whether other customers have it: only looked up where
    the policy asks for it."""
    asked_by: str | None = None
    """The person who asks; None where a system does, for a customer."""
    screening: Screening | None = None
    """What the screening service says of the wallet."""


class Prepared(NamedTuple):
    """What others say of the wallet before it's paid: a chain and the screening service, each None
    where it doesn't have to be asked."""

    renewal: Renewal | None = None
    screening: Screening | None = None


def prepare(
    context: EngineContext, organisation_id: str, account_id: str, request: WithdrawalRequest
) -> Prepared:
    """Raises ServiceUnavailable: the screening service has no usable answer."""
    found = request.destination
    if found is None or not (found.counterparty_id and found.blockchain_account_id):
        return Prepared()
    screened = screening.of_wallet(context, organisation_id, account_id, found.counterparty_id)
    try:
        renewed = contract_checks.renew(context, found.blockchain_account_id, found.counterparty_id)
    except (ServiceUnavailable, *UNREADABLE):
        renewed = None
    return Prepared(renewed, screened)


@writes(operations.WITHDRAW, prepare)
def request_withdrawal(
    tx: UnitOfWork, account_id: str, request: WithdrawalRequest, prepared: Prepared
) -> Transfer:
    """Funds are held at once. A withdrawal that the bank's policy gives to a person waits for a
    decision; others to an unverified wallet wait for a time, and ones to a contract wallet that no
    chain has confirmed are refused after it.
    """
    order = read_order(request)
    account = accounts.locked(tx, account_id)
    if disputes.is_open(tx.connection, tx.organisation_id):
        raise BooksDisputed("Withdrawals wait while the bank's books are in dispute.")
    try:
        target = destinations.resolve(tx, account, request.destination, order.amount.asset)
        confirmation = contract_checks.confirmation(target, prepared.renewal)
    except ClaimUnverifiable as error:
        alarm = payout_checks.alarm_of_request(account.id, error)
        tx.when_refused(lambda record: _record_alarm(record, account.id, alarm))
        raise
    state = State(
        target=target,
        available=ledger.lock_balances(tx, account.id),
        off_par=stablecoin_prices.suspended(tx.context, tx.now),
        spent=limits.load_used(tx, account.id, target.level),
        condition=_condition(tx, order.amount.asset),
        is_unconfirmed=target.claim_id is not None and confirmation is None,
        is_first_use=_is_first_use(tx, account, target),
        is_shared=_is_shared(tx, account, target),
        asked_by=tx.name if tx.actor.is_person else None,
        screening=prepared.screening,
    )
    try:
        decided = decide_withdrawal(order, account, state, outcome.moment(tx))
    except LimitExceeded as error:
        told = {"ruleId": error.details["ruleId"], "tradingAccountId": account.id}
        tx.when_refused(lambda record: record.event("limit.exceeded", account.id, **told))
        raise
    limits.require_counted(tx, account)
    outcome.apply(tx, decided)
    if confirmation is not None:
        tx.audit(confirmation.action, confirmation.subject, confirmation.inputs)
        tx.audited_object = decided.subject
    return transfer_rows.to_model(decided.record(Tables.transfer))


def _is_first_use(tx: UnitOfWork, account: Record, target: Target) -> bool:
    if not (
        target.counterparty_id
        and needs(tx.context.options.policy.review, ReviewCondition.FIRST_USE)
    ):
        return False
    paid = transfer_rows.paid(tx.connection, account.id, target.counterparty_id)
    return paid is None or not logged_rows.is_transfer_logged(tx.followed, account.id, paid)


def _is_shared(tx: UnitOfWork, account: Record, target: Target) -> bool:
    wanted = needs(tx.context.options.policy.review, ReviewCondition.SHARED_WALLET)
    if not (target.counterparty_id and wanted):
        return False
    return counterparties.is_shared(tx, target.counterparty_id, account.customer_id)


def _record_alarm(record: UnitOfWork, account_id: str, alarm: Outcome) -> None:
    record.audited_account = account_id
    outcome.apply(record, alarm)


def read_order(request: WithdrawalRequest) -> Order:
    """Raises ValidationFailed, ExceedsPrecision, UnsupportedCurrency, UnsupportedNetwork."""
    to_wallet = request.destination is not None and request.destination.type == "counterparty"
    currency = currencies.resolve(request.currency, crypto=to_wallet)
    decimals = None if to_wallet else USD.decimals
    return Order(currency, read_amount(request.amount, currency.asset, max_decimals=decimals))


def _condition(tx: UnitOfWork, asset: Asset) -> markets.Condition | None:
    if asset in CASH_EQUIVALENTS:
        return None
    market = next(each for each in MARKETS if each.base == asset)
    control = market_rows.control(tx.connection, market.name)
    return markets.condition(tx.context, control, market, tx.now)


def decide_withdrawal(order: Order, account: Record, state: State, moment: Moment) -> Outcome:
    """A withdrawal in ``processing``, or in ``reviewing``, with its funds held.

    Raises:
        AccountRestricted, TermsNotAccepted, KycRequired, DestinationOnHold, MarketUnavailable,
        LimitExceeded, InsufficientFunds.
    """
    target, options = state.target, moment.options
    preconditions.require_allowed(account, Act.WITHDRAW)
    destinations.require_reachable(target, moment.now)
    cents = _notional_cents(order.amount, state.condition)
    requested = Spent(target.destination_class, cents, moment.now, target.level)
    limits.require_within(options, state.spent, requested)
    held = _funds_to_hold(order.amount, cents, state, moment.now)
    review = _review(state, cents, moment)
    status = TransferStatus.PROCESSING if review is None else TransferStatus.REVIEWING
    activity = accounts.activity(
        account, "withdrawal", moment.now, "withdrawal_count", "transaction_count"
    )
    row = {
        **transfers.new_row(Direction.WITHDRAWAL, account, activity, order.currency, moment),
        "status": status.value,
        "amount": order.amount.atoms,
        "notional_cents": cents,
        "hold": trades.hold_text(held),
        "destination_class": target.destination_class.value,
        "counterparty_id": target.counterparty_id,
        "blockchain_account_id": target.blockchain_account_id,
        "address": target.address,
        "review_reason": review and review.reason,
        "review_eta": review and review.until,
        "rule_id": rule_of(options).id,
        "evidence_level": None if target.level is None else target.level.value,
    }
    send_at = moment.after(options.withdrawal_delay_s)
    job = (
        Job(transfers.SEND, row["id"], send_at)
        if review is None
        else Job(transfers.REVIEW, row["id"], review.until)
    )
    decided = Outcome(
        row["id"],
        rows=(*target.used, activity, Insert(Tables.transfer, (row,))),
        journals=(hold(account.id, row["id"], held),),
        events=(transfers.event(Direction.WITHDRAWAL, row["id"], account.id, status),),
        jobs=(job,),
    )
    if review is None or not is_by_person(review.reason):
        return decided
    words = None if state.screening is None else state.screening.words
    return decided.joined(decide_wait(row, account, review, state.asked_by, moment, words))


def decide_wait(
    row: Row,
    account: Record,
    review: "Waiting",
    asked_by: str | None,
    moment: Moment,
    words: str | None = None,
) -> Outcome:
    """The decision that a withdrawal waits for; ``asked_by`` is the person who asks for it, and
    ``words`` is evidence."""
    asked_by = asked_by if review.needs_two else None
    digest = second_persons.digest_of_withdrawal(row, account, row["rule_id"]) if asked_by else None
    return decision_records.opened(
        moment,
        DecisionKind.WITHDRAWAL,
        row["id"],
        review.reason,
        decision_records.POLICY,
        account_id=account.id,
        words=words,
        due=review.until,
        at_deadline=review.then,
        rule_id=row["rule_id"],
        second=decision_records.Second(review.needs_two, asked_by, digest),
        to_role=review.to,
    )


class Waiting(NamedTuple):
    """Why and until when a withdrawal waits, and what is done then. One that needs no person passes
    after that time, or is refused if no chain confirms its wallet."""

    reason: str
    until: int
    then: AtDeadline = AtDeadline.REFUSE
    needs_two: bool = False
    to: str = ""


def _review(state: State, cents: int, moment: Moment) -> Waiting | None:
    target = state.target
    payment = Payment(
        target.destination_class,
        cents,
        target.level,
        state.is_first_use,
        state.is_shared,
        state.is_unconfirmed,
    )
    is_listed = state.screening is not None and bool(state.screening.hits)
    waiting = waits_for_person(payment, moment.options.policy, moment.now)
    if waiting is not None:
        passes = is_listed and waiting.then is AtDeadline.APPROVE
        return waiting._replace(then=AtDeadline.REFUSE) if passes else waiting
    if is_listed:
        return Waiting(SCREENING_HIT, moment.now + SCREENED_WITHIN)
    until = moment.after(moment.options.review_delay_s)
    if target.destination_class is DestinationClass.UNVERIFIED:
        return Waiting(UNVERIFIED_HELD, until)
    if state.is_unconfirmed:
        return Waiting(UNCONFIRMED_HELD, until)
    return None


def waits_for_person(payment: Payment, policy: Policy, now: int) -> Waiting | None:
    """What a policy says that a payment waits for; None where it needs no person."""
    line, two = line_for(policy.review, payment), policy.two
    needs_two = two.wants_for(payment.notional_cents)
    if line is not None:
        approves = line.then is AtDeadline.APPROVE
        then = AtDeadline.REFUSE if needs_two and approves else line.then
        return Waiting(line.condition.code, now + line.within, then, needs_two, line.to)
    if needs_two:
        return Waiting(SECOND_PERSON, now + two.within_s * SECOND, needs_two=True)
    return None


def _notional_cents(amount: Amount, condition: markets.Condition | None) -> int:
    """What the amount is worth in USD at request; a fraction of a cent counts as one."""
    if condition is None:
        return ceil_div(amount.atoms, atoms_of_cents(1, amount.asset))
    point = condition.require_open()
    scale = 10**amount.asset.decimals * MICROS_PER_CENT
    return ceil_div(amount.atoms * point.mid_micros, scale)


def _funds_to_hold(amount: Amount, cents: int, state: State, now: int) -> tuple[Amount, ...]:
    """To the bank any cash equivalent pays, the named one first.

    Raises:
        InsufficientFunds, MarketUnavailable (PEG_DEVIATION).
    """
    if state.target.counterparty_id is not None:
        ledger.require_available(state.available, amount)
        return (amount,)
    named = amount.asset
    stablecoin_prices.require_par(named, state.off_par, now)
    market = f"{named.symbol.lower()}-usd"
    usable = stablecoin_prices.spendable(state.available, state.off_par, cents, market, now)
    order = (named, *(asset for asset in CASH_EQUIVALENTS if asset != named))
    return ledger.draw_funds(usable, cents, order)


@writes(operations.CANCEL_WITHDRAWAL, timeless=True)
def cancel(tx: UnitOfWork, account_id: str, withdrawal_id: str) -> Transfer:
    reading.checked_id(RESOURCE, withdrawal_id)
    account = accounts.locked(tx, account_id)
    row = reading.require_found(
        transfer_rows.find(
            tx.connection, account.id, withdrawal_id, Direction.WITHDRAWAL, lock=True
        ),
        RESOURCE,
        withdrawal_id,
    )
    if row.status == TransferStatus.CANCELLED:
        return transfer_rows.to_model(row)
    is_sent = provider_requests.is_under_way(tx.connection, row.id)
    decided = decide_cancellation(account, row, tx.now, is_sent=is_sent)
    decision = decisions.find_open(tx.connection, tx.organisation_id, row.id, lock=True)
    if decision is not None:
        ended = decision_records.ended(decision, DecisionStatus.WITHDRAWN, tx.name, tx.now)
        decided = decided.joined(ended)
    outcome.apply(tx, decided)
    return transfer_rows.to_model(decided.record(Tables.transfer, row))


def decide_cancellation(
    account: Record, withdrawal: Record, now: int, *, is_sent: bool = False
) -> Outcome:
    """What was held is given back, unless the core bank or custody was sent the withdrawal. Raises
    WithdrawalNotCancellable."""
    if is_sent or withdrawal.status not in HOLDING:
        executed = withdrawal.completed_at and format_instant(withdrawal.completed_at)
        standing = "is being sent" if is_sent else f"has the status {withdrawal.status}"
        raise WithdrawalNotCancellable(
            f"The withdrawal {standing}: it can no longer be cancelled.",
            {
                "withdrawalId": withdrawal.id,
                "status": withdrawal.status,
                "executedAt": executed,
            },
        )
    update, event = transfers.advance(withdrawal, TransferStatus.CANCELLED, now)
    parts = trades.hold_parts(withdrawal.hold)
    return Outcome(
        withdrawal.id,
        rows=(update, accounts.activity(account, "withdrawal.cancelled", now)),
        journals=(release(account.id, withdrawal.id, parts),),
        events=(event,),
    )

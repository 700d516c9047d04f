"""The sample bank under way: its customers' accounts, and the operations that change them.

Every operation is decided by the engine's own rules; here its outcome is applied to rows in memory
and put on record in the name of one of the bank's agents.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from chainteller.domain.actors import WORKER
from chainteller.domain.assets import DEPOSIT_TOKENS, MARKETS, MARKETS_BY_NAME, USD, Asset
from chainteller.domain.decisions import DecisionStatus, RefusalReason
from chainteller.domain.ids import Prefix, new_id
from chainteller.domain.ledger import buying_power
from chainteller.domain.limits import DestinationClass, Spent
from chainteller.domain.money import Amount, atoms_of_cents
from chainteller.domain.options import EngineOptions
from chainteller.domain.preconditions import SETTABLE, TERMS_VERSION, Control
from chainteller.domain.prices import PricePoint
from chainteller.domain.quoting import FeeSchedule, Side
from chainteller.domain.randomness import Randomness, SeededRandomness, below
from chainteller.domain.search_texts import search_name
from chainteller.domain.trades import Rejection
from chainteller.domain.transfers import COUNTED
from chainteller.engine.core.outcome import Insert, Moment, Outcome, Row
from chainteller.engine.core.ports import PriceFeed
from chainteller.engine.core.unit_of_work import audited_inputs
from chainteller.engine.operations import (
    accounts,
    controls,
    decision_records,
    deposits,
    payouts,
    quotes,
    settlement,
    trades,
    withdrawals,
)
from chainteller.engine.operations.currencies import CRYPTO_CURRENCY, DEPOSIT_TOKEN, STABLECOIN
from chainteller.engine.operations.destinations import Target
from chainteller.engine.operations.markets import Condition
from chainteller.engine.samples.bulk import BulkRows, written_rows
from chainteller.engine.samples.customers import Habit, Person
from chainteller.service.errors import ServiceError
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.base import WireModel
from chainteller.service.models.funding import (
    Currency,
    DepositRequest,
    Destination,
    WithdrawalRequest,
)
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.storage.db.query import Record
from chainteller.storage.db.records import Tables
from chainteller.storage.log.entry import Act, Told
from chainteller.storage.log.sealing import Seal
from chainteller.storage.queries.accounts import CUSTOMER_COLUMNS
from chainteller.wallets.simulated import SampleWallet

AGENTS = ("a.brandt", "m.okafor", "j.lindqvist", "s.iyer", "t.moreau")
"""Who did it all, as the audit trail names them."""
_COMPLIANCE = "compliance"
_DECISIONS = "decision."
_REASONS = {
    "FROZEN": "COMPLIANCE_REVIEW",
    "SELL_ONLY": "RISK_POLICY",
    "DORMANT": "NO_ACTIVITY",
    "CLOSED": "CUSTOMER_REQUEST",
}
_BANK_REFUSED = ("BANK_REFUSED", "The bank's core system refused the payment.")
_RETURNED = "Returned by the bank."
_REVIEW_REFUSED = ("REVIEW_REJECTED", "The review did not approve this destination.")
_LOADING = -1
"""The act of the loading, which comes last."""
_EVENT_BYTES = 14
"""Drawn for each event but those of decisions and not used, so that a seed goes on giving the same
sample bank."""
_TOKEN_IDS = {asset: token_id for token_id, asset in DEPOSIT_TOKENS.items()}


@dataclass(frozen=True, slots=True)
class Account:
    """A trading account and its customer."""

    id: str
    bank_account_id: str
    person: Person


@dataclass(slots=True)
class SampleBank:
    """``until`` is the instant up to which its history goes; ``now`` that of what happens."""

    organisation_id: str
    rows: BulkRows
    randomness: Randomness
    prices: PriceFeed
    fees: FeeSchedule
    options: EngineOptions
    until: int
    now: int = field(init=False)
    accounts: dict[str, Account] = field(default_factory=dict)
    """Trading accounts by the reference of their customer."""
    wallets: Mapping[str, SampleWallet] = field(default_factory=dict)
    """The sample customers' wallets by name."""
    acts: list[Act] = field(default_factory=list)
    """What was done, in order of time, as the log says it."""
    _acts_of_rows: dict[tuple[str, str], int] = field(default_factory=dict)
    """Which act was the last to write a row, by its table and key."""
    spent: dict[str, list[Spent]] = field(default_factory=dict)
    """Earlier withdrawals by account that count against its limits and are not in ``rows``."""
    _withdrawals: dict[str, list[str]] = field(default_factory=dict)
    _open_decisions: dict[str, str] = field(default_factory=dict)
    """The open decision about an account's control or a withdrawal, by its subject."""
    _of_decisions: Randomness = field(init=False)
    """Draws their ids, so that a seed goes on giving the same sample bank."""

    def __post_init__(self) -> None:
        self.now = self.until
        self._of_decisions = SeededRandomness(f"decisions {self.until}")

    def new_id(self, prefix: Prefix) -> str:
        is_decision = prefix is Prefix.DECISION
        return new_id(prefix, self._of_decisions if is_decision else self.randomness)

    def below(self, bound: int) -> int:
        return below(self.randomness, bound)

    def chance(self, per_cent: int) -> bool:
        return self.below(100) < per_cent

    def between(self, low: int, high: int) -> int:
        """A number from ``low`` to ``high``, both included."""
        return low + self.below(high - low + 1)

    def moment(self, options: EngineOptions | None = None) -> Moment:
        """Now, with the bank's options if no others are given."""
        return Moment(self.now, self.organisation_id, options or self.options, self.new_id)

    def record(
        self,
        action: str,
        subject: str,
        inputs: Mapping[str, Any],
        account: str | None = None,
        *,
        error: str | None = None,
    ) -> None:
        """An operation that some agent asked for, in the trail of ``account``; what it does is
        applied next."""
        agent = AGENTS[self.below(len(AGENTS))]
        self.acts.append(Act(action, agent, subject, account, inputs, error=error, when=self.now))

    def record_loading(
        self, actor: str, action: str, subject: str, inputs: Mapping[str, Any]
    ) -> None:
        """The loading itself."""
        self.acts.append(Act(action, actor, subject, inputs=inputs, when=self.until))

    def apply(self, outcome: Outcome, account: str | None = None) -> None:
        """Apply an outcome of the last act; its own audit entries are the worker's, in the trail of
        ``account``."""
        posted = self.rows.apply(outcome, self.now)
        self._open_decisions |= dict(_opened(outcome))
        for event in outcome.events:
            if not event.type.startswith(_DECISIONS):
                self.randomness.bytes(_EVENT_BYTES)
        for entry in outcome.audit:
            act = Act(
                entry.action, WORKER.name, entry.subject, account, entry.inputs, when=self.now
            )
            self.acts.append(act._replace(error=entry.error))
        last = self.acts[-1]
        is_told = last.when == self.now
        if not is_told and (outcome.events or posted):
            raise AssertionError(f"{outcome.subject}: nothing was done at {self.now}")
        for written in written_rows(outcome):
            self._acts_of_rows[written] = len(self.acts) - 1 if is_told else _LOADING
        if not is_told:
            return
        named = {} if last.account is None else {"tradingAccountId": last.account}
        told = [Told(each.type, each.resource, named | each.data) for each in outcome.events]
        self.acts[-1] = last._replace(
            events=(*last.events, *told), journals=(*last.journals, *posted)
        )

    def sealed(self, seals: dict[tuple[str, str], Seal]) -> list[Act]:
        """The acts with the seals of what they were the last to write; the loading itself has the
        seals of all else."""
        found: dict[int, list[Seal]] = defaultdict(list)
        for written, seal in seals.items():
            number = self._acts_of_rows.get(written, _LOADING)
            found[number % len(self.acts)].append(seal)
        return [
            act._replace(rows=tuple(found.get(number, ()))) for number, act in enumerate(self.acts)
        ]

    def attempt(
        self,
        action: str,
        request: WireModel,
        account: Account,
        decide: Callable[[], Outcome],
    ) -> str | None:
        """Do what an agent asks for; the id of the record, or None where the bank refuses it."""
        try:
            decided = decide()
        except ServiceError:
            return None
        self.record(action, decided.subject, audited_inputs(request), account.id)
        self.apply(decided, account.id)
        return decided.subject

    # Customers and accounts

    def add_customer(self, person: Person) -> None:
        """A customer of the core bank with their bank accounts."""
        restricted = person.control if person.habit is Habit.NONE else None
        self.rows.insert(
            Tables.customer,
            {
                "id": person.id,
                "organisation_id": self.organisation_id,
                "name": person.name,
                "search_name": search_name(person.name),
                "reference": person.reference,
                "kyc_level": person.kyc_level,
                "terms_version": TERMS_VERSION if person.has_accepted_terms else None,
                "control": restricted,
                "control_reason": _REASONS[restricted] if restricted else None,
            },
        )
        for account in person.accounts:
            self.rows.insert(
                Tables.bank_account,
                {
                    "organisation_id": self.organisation_id,
                    "id": account.id,
                    "customer_id": person.id,
                    "type": account.type,
                    "balance": account.opening_cents,
                },
            )

    def open_account(self, person: Person) -> Account:
        """Open a trading account for the customer's first bank account."""
        bank_account_id = person.accounts[0].id
        bank_account = self.bank_account(bank_account_id)
        request = OpenTradingAccount(
            bank_account_id=bank_account_id, bank_account_type=bank_account.type
        )
        decided = accounts.decide_opening(bank_account, request, self.moment())
        made = decided.subject
        self.record("open_trading_account", made, audited_inputs(request), made)
        self.apply(decided)
        account = Account(decided.subject, bank_account_id, person)
        self.accounts[person.reference] = account
        return account

    def restrict(self, account: Account, control: str) -> None:
        reason = _REASONS[control]
        inputs = {"control": control, "reasonCode": reason}
        self.record("set_control", account.id, inputs, account.id)
        self.apply(self._controlled(account, Control(control), reason))

    def _controlled(self, account: Account, control: Control, reason: str) -> Outcome:
        """An account under a control; nobody decides on a closed one any more."""
        row, moment = self.account(account.id), self.moment()
        if control not in SETTABLE:
            update, event = accounts.restrict(row, control, reason)
            return Outcome(account.id, rows=(update,), events=(event,))
        before = self._standing(account.id)
        return controls.decide(row, before, control, reason, _COMPLIANCE, moment)

    def _standing(self, subject: str) -> Record | None:
        """The open decision about a record."""
        found = self._open_decisions.get(subject)
        return None if found is None else self.rows.record(Tables.decision, found)

    def _decided(self, subject: str, status: DecisionStatus, by: str) -> Outcome:
        """The end of the open decision about a withdrawal, if a person had to decide on it."""
        standing = self._standing(subject)
        if standing is None:
            return Outcome(subject)
        del self._open_decisions[subject]
        code = RefusalReason.DESTINATION.value if status is DecisionStatus.REFUSED else None
        return decision_records.ended(standing, status, by, self.now, code)

    def account(self, account_id: str) -> Record:
        """A trading account with its customer's columns."""
        row = self.rows.row(Tables.trading_account, account_id)
        joined = self._customer(row["customer_id"])
        return self.rows.record(Tables.trading_account, account_id, **joined)

    def bank_account(self, bank_account_id: str) -> Record:
        """A bank account with its customer's columns."""
        key = (self.organisation_id, bank_account_id)
        joined = self._customer(self.rows.row(Tables.bank_account, key)["customer_id"])
        return self.rows.record(Tables.bank_account, key, **joined)

    def _customer(self, customer_id: str) -> Row:
        row = self.rows.row(Tables.customer, customer_id)
        return {name: row[column] for name, column in CUSTOMER_COLUMNS.items()}

    def is_restricted(self, account: Account) -> bool:
        return self.rows.row(Tables.trading_account, account.id)["control"] is not None

    def bank_cents(self, account: Account) -> int:
        key = (self.organisation_id, account.bank_account_id)
        return int(self.rows.row(Tables.bank_account, key)["balance"])

    def available(self, account: Account) -> dict[Asset, int]:
        return self.rows.available(account.id)

    def buying_power(self, account: Account) -> int:
        return buying_power(self.available(account))

    # Quotes and trades

    def quote(self, account: Account, market: str, side: Side, sold: int) -> str | None:
        """An open quote bound to the account; ``sold`` in atoms of the asset sold."""
        traded = MARKETS_BY_NAME[market]
        point = self.prices.price(market, self.now)
        if point is None:
            raise ValueError(f"the sample data needs a price of {market}")
        amount = Amount(sold, USD if side is Side.BUY else traded.base)
        request = QuoteRequest(amount=str(amount), side=side, trading_account_id=account.id)
        order = quotes.read_order(market, request)
        return self.attempt(
            "create_quote",
            request,
            account,
            lambda: quotes.decide_quote(
                order,
                quotes.Taker(self.account(account.id)),
                Condition(traded, self.now, None, point),
                self.fees,
                self.moment(),
            ),
        )

    def execute(self, account: Account, quote_id: str) -> str | None:
        """The trade in ``processing``; None when the quote or the account is no longer good."""
        quote = self.rows.record(Tables.quote, quote_id)
        point = PricePoint(quote.mid_micros, quote.created)  # of the market, which is open still
        condition = Condition(MARKETS_BY_NAME[quote.market], self.now, None, point)
        return self.attempt(
            "execute_quote",
            ExecuteRequest(trading_account_id=account.id),
            account,
            lambda: quotes.decide_execution(
                quote,
                self.account(account.id),
                condition,
                quotes.Funds(self.available(account)),
                self.moment(),
            ),
        )

    def fill(self, account: Account, trade_id: str) -> None:
        trade = self._trade(trade_id)
        decided = settlement.decide_fill(self.account(account.id), trade, self.moment())
        self.apply(decided, account.id)

    def settle(self, account: Account, trade_id: str) -> None:
        trade = self._trade(trade_id)
        decided = settlement.decide_settlement(self.account(account.id), trade, self.now)
        self.apply(decided, account.id)

    def fail(self, account: Account, trade_id: str, rejection: Rejection) -> None:
        """The provider refuses to fill a trade."""
        decided = settlement.decide_failure(self._trade(trade_id), rejection, self.now)
        self.apply(decided, account.id)

    def cancel(self, account: Account, trade_id: str) -> None:
        trade = self._trade(trade_id)
        decided = trades.decide_cancellation(self.account(account.id), trade, self.now)
        self.record("cancel_trade", trade_id, {}, account.id)
        self.apply(decided)

    def _trade(self, trade_id: str) -> Record:
        return self.rows.record(Tables.trade, trade_id)

    # Deposits

    def deposit(
        self, account: Account, token: Asset, cents: int, options: EngineOptions | None = None
    ) -> str | None:
        """A deposit in ``processing``."""
        request = DepositRequest(amount=_amount(token, cents), currency=_currency(token))
        return self.attempt(
            "deposit",
            request,
            account,
            lambda: deposits.decide_deposit(
                deposits.read_order(request),
                self.account(account.id),
                self.bank_account(account.bank_account_id),
                frozenset(),
                self.moment(options),
            ),
        )

    def complete_deposit(self, deposit_id: str) -> None:
        """Complete it as soon as it was requested."""
        deposit = self._transfer(deposit_id)
        owed = self.rows.owed_cents(deposit.trading_account_id)
        self.apply(deposits.decide_completion(deposit, owed, self.now))

    def fail_deposit(self, account: Account, deposit_id: str) -> None:
        """The core bank refuses it; the bank account is credited again."""
        bank_account = self.bank_account(account.bank_account_id)
        decided = deposits.decide_failure(
            self._transfer(deposit_id), bank_account, *_BANK_REFUSED, self.now
        )
        self.apply(decided, account.id)

    def return_deposit(self, account: Account, deposit_id: str) -> None:
        """The core bank claws it back; what is gone is owed, and the account is frozen."""
        decided = deposits.decide_return(
            self._transfer(deposit_id),
            self.account(account.id),
            self.bank_account(account.bank_account_id),
            self.available(account),
            _RETURNED,
            self.now,
        )
        frozen = self._controlled(account, Control.FROZEN, "DEPOSIT_RETURNED")
        self.apply(decided.joined(frozen), account.id)

    # Withdrawals

    def withdraw(self, account: Account, token: Asset, cents: int) -> str | None:
        """A withdrawal to the bank in ``processing``; None where funds or limits forbid it."""
        request = WithdrawalRequest(amount=_amount(token, cents), currency=_currency(token))
        return self._request_withdrawal(account, request, Target(DestinationClass.OWN_BANK))

    def withdraw_to_wallet(
        self,
        account: Account,
        amount: Amount,
        target: Target,
        options: EngineOptions | None = None,
    ) -> str | None:
        """A withdrawal of a market's asset to a wallet: in ``processing``, or in ``reviewing``
        where the wallet isn't verified.
        """
        asset = amount.asset
        market = next(each for each in MARKETS if each.base == asset)
        request = WithdrawalRequest(
            amount=str(amount),
            currency=Currency(type=CRYPTO_CURRENCY, symbol=asset.symbol, network=asset.network),
            destination=Destination(
                type="counterparty",
                counterparty_id=target.counterparty_id,
                blockchain_account_id=target.blockchain_account_id,
            ),
        )
        condition = Condition(market, self.now, None, self.prices.price(market.name, self.now))
        return self._request_withdrawal(account, request, target, condition, options)

    def _request_withdrawal(
        self,
        account: Account,
        request: WithdrawalRequest,
        target: Target,
        condition: Condition | None = None,
        options: EngineOptions | None = None,
    ) -> str | None:
        state = withdrawals.State(
            target, self.available(account), spent=self._spent(account), condition=condition
        )
        withdrawal_id = self.attempt(
            "withdraw",
            request,
            account,
            lambda: withdrawals.decide_withdrawal(
                withdrawals.read_order(request),
                self.account(account.id),
                state,
                self.moment(options),
            ),
        )
        if withdrawal_id is not None:
            self._withdrawals.setdefault(account.id, []).append(withdrawal_id)
        return withdrawal_id

    def pass_review(self, account: Account, withdrawal_id: str) -> None:
        withdrawal = self._transfer(withdrawal_id)
        passed = payouts.decide_passed_review(withdrawal, self.moment())
        decided = self._decided(withdrawal_id, DecisionStatus.APPROVED, _COMPLIANCE)
        self.apply(passed.joined(decided), account.id)

    def reject_withdrawal(self, account: Account, withdrawal_id: str) -> None:
        """The review refuses it, and what was held is released."""
        withdrawal = self._transfer(withdrawal_id)
        rejected = payouts.decide_rejection(withdrawal, *_REVIEW_REFUSED, self.now)
        decided = self._decided(withdrawal_id, DecisionStatus.REFUSED, _COMPLIANCE)
        self.apply(rejected.joined(decided), account.id)

    def _spent(self, account: Account) -> tuple[Spent, ...]:
        made = (self._transfer(each) for each in self._withdrawals.get(account.id, ()))
        counted = (
            Spent(DestinationClass(row.destination_class), row.notional_cents, row.created)
            for row in made
            if row.status in COUNTED
        )
        return (*self.spent.get(account.id, ()), *counted)

    def send(self, account: Account, withdrawal_id: str) -> None:
        withdrawal = self._transfer(withdrawal_id)
        to_wallet = withdrawal.counterparty_id is not None
        network_hash = "0x" + self.randomness.bytes(32).hex() if to_wallet else None
        decided = payouts.decide_sending(withdrawal, network_hash, self.moment())
        self.apply(decided, account.id)

    def complete_withdrawal(self, account: Account, withdrawal_id: str) -> None:
        withdrawal = self._transfer(withdrawal_id)
        to_wallet = withdrawal.counterparty_id is not None
        credited = None if to_wallet else self.bank_account(account.bank_account_id)
        self.apply(payouts.decide_completion(withdrawal, credited, self.now), account.id)

    def cancel_withdrawal(self, account: Account, withdrawal_id: str) -> None:
        """By an agent, while the funds are held."""
        withdrawal = self._transfer(withdrawal_id)
        decided = withdrawals.decide_cancellation(self.account(account.id), withdrawal, self.now)
        self.record("cancel_withdrawal", withdrawal_id, {}, account.id)
        by, status = self.acts[-1].actor, DecisionStatus.WITHDRAWN
        self.apply(decided.joined(self._decided(withdrawal_id, status, by)))

    def fail_withdrawal(self, account: Account, withdrawal_id: str) -> None:
        """The bank refuses it before anything was sent."""
        decided = payouts.decide_failure(self._transfer(withdrawal_id), *_BANK_REFUSED, self.now)
        self.apply(decided, account.id)

    def return_withdrawal(self, account: Account, withdrawal_id: str) -> None:
        """The bank bounces a completed withdrawal."""
        bank_account = self.bank_account(account.bank_account_id)
        withdrawal = self._transfer(withdrawal_id)
        self.apply(payouts.decide_bounce(withdrawal, bank_account, _RETURNED, self.now), account.id)

    def _transfer(self, transfer_id: str) -> Record:
        return self.rows.record(Tables.transfer, transfer_id)


def _opened(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """(subject, id) of the decisions that an outcome opens."""
    for change in outcome.rows:
        if isinstance(change, Insert) and change.table is Tables.decision:
            yield from ((row["subject"], row["id"]) for row in change.rows)


def _amount(token: Asset, cents: int) -> str:
    return str(Amount(atoms_of_cents(cents, token), token))


def _currency(token: Asset) -> Currency:
    token_id = _TOKEN_IDS.get(token)
    if token_id is not None:
        return Currency(type=DEPOSIT_TOKEN, id=token_id)
    return Currency(type=STABLECOIN, symbol=token.symbol, network=token.network)

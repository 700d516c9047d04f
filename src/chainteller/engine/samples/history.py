"""Months of history at the sample bank, which end at the last midnight.

How often a customer deposits, trades and withdraws follows from the customer's habit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chainteller.domain.assets import (
    DEPOSIT_TOKEN_USD,
    MARKETS,
    USDC_ETHEREUM,
    USDC_SOLANA,
    Asset,
    Market,
)
from chainteller.domain.clock import DAY, HOUR, MINUTE, SECOND
from chainteller.domain.quoting import Side
from chainteller.domain.trades import Rejection
from chainteller.engine.samples import wallets
from chainteller.engine.samples.bank import Account, SampleBank
from chainteller.engine.samples.customers import CustomerData, Habit, Person
from chainteller.engine.samples.timeline import Act, Timeline


@dataclass(frozen=True, slots=True)
class Pace:
    """How often: ranges (low, high) of days since the opening and of numbers of acts."""

    since_days: tuple[int, int]
    deposits: tuple[int, int]
    dollars: tuple[int, ...]
    trades: tuple[int, int]
    withdrawals: tuple[int, int]


_SMALL, _MIDDLE = (100, 200, 250, 300, 500, 750, 1000), (250, 500, 1000, 1500, 2500, 5000)
_PACES: Mapping[Habit, Pace] = {
    Habit.QUIET: Pace((5, 160), (1, 2), _SMALL, (0, 2), (0, 1)),
    Habit.REGULAR: Pace((30, 160), (2, 5), _MIDDLE, (3, 9), (0, 3)),
    Habit.BUSY: Pace((90, 170), (6, 10), (1000, 2500, 5000, 7500, 10_000), (22, 48), (2, 5)),
    Habit.LONGSTANDING: Pace((430, 430), (3, 5), _MIDDLE, (5, 9), (1, 3)),
    Habit.WAITING: Pace((40, 120), (2, 4), _SMALL, (3, 8), (0, 2)),
    Habit.FIRST: Pace((110, 110), (4, 4), _SMALL, (24, 24), (2, 2)),
}
WITH_WORK = frozenset({Habit.WAITING, Habit.FIRST})
"""Whose accounts have something under way after the last midnight."""
_DORMANT_SINCE_DAYS = (230, 420)
_DORMANT_AFTER_DAYS = 180
_DORMANT_ACTIVE_DAYS = 40
_MOST_CENTS, _LEAST_CENTS = 260_000, 160_000
_LATE_PURCHASE_CENTS = 40_000
_FILL, _SETTLE, _PAYOUT = 10 * SECOND, 20 * SECOND, 5 * SECOND
_TOKENS = (DEPOSIT_TOKEN_USD,) * 7 + (USDC_SOLANA,) * 2 + (USDC_ETHEREUM,)
_MARKETS = (MARKETS[0],) * 5 + (MARKETS[1],) * 3 + (MARKETS[2],) * 2
_KEPT_AT_BANK_CENTS = 150_000
_LEAST_ORDER_CENTS = 2_000
_LARGEST_PAYOUT_CENTS = 500_000
_BUYS = (50, 100, 150, 200, 250, 300, 400, 500, 750, 1000, 1500, 2500, 5000)
_REFUSALS = (
    Rejection("PROVIDER_REJECTED", "The liquidity provider refused the order."),
    Rejection("NO_LIQUIDITY", "The liquidity provider could not fill the whole order."),
)


def generate(bank: SampleBank, data: CustomerData) -> None:
    """Generate everything before the last midnight, which is ``bank.now``, in memory."""
    timeline = Timeline(bank)
    for person in data.people:
        bank.add_customer(person)
        if person.habit is not Habit.NONE:
            _begin(timeline, person)
    for custody in data.custody_addresses:
        timeline.at(
            timeline.midnight - DAY + 20 * HOUR,
            lambda at, custody=custody: wallets.open_account(  # type: ignore[misc]  # a default binds the loop's address
                bank, bank.accounts[custody.reference], custody, at
            ),
        )
    wallets.generate_history(timeline)
    timeline.run()
    bank.rows.jobs.clear()  # the worker drops jobs of trades and transfers that ended before


def _begin(timeline: Timeline, person: Person) -> None:
    """Open the account on some day and let its owner's habits run from there."""
    bank, pace = timeline.bank, _PACES[person.habit]
    is_dormant = person.control == "DORMANT"
    since = bank.between(*(_DORMANT_SINCE_DAYS if is_dormant else pace.since_days))
    until = since - _DORMANT_ACTIVE_DAYS if is_dormant else 1

    def begin(at: int) -> None:
        activity = _Activity(timeline, bank.open_account(person, at))
        timeline.at(at + timeline.soon(120, 1800), activity.deposit(pace.dollars))
        days = (until, since - 1)
        for _ in range(bank.between(*pace.deposits) - 1):
            activity.some_day(days, activity.deposit(pace.dollars))
        for _ in range(bank.between(*pace.trades)):
            activity.some_day(days, activity.trade)
        for _ in range(bank.between(*pace.withdrawals)):
            activity.some_day(days, activity.withdraw)
        if person.control is not None:
            _restrict(activity, person.control, until)
        if person.habit in WITH_WORK:
            timeline.at(timeline.midnight - 150 * MINUTE, activity.trim)
            timeline.at(timeline.midnight - 2 * HOUR, activity.top_up)
            buy = activity.buy(MARKETS[0], _LATE_PURCHASE_CENTS)
            timeline.at(timeline.midnight - 90 * MINUTE, buy)

    timeline.at(timeline.office_hours(since), begin)


def _restrict(activity: "_Activity", control: str, until: int) -> None:
    """Frozen accounts are so because a deposit was clawed back; the rest by policy."""
    timeline, bank = activity.timeline, activity.bank
    if control == "FROZEN":
        cents = 10_000 * bank.between(2, 9)
        timeline.at(timeline.office_hours(bank.between(1, 20)), activity.bad_deposit(cents))
        return
    day = until - _DORMANT_AFTER_DAYS if control == "DORMANT" else bank.between(1, 20)
    timeline.at(
        timeline.office_hours(max(1, day)),
        lambda at: bank.restrict(activity.account, control, at),
    )


class _Activity:
    """What the owner of one account does; each method is an act or makes one."""

    def __init__(self, timeline: Timeline, account: Account) -> None:
        self.timeline = timeline
        self.bank = timeline.bank
        self.account = account

    def some_day(self, days: tuple[int, int], act: Act) -> None:
        """Let something happen on one of the days, counted back from the last midnight."""
        self.timeline.at(self.timeline.office_hours(self.bank.between(*days)), act)

    def _later(self, delay: int, at: int, act: Act) -> None:
        self.timeline.at(at + delay, act)

    def deposit(self, dollars: Sequence[int]) -> Act:
        """A deposit of one of the amounts that the bank account can spare."""

        def act(at: int) -> None:
            bank = self.bank
            spare = bank.bank_cents(self.account) - _KEPT_AT_BANK_CENTS
            amounts = [amount * 100 for amount in dollars if amount * 100 <= spare]
            if bank.is_restricted(self.account) or not amounts:
                return
            token = _TOKENS[bank.below(len(_TOKENS))]
            self._pay_in(token, amounts[bank.below(len(amounts))], at)

        return act

    def _pay_in(self, token: Asset, cents: int, at: int) -> None:
        bank, account = self.bank, self.account
        deposit_id = bank.deposit(account, token, cents, at)
        if deposit_id is None:
            return
        if bank.chance(4):
            delay = self.timeline.soon(20, 90)
            self._later(delay, at, lambda when: bank.fail_deposit(account, deposit_id, when))
            return
        bank.complete_deposit(deposit_id, at)

    def bad_deposit(self, cents: int) -> Act:
        """A deposit that the core bank claws back within hours, which freezes the account."""

        def act(at: int) -> None:
            bank, account = self.bank, self.account
            deposit_id = bank.deposit(account, DEPOSIT_TOKEN_USD, cents, at)
            if deposit_id is not None:
                bank.complete_deposit(deposit_id, at)
                delay = self.timeline.soon(1200, 7200)
                self._later(delay, at, lambda when: bank.return_deposit(account, deposit_id, when))

        return act

    def trade(self, at: int) -> None:
        """A quote, mostly followed by its execution while it is good and whatever comes then."""
        bank, account = self.bank, self.account
        chosen = None if bank.is_restricted(account) else self._choose(at)
        if chosen is None:
            return
        market, side, sold = chosen
        quote_id = bank.quote(account, market.name, side, sold, at)
        if quote_id is not None and not bank.chance(9):
            delay = min(self.timeline.soon(3, 110), bank.options.quote_window)
            self._later(delay, at, lambda when: self._execute(quote_id, when))

    def _execute(self, quote_id: str, at: int) -> None:
        bank, account, timeline = self.bank, self.account, self.timeline
        trade_id = bank.execute(account, quote_id, at)
        if trade_id is None:
            return
        fate = bank.below(100)
        if fate < 8:
            delay = timeline.soon(2, 8)
            self._later(delay, at, lambda when: bank.cancel(account, trade_id, when))
        elif fate < 13:
            refusal = _REFUSALS[fate % 2]
            self._later(_FILL, at, lambda when: bank.fail(account, trade_id, refusal, when))
        else:
            self._later(_FILL + timeline.soon(0, 1), at, self._fill(trade_id))

    def _fill(self, trade_id: str) -> Act:
        """The fill and, later, the settlement."""

        def act(at: int) -> None:
            bank, account = self.bank, self.account
            bank.fill(account, trade_id, at)
            delay = _SETTLE + self.timeline.soon(0, 1)
            self._later(delay, at, lambda when: bank.settle(account, trade_id, when))

        return act

    def buy(self, market: Market, cents: int) -> Act:
        """A purchase that runs its course."""

        def execute(quote_id: str, at: int) -> None:
            trade_id = self.bank.execute(self.account, quote_id, at)
            if trade_id is not None:
                self._later(_FILL, at, self._fill(trade_id))

        def act(at: int) -> None:
            quote_id = self.bank.quote(self.account, market.name, Side.BUY, cents, at)
            if quote_id is not None:
                delay = min(7 * SECOND, self.bank.options.quote_window)
                self._later(delay, at, lambda when: execute(quote_id, when))

        return act

    def _choose(self, at: int) -> tuple[Market, Side, int] | None:
        """Market, side and amount sold of a sensible order."""
        bank = self.bank
        market = _MARKETS[bank.below(len(_MARKETS))]
        held = bank.available(self.account).get(market.base, 0)
        if held and bank.chance(45):
            sold = self._part_of(held, market)
            point = bank.prices.price(market.name, at)
            unit = 10**market.base.decimals
            if point and sold * point.mid_micros // unit >= _LEAST_ORDER_CENTS * 10_000:
                return market, Side.SELL, sold
        power = bank.buying_power(self.account)
        amounts = [dollars * 100 for dollars in _BUYS if dollars * 100 <= power]
        if not amounts:
            return None
        cents = amounts[bank.below(len(amounts))]
        if bank.chance(20):
            cents -= bank.below(1000)
        return market, Side.BUY, cents

    def _part_of(self, held: int, market: Market) -> int:
        """All of it, or a part that a person would type: with four decimals."""
        if self.bank.chance(25):
            return held
        step = 10 ** (market.base.decimals - 4)
        return max(1, int(held * self.bank.between(10, 90) // 100 // step * step))

    def withdraw(self, at: int) -> None:
        """A withdrawal of a part of what can be had in one token, and what becomes of it."""
        bank = self.bank
        if bank.is_restricted(self.account):
            return
        token = _TOKENS[bank.below(len(_TOKENS))]
        power = bank.buying_power(self.account)
        cents = power * bank.between(10, 80) // 100 // 1000 * 1000
        withdrawal_id = self._pay_out(token, min(cents, _LARGEST_PAYOUT_CENTS), at)
        if withdrawal_id is not None:
            self._decide(withdrawal_id, at)

    def _pay_out(self, token: Asset, cents: int, at: int) -> str | None:
        if cents < _LEAST_ORDER_CENTS:
            return None
        return self.bank.withdraw(self.account, token, cents, at)

    def _decide(self, withdrawal_id: str, at: int) -> None:
        bank, account = self.bank, self.account
        fate = bank.below(100)
        if fate < 10:
            delay = self.timeline.soon(1, 4)
            self._later(
                delay, at, lambda when: bank.cancel_withdrawal(account, withdrawal_id, when)
            )
        elif fate < 17:
            self._later(
                _PAYOUT, at, lambda when: bank.fail_withdrawal(account, withdrawal_id, when)
            )
        else:
            self._later(_PAYOUT, at, self._send(withdrawal_id, bounces=fate > 93))

    def _send(self, withdrawal_id: str, *, bounces: bool = False) -> Act:
        """The payment and its confirmation; the bank may bounce it within hours."""
        bank, account = self.bank, self.account

        def complete(at: int) -> None:
            bank.complete_withdrawal(account, withdrawal_id, at)
            if bounces:
                delay = self.timeline.soon(1800, 7200)
                self._later(
                    delay, at, lambda when: bank.return_withdrawal(account, withdrawal_id, when)
                )

        def act(at: int) -> None:
            bank.send(account, withdrawal_id, at)
            self._later(_PAYOUT, at, complete)

        return act

    def trim(self, at: int) -> None:
        """Pay out the buying power above a customer's usual, or spend it where limits forbid."""
        excess = self.bank.buying_power(self.account) - _MOST_CENTS
        if excess < _LEAST_ORDER_CENTS:
            return
        withdrawal_id = self._pay_out(DEPOSIT_TOKEN_USD, excess, at)
        if withdrawal_id is None:
            self.buy(MARKETS[0], excess)(at)
        else:
            self._later(_PAYOUT, at, self._send(withdrawal_id))

    def top_up(self, at: int) -> None:
        """Pay in what is missing to a customer's least buying power."""
        missing = _LEAST_CENTS - self.bank.buying_power(self.account)
        if missing > 0:
            deposit_id = self.bank.deposit(self.account, DEPOSIT_TOKEN_USD, missing, at)
            if deposit_id is not None:
                self.bank.complete_deposit(deposit_id, at)

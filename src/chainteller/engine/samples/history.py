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
from chainteller.engine.samples import customer_wallets, wallets
from chainteller.engine.samples.bank import Account, SampleBank
from chainteller.engine.samples.customer_wallets import Holding
from chainteller.engine.samples.customers import CustomerData, Habit, Person
from chainteller.engine.samples.draws import typed_cents
from chainteller.engine.samples.timeline import Act, Timeline


@dataclass(frozen=True, slots=True)
class Pace:
    """How often: ranges (low, high) of days since the opening and of numbers of acts.

    ``deposit`` and ``order`` are medians in cents of USD.
    """

    since_days: tuple[int, int]
    deposits: tuple[int, int]
    deposit: int
    trades: tuple[int, int]
    order: int
    withdrawals: tuple[int, int]


_PACES: Mapping[Habit, Pace] = {
    Habit.QUIET: Pace((5, 160), (1, 2), 22_000, (0, 2), 12_000, (0, 1)),
    Habit.REGULAR: Pace((30, 160), (2, 5), 75_000, (3, 9), 30_000, (0, 3)),
    Habit.BUSY: Pace((90, 170), (6, 10), 320_000, (22, 46), 90_000, (2, 5)),
    Habit.LARGE: Pace((60, 150), (3, 5), 9_000_000, (6, 12), 3_500_000, (1, 3)),
    Habit.LEAVING: Pace((70, 140), (2, 3), 40_000, (2, 4), 20_000, (0, 1)),
    Habit.LONGSTANDING: Pace((430, 430), (3, 5), 120_000, (5, 9), 50_000, (1, 3)),
    Habit.WAITING: Pace((40, 120), (2, 4), 45_000, (3, 8), 20_000, (0, 2)),
    Habit.FIRST: Pace((110, 110), (4, 4), 40_000, (24, 24), 20_000, (2, 2)),
}
_DEPOSIT_SIGMA, _ORDER_SIGMA = 0.85, 0.95
_ON_PAY_DAYS_PER_CENT = 45
WITH_WORK = frozenset({Habit.WAITING, Habit.FIRST})
"""Whose accounts have something under way after the last midnight."""
_DORMANT_SINCE_DAYS = (230, 420)
_DORMANT_AFTER_DAYS = 180
_DORMANT_ACTIVE_DAYS = 40
_MOST_CENTS, _LEAST_CENTS, _APART_CENTS = 260_000, 160_000, 60_000
_LATE_PURCHASE_CENTS = 40_000
_LEFT_DAYS_AGO = (3, 30)
_FILL, _SETTLE, _PAYOUT = 10 * SECOND, 20 * SECOND, 5 * SECOND
_TOKENS = (DEPOSIT_TOKEN_USD,) * 7 + (USDC_SOLANA,) * 2 + (USDC_ETHEREUM,)
_MARKETS = (MARKETS[0],) * 5 + (MARKETS[1],) * 3 + (MARKETS[2],) * 2
_KEPT_AT_BANK_CENTS, _KEPT_BY_OTHERS_CENTS = 150_000, 1_000
_LEAST_ORDER_CENTS = 2_500
_LARGEST_PAYOUT_CENTS = 2_500_000
_REFUSALS = (
    Rejection("PROVIDER_REJECTED", "The liquidity provider refused the order."),
    Rejection("NO_LIQUIDITY", "The liquidity provider could not fill the whole order."),
)


def generate(bank: SampleBank, data: CustomerData) -> None:
    """Generate everything before the last midnight, which is ``bank.now``, in memory."""
    timeline = Timeline(bank)
    holdings = customer_wallets.plan(data)
    for person in data.people:
        bank.add_customer(person)
        if person.habit is not Habit.NONE:
            _begin(timeline, person, holdings.get(person.reference, ()))
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


def _begin(timeline: Timeline, person: Person, holdings: Sequence[Holding]) -> None:
    """Open the account on some day and let its owner's habits run from there."""
    bank, pace = timeline.bank, _PACES[person.habit]
    since = timeline.business_day(_since_days(person))
    until = _until_day(bank, person, since)

    def begin(at: int) -> None:
        activity = _Activity(timeline, bank.open_account(person, at), pace)
        timeline.at(at + timeline.soon(120, 1800), activity.deposit)
        days = (until, since - 1)
        for _ in range(bank.between(*pace.deposits) - 1):
            activity.pay_day(days, activity.deposit)
        for _ in range(bank.between(*pace.trades)):
            activity.some_day(days, activity.trade)
        for _ in range(bank.between(*pace.withdrawals)):
            activity.some_day(days, activity.withdraw)
        if person.control is not None:
            _restrict(activity, person.control, until)
        if person.habit is Habit.LARGE:
            activity.some_day(days, activity.largest_order)
        if person.habit in WITH_WORK:
            activity.prepare_for_today()
        customer_wallets.begin(timeline, activity.account, holdings, since)

    timeline.at(timeline.office_hours(since), begin)


def _since_days(person: Person) -> tuple[int, int]:
    is_dormant = person.control == "DORMANT"
    return _DORMANT_SINCE_DAYS if is_dormant else _PACES[person.habit].since_days


def _until_day(bank: SampleBank, person: Person, since: int) -> int:
    """The last day on which the owner uses the account, counted back from the last midnight."""
    if person.control == "DORMANT":
        return since - _DORMANT_ACTIVE_DAYS
    return bank.between(*_LEFT_DAYS_AGO) if person.habit is Habit.LEAVING else 1


def _restrict(activity: "_Activity", control: str, until: int) -> None:
    """Frozen accounts are so because a deposit was clawed back; the rest by policy."""
    timeline, bank = activity.timeline, activity.bank
    if control == "CLOSED":
        for minutes, act in ((0, activity.sell_all), (10, activity.withdraw_all)):
            timeline.at(timeline.office_hours(until - 1) + minutes * MINUTE, act)
        day = until - 2
        timeline.at(
            timeline.office_hours(day), lambda at: bank.restrict(activity.account, control, at)
        )
        return
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

    def __init__(self, timeline: Timeline, account: Account, pace: Pace) -> None:
        self.timeline = timeline
        self.bank = timeline.bank
        self.account = account
        self._pace = pace

    def some_day(self, days: tuple[int, int], act: Act) -> None:
        """Let something happen on one of the days, counted back from the last midnight."""
        timeline = self.timeline
        timeline.at(timeline.office_hours(timeline.business_day(days)), act)

    def pay_day(self, days: tuple[int, int], act: Act) -> None:
        """As ``some_day``, but often on a day on which people are paid."""
        timeline = self.timeline
        if self.bank.chance(_ON_PAY_DAYS_PER_CENT):
            timeline.at(timeline.office_hours(timeline.pay_day(days)), act)
        else:
            self.some_day(days, act)

    def prepare_for_today(self) -> None:
        """In the last evening: a usual buying power, and something to sell."""
        bank, timeline = self.bank, self.timeline
        least = _LEAST_CENTS + bank.below(_APART_CENTS)
        most = least + _MOST_CENTS - _LEAST_CENTS - bank.below(_APART_CENTS)
        bought = _LATE_PURCHASE_CENTS + bank.below(_LATE_PURCHASE_CENTS)
        evening = timeline.midnight - timeline.soon(0, 2400)
        timeline.at(evening - 190 * MINUTE, lambda at: self.trim(most, at))
        timeline.at(evening - 160 * MINUTE, lambda at: self.top_up(least, at))
        timeline.at(evening - 100 * MINUTE, self.buy(MARKETS[0], bought // 100 * 100))

    def _later(self, delay: int, at: int, act: Act) -> None:
        self.timeline.at(at + delay, act)

    def deposit(self, at: int) -> None:
        """A deposit of an amount that the bank account can spare."""
        bank = self.bank
        person = self.account.person
        is_needed_later = person.habit in WITH_WORK or person.control == "FROZEN"
        kept = _KEPT_AT_BANK_CENTS if is_needed_later else _KEPT_BY_OTHERS_CENTS
        spare = bank.bank_cents(self.account) - kept
        if bank.is_restricted(self.account) or spare < _LEAST_ORDER_CENTS:
            return
        token = _TOKENS[bank.below(len(_TOKENS))]
        median = self._pace.deposit
        cents = typed_cents(
            bank.randomness, median, _DEPOSIT_SIGMA, _LEAST_ORDER_CENTS, min(spare, 30 * median)
        )
        self._pay_in(token, cents, at)

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

        def act(at: int) -> None:
            quote_id = self.bank.quote(self.account, market.name, Side.BUY, cents, at)
            if quote_id is not None:
                delay = min(7 * SECOND, self.bank.options.quote_window)
                self._later(delay, at, self._execution(quote_id))

        return act

    def _execution(self, quote_id: str) -> Act:
        """The execution of a quote that runs its course."""

        def act(at: int) -> None:
            trade_id = self.bank.execute(self.account, quote_id, at)
            if trade_id is not None:
                self._later(_FILL, at, self._fill(trade_id))

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
        power = min(bank.buying_power(self.account), market.maximum_order_cents)
        if power < _LEAST_ORDER_CENTS:
            return None
        cents = typed_cents(
            bank.randomness, self._pace.order, _ORDER_SIGMA, _LEAST_ORDER_CENTS, power
        )
        return market, Side.BUY, cents

    def largest_order(self, at: int) -> None:
        """A deposit and an order of the largest amount that the market takes."""
        market = _MARKETS[self.bank.below(len(_MARKETS))]
        cents = market.maximum_order_cents
        missing = cents - self.bank.buying_power(self.account)
        if missing > 0:
            self.bank_to_account(missing, at)
        self._later(self.timeline.soon(60, 600), at, self.buy(market, cents))

    def sell_all(self, at: int) -> None:
        """Sell everything that is held of every market."""
        for market in MARKETS:
            held = self.bank.available(self.account).get(market.base, 0)
            if held:
                quote_id = self.bank.quote(self.account, market.name, Side.SELL, held, at)
                if quote_id is not None:
                    self._later(5 * SECOND, at, self._execution(quote_id))

    def withdraw_all(self, at: int) -> None:
        """Withdraw the whole buying power to the bank account."""
        withdrawal_id = self._pay_out(DEPOSIT_TOKEN_USD, self.bank.buying_power(self.account), at)
        if withdrawal_id is not None:
            self._later(_PAYOUT, at, self._send(withdrawal_id))

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

    def trim(self, most: int, at: int) -> None:
        """Pay out the buying power above ``most`` cents, or spend it where limits forbid."""
        excess = self.bank.buying_power(self.account) - most
        if excess < _LEAST_ORDER_CENTS:
            return
        withdrawal_id = self._pay_out(DEPOSIT_TOKEN_USD, excess, at)
        if withdrawal_id is None:
            self.buy(MARKETS[0], excess)(at)
        else:
            self._later(_PAYOUT, at, self._send(withdrawal_id))

    def top_up(self, least: int, at: int) -> None:
        """Pay in what is missing to a buying power of ``least`` cents."""
        missing = least - self.bank.buying_power(self.account)
        if missing > 0:
            self.bank_to_account(missing, at)

    def bank_to_account(self, cents: int, at: int) -> None:
        """A deposit that completes at once."""
        deposit_id = self.bank.deposit(self.account, DEPOSIT_TOKEN_USD, cents, at)
        if deposit_id is not None:
            self.bank.complete_deposit(deposit_id, at)

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
from chainteller.engine.samples.timeline import Story, Timeline


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
    """Generate everything before the last midnight, which is ``bank.until``, in memory."""
    timeline = Timeline(bank)
    holdings = customer_wallets.plan(data)
    for person in data.people:
        bank.add_customer(person)
        if person.habit is not Habit.NONE:
            _begin(timeline, person, holdings.get(person.reference, ()))
    for custody in data.custody_addresses:
        timeline.at(timeline.midnight - DAY + 20 * HOUR, wallets.open_account, bank, custody)
    wallets.generate_history(timeline)
    timeline.run()
    bank.rows.jobs.clear()  # the worker drops jobs of trades and transfers that ended before


def _begin(timeline: Timeline, person: Person, holdings: Sequence[Holding]) -> None:
    """Open the account on some day and let its owner's habits run from there."""
    bank, pace = timeline.bank, _PACES[person.habit]
    since = timeline.business_day(_since_days(person))
    until = _until_day(bank, person, since)

    def begin() -> None:
        activity = _Activity(timeline, bank.open_account(person), pace)
        timeline.at(bank.now + timeline.soon(120, 1800), activity.deposit)
        days = (until, since - 1)
        for _ in range(bank.between(*pace.deposits) - 1):
            timeline.at(activity.pay_day(days), activity.deposit)
        for _ in range(bank.between(*pace.trades)):
            timeline.at(timeline.some_day(days), activity.trade)
        for _ in range(bank.between(*pace.withdrawals)):
            timeline.at(timeline.some_day(days), activity.withdraw)
        if person.control is not None:
            _restrict(activity, person.control, until)
        if person.habit is Habit.LARGE:
            timeline.at(timeline.some_day(days), activity.largest_order)
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
    elif control == "FROZEN":
        cents = 10_000 * bank.between(2, 9)
        timeline.at(timeline.office_hours(bank.between(1, 20)), activity.bad_deposit, cents)
        return
    else:
        day = until - _DORMANT_AFTER_DAYS if control == "DORMANT" else bank.between(1, 20)
    timeline.at(timeline.office_hours(max(1, day)), bank.restrict, activity.account, control)


class _Activity:
    """What the owner of one account does."""

    def __init__(self, timeline: Timeline, account: Account, pace: Pace) -> None:
        self.timeline = timeline
        self.bank = timeline.bank
        self.account = account
        self._pace = pace

    def pay_day(self, days: tuple[int, int]) -> int:
        """Some instant on one of the days, often on one on which people are paid."""
        timeline = self.timeline
        if self.bank.chance(_ON_PAY_DAYS_PER_CENT):
            return timeline.office_hours(timeline.pay_day(days))
        return timeline.some_day(days)

    def prepare_for_today(self) -> None:
        """In the last evening: a usual buying power, and something to sell."""
        bank, timeline = self.bank, self.timeline
        least = _LEAST_CENTS + bank.below(_APART_CENTS)
        most = least + _MOST_CENTS - _LEAST_CENTS - bank.below(_APART_CENTS)
        bought = _LATE_PURCHASE_CENTS + bank.below(_LATE_PURCHASE_CENTS)
        evening = timeline.midnight - timeline.soon(0, 2400)
        timeline.at(evening - 190 * MINUTE, self.trim, most)
        timeline.at(evening - 160 * MINUTE, self.top_up, least)
        timeline.at(evening - 100 * MINUTE, self.buy, MARKETS[0], bought // 100 * 100)

    def deposit(self) -> Story:
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
        deposit_id = bank.deposit(self.account, token, cents)
        if deposit_id is None:
            return
        if bank.chance(4):
            yield self.timeline.soon(20, 90)
            bank.fail_deposit(self.account, deposit_id)
        else:
            bank.complete_deposit(deposit_id)

    def bad_deposit(self, cents: int) -> Story:
        """A deposit that the core bank claws back within hours, which freezes the account."""
        deposit_id = self.bank.deposit(self.account, DEPOSIT_TOKEN_USD, cents)
        if deposit_id is not None:
            self.bank.complete_deposit(deposit_id)
            yield self.timeline.soon(1200, 7200)
            self.bank.return_deposit(self.account, deposit_id)

    def trade(self) -> Story:
        """A quote, mostly followed by its execution while it is good and whatever comes then."""
        bank, account, timeline = self.bank, self.account, self.timeline
        chosen = None if bank.is_restricted(account) else self._choose()
        quote_id = None if chosen is None else bank.quote(account, *chosen)
        if quote_id is None or bank.chance(9):
            return
        yield min(timeline.soon(3, 110), bank.options.quote_window)
        trade_id = bank.execute(account, quote_id)
        if trade_id is None:
            return
        fate = bank.below(100)
        if fate < 8:
            yield timeline.soon(2, 8)
            bank.cancel(account, trade_id)
        elif fate < 13:
            yield _FILL
            bank.fail(account, trade_id, _REFUSALS[fate % 2])
        else:
            yield _FILL + timeline.soon(0, 1)
            yield from self._fill(trade_id)

    def _fill(self, trade_id: str) -> Story:
        """The fill and, later, the settlement."""
        self.bank.fill(self.account, trade_id)
        yield _SETTLE + self.timeline.soon(0, 1)
        self.bank.settle(self.account, trade_id)

    def buy(self, market: Market, cents: int) -> Story:
        """A purchase that runs its course."""
        quote_id = self.bank.quote(self.account, market.name, Side.BUY, cents)
        if quote_id is not None:
            yield min(7 * SECOND, self.bank.options.quote_window)
            yield from self._execute(quote_id)

    def _execute(self, quote_id: str) -> Story:
        """The execution of a quote that runs its course."""
        trade_id = self.bank.execute(self.account, quote_id)
        if trade_id is not None:
            yield _FILL
            yield from self._fill(trade_id)

    def _choose(self) -> tuple[str, Side, int] | None:
        """Market, side and amount sold of a sensible order."""
        bank = self.bank
        market = _MARKETS[bank.below(len(_MARKETS))]
        held = bank.available(self.account).get(market.base, 0)
        if held and bank.chance(45):
            sold = self._part_of(held, market)
            point = bank.prices.price(market.name, bank.now)
            unit = 10**market.base.decimals
            if point and sold * point.mid_micros // unit >= _LEAST_ORDER_CENTS * 10_000:
                return market.name, Side.SELL, sold
        power = min(bank.buying_power(self.account), market.maximum_order_cents)
        if power < _LEAST_ORDER_CENTS:
            return None
        cents = typed_cents(
            bank.randomness, self._pace.order, _ORDER_SIGMA, _LEAST_ORDER_CENTS, power
        )
        return market.name, Side.BUY, cents

    def largest_order(self) -> Story:
        """A deposit and an order of the largest amount that the market takes."""
        market = _MARKETS[self.bank.below(len(_MARKETS))]
        self.top_up(market.maximum_order_cents)
        yield self.timeline.soon(60, 600)
        yield from self.buy(market, market.maximum_order_cents)

    def sell_all(self) -> None:
        """Sell everything that is held of every market."""
        bank = self.bank
        for market in MARKETS:
            held = bank.available(self.account).get(market.base, 0)
            if held:
                quote_id = bank.quote(self.account, market.name, Side.SELL, held)
                if quote_id is not None:
                    self.timeline.at(bank.now + 5 * SECOND, self._execute, quote_id)

    def withdraw_all(self) -> Story:
        """Withdraw the whole buying power to the bank account."""
        power = self.bank.buying_power(self.account)
        withdrawal_id = self._pay_out(DEPOSIT_TOKEN_USD, power)
        if withdrawal_id is not None:
            yield from self._send(withdrawal_id)

    def _part_of(self, held: int, market: Market) -> int:
        """All of it, or a part that a person would type: with four decimals."""
        if self.bank.chance(25):
            return held
        step = 10 ** (market.base.decimals - 4)
        return max(1, int(held * self.bank.between(10, 90) // 100 // step * step))

    def withdraw(self) -> Story:
        """A withdrawal of a part of what can be had in one token, and what becomes of it."""
        bank, account = self.bank, self.account
        if bank.is_restricted(account):
            return
        token = _TOKENS[bank.below(len(_TOKENS))]
        power = bank.buying_power(account)
        cents = power * bank.between(10, 80) // 100 // 1000 * 1000
        withdrawal_id = self._pay_out(token, min(cents, _LARGEST_PAYOUT_CENTS))
        if withdrawal_id is None:
            return
        fate = bank.below(100)
        if fate < 10:
            yield self.timeline.soon(1, 4)
            bank.cancel_withdrawal(account, withdrawal_id)
        elif fate < 17:
            yield _PAYOUT
            bank.fail_withdrawal(account, withdrawal_id)
        else:
            yield from self._send(withdrawal_id, bounces=fate > 93)

    def _pay_out(self, token: Asset, cents: int) -> str | None:
        if cents < _LEAST_ORDER_CENTS:
            return None
        return self.bank.withdraw(self.account, token, cents)

    def _send(self, withdrawal_id: str, *, bounces: bool = False) -> Story:
        """The payment and its confirmation; the bank may bounce it within hours."""
        bank, account = self.bank, self.account
        yield _PAYOUT
        bank.send(account, withdrawal_id)
        yield _PAYOUT
        bank.complete_withdrawal(account, withdrawal_id)
        if bounces:
            yield self.timeline.soon(1800, 7200)
            bank.return_withdrawal(account, withdrawal_id)

    def trim(self, most: int) -> Story:
        """Pay out the buying power above ``most`` cents, or spend it where limits forbid."""
        excess = self.bank.buying_power(self.account) - most
        if excess < _LEAST_ORDER_CENTS:
            return
        withdrawal_id = self._pay_out(DEPOSIT_TOKEN_USD, excess)
        if withdrawal_id is None:
            yield from self.buy(MARKETS[0], excess)
        else:
            yield from self._send(withdrawal_id)

    def top_up(self, least: int) -> None:
        """Pay in what is missing to a buying power of ``least`` cents, at once."""
        missing = least - self.bank.buying_power(self.account)
        if missing <= 0:
            return
        deposit_id = self.bank.deposit(self.account, DEPOSIT_TOKEN_USD, missing)
        if deposit_id is not None:
            self.bank.complete_deposit(deposit_id)

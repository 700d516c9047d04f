"""What happened at the bank: months of it, then a few things that are still under way.

Every act waits in one queue by its instant and is done in that order, so that audit trail,
events and balances come about as they do in life. What an act is worth is decided when its turn
comes, from the balances of that moment.
"""

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from chainteller.domain.assets import (
    DEPOSIT_TOKEN_USD,
    MARKETS,
    USDC_ETHEREUM,
    USDC_SOLANA,
    Asset,
    Market,
)
from chainteller.domain.clock import DAY, HOUR, SECOND, midnight_before
from chainteller.domain.quoting import Side
from chainteller.domain.trades import Rejection
from chainteller.engine.samples import funding, trading
from chainteller.engine.samples.books import Row
from chainteller.engine.samples.world import Account, World

Act = Callable[[int], None]

MILLISECOND = 1000
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


@dataclass(slots=True)
class Story:
    """The queue of acts; ``midnight`` is the last one before the loading."""

    world: World
    midnight: int = 0
    _queue: list[tuple[int, int, Act]] = field(default_factory=list)
    _count: int = 0

    def __post_init__(self) -> None:
        self.midnight = midnight_before(self.world.now)

    def at(self, instant: int, act: Act) -> None:
        self._count += 1
        heapq.heappush(self._queue, (instant, self._count, act))

    def run(self) -> None:
        while self._queue:
            instant, _, act = heapq.heappop(self._queue)
            act(instant)

    def office_hours(self, day: int) -> int:
        """Some instant of the working day that lies ``day`` days before the last midnight."""
        return self.midnight - day * DAY + 7 * HOUR + self.world.below(12 * HOUR)

    def soon(self, low_s: int, high_s: int) -> int:
        return self.world.between(low_s * 1000, high_s * 1000) * MILLISECOND

    def deposit(self, account: Account, dollars: Sequence[int]) -> Act:
        """A deposit of one of the amounts that the bank account can spare."""

        def act(at: int) -> None:
            spare = account.bank_cents - _KEPT_AT_BANK_CENTS
            amounts = [amount * 100 for amount in dollars if amount * 100 <= spare]
            if account.is_restricted or not amounts:
                return
            token = _TOKENS[self.world.below(len(_TOKENS))]
            self.pay_in(account, token, amounts[self.world.below(len(amounts))], at)

        return act

    def pay_in(self, account: Account, token: Asset, cents: int, at: int) -> None:
        row = funding.deposit(self.world, account, token, cents, at)
        if self.world.chance(4):
            self.at(
                at + self.soon(20, 90),
                lambda when: funding.fail_deposit(self.world, account, row, when),
            )
            return
        funding.complete_deposit(self.world, account, row, at)

    def bad_deposit(self, account: Account, cents: int) -> Act:
        """A deposit that the core bank claws back within hours, which freezes the account."""

        def act(at: int) -> None:
            row = funding.deposit(self.world, account, DEPOSIT_TOKEN_USD, cents, at)
            funding.complete_deposit(self.world, account, row, at)
            self.at(
                at + self.soon(1200, 7200),
                lambda when: funding.return_deposit(self.world, account, row, when),
            )

        return act

    def trade(self, account: Account) -> Act:
        """A quote, mostly followed by its execution and whatever becomes of that."""

        def act(at: int) -> None:
            chosen = None if account.is_restricted else self._choose(account, at)
            if chosen is None:
                return
            market, side, sold = chosen
            quoted = trading.quote(self.world, account, market.name, side, sold, at)
            if not self.world.chance(9):
                self.at(at + self.soon(3, 110), lambda when: self._execute(account, quoted, when))

        return act

    def _execute(self, account: Account, quoted: Row, at: int) -> None:
        trade = trading.execute(self.world, account, quoted, at)
        if trade is None:
            return
        fate = self.world.below(100)
        if fate < 8:
            self.at(
                at + self.soon(2, 8), lambda when: trading.cancel(self.world, account, trade, when)
            )
        elif fate < 13:
            refusal = _REFUSALS[fate % 2]
            self.at(at + _FILL, lambda when: trading.fail(self.world, trade, when, refusal))
        else:
            self.at(at + _FILL + self.soon(0, 1), lambda when: self.fill(account, trade, when))

    def fill(self, account: Account, trade: Row, at: int) -> None:
        trading.fill(self.world, account, trade, at)
        self.at(
            at + _SETTLE + self.soon(0, 1),
            lambda when: trading.settle(self.world, account, trade, when),
        )

    def buy(self, account: Account, market: Market, cents: int) -> Act:
        """A purchase that runs its course."""

        def execute(quoted: Row, at: int) -> None:
            trade = trading.execute(self.world, account, quoted, at)
            if trade is not None:
                self.at(at + _FILL, lambda when: self.fill(account, trade, when))

        def act(at: int) -> None:
            quoted = trading.quote(self.world, account, market.name, Side.BUY, cents, at)
            self.at(at + 7 * SECOND, lambda when: execute(quoted, when))

        return act

    def _choose(self, account: Account, at: int) -> tuple[Market, Side, int] | None:
        """Market, side and amount sold of a sensible order."""
        world = self.world
        market = _MARKETS[world.below(len(_MARKETS))]
        held = world.available(account).get(market.base, 0)
        if held and world.chance(45):
            sold = self._part_of(held, market)
            point = world.prices.price(market.name, at)
            unit = 10**market.base.decimals
            if point and sold * point.mid_micros // unit >= _LEAST_ORDER_CENTS * 10_000:
                return market, Side.SELL, sold
        power = world.buying_power(account)
        amounts = [dollars * 100 for dollars in _BUYS if dollars * 100 <= power]
        if not amounts:
            return None
        cents = amounts[world.below(len(amounts))]
        if world.chance(20):
            cents -= world.below(1000)
        return market, Side.BUY, cents

    def _part_of(self, held: int, market: Market) -> int:
        """All of it, or a part that a person would type: with four decimals."""
        if self.world.chance(25):
            return held
        step = 10 ** (market.base.decimals - 4)
        return max(1, int(held * self.world.between(10, 90) // 100 // step * step))

    def withdraw(self, account: Account) -> Act:
        """A withdrawal of a part of what can be had in one token, and what becomes of it."""

        def act(at: int) -> None:
            if account.is_restricted:
                return
            token = _TOKENS[self.world.below(len(_TOKENS))]
            power = self.world.buying_power(account)
            cents = power * self.world.between(10, 80) // 100 // 1000 * 1000
            row = self.pay_out(account, token, min(cents, _LARGEST_PAYOUT_CENTS), at)
            if row is not None:
                self._decide(account, row, at)

        return act

    def pay_out(self, account: Account, token: Asset, cents: int, at: int) -> Row | None:
        if cents < _LEAST_ORDER_CENTS:
            return None
        return funding.withdraw(self.world, account, token, cents, at)

    def _decide(self, account: Account, row: Row, at: int) -> None:
        fate = self.world.below(100)
        if fate < 10:
            self.at(
                at + self.soon(1, 4),
                lambda when: funding.cancel_withdrawal(self.world, account, row, when),
            )
        elif fate < 17:
            self.at(
                at + _PAYOUT,
                lambda when: funding.fail_withdrawal(self.world, account, row, when),
            )
        else:
            self.at(at + _PAYOUT, lambda when: self.send(account, row, when, bounces=fate > 93))

    def send(self, account: Account, row: Row, at: int, *, bounces: bool = False) -> None:
        funding.send(self.world, account, row, at)

        def complete(when: int) -> None:
            funding.complete_withdrawal(self.world, account, row, when)
            if bounces:
                self.at(
                    when + self.soon(1800, 7200),
                    lambda later: funding.return_withdrawal(self.world, account, row, later),
                )

        self.at(at + _PAYOUT, complete)

    def trim(self, account: Account, most_cents: int) -> Act:
        """Pay out what is above ``most_cents`` of buying power."""

        def act(at: int) -> None:
            excess = self.world.buying_power(account) - most_cents
            row = self.pay_out(account, DEPOSIT_TOKEN_USD, excess, at)
            if row is not None:
                self.at(at + _PAYOUT, lambda when: self.send(account, row, when))

        return act

    def top_up(self, account: Account, least_cents: int) -> Act:
        """Pay in what is missing to ``least_cents`` of buying power."""

        def act(at: int) -> None:
            missing = least_cents - self.world.buying_power(account)
            if missing > 0:
                row = funding.deposit(self.world, account, DEPOSIT_TOKEN_USD, missing, at)
                funding.complete_deposit(self.world, account, row, at)

        return act

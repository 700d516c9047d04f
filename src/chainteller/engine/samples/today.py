"""What is under way at the sample bank as its day begins: counted from the loading itself."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from chainteller.domain.assets import DEPOSIT_TOKEN_USD, MARKETS, USDC_SOLANA, Market
from chainteller.domain.clock import HOUR, MINUTE, SECOND
from chainteller.domain.quoting import Side
from chainteller.engine.samples import customer_wallets, wallets
from chainteller.engine.samples.bank import Account
from chainteller.engine.samples.customer_wallets import Holding
from chainteller.engine.samples.customers import CustomerData, Habit, Person
from chainteller.engine.samples.history import WITH_WORK
from chainteller.engine.samples.timeline import Story, Timeline

_LEAST_CENTS = 10_000
_UP_TO_CENTS = 30_000
_STEP_CENTS = 500
_MILLISECOND = 1_000
SLOW_DEPOSIT_S = 10 * MINUTE // SECOND
_REVIEW_S = 26 * HOUR // SECOND
"""Longer than usual, so that reviews can still be seen later in the day."""
_REVIEWED_SINCE = 95 * MINUTE
_QUOTE_TO_ORDER = 20 * SECOND


def people_with_work(data: CustomerData) -> tuple[Person, ...]:
    """Customers with something under way; the one whose account is listed first comes last."""
    people = [person for person in data.people if person.habit in WITH_WORK]
    return tuple(sorted(people, key=lambda person: person.habit is Habit.FIRST))


def generate(
    timeline: Timeline, people: Sequence[Person], holdings: Mapping[str, tuple[Holding, ...]]
) -> None:
    """Leave something unfinished in the account of each of the people, and a challenge open."""
    today = _Today(timeline, holdings)
    *others, first = people
    for place, person in enumerate(others):
        account = timeline.bank.accounts[person.reference]
        if customer_wallets.needs_unverified(place):
            today.review(account)
        else:
            today.leave[place % len(today.leave)](account)
    now = timeline.bank.until
    today.order(timeline.bank.accounts[first.reference], MARKETS[0], Side.BUY, now)
    wallets.generate_today(timeline)
    timeline.run()


class _Today:
    """What can be left unfinished. Each began at its own instant, while it is still going on."""

    def __init__(self, timeline: Timeline, holdings: Mapping[str, tuple[Holding, ...]]) -> None:
        self._timeline = timeline
        self._bank = timeline.bank
        self._holdings = holdings
        self.leave: tuple[Callable[[Account], None], ...] = (
            self._processing_trade,
            self._executed_trade,
            self._pending_deposit,
            self._pending_withdrawal,
            self._sent_withdrawal,
            self._open_quote,
        )

    def _since(self, lasts: float) -> int:
        """An instant of today within the first four fifths of what lasts so many microseconds."""
        bank, midnight = self._bank, self._timeline.midnight
        lag = (1 + bank.below(max(1, int(lasts * 0.8) // _MILLISECOND))) * _MILLISECOND
        soonest = midnight + (1 + bank.below(900)) * _MILLISECOND
        return min(bank.until, max(bank.until - lag, soonest))

    def _cents(self) -> int:
        return _LEAST_CENTS + self._bank.below(_UP_TO_CENTS // _STEP_CENTS) * _STEP_CENTS

    def order(
        self,
        account: Account,
        market: Market,
        side: Side,
        at: int,
        fills: int | None = None,
    ) -> None:
        """A quote, its execution at the instant, and its fill if there is one; half of what is held
        is sold."""
        bank = self._bank
        held = bank.available(account).get(market.base, 0)
        sold = self._cents() if side is Side.BUY else held // 2
        wait = min(_QUOTE_TO_ORDER, bank.options.quote_window)

        def story() -> Story:
            quote_id = bank.quote(account, market.name, side, sold)
            if quote_id is None:
                return
            yield wait
            trade_id = bank.execute(account, quote_id)
            if trade_id is not None and fills is not None:
                yield fills - at
                bank.fill(account, trade_id)

        self._timeline.at(at - wait, story)

    def _processing_trade(self, account: Account) -> None:
        bank = self._bank
        market = MARKETS[bank.below(len(MARKETS))]
        at = self._since(bank.options.fill_delay_s * SECOND)
        self.order(account, market, Side.BUY, at)

    def _executed_trade(self, account: Account) -> None:
        bank = self._bank
        at = self._since(bank.options.settle_delay_s * SECOND)
        market = max(MARKETS, key=lambda each: bool(bank.available(account).get(each.base, 0)))
        if bank.available(account).get(market.base, 0) > 1:
            self.order(account, market, Side.SELL, at - 10 * SECOND, fills=at)

    def _open_quote(self, account: Account) -> None:
        bank = self._bank
        market, cents = MARKETS[bank.below(len(MARKETS))], self._cents()
        at = self._since(bank.options.quote_window)
        self._timeline.at(at, bank.quote, account, market.name, Side.BUY, cents)

    def _pending_deposit(self, account: Account) -> None:
        """The core bank takes its time over this one."""
        bank, cents = self._bank, self._cents()
        at = self._since(SLOW_DEPOSIT_S * SECOND)
        slow = replace(bank.options, deposit_delay_s=SLOW_DEPOSIT_S)
        self._timeline.at(at, bank.deposit, account, USDC_SOLANA, cents, slow)

    def _pending_withdrawal(self, account: Account) -> None:
        bank, cents = self._bank, self._cents()
        at = self._since(bank.options.withdrawal_delay_s * SECOND)
        self._timeline.at(at, bank.withdraw, account, DEPOSIT_TOKEN_USD, cents)

    def _sent_withdrawal(self, account: Account) -> None:
        bank, cents = self._bank, self._cents()
        at = self._since(bank.options.withdrawal_delay_s * SECOND)

        def story() -> Story:
            withdrawal_id = bank.withdraw(account, DEPOSIT_TOKEN_USD, cents)
            if withdrawal_id is not None:
                yield 5 * SECOND
                bank.send(account, withdrawal_id)

        self._timeline.at(at - 5 * SECOND, story)

    def review(self, account: Account) -> None:
        """A withdrawal to a wallet that isn't verified waits for its review."""
        bank = self._bank
        (holding,) = self._holdings[account.person.reference]
        slow = replace(bank.options, review_delay_s=_REVIEW_S)

        def act() -> None:
            found = customer_wallets.target(bank, holding.pair)
            amount = customer_wallets.part_of_holding(bank, account, holding.pair.network)
            if found is not None and amount is not None:
                bank.withdraw_to_wallet(account, amount, found, slow)

        self._timeline.at(self._since(_REVIEWED_SINCE), act)

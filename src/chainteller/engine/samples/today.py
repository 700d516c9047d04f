"""What is under way at the sample bank as its day begins: counted from the loading itself."""

from collections.abc import Callable

from chainteller.domain.assets import DEPOSIT_TOKEN_USD, MARKETS, USDC_SOLANA
from chainteller.domain.clock import MINUTE, SECOND
from chainteller.domain.quoting import Side
from chainteller.engine.samples import wallets
from chainteller.engine.samples.bank import Account
from chainteller.engine.samples.customers import CustomerData, Habit, Person
from chainteller.engine.samples.history import WITH_WORK
from chainteller.engine.samples.timeline import Timeline

_PURCHASE_CENTS = 25_000
_APART = 250_000
_SLOW_DEPOSIT_S = 10 * MINUTE // SECOND


def people_with_work(data: CustomerData) -> tuple[Person, ...]:
    """Customers with something under way; the one whose account is listed first comes last."""
    people = [person for person in data.people if person.habit in WITH_WORK]
    return tuple(sorted(people, key=lambda person: person.habit is Habit.FIRST))


def generate(timeline: Timeline, people: tuple[Person, ...]) -> None:
    """Leave something unfinished in the account of each of the people, and a challenge open."""
    bank = timeline.bank
    for place, person in enumerate(people):
        is_last = place == len(people) - 1
        leave = _processing_trade if is_last else _UNFINISHED[place % len(_UNFINISHED)]
        at = bank.now - (len(people) - 1 - place) * _APART
        leave(timeline, bank.accounts[person.reference], at)
    wallets.generate_today(timeline)
    timeline.run()


def _processing_trade(timeline: Timeline, account: Account, at: int) -> None:
    _order(timeline, account, Side.BUY, _PURCHASE_CENTS, at)


def _executed_trade(timeline: Timeline, account: Account, at: int) -> None:
    bank = timeline.bank
    held = bank.available(account).get(MARKETS[0].base, 0)

    def then(trade_id: str) -> None:
        timeline.at(at, lambda when: bank.fill(account, trade_id, when))

    if held > 1:
        _order(timeline, account, Side.SELL, held // 2, at - 10 * SECOND, then)


def _order(
    timeline: Timeline,
    account: Account,
    side: Side,
    sold: int,
    at: int,
    then: Callable[[str], None] = lambda _: None,
) -> None:
    """A quote, its execution at the instant, and what follows."""
    bank = timeline.bank

    def execute(quote_id: str, when: int) -> None:
        trade_id = bank.execute(account, quote_id, when)
        if trade_id is not None:
            then(trade_id)

    def ask(when: int) -> None:
        quote_id = bank.quote(account, MARKETS[0].name, side, sold, when)
        if quote_id is not None:
            timeline.at(at, lambda later: execute(quote_id, later))

    timeline.at(at - min(20 * SECOND, bank.options.quote_window), ask)


def _open_quote(timeline: Timeline, account: Account, at: int) -> None:
    bank = timeline.bank
    timeline.at(at, lambda when: bank.quote(account, MARKETS[0].name, Side.BUY, 30_000, when))


def _pending_deposit(timeline: Timeline, account: Account, at: int) -> None:
    """The core bank takes its time over this one."""
    bank = timeline.bank
    timeline.at(at, lambda when: bank.deposit(account, USDC_SOLANA, 50_000, when, _SLOW_DEPOSIT_S))


def _pending_withdrawal(timeline: Timeline, account: Account, at: int) -> None:
    bank = timeline.bank
    timeline.at(at, lambda when: bank.withdraw(account, DEPOSIT_TOKEN_USD, 20_000, when))


def _sent_withdrawal(timeline: Timeline, account: Account, at: int) -> None:
    bank = timeline.bank

    def ask(when: int) -> None:
        withdrawal_id = bank.withdraw(account, DEPOSIT_TOKEN_USD, 20_000, when)
        if withdrawal_id is not None:
            timeline.at(at, lambda later: bank.send(account, withdrawal_id, later))

    timeline.at(at - 5 * SECOND, ask)


_UNFINISHED = (
    _processing_trade,
    _executed_trade,
    _pending_deposit,
    _pending_withdrawal,
    _sent_withdrawal,
    _open_quote,
)

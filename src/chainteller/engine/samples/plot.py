"""Who does what, when: the plot of the sample world, told through ``story``."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from chainteller.domain.assets import DEPOSIT_TOKEN_USD, MARKETS, USDC_SOLANA
from chainteller.domain.clock import DAY, HOUR, MINUTE, SECOND
from chainteller.domain.quoting import Side
from chainteller.engine.deposits import COMPLETE as COMPLETE_DEPOSIT
from chainteller.engine.samples import funding, opening, trading, wallet_plot
from chainteller.engine.samples.books import Row
from chainteller.engine.samples.people import Bank, Habit, Person
from chainteller.engine.samples.story import Story
from chainteller.engine.samples.world import Account, World
from chainteller.engine.trades import FILL, SETTLE
from chainteller.engine.withdrawals import COMPLETE, SEND


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
_WITH_WORK = frozenset({Habit.WAITING, Habit.FIRST})
_DORMANT_SINCE_DAYS = (230, 420)
_DORMANT_AFTER_DAYS = 180
_DORMANT_ACTIVE_DAYS = 40
_MOST_CENTS, _LEAST_CENTS = 260_000, 160_000
_LATE_PURCHASE_CENTS = 40_000


def tell_past(world: World, bank: Bank) -> None:
    """All that happened before the last midnight, in memory; ``world.now`` is that midnight."""
    story = Story(world)
    for person in bank.people:
        bank_accounts = opening.customer(world, person)
        if person.habit is not Habit.NONE:
            _begin(story, person, bank_accounts[0])
    _open_blockchain_accounts(story, bank)
    wallet_plot.tell_past(story)
    story.run()


def waiting(bank: Bank) -> tuple[Person, ...]:
    """Whose accounts have something under way as the desk opens; the first account's come last."""
    people = [person for person in bank.people if person.habit in _WITH_WORK]
    return tuple(sorted(people, key=lambda person: person.habit is Habit.FIRST))


def begin_day(world: World, people: tuple[Person, ...]) -> None:
    """What is under way at ``world.now``; their accounts stand in ``world.accounts``."""
    story = Story(world)
    for place, person in enumerate(people):
        _leave_unfinished(story, world.accounts[person.reference], place, len(people))
    wallet_plot.begin_day(story)
    story.run()


def _begin(story: Story, person: Person, bank: Row) -> None:
    """Open the account on some day and let its owner's habits run from there."""
    world, pace = story.world, _PACES[person.habit]
    is_dormant = person.control == "DORMANT"
    since = world.between(*(_DORMANT_SINCE_DAYS if is_dormant else pace.since_days))
    until = since - _DORMANT_ACTIVE_DAYS if is_dormant else 1

    def begin(at: int) -> None:
        account = opening.open_account(world, person, bank, at)
        story.at(at + story.soon(120, 1800), story.deposit(account, pace.dollars))
        days = (until, since - 1)
        for _ in range(world.between(*pace.deposits) - 1):
            story.at(story.office_hours(world.between(*days)), story.deposit(account, pace.dollars))
        for _ in range(world.between(*pace.trades)):
            story.at(story.office_hours(world.between(*days)), story.trade(account))
        for _ in range(world.between(*pace.withdrawals)):
            story.at(story.office_hours(world.between(*days)), story.withdraw(account))
        _end(story, account, until)

    story.at(story.office_hours(since), begin)


def _end(story: Story, account: Account, until: int) -> None:
    """What becomes of the account before the last midnight."""
    _world, control = story.world, account.person.control
    if control is not None:
        _restrict(story, account, control, until)
    if account.person.habit in _WITH_WORK:
        story.at(story.midnight - 150 * MINUTE, story.trim(account, _MOST_CENTS))
        story.at(story.midnight - 2 * HOUR, story.top_up(account, _LEAST_CENTS))
        story.at(story.midnight - 90 * MINUTE, story.buy(account, MARKETS[0], _LATE_PURCHASE_CENTS))


def _restrict(story: Story, account: Account, control: str, until: int) -> None:
    """Frozen accounts are so because a deposit was clawed back; the rest by policy."""
    world = story.world
    if control == "FROZEN":
        cents = 10_000 * world.between(2, 9)
        story.at(story.office_hours(world.between(1, 20)), story.bad_deposit(account, cents))
        return
    day = until - _DORMANT_AFTER_DAYS if control == "DORMANT" else world.between(1, 20)
    story.at(
        story.office_hours(max(1, day)), lambda at: opening.restrict(world, account, control, at)
    )


def _open_blockchain_accounts(story: Story, bank: Bank) -> None:
    """The custody addresses with fixed ids; nobody has a wallet on them yet."""
    for custody in bank.custody_addresses:
        story.at(
            story.midnight - DAY + 20 * HOUR,
            lambda at, custody=custody: opening.blockchain_account(  # type: ignore[misc]  # a default binds the loop's address
                story.world, story.world.accounts[custody.reference], custody, at
            ),
        )


def _leave_unfinished(story: Story, account: Account, place: int, count: int) -> None:
    """Something under way as the desk opens; the last of them belongs to the first account."""
    is_first = place == count - 1
    leave = _processing_trade if is_first else _UNFINISHED[place % len(_UNFINISHED)]
    leave(story, account, story.world.now - (count - 1 - place) * _APART)


def _processing_trade(story: Story, account: Account, at: int) -> None:
    world = story.world

    def leave(trade: Row) -> None:
        world.schedule(FILL, trade["id"], world.after(at, world.options.fill_delay_s))

    _order(story, account, Side.BUY, _UNFINISHED_PURCHASE_CENTS, at, leave)


def _executed_trade(story: Story, account: Account, at: int) -> None:
    world = story.world
    held = world.available(account)[MARKETS[0].base]

    def fill(trade: Row) -> None:
        def leave(when: int) -> None:
            trading.fill(world, account, trade, when)
            world.schedule(SETTLE, trade["id"], world.after(when, world.options.settle_delay_s))

        story.at(at, leave)

    _order(story, account, Side.SELL, held // 2, at - 10 * SECOND, fill)


def _order(
    story: Story, account: Account, side: Side, sold: int, at: int, then: Callable[[Row], None]
) -> None:
    """A quote, its execution at the instant, and what is to become of the trade."""

    def execute(quoted: Row, when: int) -> None:
        trade = trading.execute(story.world, account, quoted, when)
        if trade is None:
            raise AssertionError("an account that waits has what it takes")
        then(trade)

    def ask(when: int) -> None:
        quoted = trading.quote(story.world, account, MARKETS[0].name, side, sold, when)
        story.at(at, lambda later: execute(quoted, later))

    story.at(at - 20 * SECOND, ask)


def _open_quote(story: Story, account: Account, at: int) -> None:
    def act(when: int) -> None:
        trading.quote(story.world, account, MARKETS[0].name, Side.BUY, 30_000, when)

    story.at(at, act)


def _pending_deposit(story: Story, account: Account, at: int) -> None:
    """The core bank takes its time over this one."""

    def act(when: int) -> None:
        row = funding.deposit(story.world, account, USDC_SOLANA, 50_000, when)
        story.world.schedule(COMPLETE_DEPOSIT, row["id"], when + _SLOW_DEPOSIT)

    story.at(at, act)


def _pending_withdrawal(story: Story, account: Account, at: int) -> None:
    world = story.world

    def act(when: int) -> None:
        row = _withdrawal(world, account, when)
        world.schedule(SEND, row["id"], world.after(when, world.options.withdrawal_delay_s))

    story.at(at, act)


def _sent_withdrawal(story: Story, account: Account, at: int) -> None:
    world = story.world

    def leave(row: Row, when: int) -> None:
        funding.send(world, account, row, when)
        world.schedule(COMPLETE, row["id"], world.after(when, world.options.withdrawal_delay_s))

    def act(when: int) -> None:
        row = _withdrawal(world, account, when)
        story.at(at, lambda later: leave(row, later))

    story.at(at - 5 * SECOND, act)


def _withdrawal(world: World, account: Account, at: int) -> Row:
    row = funding.withdraw(world, account, DEPOSIT_TOKEN_USD, 20_000, at)
    if row is None:
        raise AssertionError("an account that waits has what it takes")
    return row


_UNFINISHED = (
    _processing_trade,
    _executed_trade,
    _pending_deposit,
    _pending_withdrawal,
    _sent_withdrawal,
    _open_quote,
)
_UNFINISHED_PURCHASE_CENTS = 25_000
_APART = 250_000
_SLOW_DEPOSIT = 10 * MINUTE

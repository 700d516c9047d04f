"""Wallets of the invented customers: every family, every stage, a few shared ones and a phisher.

Who has which wallet follows from the customers alone, so that what is under way today finds what
the history has made.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from chainteller.domain.assets import MARKETS, Asset, Market
from chainteller.domain.challenges import MAXIMUM_ATTEMPTS, ReverificationReason
from chainteller.domain.clock import DAY, HOUR, MINUTE
from chainteller.domain.money import Amount
from chainteller.engine.operations import destinations
from chainteller.engine.operations.destinations import Target
from chainteller.engine.samples import wallets
from chainteller.engine.samples.bank import Account, SampleBank
from chainteller.engine.samples.customers import CustomerData, Habit, Person
from chainteller.engine.samples.timeline import Story, Timeline
from chainteller.engine.samples.wallets import Pair
from chainteller.storage.db.records import Tables
from chainteller.wallets.simulated import SampleWallet

_PREFIX = "customer-"
PHISHER = "CU-001009"
"""Had two other customers sign the bank's texts for their own wallets."""
_PHISHED = 2
_SHARED = 3
"""How many wallets two customers have verified who know each other."""
_LEAST_AGE_DAYS = 4
_BEFORE_CONTROL_DAYS = 24
"""Controls are set later than this many days ago."""
_ASSETS: Mapping[str, Asset] = {market.base.network: market.base for market in MARKETS}
_MARKETS: Mapping[str, Market] = {market.base.network: market for market in MARKETS}
_LARGEST_UNVERIFIED_CENTS = 90_000


class Stage(StrEnum):
    """How far the customer and the bank have come with a wallet."""

    REGISTERED = "registered"
    ASKED = "asked"
    REFUSED = "refused"
    LOCKED = "locked"
    CLAIMED = "claimed"
    LINKED = "linked"
    REVOKED = "revoked"
    PHISHED = "phished"


_STAGES = (
    *(Stage.LINKED,) * 5,
    Stage.ASKED,
    *(Stage.LINKED,) * 4,
    Stage.REGISTERED,
    Stage.REVOKED,
    Stage.LINKED,
    Stage.CLAIMED,
    *(Stage.LINKED,) * 2,
    Stage.REFUSED,
    Stage.REGISTERED,
    Stage.LINKED,
    Stage.LOCKED,
)
"""Of one customer after the other, over and over."""
_REASONS = {
    Stage.REVOKED: ReverificationReason.POLICY_CHANGE,
    Stage.PHISHED: ReverificationReason.SUSPICIOUS_ACTIVITY,
}


@dataclass(frozen=True, slots=True)
class Holding:
    """A customer's wallet."""

    pair: Pair
    stage: Stage


def plan(data: CustomerData) -> Mapping[str, tuple[Holding, ...]]:
    """The wallets of each customer who has any, by the customer's reference."""
    offered = [each for each in data.wallets if each.name.startswith(_PREFIX)]
    solana = [each for each in offered if each.address.network.name == "solana"]
    waiting = [person for person in data.people if person.habit is Habit.WAITING]
    found: dict[str, tuple[Holding, ...]] = {
        person.reference: (_holding(person, wallet, _stage_of_waiting(place)),)
        for place, (person, wallet) in enumerate(zip(waiting, solana, strict=False))
    }
    left = _mixed([each for each in offered if each not in solana[: len(waiting)]])
    people = [person for person in data.people if _may_have_wallet(person)]
    # Every second customer, so that customers with and without a wallet are neighbours in lists.
    for place, (person, wallet) in enumerate(zip(people[::2], left, strict=False)):
        found[person.reference] = (_holding(person, wallet, _STAGES[place % len(_STAGES)]),)
    verified = [each for (each, *_) in found.values() if each.stage is Stage.LINKED]
    others = [person for person in people if person.reference not in found]
    for holding, person in zip(verified[:_SHARED], others, strict=False):
        found[person.reference] = (_holding(person, holding.pair.wallet, Stage.LINKED),)
    stolen = verified[_SHARED : _SHARED + _PHISHED]
    phisher = next(person for person in data.people if person.reference == PHISHER)
    found[PHISHER] = tuple(
        _holding(phisher, holding.pair.wallet, Stage.PHISHED) for holding in stolen
    )
    return found


def _stage_of_waiting(place: int) -> Stage:
    return Stage.REGISTERED if needs_unverified(place) else Stage.LINKED


def needs_unverified(place: int) -> bool:
    """Whether the customer in this place of those with something under way has a review."""
    return place % 4 == 1


def _may_have_wallet(person: Person) -> bool:
    usual = person.habit in {Habit.QUIET, Habit.REGULAR, Habit.BUSY, Habit.LARGE}
    is_invented = person.reference > "CU-001999" and person.reference != wallets.FIRST
    return usual and is_invented and person.control != "DORMANT"


def _mixed(offered: Sequence[SampleWallet]) -> list[SampleWallet]:
    """One of each network after the other, as long as there are any."""
    by_network: dict[str, list[SampleWallet]] = {}
    for each in offered:
        by_network.setdefault(each.address.network.name, []).append(each)
    longest = max(map(len, by_network.values()), default=0)
    return [
        those[place]
        for place in range(longest)
        for those in by_network.values()
        if place < len(those)
    ]


def _holding(person: Person, wallet: SampleWallet, stage: Stage) -> Holding:
    return Holding(Pair(person.reference, wallet.address.network.name, wallet), stage)


def begin(timeline: Timeline, account: Account, holdings: Sequence[Holding], since: int) -> None:
    """Let the verification of the wallets run, some time after the account was opened."""
    bank = timeline.bank
    latest = max(since - 2, 1)
    earliest = _BEFORE_CONTROL_DAYS if account.person.control else _LEAST_AGE_DAYS
    day = timeline.business_day((min(earliest, latest), latest))
    for place, holding in enumerate(holdings):
        at = timeline.midnight - day * DAY + (9 + 2 * place) * HOUR + timeline.soon(0, 5000)
        timeline.at(at, _open_account, bank, account, holding.pair)
        timeline.at(at + 20 * MINUTE, _verify, timeline, holding)
        for _ in range(bank.between(1, 2) if holding.pair.network in _ASSETS else 0):
            later = timeline.business_day((1, max(day - 2, 1)))
            timeline.at(timeline.office_hours(later), _pay, timeline, account, holding.pair)


def _open_account(bank: SampleBank, account: Account, pair: Pair) -> None:
    if not bank.is_restricted(account) and not _is_open(bank, pair):
        wallets.open_account(bank, wallets.custody(pair.reference, pair.network))


def _is_open(bank: SampleBank, pair: Pair) -> bool:
    return bank.rows.find(Tables.blockchain_account, pair.account_id) is not None


def _verify(timeline: Timeline, holding: Holding) -> Story:
    bank, pair = timeline.bank, holding.pair
    if not _is_open(bank, pair):
        return
    if holding.stage is Stage.REGISTERED:
        wallets.register(bank, pair)
    elif holding.stage is Stage.ASKED:
        yield from wallets.challenged(bank, pair)
    elif holding.stage is Stage.REFUSED:
        yield from wallets.refused(bank, pair, attempts=2)
    elif holding.stage is Stage.LOCKED:
        yield from wallets.refused(bank, pair, MAXIMUM_ATTEMPTS)
    elif holding.stage is Stage.CLAIMED:
        yield from wallets.claimed(bank, pair)
    else:
        yield from wallets.linked(bank, pair)
        if holding.stage in _REASONS:
            delay = timeline.soon(3 * 3600, 26 * 3600)
            yield min(delay, timeline.midnight - HOUR - bank.now)
            wallets.require_reverification(bank, pair, _REASONS[holding.stage])


def target(bank: SampleBank, pair: Pair) -> Target | None:
    """The wallet as the destination of a withdrawal; None while it isn't registered."""
    counterparty = bank.rows.find(Tables.counterparty, pair.counterparty_id)
    if counterparty is None or not _is_open(bank, pair):
        return None
    link = wallets.find_link(bank, pair)
    record = bank.rows.record(Tables.counterparty, pair.counterparty_id)
    return destinations.wallet(record, pair.account_id, link, bank.now)


def _pay(timeline: Timeline, account: Account, pair: Pair) -> Story:
    """A withdrawal of a part of what the account holds on the wallet's network, and what becomes of
    it."""
    bank = timeline.bank
    found = target(bank, pair)
    amount = part_of_holding(bank, account, pair.network)
    if found is None or amount is None or bank.is_restricted(account):
        return
    withdrawal_id = bank.withdraw_to_wallet(account, amount, found)
    if withdrawal_id is None:
        return
    if not found.used:
        delay = timeline.soon(1200, 6000)
        fate = bank.below(4)
        yield delay
        if fate == 1:
            bank.reject_withdrawal(account, withdrawal_id)
            return
        if fate == 3:
            bank.cancel_withdrawal(account, withdrawal_id)
            return
        bank.pass_review(account, withdrawal_id)
    yield timeline.soon(5, 6)
    bank.send(account, withdrawal_id)
    yield timeline.soon(5, 600)
    bank.complete_withdrawal(account, withdrawal_id)


def part_of_holding(bank: SampleBank, account: Account, network: str) -> Amount | None:
    """An amount that may go to any wallet, with four decimals; None if too little is held."""
    asset, market = _ASSETS[network], _MARKETS[network]
    held = bank.available(account).get(asset, 0)
    point = bank.prices.price(market.name, bank.now)
    unit, step = 10**asset.decimals, 10 ** (asset.decimals - 4)
    if point is None:
        return None
    most = _LARGEST_UNVERIFIED_CENTS * 10_000 * unit // point.mid_micros
    atoms = min(held * bank.between(20, 80) // 100, most) // step * step
    return Amount(atoms, asset) if atoms > 0 else None

"""Random operations from a seed, with the edges drawn often: exact balances, last instants."""

from collections.abc import Callable

from tests.properties.auditor import Auditor
from tests.properties.books import CURRENCIES, DECIMALS, MARKETS

from chainteller.domain.randomness import SeededRandomness, below

EDGES = (-1, 0, 1)


class Simulation:
    """Operations on one or more auditors; the first one's books decide what is near an edge."""

    def __init__(self, seed: str, auditors: list[Auditor]) -> None:
        self._random = SeededRandomness(f"simulation {seed}")
        self.auditors = auditors
        self._acts: tuple[tuple[int, Callable[[], None]], ...] = (
            (2, self.open),
            (12, self.deposit),
            (22, self.quote),
            (24, self.execute),
            (8, self.cancel_trade),
            (10, self.withdraw),
            (5, self.cancel_withdrawal),
            (17, self.advance),
        )

    @property
    def first(self) -> Auditor:
        return self.auditors[0]

    def below(self, bound: int) -> int:
        return below(self._random, bound)

    def pick(self, choices: tuple[str, ...]) -> str:
        return choices[self.below(len(choices))]

    def step(self) -> None:
        """One operation, then the balances of the accounts it could touch."""
        drawn = self.below(sum(weight for weight, _ in self._acts))
        for weight, act in self._acts:
            if drawn < weight:
                act()
                break
            drawn -= weight
        for auditor in self.auditors:
            for account in auditor.accounts:
                auditor.compare(account)

    def _account(self) -> int | None:
        return self.below(len(self.first.accounts)) if self.first.accounts else None

    def open(self) -> None:
        name = self.pick(tuple(self.first.bank))
        for auditor in self.auditors:
            auditor.open(name)

    def deposit(self) -> None:
        place = self._account()
        if place is None:
            return self.open()
        cents = 1 + self.below(100_000)
        if self.below(6) == 0:
            cents = (
                self.first.bank[self.first.bank_of[self.first.accounts[place]]]
                + EDGES[self.below(3)]
            )
        asset, key = self.pick(tuple(CURRENCIES)), self._key()
        for auditor in self.auditors:
            auditor.deposit(auditor.accounts[place], max(1, cents), asset, key)
        return None

    def _key(self) -> str | None:
        return f"k-{self.first.operations}" if self.below(4) == 0 else None

    def quote(self) -> None:
        market, side = self.pick(tuple(MARKETS)), self.pick(("buy", "sell"))
        place = self._account()
        amount = self._amount(market, side, place)
        for auditor in self.auditors:
            auditor.quote(market, side, max(1, amount))

    def _amount(self, market: str, side: str, place: int | None) -> int:
        """Often exactly what an account could sell, or one atom beside it."""
        near = place is not None and self.below(3) == 0
        if side == "buy":
            if near and place is not None:
                power = self.first.buying_power(self.first.accounts[place])
                return power + EDGES[self.below(3)]
            return self.below(60_000) if self.below(8) else 99 + self.below(4)
        base = MARKETS[market][0]
        if place is not None and (near or self.below(2)):
            have = self.first.books[self.first.accounts[place]].available[base]
            return have + EDGES[self.below(3)] if near else 1 + self.below(max(1, have))
        return 1 + self.below(10 ** DECIMALS[base])

    def execute(self) -> None:
        place = self._account()
        if place is None or not self.first.quotes:
            return self.quote()
        count = len(self.first.quotes)
        number = count - 1 - self.below(min(count, 4))
        self._to_the_edge_of(number)
        key = self._key()
        for auditor in self.auditors:
            auditor.execute(auditor.accounts[place], number, key)
        return None

    def _to_the_edge_of(self, number: int) -> None:
        """Now and then, the last microsecond of a quote, or the one beside it."""
        if self.below(12):
            return
        quote = self.first.quotes[number]
        last = quote.at + self.first.rules.window + EDGES[self.below(3)]
        wait = last - self.first.deployment.now()
        if wait > 0:
            for auditor in self.auditors:
                auditor.advance(wait)

    def cancel_trade(self) -> None:
        count = len(self.first.trades)
        if count:
            number = count - 1 - self.below(min(count, 5))
            for auditor in self.auditors:
                auditor.cancel_trade(number)

    def withdraw(self) -> None:
        place = self._account()
        if place is None:
            return self.open()
        account = self.first.accounts[place]
        cents = 1 + self.below(40_000)
        edge = self.below(4)
        if edge == 0:
            cents = self.first.buying_power(account) + EDGES[self.below(3)]
        elif edge == 1:
            cents = self.first.room(account) + EDGES[self.below(3)]
        asset = self.pick(tuple(CURRENCIES))
        for auditor in self.auditors:
            auditor.withdraw(auditor.accounts[place], max(1, cents), asset)
        return None

    def cancel_withdrawal(self) -> None:
        count = len(self.first.withdrawals)
        if count:
            number = count - 1 - self.below(min(count, 3))
            for auditor in self.auditors:
                auditor.cancel_withdrawal(number)

    def advance(self) -> None:
        seconds = (1, 4, 5, 10, 20, 31, 299, 3_600, 86_400)[self.below(9)]
        wait = seconds * 1_000_000 + EDGES[self.below(3)]
        for auditor in self.auditors:
            auditor.advance(wait)

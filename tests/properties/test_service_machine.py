"""A hypothesis state machine over the service alone, with the auditor's books as its model."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.properties.auditor import Auditor
from tests.properties.books import CURRENCIES, DECIMALS, MARKETS
from tests.properties.deployments import BANK_ACCOUNTS, EmbeddedDeployment, audited

from chainteller.engine.verification.full_pass import verify

Act = Callable[[Auditor], None]
edges = st.sampled_from((-1, 0, 1))
places = st.integers(0, 1_000)
currencies = st.sampled_from(sorted(CURRENCIES))
keys = st.none() | st.uuids().map(str)


class ServiceMachine(RuleBasedStateMachine):
    """Subclasses choose what is audited: one deployment, or several side by side."""

    auditors: list[Auditor]

    def deployments(self) -> list[EmbeddedDeployment]:
        raise NotImplementedError

    @initialize()
    def begin(self) -> None:
        self.running = self.deployments()
        self.auditors = [audited(deployment) for deployment in self.running]
        self.each(lambda auditor: auditor.open(BANK_ACCOUNTS[0]))

    def each(self, act: Act) -> None:
        for auditor in self.auditors:
            act(auditor)

    @property
    def first(self) -> Auditor:
        return self.auditors[0]

    @rule(name=st.sampled_from(BANK_ACCOUNTS))
    def open(self, name: str) -> None:
        self.each(lambda auditor: auditor.open(name))

    @rule(place=places, cents=st.integers(1, 200_000), asset=currencies, key=keys)
    def deposit(self, place: int, cents: int, asset: str, key: str | None) -> None:
        self.each(lambda each: each.deposit(pick(each.accounts, place), cents, asset, key))

    @rule(place=places, edge=edges, asset=currencies)
    def deposit_all_that_the_bank_has(self, place: int, edge: int, asset: str) -> None:
        cents = self.first.bank[self.first.bank_of[pick(self.first.accounts, place)]] + edge
        if cents > 0:
            self.deposit(place, cents, asset, None)

    @rule(
        market=st.sampled_from(sorted(MARKETS)),
        side=st.sampled_from(("buy", "sell")),
        amount=st.integers(1, 60_000),
    )
    def quote(self, market: str, side: str, amount: int) -> None:
        scale = 1 if side == "buy" else 10 ** max(0, DECIMALS[MARKETS[market][0]] - 5)
        self.each(lambda auditor: auditor.quote(market, side, amount * scale))

    @rule(place=places, market=st.sampled_from(sorted(MARKETS)), edge=edges)
    def quote_and_execute_a_sale_of_all(self, place: int, market: str, edge: int) -> None:
        base = MARKETS[market][0]
        amount = self.first.books[pick(self.first.accounts, place)].available[base] + edge
        self._quote_and_execute(market, "sell", place, amount)

    @rule(place=places, market=st.sampled_from(sorted(MARKETS)), edge=edges)
    def quote_and_execute_a_purchase_with_all(self, place: int, market: str, edge: int) -> None:
        amount = self.first.buying_power(pick(self.first.accounts, place)) + edge
        self._quote_and_execute(market, "buy", place, amount)

    def _quote_and_execute(self, market: str, side: str, place: int, amount: int) -> None:
        if amount < 1:
            return
        before = len(self.first.quotes)
        self.each(lambda auditor: auditor.quote(market, side, amount))
        if len(self.first.quotes) > before:
            self.each(lambda each: each.execute(pick(each.accounts, place), before))

    @precondition(lambda self: self.first.quotes)
    @rule(place=places, number=places, key=keys)
    def execute(self, place: int, number: int, key: str | None) -> None:
        chosen = number % len(self.first.quotes)
        self.each(lambda each: each.execute(pick(each.accounts, place), chosen, key))

    @precondition(lambda self: self.first.quotes)
    @rule(place=places, number=places, edge=edges)
    def execute_at_the_end_of_the_window(self, place: int, number: int, edge: int) -> None:
        chosen = number % len(self.first.quotes)
        last = self.first.quotes[chosen].at + self.first.rules.window + edge
        wait = last - self.first.deployment.now()
        if wait > 0:
            self.each(lambda auditor: auditor.advance(wait))
            self.execute(place, chosen, None)

    @precondition(lambda self: self.first.trades)
    @rule(number=places)
    def cancel_trade(self, number: int) -> None:
        chosen = number % len(self.first.trades)
        self.each(lambda auditor: auditor.cancel_trade(chosen))

    @rule(place=places, cents=st.integers(1, 110_000), asset=currencies)
    def withdraw(self, place: int, cents: int, asset: str) -> None:
        self.each(lambda auditor: auditor.withdraw(pick(auditor.accounts, place), cents, asset))

    @rule(place=places, edge=edges, asset=currencies, by_limit=st.booleans())
    def withdraw_all(self, place: int, edge: int, asset: str, *, by_limit: bool) -> None:
        account = pick(self.first.accounts, place)
        bound = self.first.room(account) if by_limit else self.first.buying_power(account)
        if bound + edge > 0:
            self.withdraw(place, bound + edge, asset)

    @precondition(lambda self: self.first.withdrawals)
    @rule(number=places)
    def cancel_withdrawal(self, number: int) -> None:
        chosen = number % len(self.first.withdrawals)
        self.each(lambda auditor: auditor.cancel_withdrawal(chosen))

    @rule(wait=st.sampled_from((1, 5_000_000, 10_000_000, 20_000_000, 86_400_000_000)), edge=edges)
    def advance(self, wait: int, edge: int) -> None:
        self.each(lambda auditor: auditor.advance(max(1, wait + edge)))

    @invariant()
    def balances_agree(self) -> None:
        for auditor in getattr(self, "auditors", []):
            for account in auditor.accounts:
                auditor.compare(account)

    def teardown(self) -> None:
        for auditor in getattr(self, "auditors", []):
            auditor.compare_all()
        for deployment in getattr(self, "running", []):
            assert verify(deployment.world.database) == ()
            deployment.close()


def pick(accounts: list[str], place: int) -> str:
    return accounts[place % len(accounts)]


class EmbeddedMachine(ServiceMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()

    def deployments(self) -> list[EmbeddedDeployment]:
        return [EmbeddedDeployment(Path(self.folder.name) / "bank.db", "machine")]

    def teardown(self) -> None:
        try:
            super().teardown()
        finally:
            self.folder.cleanup()


TestEmbedded = EmbeddedMachine.TestCase
TestEmbedded.settings = settings(
    max_examples=15,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)

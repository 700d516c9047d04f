"""Engines whose prices, venue and clock a test moves by hand; ``bank`` is what faces outside."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.world.customers import CustomerSeed, add_customers
from tests.world.files import KEYS, open_fresh, sealed

from chainteller.adapters.arrivals_simulated import SampleArrivals
from chainteller.adapters.prices_simulated import SimulatedPrices
from chainteller.domain.clock import SECOND, ManualClock
from chainteller.domain.options import EngineOptions
from chainteller.domain.prices import PricePoint
from chainteller.domain.randomness import SeededRandomness
from chainteller.domain.trades import Rejection
from chainteller.engine.core.ports import ExecutionVenue, PriceFeed
from chainteller.engine.engine import Engine, EngineContext
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.funding import (
    Currency,
    DepositRequest,
    Transfer,
    WithdrawalRequest,
)
from chainteller.service.models.quotes import ExecuteRequest, Quote, QuoteRequest
from chainteller.service.models.trades import Trade
from chainteller.storage.database import Database
from chainteller.storage.log.writer_keys import WriterKeys

_WALLETS = Path(__file__).parents[2] / "sample_data" / "wallets.toml"
START = 1_763_700_000_000_000
"""2025-11-21T04:40:00Z: where every manual clock stands at first."""
DPT = Currency(type="deposit-token-currency", id="DPT_USD")
USDC_SOLANA = Currency(type="stablecoin-currency", symbol="USDC", network="solana")
USDC_ETHEREUM = Currency(type="stablecoin-currency", symbol="USDC", network="ethereum")


@dataclass
class Venue:
    """Fills every order until it is told why it should not."""

    rejection: Rejection | None = None

    def decide(self, trade_id: str) -> Rejection | None:  # noqa: ARG002 - the port's shape
        return self.rejection


@dataclass
class FixedPrices:
    """One mid price for every market, as old and as moved as a test wants it."""

    mid_micros: int = 200_000_000
    checks_staleness: bool = False
    age: int = 0
    before_micros: int | None = None

    def answers_at_once(self) -> bool:
        return True

    def price(self, market: str, at: int) -> PricePoint | None:  # noqa: ARG002 - the port's shape
        if self.mid_micros <= 0:
            return None
        moved = self.before_micros is not None and at < self._newest
        mid = self.before_micros if moved and self.before_micros else self.mid_micros
        self._newest = max(self._newest, at - self.age)
        return PricePoint(mid, at - self.age)

    def samples(
        self,
        market: str,  # noqa: ARG002 - the port's shape
        start: int,
        end: int,
        step: int,
    ) -> tuple[PricePoint, ...]:
        return tuple(PricePoint(self.mid_micros, at) for at in range(start, end + 1, step))

    _newest: int = 0


@dataclass
class World:
    """A bank with everything that a test moves by hand."""

    database: Database
    clock: ManualClock
    feed: PriceFeed
    venue: ExecutionVenue
    engine: Engine
    context: EngineContext
    accounts: list[str] = field(default_factory=list)

    @property
    def account(self) -> str:
        return self.accounts[0]

    def open(self, bank_account_id: str = "DDA-1", kind: str = "checking") -> str:
        request = OpenTradingAccount(bank_account_id=bank_account_id, bank_account_type=kind)
        self.accounts.append(self.engine.open_trading_account(request).value.id)
        return self.accounts[-1]

    def deposit(
        self, amount: str = "1000.00", currency: Currency = DPT, account: str = ""
    ) -> Transfer:
        request = DepositRequest(amount=amount, currency=currency)
        return self.engine.deposit(account or self.account, request).value

    def withdraw(
        self, amount: str = "10.00", currency: Currency = DPT, account: str = ""
    ) -> Transfer:
        request = WithdrawalRequest(amount=amount, currency=currency)
        return self.engine.withdraw(account or self.account, request).value

    def quote(
        self, amount: str = "100.00", side: str = "buy", market: str = "sol-usd", **more: str
    ) -> Quote:
        request = QuoteRequest(amount=amount, side=side, **more)
        return self.engine.create_quote(market, request).value

    def execute(self, quote: Quote, account: str = "", key: str | None = None) -> Trade:
        request = ExecuteRequest(trading_account_id=account or self.account)
        return self.engine.execute_quote(quote.id, request, idempotency_key=key).value

    def buy(self, amount: str = "100.00", market: str = "sol-usd") -> Trade:
        return self.execute(self.quote(amount, "buy", market))

    def settle(self) -> None:
        """Let everything that is under way come to its end."""
        for _ in range(4):
            self.clock.advance(60 * SECOND)
            self.engine.run_due()

    def balances(self, account: str = "") -> dict[str, tuple[str, str, str]]:
        """``symbol@network`` to (available, held, incoming), as shown."""
        return {
            f"{each.token.symbol}@{each.token.network}": (
                each.amount,
                str(each.held),
                str(each.incoming),
            )
            for each in self.engine.token_balances(account or self.account).data
        }

    def bank_balance(self) -> str:
        """What the core bank holds for DDA-1."""
        accounts = [each for row in self.engine.customers().data for each in row.bank_accounts]
        (found,) = [account.balance for account in accounts if account.id == "DDA-1"]
        return found

    def close(self) -> None:
        self.database.close()


def make_world(
    place: Path | str,
    *,
    options: EngineOptions | None = None,
    feed: PriceFeed | None = None,
    venue: ExecutionVenue | None = None,
    customers: Sequence[CustomerSeed] = (CustomerSeed(),),
    seed: str = "1",
    keys: WriterKeys = KEYS,
) -> World:
    """A bank on a file or at a database URL, whose customers have no trading account yet."""
    database = open_fresh(place if isinstance(place, str) else f"sqlite:///{place}", keys=keys)
    clock, prices, market_maker = (
        ManualClock(START),
        feed or SimulatedPrices(seed),
        venue or Venue(),
    )
    randomness = SeededRandomness(seed)
    bank = EngineContext(
        database,
        clock,
        randomness,
        prices,
        market_maker,
        options or EngineOptions(),
        arrivals=SampleArrivals(_WALLETS),
    )
    if customers:
        with sealed(database, START) as rows:
            add_customers(rows, customers)
    return World(database, clock, prices, market_maker, Engine(bank), bank)

"""What the auditor writes down: its own assets and markets, papers and books.

Nothing here comes from the engine's domain.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from typing import Protocol

from chainteller.service.interface import Service
from chainteller.service.models.funding import Currency

S = 1_000_000
DECIMALS = {
    "USD@fiat": 2,
    "BUSD1@bank": 2,
    "USDC@solana": 6,
    "USDC@ethereum": 6,
    "BTC@bitcoin": 8,
    "ETH@ethereum": 18,
    "SOL@solana": 9,
}
CASH = ("USD@fiat", "BUSD1@bank", "USDC@solana", "USDC@ethereum")
CURRENCIES = {
    "BUSD1@bank": Currency(type="deposit-token-currency", id="DPT_USD"),
    "USDC@solana": Currency(type="stablecoin-currency", symbol="USDC", network="solana"),
    "USDC@ethereum": Currency(type="stablecoin-currency", symbol="USDC", network="ethereum"),
}
MARKETS = {
    "sol-usd": ("SOL@solana", 40),
    "btc-usd": ("BTC@bitcoin", 20),
    "eth-usd": ("ETH@ethereum", 25),
}
DAY = 86_400 * S


@dataclass(frozen=True)
class Rules:
    """What the deployment under audit is configured to do."""

    window: int = 300 * S
    fill_delay: int = 10 * S
    settle_delay: int = 20 * S
    withdrawal_delay: int = 5 * S
    premium_bps_per_minute: int = 5
    fee_bps: int = 50
    minimum_order: int = 100
    maximum_order: int = 10_000_000
    limits: tuple[tuple[int, int], ...] = ((0, 100_000), (DAY, 200_000), (30 * DAY, 500_000))


class Deployment(Protocol):
    """A service with a clock that can be moved."""

    service: Service

    def advance(self, microseconds: int) -> None:
        """Move the clock, then do all work that is due."""

    def now(self) -> int: ...


@dataclass
class Export:
    """A quote, a trade or a withdrawal as the auditor wrote it down."""

    id: str
    account: str = ""
    status: str = "open"
    side: str = ""
    sold: tuple[str, int] = ("", 0)
    bought: tuple[str, int] = ("", 0)
    hold: list[tuple[str, int]] = field(default_factory=list)
    at: int = 0
    due: int = 0
    trade: str = ""
    cents: int = 0


Bucket = dict[str, int]


@dataclass
class Books:
    """What an account has, by asset: available, held and incoming atoms."""

    available: Bucket = field(default_factory=lambda: defaultdict(int))
    held: Bucket = field(default_factory=lambda: defaultdict(int))
    incoming: Bucket = field(default_factory=lambda: defaultdict(int))


def text(atoms: int, asset: str) -> str:
    """Plain decimal text with every decimal of the asset."""
    unit = 10 ** DECIMALS[asset]
    return f"{atoms // unit}.{atoms % unit:0{DECIMALS[asset]}d}"


def atoms(amount: str, asset: str) -> int:
    exact = Fraction(amount) * 10 ** DECIMALS[asset]
    assert exact.denominator == 1, f"{amount} is no whole number of atoms of {asset}"
    return int(exact)


def cents_of(amount: int, asset: str) -> int:
    return amount // int(10 ** (DECIMALS[asset] - 2))


def instant(moment: datetime) -> int:
    """Microseconds since 1970, without the rounding of a float."""
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * S + since.microseconds

"""Amounts, prices and instants, computed again from the contract with whole numbers only."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from tests.properties.books import CASH, DECIMALS, MARKETS

__all__ = ["CASH", "DECIMALS", "MARKETS"]

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
USD = "USD@fiat"
COINS = ("BTC@bitcoin", "ETH@ethereum", "SOL@solana")
ASSETS = (*CASH, *COINS)
MARKET_OF = {base: name for name, (base, _) in MARKETS.items()}
SMALLEST_ORDER, LARGEST_ORDER = 100, 10_000_000
"""Cents of an order's dollar leg."""
_AMOUNT = re.compile(r"(0|[1-9][0-9]{0,37})(?:\.([0-9]{1,18}))?")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MOST = 10**38 - 1


class Refused(Exception):
    """The model says no; ``details`` are those that the answer must carry."""

    def __init__(self, code: str, **details: object) -> None:
        super().__init__(code)
        self.code = code
        self.details = details


def moment(at: int | None) -> str | None:
    """An instant as the wire shows it."""
    if at is None:
        return None
    return (_EPOCH + timedelta(microseconds=at)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def instant(text: str) -> int:
    """Microseconds of a day or a timestamp as the wire writes it. Raises Refused."""
    try:
        read_as = datetime.fromisoformat(text.removesuffix("Z")).replace(tzinfo=UTC)
    except ValueError:
        raise Refused("VALIDATION_ERROR") from None
    return (read_as - _EPOCH) // timedelta(microseconds=1)


def shown(atoms: int, asset: str) -> str:
    """An amount as the wire shows it: dollars with two decimals, others with at least two."""
    unit = 10 ** DECIMALS[asset]
    sign, atoms = ("-", -atoms) if atoms < 0 else ("", atoms)
    whole, part = divmod(atoms, unit)
    decimals = f"{part:0{DECIMALS[asset]}d}"
    if asset != USD:
        decimals = decimals.rstrip("0").ljust(2, "0")
    return f"{sign}{whole}.{decimals}"


def dollars(cents: int) -> str:
    return shown(cents, USD)


def plain(atoms: int, asset: str) -> str:
    """An amount as a customer may write it."""
    return shown(atoms, asset)


def read(text: str, asset: str, most_decimals: int | None = None) -> int:
    """The atoms of a request's amount. Raises Refused."""
    found = _AMOUNT.fullmatch(text)
    if found is None or not text.strip("0."):
        raise Refused("VALIDATION_ERROR")
    decimals = found[2] or ""
    allowed = DECIMALS[asset] if most_decimals is None else most_decimals
    if len(decimals) > allowed:
        raise Refused("EXCEEDS_PRECISION", field="amount", maxDecimals=allowed)
    return int(found[1] + decimals.ljust(DECIMALS[asset], "0"))


def cents_of(atoms: int, asset: str) -> int:
    """Whole cents of a cash token, rounded down."""
    return atoms // _per_cent(asset)


def atoms_of(cents: int, asset: str) -> int:
    return cents * _per_cent(asset)


def _per_cent(asset: str) -> int:
    return int(10 ** (DECIMALS[asset] - 2))


def up(numerator: int, denominator: int) -> int:
    """A quotient rounded up."""
    return -(-numerator // denominator)


@dataclass(frozen=True)
class Fees:
    flat: int = 0
    bps: int = 50
    least: int = 1

    def of(self, cents: int) -> int:
        return max(self.least, up(self.flat * 10_000 + cents * self.bps, 10_000))


@dataclass(frozen=True)
class Price:
    """What a quote is made of; ``premium`` is in basis points a minute."""

    market: str
    side: str
    mid: int
    premium: int
    window: int
    fees: Fees

    @property
    def base(self) -> str:
        return MARKETS[self.market][0]

    @property
    def spread(self) -> int:
        return MARKETS[self.market][1]

    @property
    def cents(self) -> int:
        """The mid is in millionths of a dollar; the customer gets the worse whole cent."""
        moved = 60 * self.spread + self.premium * (self.window // SECOND)
        whole = 60 * 10_000
        if self.side == "buy":
            return up(self.mid * (whole + moved), whole * 10_000)
        return self.mid * (whole - moved) // (whole * 10_000)

    def order(self, sold: int) -> "Sized":
        unit = 10 ** DECIMALS[self.base]
        if self.side == "buy":
            fee = self.fees.of(sold)
            return Sized(sold, max(0, (sold - fee) * unit // self.cents), fee, sold)
        gross = sold * self.cents // unit
        fee = self.fees.of(gross)
        return Sized(sold, max(0, gross - fee), fee, gross)

    def order_for(self, bought: int) -> "Sized":
        """The smallest order that brings at least this much."""
        low, high = 0, _MOST
        if self.order(high).bought < bought:
            return self.order(high)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.order(middle).bought >= bought else (middle, high)
        return self.order(high)


@dataclass(frozen=True)
class Sized:
    """An order's amounts in atoms, its fee and its dollar leg in cents."""

    sold: int
    bought: int
    fee: int
    leg: int

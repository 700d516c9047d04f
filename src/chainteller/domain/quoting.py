"""Quote arithmetic: price, fee and amounts in integers, rounded against the customer.

Prices are whole cents per unit of the base asset; mid prices are millionths of a dollar. The fee
is in USD on the gross USD leg. Credits are rounded down, debits and fees up.
"""

from dataclasses import dataclass
from enum import StrEnum

from chainteller.domain.assets import Market
from chainteller.domain.clock import SECOND
from chainteller.domain.money import MAX_ATOMS, ceil_div

MICROS_PER_CENT = 10_000
BPS = 10_000


class Side(StrEnum):
    BUY = "buy"
    SELL = "sell"


@dataclass(frozen=True, slots=True)
class FeeSchedule:
    """``max(minimum, ceil(flat + base * bps / 10,000))`` in whole cents of USD."""

    flat_cents: int = 0
    bps: int = 50
    minimum_cents: int = 1

    def fee_cents(self, base_cents: int) -> int:
        return max(self.minimum_cents, ceil_div(self.flat_cents * BPS + base_cents * self.bps, BPS))


@dataclass(frozen=True, slots=True)
class Terms:
    """The inputs of a price, fixed when the quote is created."""

    mid_micros: int
    half_spread_bps: int
    hold_premium_bps_per_minute: int
    window: int
    fees: FeeSchedule

    def price_cents(self, side: Side) -> int:
        """The guaranteed price: the mid moved against the customer, in whole cents."""
        window_s = self.window // SECOND
        moved = 60 * self.half_spread_bps + self.hold_premium_bps_per_minute * window_s
        scale = 60 * BPS
        if side is Side.BUY:
            return ceil_div(self.mid_micros * (scale + moved), scale * MICROS_PER_CENT)
        return int(self.mid_micros * (scale - moved) // (scale * MICROS_PER_CENT))


@dataclass(frozen=True, slots=True)
class Priced:
    """A priced order: the customer pays ``sold`` and receives ``bought``, fees included.

    On a buy, ``sold`` is in cents and ``bought`` in atoms of the base asset; on a sell the
    reverse. ``usd_leg`` is the gross USD leg in cents, the base of the fee.
    """

    side: Side
    price_cents: int
    sold: int
    bought: int
    fee_cents: int
    usd_leg: int

    @property
    def base_atoms(self) -> int:
        return self.bought if self.side is Side.BUY else self.sold


def price_order(market: Market, side: Side, sold: int, terms: Terms) -> Priced:
    """Price an order by the amount sold; ``bought`` is 0 if it would be below one atom."""
    unit, price = 10**market.base.decimals, terms.price_cents(side)
    if side is Side.BUY:
        fee = terms.fees.fee_cents(sold)
        bought = max(0, (sold - fee) * unit // price)
        return Priced(side, price, sold, bought, fee, sold)
    gross = sold * price // unit
    fee = terms.fees.fee_cents(gross)
    return Priced(side, price, sold, max(0, gross - fee), fee, gross)


def price_order_bought(market: Market, side: Side, bought: int, terms: Terms) -> Priced:
    """Price the smallest order that yields at least ``bought``.

    If no order does (the price rounds down to zero), price the largest order instead.
    """
    high = 1
    while price_order(market, side, high, terms).bought < bought:
        if high > MAX_ATOMS:
            return price_order(market, side, MAX_ATOMS, terms)
        high *= 2
    low = high // 2
    while low + 1 < high:
        middle = (low + high) // 2
        if price_order(market, side, middle, terms).bought < bought:
            low = middle
        else:
            high = middle
    return price_order(market, side, high, terms)

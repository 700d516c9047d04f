"""Simulated mid prices: a pure function of (seed, market, time) that resembles a market.

The logarithm of a price is that of the market's usual level plus twelve layers of value noise.
A layer has a hashed height at every multiple of its period and straight lines between them; its
amplitude grows with the square root of its period, as the distance of a random walk does. So any
instant, past or future, costs the same few additions and needs no history, and every process
computes the same price. All arithmetic uses integers, so results don't depend on the machine.
"""

import hashlib
from math import isqrt

from chainteller.adapters.price_sources import PRICE_SOURCES, PriceSource
from chainteller.domain.clock import DAY, SECOND
from chainteller.domain.prices import PricePoint

_TICK = SECOND
_ONE = 10**12
"""The fixed point of logarithms: ``_ONE`` is 1.0."""
_HEIGHT_BITS = 32
_PERIODS = tuple(2 * SECOND * 4**layer for layer in range(12))
"""Periods: two seconds, eight seconds, and so on up to 97 days."""
_MICROS_PER_CENT = 10_000
_MASK = 2**64 - 1
_CACHED_HEIGHTS = 4096
_CACHED_PRICES = 256
_MICROS_PER_USD = 1_000_000
_UNDECLARED = PriceSource(usual_usd=100, daily_move_per_mille=30)


class SimulatedPrices:
    """A price feed for demos, training and tests; never stale, and never halts a market.

    Any market name has a price: those of the bank near realistic levels, others near 100 USD.
    """

    checks_staleness = False

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._curves: dict[str, _Curve] = {}

    def answers_at_once(self) -> bool:
        return True

    def price(self, market: str, at: int) -> PricePoint:
        """The mid price as of the last whole second; O(1) for any instant."""
        curve = self._curves.get(market)
        if curve is None:
            source = PRICE_SOURCES.get(market, _UNDECLARED)
            curve = self._curves[market] = _Curve(f"{self._seed}/{market}", source)
        observed_at = at - at % _TICK
        return PricePoint(curve.mid_micros(observed_at), observed_at)

    def samples(self, market: str, start: int, end: int, step: int) -> tuple[PricePoint, ...]:
        """Prices at ``start``, ``start + step`` ... up to ``end``, oldest first; no gaps."""
        return tuple(self.price(market, at) for at in range(start, end + 1, step))


class _Curve:
    """The price curve of one market, with recent heights and prices cached."""

    def __init__(self, name: str, source: PriceSource) -> None:
        digest = hashlib.sha256(name.encode()).digest()
        self._key = int.from_bytes(digest[:8], "big")
        self._usual_micros = source.usual_usd * _MICROS_PER_USD
        per_day = source.daily_move_per_mille * _ONE // 1000
        self._layers = tuple(
            (number, period, _amplitude(per_day, period)) for number, period in enumerate(_PERIODS)
        )
        self._heights: dict[int, int] = {}
        self._known: dict[int, int] = {}

    def mid_micros(self, at: int) -> int:
        """USD x 1,000,000 per unit, in whole cents, at least one cent."""
        known = self._known.get(at)
        if known is None:
            if len(self._known) >= _CACHED_PRICES:
                self._known.clear()
            known = self._known[at] = self._computed(at)
        return known

    def _computed(self, at: int) -> int:
        logarithm = 0
        for number, period, amplitude in self._layers:
            bucket, into = divmod(at, period)
            left = self._height(number, bucket)
            right = self._height(number, bucket + 1)
            height = left + (right - left) * into // period
            logarithm += amplitude * height >> _HEIGHT_BITS
        cents = self._usual_micros * _exp(logarithm) // (_ONE * _MICROS_PER_CENT)
        return max(1, cents) * _MICROS_PER_CENT

    def _height(self, layer: int, bucket: int) -> int:
        """A height in ``[-2 ** 32, 2 ** 32)`` from the splitmix64 mixing of layer and bucket."""
        place = bucket * len(_PERIODS) + layer
        height = self._heights.get(place)
        if height is None:
            mixed = (self._key + place * 0x9E3779B97F4A7C15) & _MASK
            mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
            mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
            height = ((mixed ^ (mixed >> 31)) >> 31) - 2**_HEIGHT_BITS
            if len(self._heights) >= _CACHED_HEIGHTS:
                self._heights.clear()
            self._heights[place] = height
        return height


def _amplitude(per_day: int, period: int) -> int:
    """A layer's amplitude in parts of ``_ONE``, from that of a layer with a period of one day.

    It grows with the root of the period. The fastest layer is tripled, so that a live screen
    shows movement.
    """
    amplitude = isqrt(per_day**2 * period // DAY)
    return 3 * amplitude if period == _PERIODS[0] else amplitude


def _exp(logarithm: int) -> int:
    """``e ** x`` for fixed-point ``x`` within about [-2, 2], by its series."""
    total = term = _ONE
    for divisor in range(1, 24):
        term = term * logarithm // (_ONE * divisor)
        if term in (0, -1):
            break
        total += term
    return total

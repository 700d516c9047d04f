"""Where each market's prices come from: its simulated level and its name at each exchange."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from chainteller.domain.assets import MARKETS


@dataclass(frozen=True, slots=True)
class PriceSource:
    """The price source of one market.

    Args:
        usual_usd: the level around which the simulation moves.
        daily_move_per_mille: the amplitude of the simulation's one-day layer.
        pairs: the market's name at each exchange that lists it. With any other exchange as its
            feed, the market is closed (``PROVIDER_DOWN``).
    """

    usual_usd: int
    daily_move_per_mille: int
    pairs: Mapping[str, str] = field(default_factory=dict)


PRICE_SOURCES: Mapping[str, PriceSource] = {
    "sol-usd": PriceSource(200, 34, {"coinbase": "SOL-USD", "kraken": "SOLUSD"}),
    "btc-usd": PriceSource(100_000, 24, {"coinbase": "BTC-USD", "kraken": "XBTUSD"}),
    "eth-usd": PriceSource(3_400, 30, {"coinbase": "ETH-USD", "kraken": "ETHUSD"}),
}
"""By market name."""

for _market in MARKETS:
    if _market.name not in PRICE_SOURCES:
        raise LookupError(f"{_market.name} has no price source; declare one in {__name__}")


def pairs_at(exchange: str) -> dict[str, str]:
    """An exchange's names of the markets that it lists, by market name."""
    return {
        market.name: pair
        for market in MARKETS
        if (pair := PRICE_SOURCES[market.name].pairs.get(exchange)) is not None
    }

"""Stablecoin prices: exclude a stablecoin that is more than 50 basis points from one dollar.

Funds already held for a trade are not affected; their price was guaranteed while the peg held.
"""

from collections.abc import Mapping

from chainteller.domain.assets import STABLECOINS, Asset
from chainteller.domain.clock import MINUTE, format_instant
from chainteller.domain.ledger import buying_power
from chainteller.domain.prices import is_at_par
from chainteller.engine.core.context import EngineContext
from chainteller.service.errors import MarketUnavailable

REASON = "PEG_DEVIATION"
_UNKNOWN_RESOLUTION = MINUTE


def suspended(context: EngineContext, at: int) -> frozenset[Asset]:
    """The stablecoins that are not worth a dollar at an instant."""
    feed = context.pegs
    if feed is None:
        return frozenset()
    return frozenset(asset for asset in STABLECOINS if not is_at_par(feed.deviation_bps(asset, at)))


def spendable(
    available: Mapping[Asset, int], off_par: frozenset[Asset], cents: int, market: str, now: int
) -> Mapping[Asset, int]:
    """The balances that may pay for ``cents``, without suspended stablecoins. Raises
    MarketUnavailable: PEG_DEVIATION, if the funds would suffice with every stablecoin at par."""
    if off_par.isdisjoint(available):
        return available
    usable = {asset: atoms for asset, atoms in available.items() if asset not in off_par}
    if buying_power(usable) < cents <= buying_power(available):
        raise _refusal(market, now)
    return usable


def require_par(asset: Asset, off_par: frozenset[Asset], now: int) -> None:
    """Raises MarketUnavailable when the asset cannot be exchanged for dollars one to one."""
    if asset in off_par:
        raise _refusal(f"{asset.symbol.lower()}-usd", now)


def _refusal(market: str, now: int) -> MarketUnavailable:
    return MarketUnavailable(market, REASON, format_instant(now + _UNKNOWN_RESOLUTION))

"""Stablecoin prices: exclude a stablecoin that is more than 50 basis points from one dollar.

Funds already held for a trade are not affected; their price was guaranteed while the peg held.
"""

from collections.abc import Mapping

from chainteller.domain.assets import STABLECOINS, Asset
from chainteller.domain.clock import MINUTE, format_instant
from chainteller.domain.ledger import buying_power
from chainteller.domain.prices import is_at_par
from chainteller.engine.bank import Bank
from chainteller.engine.transaction import Transaction
from chainteller.service.errors import MarketUnavailable

REASON = "PEG_DEVIATION"
_UNKNOWN_RESOLUTION = MINUTE


def suspended(bank: Bank, at: int) -> frozenset[Asset]:
    """The stablecoins that do not count as a dollar at an instant."""
    feed = bank.pegs
    if feed is None:
        return frozenset()
    return frozenset(asset for asset in STABLECOINS if not is_at_par(feed.deviation_bps(asset, at)))


def spendable(
    tx: Transaction, available: Mapping[Asset, int], cents: int, market: str
) -> dict[Asset, int]:
    """The balances that may pay for ``cents``, without suspended stablecoins.

    Raises:
        MarketUnavailable: PEG_DEVIATION, if the funds would suffice with every stablecoin at par.
    """
    off = suspended(tx.bank, tx.now)
    usable = {asset: atoms for asset, atoms in available.items() if asset not in off}
    if buying_power(usable) < cents <= buying_power(available):
        raise _refusal(tx, market)
    return usable


def require_par(tx: Transaction, asset: Asset) -> None:
    """Raises MarketUnavailable if the asset is suspended as a cash equivalent."""
    if asset in suspended(tx.bank, tx.now):
        raise _refusal(tx, f"{asset.symbol.lower()}-usd")


def _refusal(tx: Transaction, market: str) -> MarketUnavailable:
    return MarketUnavailable(market, REASON, format_instant(tx.now + _UNKNOWN_RESOLUTION))

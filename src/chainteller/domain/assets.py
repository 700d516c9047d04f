"""Assets and markets: what customers can hold and trade.

An asset is a symbol on one network; the same symbol on another network is another asset
(``USDC@solana`` is not ``USDC@ethereum``). Amounts are counted in atoms, ``10 ** decimals`` to
the whole unit.

Each asset is declared once: as a deposit token, as a stablecoin, or as the base of a market.
Everything else is derived from these three. A new market is one more entry in ``MARKETS`` and its
price source, one more entry in ``adapters/price_sources.py``.
"""

from collections.abc import Mapping
from typing import NamedTuple

FIAT_NETWORK = "fiat"


class Asset(NamedTuple):
    symbol: str
    network: str
    decimals: int

    @property
    def key(self) -> str:
        return f"{self.symbol}@{self.network}"

    @property
    def is_fiat(self) -> bool:
        return self.network == FIAT_NETWORK


class Market(NamedTuple):
    """A market against USD.

    ``half_spread_bps`` is half the distance between bid and ask; order sizes are whole cents of
    the USD leg.
    """

    name: str
    base: Asset
    half_spread_bps: int
    minimum_order_cents: int = 100
    maximum_order_cents: int = 10_000_000


USD = Asset("USD", FIAT_NETWORK, 2)
DEPOSIT_TOKEN_USD = Asset("BUSD1", "bank", 2)
USDC_SOLANA = Asset("USDC", "solana", 6)
USDC_ETHEREUM = Asset("USDC", "ethereum", 6)
SOL = Asset("SOL", "solana", 9)
BTC = Asset("BTC", "bitcoin", 8)
ETH = Asset("ETH", "ethereum", 18)

DEPOSIT_TOKENS: Mapping[str, Asset] = {"DPT_USD": DEPOSIT_TOKEN_USD}
"""Deposit tokens by their currency id."""
STABLECOINS: tuple[Asset, ...] = (USDC_SOLANA, USDC_ETHEREUM)
MARKETS: tuple[Market, ...] = (
    Market("sol-usd", SOL, 40),
    Market("btc-usd", BTC, 20),
    Market("eth-usd", ETH, 25),
)

MARKETS_BY_NAME: Mapping[str, Market] = {market.name: market for market in MARKETS}
CASH_EQUIVALENTS: tuple[Asset, ...] = (USD, *DEPOSIT_TOKENS.values(), *STABLECOINS)
"""Worth one USD each for trading and for withdrawals to the bank, drawn on in this order."""
CRYPTO: tuple[Asset, ...] = tuple(sorted(market.base for market in MARKETS))
ASSETS: tuple[Asset, ...] = (*CASH_EQUIVALENTS, *CRYPTO)
ASSETS_BY_KEY: Mapping[str, Asset] = {asset.key: asset for asset in ASSETS}


def spoken_symbol(symbol: str) -> str:
    """What people call an asset: the bank's own deposit token is dollars to them."""
    tokens = DEPOSIT_TOKENS.values()
    return USD.symbol if any(each.symbol == symbol for each in tokens) else symbol


def base_symbol(market: str) -> str:
    """``SOL`` of ``sol-usd``, also of a market that isn't known here."""
    return market.partition("-")[0].upper()

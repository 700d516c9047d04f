"""What a trading account is worth, and the values of its record; without a database."""

from collections.abc import Mapping
from typing import Any

from chainteller.domain.assets import CRYPTO, MARKETS, Asset
from chainteller.domain.ledger import buying_power
from chainteller.domain.money import format_cents, whole_cents
from chainteller.domain.prices import PricePoint
from chainteller.domain.quoting import MICROS_PER_CENT
from chainteller.engine.ports import PriceFeed


def price_cents(point: PricePoint) -> int:
    return point.mid_micros // MICROS_PER_CENT


def unit_cents(feed: PriceFeed, at: int) -> dict[Asset, int]:
    """The mid price in cents of one unit of each base asset; unpriced ones are left out."""
    return {
        market.base: price_cents(point)
        for market in MARKETS
        if (point := feed.price(market.name, at)) is not None
    }


def value_cents(asset: Asset, atoms: int, values: Mapping[Asset, int]) -> int:
    """``values`` are the cents of one unit of each asset."""
    if asset in CRYPTO:
        return int(atoms * values.get(asset, 0) // 10**asset.decimals)
    return whole_cents(atoms, asset)


def account_values(
    row: Any, available: Mapping[Asset, int], values: Mapping[Asset, int]
) -> dict[str, Any]:
    """The values of a ``TradingAccount``, in its order; instants in microseconds.

    ``row`` is one of ``storage.accounts``.
    """
    worth = sum(value_cents(asset, available.get(asset, 0), values) for asset in CRYPTO)
    return {
        "id": row.id,
        "bank_account_id": row.bank_account_id,
        "bank_account_type": row.bank_account_type,
        "controls": tuple(
            dict.fromkeys(found for found in (row.control, row.customer_control) if found)
        ),
        "customer_id": row.customer_id,
        "customer_name": row.customer_name,
        "created": row.created,
        "buying_power": format_cents(buying_power(available)),
        "crypto_value_usd": format_cents(worth),
        "last_activity": row.last_activity,
        "last_activity_type": row.last_activity_type,
    }

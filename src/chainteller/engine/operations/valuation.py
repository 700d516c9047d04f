"""What a trading account is worth, and the values of its record; without a database."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from chainteller.domain.assets import CRYPTO, MARKETS, USD, Asset
from chainteller.domain.clock import MINUTE
from chainteller.domain.ledger import HOLDINGS, Bucket, buying_power
from chainteller.domain.money import format_cents, whole_cents
from chainteller.domain.prices import PricePoint
from chainteller.domain.quoting import MICROS_PER_CENT
from chainteller.engine.core.ports import PriceFeed


def price_cents(point: PricePoint) -> int:
    return point.mid_micros // MICROS_PER_CENT


Balances = Mapping[Bucket, Mapping[Asset, int]]


class UnitValues(NamedTuple):
    """The mid prices at an instant in microseconds, in cents of one unit of each base asset;
    unpriced ones are left out."""

    at: int
    cents: tuple[tuple[Asset, int], ...] = ()


def unit_values(feed: PriceFeed, now: int) -> UnitValues:
    """The prices of this minute, so that what is shown beside each other is valued alike."""
    at = now - now % MINUTE
    prices = ((market.base, feed.price(market.name, at)) for market in MARKETS)
    return UnitValues(at, tuple((base, price_cents(p)) for base, p in prices if p is not None))


def value_cents(asset: Asset, atoms: int, values: Mapping[Asset, int]) -> int:
    """The worth in cents, rounded down; ``values`` are the cents of one unit of each asset."""
    if asset in CRYPTO:
        return int(atoms * values.get(asset, 0) // 10**asset.decimals)
    return whole_cents(atoms, asset)


def account_values(row: Any, balances: Balances, prices: UnitValues) -> dict[str, Any]:
    """The values of a ``TradingAccount``, in its order; instants in microseconds.

    ``row`` is one of ``storage.accounts``. Crypto counts with what is on hold and incoming, each
    asset rounded as in the account's balances.
    """
    values = dict(prices.cents)
    worth = sum(
        value_cents(asset, sum(balances[each].get(asset, 0) for each in HOLDINGS), values)
        for asset in CRYPTO
    )
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
        "buying_power": format_cents(buying_power(balances[Bucket.AVAILABLE])),
        "crypto_value_usd": format_cents(worth),
        "valued_at": prices.at,
        "owed_usd": format_cents(balances[Bucket.OWED].get(USD, 0)),
        "last_activity": row.last_activity,
        "last_activity_type": row.last_activity_type,
    }

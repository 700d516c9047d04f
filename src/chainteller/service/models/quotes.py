"""Quotes (specification 2.5)."""

from typing import Annotated

from chainteller.domain.quoting import Side
from chainteller.domain.trades import QuoteStatus
from chainteller.service.models.base import (
    AccountRecord,
    Amount,
    OneOf,
    RequestModel,
    Timestamp,
    WireModel,
)

AMOUNT_OF = ("sold", "bought")
SideName = Annotated[str, OneOf("Side", Side)]


class QuoteRequest(RequestModel):
    """``amount`` is of the asset sold, unless ``amount_of`` is ``bought``."""

    amount: str
    side: SideName
    amount_of: Annotated[str, OneOf("AmountOf", AMOUNT_OF)] | None = None
    trading_account_id: str | None = None


class AssetAmount(WireModel):
    symbol: str
    network: str
    amount: Amount


class Fees(WireModel):
    flat: Amount
    bps: int
    total: Amount | None = None
    currency: str | None = None


class Pricing(WireModel):
    """What the price is made of; basis points are shown with up to two decimals."""

    mid: Amount
    half_spread_bps: int
    hold_premium_bps: str


class Quote(AccountRecord):
    id: str
    market_name: str
    side: SideName
    price: Amount
    asset_bought: AssetAmount
    asset_sold: AssetAmount
    created: Timestamp
    expires: Timestamp
    fees: Fees
    status: Annotated[str, OneOf("QuoteStatus", QuoteStatus)] | None = None
    trading_account_id: str | None = None
    trade_id: str | None = None
    pricing: Pricing | None = None


class ExecuteRequest(RequestModel):
    trading_account_id: str

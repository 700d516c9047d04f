"""Trades (specification 2.6)."""

from typing import Annotated

from chainteller.domain.trades import TradeStatus
from chainteller.service.models.base import AccountRecord, Amount, OneOf, Timestamp
from chainteller.service.models.funding import Reason, Transfer
from chainteller.service.models.quotes import AssetAmount, Fees, SideName

TRADE_TYPE = "trade-execution-transaction"


class Trade(AccountRecord):
    """``amount`` is the quantity of the base asset, so that amount times price is the USD leg."""

    type: Annotated[str, OneOf("TradeType", (TRADE_TYPE,))] = TRADE_TYPE
    id: str
    status: Annotated[str, OneOf("TradeStatus", TradeStatus)]
    market: str
    side: SideName
    price: Amount
    amount: Amount
    created: Timestamp
    updated: Timestamp
    trading_account_id: str | None = None
    quote_id: str | None = None
    asset_bought: AssetAmount | None = None
    asset_sold: AssetAmount | None = None
    fees: Fees | None = None
    executed_at: Timestamp | None = None
    settled_at: Timestamp | None = None
    cancelled_at: Timestamp | None = None
    failure_reason: Reason | None = None
    cancellable: bool | None = None
    version: int | None = None


Transaction = Trade | Transfer
"""Every record with the prefix TXN_."""

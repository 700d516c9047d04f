"""Trades: following them, cancelling one that has not yet executed."""

from dataclasses import replace

from chainteller.api.accounts import ONE
from chainteller.api.limits import Bucket
from chainteller.api.operations import Call, Operation, Routes
from chainteller.service import errors
from chainteller.service.models.base import Written
from chainteller.service.models.pages import Page
from chainteller.service.models.trades import Trade

routes = Routes("Trades")

_FILTERS = ("status", "side", "market", "created")
_CANCEL = Operation(
    "cancelTrade",
    "POST",
    f"{ONE}/trades/{{tradeId}}/cancellations",
    "Cancel a trade that has not yet executed",
    "trading:execute",
    Trade,
    Bucket.WRITE,
    errors=(errors.NotFound, errors.TradeNotCancellable),
)


@routes.add(
    Operation(
        "listTrades",
        "GET",
        f"{ONE}/trades",
        "List an account's trades",
        "accounts:read",
        Page[Trade],
        filters=_FILTERS,
        errors=(errors.NotFound,),
        brief=True,
    )
)
def list_trades(call: Call) -> Page[Trade]:
    return call.service.trades(call.path["tradingAccountId"], call.listing)


@routes.add(
    Operation(
        "listAllTrades",
        "GET",
        "/trading/trades",
        "List the trades of every account",
        "accounts:read",
        Page[Trade],
        filters=_FILTERS,
    )
)
def list_all_trades(call: Call) -> Page[Trade]:
    return call.service.all_trades(call.listing)


@routes.add(
    Operation(
        "getTrade",
        "GET",
        f"{ONE}/trades/{{tradeId}}",
        "Show a trade",
        "accounts:read",
        Trade,
        errors=(errors.NotFound,),
        brief=True,
    )
)
def get_trade(call: Call) -> Trade:
    return call.service.trade(call.path["tradingAccountId"], call.path["tradeId"])


@routes.add(_CANCEL)
@routes.add(replace(_CANCEL, name="deleteTrade", method="DELETE", path=f"{ONE}/trades/{{tradeId}}"))
def cancel_trade(call: Call) -> Written[Trade]:
    """Both forms of the specification (4.3) do the same, so they share their idempotency keys."""
    return call.service.cancel_trade(
        call.path["tradingAccountId"],
        call.path["tradeId"],
        idempotency_key=call.idempotency_key,
    )

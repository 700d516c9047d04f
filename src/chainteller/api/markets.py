"""Markets and their prices."""

from chainteller.api.listing import PAGING, cut
from chainteller.api.operations import Call, Operation, Routes
from chainteller.service import errors
from chainteller.service.models.markets import Market, PriceSample
from chainteller.service.models.pages import Page

routes = Routes("Markets")


@routes.add(
    Operation(
        "listMarkets",
        "GET",
        "/trading/markets",
        "Show the markets with their prices",
        "trading:quote",
        Page[Market],
        query=(
            {
                "name": "filter[name]",
                "description": "Market names, separated by commas; an unknown one is absent.",
                "schema": {"type": "string"},
            },
            *PAGING,
        ),
        brief=True,
    )
)
def list_markets(call: Call) -> Page[Market]:
    call.query.refuse_unknown_filters({"filter[name]"})
    named = call.query.get("filter[name]")
    if named is None:
        return cut(call.service.markets(), call.query)
    names = tuple(name.strip() for name in named.split(",") if name.strip())
    found = call.service.markets(names) if names else Page[Market].whole(())
    return cut(found, call.query)


@routes.add(
    Operation(
        "getMarket",
        "GET",
        "/trading/markets/{market}",
        "Show one market",
        "trading:quote",
        Market,
        errors=(errors.UnsupportedMarket,),
        brief=True,
    )
)
def get_market(call: Call) -> Market:
    return call.service.market(call.path["market"])


@routes.add(
    Operation(
        "listPrices",
        "GET",
        "/trading/markets/{market}/prices",
        "Show recent samples of a market's price, oldest first",
        "trading:quote",
        Page[PriceSample],
        query=PAGING,
        errors=(errors.UnsupportedMarket,),
    )
)
def list_prices(call: Call) -> Page[PriceSample]:
    return cut(call.service.prices(call.path["market"]), call.query)

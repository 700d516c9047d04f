"""Markets, quotes and trades."""

from chainteller.domain.quoting import Side
from chainteller.domain.trades import QuoteStatus, TradeStatus
from chainteller.service import errors
from chainteller.service.models.markets import Market, PriceSample
from chainteller.service.models.pages import MarketsQuery, Page
from chainteller.service.models.quotes import AMOUNT_OF, ExecuteRequest, Quote, QuoteRequest
from chainteller.service.models.trades import Trade
from chainteller.service.operations.declaring import (
    ACCOUNT_PATH,
    CREATED,
    TRADING_ACCOUNT,
    Kind,
    Parameter,
    Query,
    Read,
    Section,
    Write,
    listing,
    status_filter,
    text_parameter,
)

SIDE = text_parameter("side", "filter[side]", known=tuple(Side))
MARKET_NAME = text_parameter("market", "filter[market]")
_PRICING = Section("Markets", "trading:quote", "trading:quote")
_QUOTING = Section("Quotes", "trading:quote", "trading:quote")
_TRADING = Section("Trades", "accounts:read", "trading:execute")

# -- markets ------------------------------------------------------------------------------------

MARKETS = Read(
    _PRICING,
    "markets",
    "GET /trading/markets",
    "Show the markets with their prices",
    Page[Market],
    query=Query(
        MarketsQuery,
        (
            Parameter(
                "names",
                ("filter[name]",),
                Kind.NAMES,
                {"type": "string"},
                "Market names, separated by commas; an unknown one is absent.",
            ),
        ),
    ),
    is_whole=True,
)
SHOW_MARKET = Read(
    _PRICING,
    "market",
    "GET /trading/markets/{market}",
    "Show one market",
    Market,
    feature="market",
    errors=(errors.UnsupportedMarket,),
)
PRICES = Read(
    _PRICING,
    "prices",
    "GET /trading/markets/{market}/prices",
    "Show recent samples of a market's price, oldest first",
    Page[PriceSample],
    feature="prices",
    is_whole=True,
    errors=(errors.UnsupportedMarket,),
)

# -- quotes -------------------------------------------------------------------------------------

CREATE_QUOTE = Write(
    _QUOTING,
    "create_quote",
    "POST /trading/markets/{market}/quotes",
    "Ask for a price that is guaranteed until it expires",
    Quote,
    request=QuoteRequest,
    creates="/trading/quotes/{quoteId}",
    is_harmless=True,
    bucket="quote",
    additions={"amount_of": "quotes", "trading_account_id": "quotes"},
    hints=("trading_account_id",),
    implied={"amount_of": AMOUNT_OF[0]},
    is_enveloped=True,
    echoes=("side",),
    errors=(
        errors.UnsupportedMarket,
        errors.NotFound,
        errors.ExceedsPrecision,
        errors.TermsNotAccepted,
        errors.KycRequired,
        errors.AccountRestricted,
        errors.AmountBelowMinimum,
        errors.LimitExceeded,
        errors.MarketUnavailable,
    ),
)
QUOTES = Read(
    _QUOTING,
    "quotes",
    "GET /trading/quotes",
    "List quotes",
    Page[Quote],
    query=listing(status_filter(QuoteStatus), SIDE, MARKET_NAME, TRADING_ACCOUNT, CREATED),
    feature="quotes",
)
SHOW_QUOTE = Read(
    _QUOTING, "quote", "GET /trading/quotes/{quoteId}", "Show a quote", Quote, feature="quotes"
)
EXECUTE_QUOTE = Write(
    _QUOTING,
    "execute_quote",
    "POST /trading/quotes/{quoteId}",
    "Execute a quote in a trading account",
    Trade,
    scope="trading:execute",
    request=ExecuteRequest,
    creates=f"{ACCOUNT_PATH}/trades/{{tradeId}}",
    errors=(
        errors.QuoteAlreadyUsed,
        errors.QuoteExpired,
        errors.QuoteAccountMismatch,
        errors.AccountRestricted,
        errors.TermsNotAccepted,
        errors.KycRequired,
        errors.MarketUnavailable,
        errors.InsufficientFunds,
    ),
)

# -- trades -------------------------------------------------------------------------------------

_TRADE_LISTING = listing(status_filter(TradeStatus), SIDE, MARKET_NAME, CREATED)

TRADES = Read(
    _TRADING,
    "trades",
    f"GET {ACCOUNT_PATH}/trades",
    "List an account's trades",
    Page[Trade],
    query=_TRADE_LISTING,
)
ALL_TRADES = Read(
    _TRADING,
    "all_trades",
    "GET /trading/trades",
    "List the trades of every account",
    Page[Trade],
    query=_TRADE_LISTING,
    feature="all-trades",
)
SHOW_TRADE = Read(
    _TRADING, "trade", f"GET {ACCOUNT_PATH}/trades/{{tradeId}}", "Show a trade", Trade
)
CANCEL_TRADE = Write(
    _TRADING,
    "cancel_trade",
    f"POST {ACCOUNT_PATH}/trades/{{tradeId}}/cancellations",
    "Cancel a trade that has not yet executed",
    Trade,
    also=(("delete_trade", f"DELETE {ACCOUNT_PATH}/trades/{{tradeId}}"),),
    is_shown=False,
    errors=(errors.TradeNotCancellable,),
)

"""Quotes: asking for one, looking one up, executing it."""

from chainteller.api.limits import Bucket
from chainteller.api.operations import Call, Operation, Routes
from chainteller.service import errors
from chainteller.service.errors import ValidationFailed
from chainteller.service.models.base import Written
from chainteller.service.models.pages import Page
from chainteller.service.models.quotes import ExecuteRequest, Quote, QuoteRequest
from chainteller.service.models.trades import Trade

routes = Routes("Quotes")


@routes.add(
    Operation(
        "createQuote",
        "POST",
        "/trading/markets/{market}/quotes",
        "Ask for a price that is guaranteed until it expires",
        "trading:quote",
        Page[Quote],
        Bucket.QUOTE,
        QuoteRequest,
        creates="/trading/quotes/{id}",
        made="quoteId",
        made_at="/data/0/id",
        query=(
            {
                "name": "side",
                "description": "Where it is given, it says the same as the body.",
                "schema": {"type": "string", "enum": ["buy", "sell"]},
            },
        ),
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
)
def create_quote(call: Call) -> Written[Page[Quote]]:
    request = call.read(QuoteRequest)
    side = call.query.get("side")
    if side is not None and side.lower() != request.side.lower():
        raise ValidationFailed.of("side", "The query and the body name different sides.")
    made = call.service.create_quote(
        call.path["market"], request, idempotency_key=call.idempotency_key
    )
    return Written(Page[Quote].whole((made.value,)), made.created, made.replayed)


@routes.add(
    Operation(
        "listQuotes",
        "GET",
        "/trading/quotes",
        "List quotes",
        "trading:quote",
        Page[Quote],
        filters=("status", "side", "market", "trading_account_id", "created"),
    )
)
def list_quotes(call: Call) -> Page[Quote]:
    return call.service.quotes(call.listing)


@routes.add(
    Operation(
        "getQuote",
        "GET",
        "/trading/quotes/{quoteId}",
        "Show a quote",
        "trading:quote",
        Quote,
        errors=(errors.NotFound,),
        brief=True,
    )
)
def get_quote(call: Call) -> Quote:
    return call.service.quote(call.path["quoteId"])


@routes.add(
    Operation(
        "executeQuote",
        "POST",
        "/trading/quotes/{quoteId}",
        "Execute a quote in a trading account",
        "trading:execute",
        Trade,
        Bucket.WRITE,
        ExecuteRequest,
        creates="/trading-accounts/{tradingAccountId}/trades/{id}",
        made="tradeId",
        errors=(
            errors.NotFound,
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
)
def execute_quote(call: Call) -> Written[Trade]:
    request = call.read(ExecuteRequest)
    call.path["tradingAccountId"] = request.trading_account_id
    return call.service.execute_quote(
        call.path["quoteId"], request, idempotency_key=call.idempotency_key
    )

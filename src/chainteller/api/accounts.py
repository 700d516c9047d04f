"""Trading accounts, their balances and limits, and the bank's customers."""

from chainteller.api.limits import Bucket
from chainteller.api.listing import ACTIVITY_SORTS, PAGING, cut
from chainteller.api.operations import Call, Operation, Routes
from chainteller.service import errors
from chainteller.service.models.accounts import (
    Customer,
    OpenTradingAccount,
    TokenBalance,
    TradingAccount,
)
from chainteller.service.models.base import Written
from chainteller.service.models.funding import LimitUsage
from chainteller.service.models.pages import Page

ONE = "/trading-accounts/{tradingAccountId}"
routes = Routes("Trading accounts")


@routes.add(
    Operation(
        "createTradingAccount",
        "POST",
        "/trading-accounts",
        "Open a trading account for a bank account",
        "accounts:write",
        TradingAccount,
        Bucket.WRITE,
        OpenTradingAccount,
        creates="/trading-accounts/{id}",
        made="tradingAccountId",
        errors=(
            errors.NotFound,
            errors.UnsupportedAccountType,
            errors.TermsNotAccepted,
            errors.KycRequired,
            errors.AccountRestricted,
            errors.Conflict,
        ),
    )
)
def create_trading_account(call: Call) -> Written[TradingAccount]:
    return call.service.open_trading_account(
        call.read(OpenTradingAccount), idempotency_key=call.idempotency_key
    )


@routes.add(
    Operation(
        "listTradingAccounts",
        "GET",
        "/trading-accounts",
        "Find trading accounts",
        "accounts:read",
        Page[TradingAccount],
        filters=("text", "bank_account_id"),
        sorts=ACTIVITY_SORTS,
    )
)
def list_trading_accounts(call: Call) -> Page[TradingAccount]:
    return call.service.trading_accounts(call.listing)


@routes.add(
    Operation(
        "getTradingAccount",
        "GET",
        ONE,
        "Show a trading account",
        "accounts:read",
        TradingAccount,
        errors=(errors.NotFound,),
    )
)
def get_trading_account(call: Call) -> TradingAccount:
    return call.service.trading_account(call.path["tradingAccountId"])


@routes.add(
    Operation(
        "listTokenBalances",
        "GET",
        f"{ONE}/token-balances",
        "Show what a trading account holds",
        "accounts:read",
        Page[TokenBalance],
        query=(
            {
                "name": "includeZero",
                "description": "Whether assets of which nothing is held are listed too.",
                "schema": {"type": "boolean", "default": False},
            },
            *PAGING,
        ),
        errors=(errors.NotFound,),
        brief=True,
    )
)
def list_token_balances(call: Call) -> Page[TokenBalance]:
    found = call.service.token_balances(
        call.path["tradingAccountId"], include_zero=call.query.flag("includeZero")
    )
    return cut(found, call.query)


@routes.add(
    Operation(
        "listLimits",
        "GET",
        f"{ONE}/limits",
        "Show what may leave the account, by class of destination",
        "accounts:read",
        Page[LimitUsage],
        query=PAGING,
        errors=(errors.NotFound,),
    )
)
def list_limits(call: Call) -> Page[LimitUsage]:
    return cut(call.service.limits(call.path["tradingAccountId"]), call.query)


@routes.add(
    Operation(
        "listCustomers",
        "GET",
        "/customers",
        "Find the bank's customers by name, reference or bank account",
        "accounts:read",
        Page[Customer],
        filters=("text",),
    )
)
def list_customers(call: Call) -> Page[Customer]:
    return call.service.customers(call.listing)

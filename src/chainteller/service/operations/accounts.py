"""Trading accounts: open, find and show them, their balances and their limits."""

from chainteller.service import errors
from chainteller.service.models.accounts import OpenTradingAccount, TokenBalance, TradingAccount
from chainteller.service.models.funding import LimitUsage
from chainteller.service.models.pages import BalancesQuery, Page
from chainteller.service.operations.declaring import (
    ACCOUNT_PATH,
    ACCOUNTS,
    SORTS,
    TEXT,
    Kind,
    Parameter,
    Query,
    Read,
    Write,
    listing,
    text_parameter,
)

BANK_ACCOUNT = text_parameter("bank_account_id", "filter[bankAccountId]")
ACTIVITY_SORTS = ("-lastActivity", *SORTS)

OPEN_TRADING_ACCOUNT = Write(
    ACCOUNTS,
    "open_trading_account",
    "POST /trading-accounts",
    "Open a trading account for a bank account",
    TradingAccount,
    operation_id="createTradingAccount",
    request=OpenTradingAccount,
    creates=ACCOUNT_PATH,
    errors=(
        errors.NotFound,
        errors.UnsupportedAccountType,
        errors.TermsNotAccepted,
        errors.KycRequired,
        errors.AccountRestricted,
        errors.Conflict,
    ),
)
TRADING_ACCOUNTS = Read(
    ACCOUNTS,
    "trading_accounts",
    "GET /trading-accounts",
    "Find trading accounts",
    Page[TradingAccount],
    query=listing(TEXT, BANK_ACCOUNT, sorts=ACTIVITY_SORTS),
    feature="trading-accounts",
)
SHOW_TRADING_ACCOUNT = Read(
    ACCOUNTS,
    "trading_account",
    f"GET {ACCOUNT_PATH}",
    "Show a trading account",
    TradingAccount,
    feature="trading-accounts",
)
TOKEN_BALANCES = Read(
    ACCOUNTS,
    "token_balances",
    f"GET {ACCOUNT_PATH}/token-balances",
    "Show a trading account's balances",
    Page[TokenBalance],
    query=Query(
        BalancesQuery,
        (
            Parameter(
                "include_zero",
                ("includeZero",),
                Kind.FLAG,
                {"type": "boolean", "default": False},
                "Whether assets with a balance of zero are listed too.",
            ),
        ),
    ),
    is_whole=True,
)
LIMITS = Read(
    ACCOUNTS,
    "limits",
    f"GET {ACCOUNT_PATH}/limits",
    "Show an account's withdrawal limits by class of destination",
    Page[LimitUsage],
    feature="limits",
    is_whole=True,
)

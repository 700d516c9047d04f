"""What screens send to the service, as plain functions that run in a thread."""

from chainteller.records.formats import DEPOSIT_TOKEN
from chainteller.service.interface import Service
from chainteller.service.models.accounts import OpenTradingAccount, TradingAccount
from chainteller.service.models.funding import (
    Currency,
    DepositRequest,
    Transfer,
    WithdrawalRequest,
)
from chainteller.service.models.quotes import ExecuteRequest, Quote, QuoteRequest
from chainteller.service.models.trades import Trade


def open_account(
    service: Service, bank_account_id: str, bank_account_type: str, key: str
) -> TradingAccount:
    request = OpenTradingAccount(
        bank_account_id=bank_account_id, bank_account_type=bank_account_type
    )
    return service.open_trading_account(request, idempotency_key=key).value


def deposit(service: Service, account_id: str, amount: str, token_id: str, key: str) -> Transfer:
    """From the customer's bank account, as the bank's deposit token."""
    currency = Currency(type="deposit-token-currency", id=token_id)
    request = DepositRequest(amount=amount, currency=currency)
    return service.deposit(account_id, request, idempotency_key=key).value


def withdraw(service: Service, account_id: str, amount: str, token_id: str, key: str) -> Transfer:
    """To the customer's bank account; a deposit token may draw on USD at par."""
    currency = Currency(type="deposit-token-currency", id=token_id)
    request = WithdrawalRequest(amount=amount, currency=currency)
    return service.withdraw(account_id, request, idempotency_key=key).value


def create_quote(
    service: Service, market: str, side: str, amount: str, account_id: str, key: str
) -> Quote:
    """Bound to the account; ``amount`` is of the asset sold."""
    request = QuoteRequest(amount=amount, side=side, trading_account_id=account_id)
    return service.create_quote(market, request, idempotency_key=key).value


def execute_quote(service: Service, quote_id: str, account_id: str, key: str) -> Trade:
    request = ExecuteRequest(trading_account_id=account_id)
    return service.execute_quote(quote_id, request, idempotency_key=key).value


def cancel_trade(service: Service, account_id: str, trade_id: str, key: str) -> Trade:
    return service.cancel_trade(account_id, trade_id, idempotency_key=key).value


def cancel_withdrawal(service: Service, account_id: str, withdrawal_id: str, key: str) -> Transfer:
    return service.cancel_withdrawal(account_id, withdrawal_id, idempotency_key=key).value


def deposit_token(service: Service) -> str:
    """The id of the deployment's first deposit token; DPT_USD where it does not say."""
    for offer in service.capabilities().currencies:
        if offer.type == DEPOSIT_TOKEN and offer.id:
            return offer.id
    return "DPT_USD"

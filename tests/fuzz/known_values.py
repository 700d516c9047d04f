"""Records and words of a real bank, for requests that would otherwise all be NOT_FOUND."""

import json

from tests.contract.test_wallets import ADDRESS, challenged, claimed, custody, registered
from tests.world.bank import World

from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.funding import Currency, DepositRequest, WithdrawalRequest
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest

TOKEN = Currency(type="deposit-token-currency", id="DPT_USD")
_HALF = 0.5
"""How often a known value is tried; the other half is made up from the description."""


def known_values(world: World) -> dict[str, list[str]]:
    """Values by where they are sent, some of them ids of records that are made here."""
    service = world.engine
    opened = OpenTradingAccount(bank_account_id="DDA-3", bank_account_type="checking")
    account = service.open_trading_account(opened).value.id
    deposit = service.deposit(account, DepositRequest(amount="9000.00", currency=TOKEN)).value.id
    withdrawn = WithdrawalRequest(amount="1.00", currency=TOKEN)
    withdrawal = service.withdraw(account, withdrawn).value.id
    asked = QuoteRequest(amount="10.00", side="buy")
    quotes = [service.create_quote("sol-usd", asked).value.id for _ in range(20)]
    execute = ExecuteRequest(trading_account_id=account)
    trades = [service.execute_quote(quote, execute).value.id for quote in quotes[:5]]
    chain, wallet = custody(service), registered(service)
    claim, challenge = claimed(service, chain, wallet).id, challenged(service, chain, wallet).id
    return {
        "path.tradingAccountId": [account, chain.trading_account_id],
        "path.depositId": [deposit],
        "path.withdrawalId": [withdrawal],
        "path.tradeId": trades,
        "path.transactionId": [deposit, withdrawal, *trades],
        "path.quoteId": quotes,
        "path.market": ["sol-usd", "btc-usd", "eth-usd"],
        "path.counterpartyId": [wallet.id],
        "path.blockchainAccountId": [chain.id],
        "path.ownershipChallengeId": [challenge],
        "path.ownershipClaimId": [claim],
        "body.bankAccountId": [f"DDA-{number}" for number in range(5, 21)],
        "body.tradingAccountId": [account, chain.trading_account_id],
        "body.amount": ["0.01", "1.00", "10.00", "25.5", "9000.00", "100000.01"],
        "body.network": ["solana", "ethereum", "bitcoin"],
        "body.address": [ADDRESS],
        "body.counterpartyId": [wallet.id],
        "body.challengeId": [challenge],
        "body.ownershipClaimId": [claim],
        "body.currency.id": ["DPT_USD"],
        "body.currency.symbol": ["USDC", "SOL", "BTC", "ETH", "USD"],
        "body.currency.network": ["solana", "ethereum", "bank"],
        "query.filter[status]": ["processing", "settled", "open", "completed"],
    }


def as_settings(known: dict[str, list[str]]) -> str:
    """The same as dictionaries of a ``schemathesis.toml``."""
    lines: list[str] = []
    for number, (_, values) in enumerate(known.items()):
        lines += [f"[dictionaries.known{number}]", f"values = {json.dumps(values)}"]
    lines.append("[parameters]")
    lines += [
        f'"{where}" = {{ dictionary = "known{number}", probability = {_HALF} }}'
        for number, where in enumerate(known)
    ]
    return "\n".join(lines) + "\n"

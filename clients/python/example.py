"""Serve a customer from Python: an account, a deposit, a trade, and a wallet that is verified.

Argument: the address of a service with sample data. The API key is in CHAINTELLER_API_KEY.
Needs chainteller-client, base58 and pynacl.
"""

import os
import sys
from typing import TypeVar

import base58
from chainteller_client import AuthenticatedClient
from chainteller_client.api.counterparties import (
    create_counterparty,
    link_counterparty,
    list_linked_counterparties,
)
from chainteller_client.api.funding import create_deposit, list_transactions
from chainteller_client.api.markets import list_markets
from chainteller_client.api.quotes import create_quote, execute_quote
from chainteller_client.api.trading_accounts import create_trading_account, get_trading_account
from chainteller_client.api.wallet_ownership import (
    create_blockchain_account,
    create_ownership_challenge,
    create_ownership_claim,
)
from chainteller_client.models import (
    BankAccountType,
    ChallengeRequest,
    ClaimRequest,
    CounterpartyType,
    DepositRequest,
    DepositTokenCurrency,
    DepositTokenCurrencyId,
    ErrorBody,
    ErrorCode,
    ExecuteRequest,
    LinkRequest,
    Network,
    OpenBlockchainAccount,
    OpenTradingAccount,
    QuoteRequest,
    RegisterCounterparty,
    Side,
    Trade,
    TradeStatus,
    Transfer,
    TransferType,
)
from chainteller_client.types import Response
from nacl.signing import SigningKey

Answer = TypeVar("Answer")


def answer_of(reply: Response[Answer | ErrorBody]) -> Answer:
    """The record of a reply. Ends the program with what a refusal says."""
    if reply.parsed is None or isinstance(reply.parsed, ErrorBody):
        raise SystemExit(f"{reply.status_code}: {reply.content!r}")
    return reply.parsed


def main() -> None:
    address, key = sys.argv[1], os.environ["CHAINTELLER_API_KEY"]
    bank = AuthenticatedClient(address, token=key, raise_on_unexpected_status=True)
    trade = traded(bank)
    print(f"done: {trade.id} {verified(bank, trade)}")


def traded(bank: AuthenticatedClient) -> Trade:
    """Open an account, fund it, and execute a quote."""
    asked = OpenTradingAccount(
        bank_account_id="DDA-1002", bank_account_type=BankAccountType.SAVINGS
    )
    account = answer_of(create_trading_account.sync_detailed(client=bank, body=asked))
    money = DepositRequest(
        amount="500.00",
        currency=DepositTokenCurrency(
            type_="deposit-token-currency", id=DepositTokenCurrencyId.DPT_USD
        ),
    )
    key = "python-deposit"
    deposit = answer_of(
        create_deposit.sync_detailed(account.id, client=bank, body=money, idempotency_key=key)
    )
    assert deposit.type_ is TransferType.DEPOSIT_TRANSACTION
    market = answer_of(list_markets.sync_detailed(client=bank, filtername="sol-usd")).data[0]
    quotes = create_quote.sync_detailed(
        market.market_name,
        client=bank,
        side=Side.BUY,
        body=QuoteRequest(amount="100.00", side=Side.BUY),
    )
    quote = answer_of(quotes).data[0]
    trade = answer_of(
        execute_quote.sync_detailed(quote.id, client=bank, body=ExecuteRequest(account.id))
    )
    assert trade.status is TradeStatus.PROCESSING
    assert trade.price == quote.price
    listed = answer_of(list_transactions.sync_detailed(account.id, client=bank)).data
    assert [type(each) for each in listed] == [Trade, Transfer]
    unknown = get_trading_account.sync_detailed("TDA_unknown", client=bank).parsed
    assert isinstance(unknown, ErrorBody)
    assert unknown.error is ErrorCode.NOT_FOUND
    return trade


def verified(bank: AuthenticatedClient, trade: Trade) -> str:
    """Verify a new wallet for the account of a trade; the id of the linked counterparty."""
    assert trade.trading_account_id is not None
    wallet = SigningKey.generate()
    address = base58.b58encode(bytes(wallet.verify_key)).decode()
    chain = answer_of(
        create_blockchain_account.sync_detailed(
            client=bank, body=OpenBlockchainAccount(trade.trading_account_id, Network.SOLANA)
        )
    )
    registered = answer_of(
        create_counterparty.sync_detailed(
            client=bank, body=RegisterCounterparty(address, Network.SOLANA)
        )
    )
    challenge = answer_of(
        create_ownership_challenge.sync_detailed(
            chain.id, client=bank, body=ChallengeRequest(registered.id)
        )
    )
    signature = wallet.sign(challenge.challenge.encode()).signature
    claim = answer_of(
        create_ownership_claim.sync_detailed(
            chain.id,
            client=bank,
            body=ClaimRequest(challenge.id, base58.b58encode(signature).decode(), registered.id),
        )
    )
    linked = answer_of(
        link_counterparty.sync_detailed(
            chain.id, client=bank, body=LinkRequest(address, Network.SOLANA, claim.id)
        )
    )
    assert linked.type_ is CounterpartyType.VERIFIEDCOUNTERPARTY1P
    listed = answer_of(list_linked_counterparties.sync_detailed(chain.id, client=bank)).data
    assert [each.address for each in listed] == [address]
    return linked.id


if __name__ == "__main__":
    main()

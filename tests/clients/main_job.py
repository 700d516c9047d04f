"""The main job and a wallet's verification through the client that openapi-python-client makes.

Runs beside the generated package ``bank_client``. Argument: the service's address; the API key is
in the environment.
"""

import os
import sys
from typing import TypeVar

import base58
from bank_client import AuthenticatedClient
from bank_client.api.counterparties import (
    create_counterparty,
    link_counterparty,
    list_linked_counterparties,
)
from bank_client.api.funding import create_deposit, list_transactions
from bank_client.api.markets import list_markets
from bank_client.api.quotes import create_quote, execute_quote
from bank_client.api.trading_accounts import create_trading_account, get_trading_account
from bank_client.api.wallet_ownership import (
    create_blockchain_account,
    create_ownership_challenge,
    create_ownership_claim,
)
from bank_client.models import (
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
from bank_client.types import Response
from nacl.signing import SigningKey

Answer = TypeVar("Answer")


def given(reply: Response[Answer | ErrorBody]) -> Answer:
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
    asked = OpenTradingAccount(bank_account_id="DDA-4", bank_account_type=BankAccountType.SAVINGS)
    account = given(create_trading_account.sync_detailed(client=bank, body=asked))
    money = DepositRequest(
        amount="500.00",
        currency=DepositTokenCurrency(
            type_="deposit-token-currency", id=DepositTokenCurrencyId.DPT_USD
        ),
    )
    key = "python-deposit"
    deposit = given(
        create_deposit.sync_detailed(account.id, client=bank, body=money, idempotency_key=key)
    )
    assert deposit.type_ is TransferType.DEPOSIT_TRANSACTION
    market = given(list_markets.sync_detailed(client=bank, filtername="sol-usd")).data[0]
    quotes = create_quote.sync_detailed(
        market.market_name,
        client=bank,
        side=Side.BUY,
        body=QuoteRequest(amount="100.00", side=Side.BUY),
    )
    quote = given(quotes).data[0]
    trade = given(
        execute_quote.sync_detailed(quote.id, client=bank, body=ExecuteRequest(account.id))
    )
    assert trade.status is TradeStatus.PROCESSING
    assert trade.price == quote.price
    listed = given(list_transactions.sync_detailed(account.id, client=bank)).data
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
    chain = given(
        create_blockchain_account.sync_detailed(
            client=bank, body=OpenBlockchainAccount(trade.trading_account_id, Network.SOLANA)
        )
    )
    registered = given(
        create_counterparty.sync_detailed(
            client=bank, body=RegisterCounterparty(address, Network.SOLANA)
        )
    )
    challenge = given(
        create_ownership_challenge.sync_detailed(
            chain.id, client=bank, body=ChallengeRequest(registered.id)
        )
    )
    signature = wallet.sign(challenge.challenge.encode()).signature
    claim = given(
        create_ownership_claim.sync_detailed(
            chain.id,
            client=bank,
            body=ClaimRequest(challenge.id, base58.b58encode(signature).decode(), registered.id),
        )
    )
    linked = given(
        link_counterparty.sync_detailed(
            chain.id, client=bank, body=LinkRequest(address, Network.SOLANA, claim.id)
        )
    )
    assert linked.type_ is CounterpartyType.VERIFIEDCOUNTERPARTY1P
    listed = given(list_linked_counterparties.sync_detailed(chain.id, client=bank)).data
    assert [each.address for each in listed] == [address]
    return linked.id


if __name__ == "__main__":
    main()

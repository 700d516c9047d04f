"""The client on a deployment that offers the specification's calls and fields alone."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send
from tests.contract.test_wallets import (
    ADDRESS,
    VERIFIED,
    claimed,
    custody,
    link,
    registered,
)
from tests.spec_only.place import spec_only_server
from tests.spec_only.server import SpecOnlyApp
from tests.spec_only.specification import SpecifiedCall, find_call
from tests.world.bank import World, build, sqlite_url
from tests.world.serving import deployment, served

from chainteller.remote.client import ACCEPTED, RemoteService
from chainteller.service.errors import (
    NotOffered,
    QuoteExpired,
    ReplyUnusable,
    UnsupportedMarket,
)
from chainteller.service.interface import Service
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.counterparties import (
    ChallengeRequest,
    OpenBlockchainAccount,
    RegisterCounterparty,
)
from chainteller.service.models.funding import (
    Currency,
    DepositRequest,
    Destination,
    WithdrawalRequest,
)
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest

TOKEN = Currency(type="deposit-token-currency", id="DPT_USD")
BUY = QuoteRequest(amount="100.00", side="buy")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = build(sqlite_url(tmp_path))
    yield world
    world.engine.close()


@pytest.fixture
def bank(world: World) -> Iterator[RemoteService]:
    with served(deployment(world), kind=SpecOnlyApp) as address:
        service = RemoteService(address, world.key())
        yield service
        service.close()


@pytest.fixture
def account_id(bank: RemoteService) -> str:
    asked = OpenTradingAccount(bank_account_id="DDA-1", bank_account_type="checking")
    opened = bank.open_trading_account(asked).value.id
    bank.deposit(opened, DepositRequest(amount="500.00", currency=TOKEN))
    return opened


def test_it_has_markets_and_no_features(bank: RemoteService) -> None:
    offered = bank.capabilities()
    assert offered.features == ()
    assert "sol-usd" in offered.markets


@pytest.mark.parametrize(
    ("status", "code"),
    [(404, "NO_SUCH_ROUTE"), (403, "FORBIDDEN"), (410, "GONE"), (501, "NOT_IMPLEMENTED")],
)
def test_an_unknown_path_may_be_refused_in_any_words(world: World, status: int, code: str) -> None:
    """The specification names no code of its own for one."""

    class WithItsOwnWords(SpecOnlyApp):
        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http" or find_call(scope["method"], scope["path"]) is not None:
                await super().__call__(scope, receive, send)
                return
            refusal = {"error": code, "message": "No.", "details": {}}
            await JSONResponse(refusal, status)(scope, receive, send)

    with served(deployment(world), kind=WithItsOwnWords) as address:
        service = RemoteService(address, world.key())
        asked = OpenTradingAccount(bank_account_id="DDA-1", bank_account_type="checking")
        assert service.open_trading_account(asked).value.bank_account_id == "DDA-1"
        assert service.capabilities().features == ()
        service.close()


def test_markets_that_cannot_be_used_keep_nothing_else_from_working(world: World) -> None:
    """A market that opened today may have no price of yesterday."""

    def distort(call: SpecifiedCall, _status: int, body: Any) -> bytes:
        if call.path == "/trading/markets":
            body["data"][0]["yesterdaysPrice"] = None
        return json.dumps(body).encode()

    with spec_only_server(world) as (address, app):
        app.distort = distort
        service = RemoteService(address, world.key())
        asked = OpenTradingAccount(bank_account_id="DDA-1", bank_account_type="checking")
        assert service.open_trading_account(asked).value.bank_account_id == "DDA-1"
        with pytest.raises(ReplyUnusable, match="yesterdaysPrice"):
            service.markets()
        service.close()


OTHER_MEANINGS = {
    "version": "2.1",
    "created_by": 7,
    "controls": {"none": True},
    "fee": {"amount": "0.10"},
    "tradeId": 17,
    "cancellable": "until it's filled",
    "verification": "passed",
    "estimatedResolution": "soon",
}


def test_fields_beyond_the_specification_may_mean_something_else(world: World) -> None:
    """They are ignored, and no write is in doubt for their sake."""

    def distort(_call: SpecifiedCall, status: int, body: Any) -> bytes:
        if status < 400:
            for row in body.get("data", [body]):
                row |= {name: said for name, said in OTHER_MEANINGS.items() if name not in row}
        return json.dumps(body).encode()

    with spec_only_server(world) as (address, app):
        app.distort = distort
        service = RemoteService(address, world.key())
        asked = OpenTradingAccount(bank_account_id="DDA-1", bank_account_type="checking")
        account_id = service.open_trading_account(asked).value.id
        paid = service.deposit(account_id, DepositRequest(amount="500.00", currency=TOKEN)).value
        assert (paid.status, paid.fee) == (ACCEPTED, None)
        assert service.markets().data[0].market_name == "sol-usd"
        execute = ExecuteRequest(trading_account_id=account_id)
        for _ in range(2):
            quote = service.create_quote("sol-usd", BUY).value
            trade = service.execute_quote(quote.id, execute).value
            assert (trade.status, trade.version, trade.cancellable) == ("processing", None, None)
        assert service.trades(account_id).pagination.total == 2
        assert service.token_balances(account_id).data
        wallet = RegisterCounterparty(address="0x" + "1" * 40, network="ethereum")
        assert service.register_counterparty(wallet).value.verification is None
        service.close()


class InShortPages(SpecOnlyApp):
    """Lists have pages of one record, whatever limit is asked for, and a foreign wallet first."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        page = int(dict(parse_qsl(scope.get("query_string", b"").decode())).get("page", "1"))

        def distort(call: SpecifiedCall, status: int, body: Any) -> bytes:
            if call.method == "GET" and status < 400 and "data" in body:
                rows = [*body["data"]]
                if call.path.endswith("/counterparties"):
                    rows.insert(0, {"type": VERIFIED, "id": "CPT_1", "address": "1" * 32})
                shown = {"total": len(rows), "page": page, "limit": 1}
                body = {"data": rows[page - 1 : page], "pagination": shown}
            return json.dumps(body).encode()

        self.distort = distort
        await super().__call__(scope, receive, send)


def test_lists_are_read_to_their_end(world: World) -> None:
    with served(deployment(world), kind=InShortPages) as address:
        service = RemoteService(address, world.key())
        chain = custody(world.engine)
        account_id = chain.trading_account_id
        service.deposit(account_id, DepositRequest(amount="500.00", currency=TOKEN))
        usdc = Currency(type="stablecoin-currency", symbol="USDC", network="solana")
        service.deposit(account_id, DepositRequest(amount="7.00", currency=usdc))
        held = service.token_balances(account_id)
        assert len(held.data) == held.pagination.total == 2
        assert len(service.markets().data) == 3
        linked = service.link_counterparty(
            chain.id, link(claimed(service, chain, registered(service)))
        )
        assert linked.value.address == ADDRESS
        service.close()


def test_a_transfer_is_what_was_asked_for_and_claims_no_more(
    bank: RemoteService, account_id: str
) -> None:
    asked = WithdrawalRequest(amount="20.00", currency=TOKEN)
    done = bank.withdraw(account_id, asked).value
    assert (done.id, done.status, done.amount) == ("", ACCEPTED, "20.00")
    assert (done.trading_account_id, done.currency.id) == (account_id, "DPT_USD")
    assert (done.created, done.destination, done.fee, done.cancellable) == (None, None, None, None)


def test_answers_are_completed_from_the_call(bank: RemoteService, account_id: str) -> None:
    hinted = BUY.model_copy(update={"trading_account_id": account_id})
    quote = bank.create_quote("sol-usd", hinted).value
    assert (quote.trading_account_id, quote.fees.total) == (account_id, None)
    trade = bank.execute_quote(quote.id, ExecuteRequest(trading_account_id=account_id)).value
    assert (trade.quote_id, trade.trading_account_id) == (quote.id, account_id)
    assert bank.trades(account_id).data[0].trading_account_id == account_id


def test_a_cancelled_trade_is_read_again(bank: RemoteService, account_id: str) -> None:
    quote = bank.create_quote("sol-usd", BUY).value
    trade = bank.execute_quote(quote.id, ExecuteRequest(trading_account_id=account_id)).value
    assert bank.cancel_trade(account_id, trade.id).value.status == "cancelled"


def test_what_would_mean_something_else_there_is_not_sent(
    bank: RemoteService, account_id: str, world: World
) -> None:
    """A deployment that ignores the destination would pay the bank account instead."""
    wallet = Destination(type="counterparty", counterparty_id="CPT_1")
    away = WithdrawalRequest(amount="20.00", currency=TOKEN, destination=wallet)
    bought = BUY.model_copy(update={"amount_of": "bought"})
    late = ChallengeRequest(counterparty_id="CPT_1", valid_seconds=86_400)
    for call in (
        lambda: bank.withdraw(account_id, away),
        lambda: bank.create_quote("sol-usd", bought),
        lambda: bank.create_challenge("BCA_1", late),
    ):
        with pytest.raises(NotOffered):
            call()
    assert world.engine.withdrawals(account_id).data == ()
    assert world.engine.quotes().data == ()


def test_an_error_of_the_specification_is_its_class(
    bank: RemoteService, account_id: str, world: World
) -> None:
    quote = bank.create_quote("sol-usd", BUY).value
    world.advance(400)
    with pytest.raises(QuoteExpired) as refused:
        bank.execute_quote(quote.id, ExecuteRequest(trading_account_id=account_id))
    assert refused.value.details["quoteId"] == quote.id


def test_a_challenge_belongs_to_the_wallet_that_it_was_asked_for(
    bank: RemoteService, account_id: str, world: World
) -> None:
    asked = RegisterCounterparty(address="0x" + "5A" * 20, network="ethereum")
    wallet = bank.register_counterparty(asked).value
    assert wallet.type == "counterparty"
    owned = OpenBlockchainAccount(trading_account_id=account_id, network="ethereum")
    owner = world.engine.open_blockchain_account(owned).value.id
    made = bank.create_challenge(owner, ChallengeRequest(counterparty_id=wallet.id)).value
    assert (made.counterparty_id, made.blockchain_account_id) == (wallet.id, owner)
    assert (made.expires, made.status, made.attempts) == (None, None, None)


def test_one_market_is_picked_from_the_list(bank: RemoteService) -> None:
    assert bank.market("sol-usd").network == "solana"
    with pytest.raises(UnsupportedMarket):
        bank.market("doge-usd")


def test_additions_are_not_offered_and_not_asked_for(bank: RemoteService) -> None:
    service: Service = bank
    for call in (
        service.trading_accounts,
        service.customers,
        service.events,
        service.audit,
        lambda: service.audit(ListQuery(trading_account_id="TDA_1")),
        service.quotes,
        service.all_trades,
        lambda: service.trading_account("TDA_1"),
        lambda: service.limits("TDA_1"),
        lambda: service.transactions("TDA_1"),
        lambda: service.deposits("TDA_1", ListQuery(page=2)),
        lambda: service.cancel_withdrawal("TDA_1", "TXN_1"),
        lambda: service.transaction_by_id("TXN_1"),
        lambda: service.claim_by_id("CLM_1"),
        lambda: service.challenge_by_id("CHG_1"),
        lambda: service.counterparty("CPT_1"),
        lambda: service.blockchain_account("BCA_1"),
        lambda: service.prices("sol-usd"),
    ):
        with contextlib.ExitStack() as stack:
            stack.enter_context(pytest.raises(NotOffered))
            call()

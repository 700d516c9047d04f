"""A deployment that answers any call of the specification wrongly is found out by name.

A write whose answer cannot be used has an unknown outcome, a read is unusable or unreachable, and
what cannot be found out is passed on as it came, without a claim.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from tests.spec_only.place import spec_only_server
from tests.spec_only.server import SpecOnlyApp
from tests.spec_only.wrong_answers import CALLS, PASSED_ON, SILENCE_S, SILENT, WRONG, wrong
from tests.tui.wallet_case import ADDRESSES, signed
from tests.world.bank import World, build, sqlite_url
from tests.world.waiting import PATIENCE_S

from chainteller.remote.client import RemoteService
from chainteller.service.errors import ClientError
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.counterparties import (
    Challenge,
    ChallengeRequest,
    ClaimRequest,
    Counterparty,
    LinkRequest,
    OpenBlockchainAccount,
    RegisterCounterparty,
)
from chainteller.service.models.funding import Currency, DepositRequest, WithdrawalRequest
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest

"""For answers that come: the first claim waits for the import of all families."""
ALICE = "alice-ethereum"
TOKEN = Currency(type="deposit-token-currency", id="DPT_USD")
NOT_SENT = "DELETE /trading-accounts/{}/trades/{}"
"""The other form of a cancellation, which this client does not use."""


@dataclass
class Bank:
    """A spec-only deployment with one customer, whose answers can be made wrong."""

    world: World
    app: SpecOnlyApp
    service: RemoteService
    account_id: str = ""
    owner_id: str = ""

    def quote(self) -> str:
        asked = QuoteRequest(amount="1.00", side="buy", trading_account_id=self.account_id)
        return self.service.create_quote("sol-usd", asked).value.id

    def trade(self) -> str:
        asked = ExecuteRequest(trading_account_id=self.account_id)
        return self.service.execute_quote(self.quote(), asked).value.id

    def wallet(self) -> Counterparty:
        asked = RegisterCounterparty(address=ADDRESSES[ALICE], network="ethereum")
        return self.service.register_counterparty(asked).value

    def challenge(self) -> Challenge:
        asked = ChallengeRequest(counterparty_id=self.wallet().id)
        return self.service.create_challenge(self.owner_id, asked).value

    def claim_request(self) -> ClaimRequest:
        challenge = self.challenge()
        return ClaimRequest(
            challenge_id=challenge.id,
            completed_challenge=signed(ALICE, challenge),
            counterparty_id=challenge.counterparty_id or "",
        )

    def link_request(self) -> LinkRequest:
        claim = self.service.submit_claim(self.owner_id, self.claim_request()).value
        return LinkRequest(
            address=ADDRESSES[ALICE], network="ethereum", ownership_claim_id=claim.id
        )


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bank]:
    world = build(sqlite_url(tmp_path_factory.mktemp("bank")))
    with spec_only_server(world) as (address, app):
        service = RemoteService(address, world.key(), deadline_s=PATIENCE_S)
        made = Bank(world, app, service)
        asked = OpenTradingAccount(bank_account_id="DDA-1", bank_account_type="checking")
        made.account_id = service.open_trading_account(asked).value.id
        service.deposit(made.account_id, DepositRequest(amount="9000.00", currency=TOKEN))
        owned = OpenBlockchainAccount(trading_account_id=made.account_id, network="ethereum")
        made.owner_id = world.engine.open_blockchain_account(owned).value.id
        service.capabilities()
        yield made
        service.close()
    world.engine.close()


Send = Callable[[], Any]


def _open(bank: Bank) -> Send:
    opened = len(bank.world.engine.trading_accounts().data)
    kind = "checking" if (opened + 1) % 2 else "savings"
    asked = OpenTradingAccount(bank_account_id=f"DDA-{opened + 1}", bank_account_type=kind)
    return lambda: bank.service.open_trading_account(asked)


def _deposit(bank: Bank) -> Send:
    asked = DepositRequest(amount="2.00", currency=TOKEN)
    return lambda: bank.service.deposit(bank.account_id, asked)


def _withdraw(bank: Bank) -> Send:
    asked = WithdrawalRequest(amount="1.00", currency=TOKEN)
    return lambda: bank.service.withdraw(bank.account_id, asked)


def _execute(bank: Bank) -> Send:
    quote_id, asked = bank.quote(), ExecuteRequest(trading_account_id=bank.account_id)
    return lambda: bank.service.execute_quote(quote_id, asked)


def _show(bank: Bank) -> Send:
    trade_id = bank.trade()
    return lambda: bank.service.trade(bank.account_id, trade_id)


def _list(bank: Bank) -> Send:
    bank.trade()
    return lambda: bank.service.trades(bank.account_id)


def _cancel(bank: Bank) -> Send:
    trade_id = bank.trade()
    return lambda: bank.service.cancel_trade(bank.account_id, trade_id)


def _challenge(bank: Bank) -> Send:
    asked = ChallengeRequest(counterparty_id=bank.wallet().id)
    return lambda: bank.service.create_challenge(bank.owner_id, asked)


def _claim(bank: Bank) -> Send:
    asked = bank.claim_request()
    return lambda: bank.service.submit_claim(bank.owner_id, asked)


def _link(bank: Bank) -> Send:
    asked = bank.link_request()
    return lambda: bank.service.link_counterparty(bank.owner_id, asked)


def _linked(bank: Bank) -> Send:
    _link(bank)()
    return lambda: bank.service.linked_counterparties(bank.owner_id)


PREPARED: Mapping[str, Callable[[Bank], Send]] = {
    "POST /trading-accounts": _open,
    "POST /trading-accounts/{}/deposits": _deposit,
    "POST /trading-accounts/{}/withdrawals": _withdraw,
    "GET /trading-accounts/{}/token-balances": lambda bank: (
        lambda: bank.service.token_balances(bank.account_id)
    ),
    "GET /trading/markets": lambda bank: bank.service.markets,
    "POST /trading/markets/{}/quotes": lambda bank: bank.quote,
    "POST /trading/quotes/{}": _execute,
    "GET /trading-accounts/{}/trades/{}": _show,
    "GET /trading-accounts/{}/trades": _list,
    "POST /trading-accounts/{}/trades/{}/cancellations": _cancel,
    "POST /counterparties": lambda bank: bank.wallet,
    "POST /blockchain-accounts/{}/1P-counterparty-ownership-challenges": _challenge,
    "POST /blockchain-accounts/{}/1P-counterparty-ownership-claims": _claim,
    "POST /blockchain-accounts/{}/counterparties": _link,
    "GET /blockchain-accounts/{}/counterparties": _linked,
}


def test_every_call_of_the_specification_is_tried() -> None:
    assert {*PREPARED, NOT_SENT} == set(CALLS)
    assert len(CALLS) == 16


@pytest.mark.forms(35)
@pytest.mark.parametrize("fault", WRONG)
@pytest.mark.parametrize("name", PREPARED)
def test_a_wrong_answer_is_named_or_claims_nothing(bank: Bank, name: str, fault: str) -> None:
    send, call = PREPARED[name](bank), CALLS[name]
    bank.app.distort, transport = wrong(fault, call), bank.service._transport
    try:
        if fault == SILENT:
            transport.deadline_s = SILENCE_S
        if name in PASSED_ON.get(fault, ()):
            answer = send()
            assert "SOMEBODYELSE" not in repr(answer) or name in PASSED_ON["another record"]
            return
        with pytest.raises(ClientError) as told:
            send()
    finally:
        bank.app.distort, transport.deadline_s = None, PATIENCE_S
    expected = {"REPLY_UNUSABLE", "UNREACHABLE"} if call.method == "GET" else {"OUTCOME_UNKNOWN"}
    assert told.value.code in expected
    assert "9" * 40 not in str(told.value)

"""A deployment of the bare specification: the desk remembers the accounts that it met."""

from collections.abc import Iterator

import pytest
from tests.spec_only.place import spec_only_server
from tests.tui.wallet_case import ADDRESSES, signed
from tests.world.bank import World

from chainteller.domain.actors import Actor
from chainteller.remote.client import RemoteService
from chainteller.service.errors import ChallengeAlreadyUsed, NotFound, NotOffered
from chainteller.service.interface import Service
from chainteller.service.layers import layered
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.counterparties import (
    ChallengeRequest,
    DiagnosisRequest,
    LinkRequest,
    OpenBlockchainAccount,
    RegisterCounterparty,
)
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.quotes import QuoteRequest
from chainteller.workspace.recording import Recording
from chainteller.workspace.registry import Remembering
from chainteller.workspace.store import Kind, Workspace


@pytest.fixture
def bare(world: World) -> Iterator[Service]:
    with spec_only_server(world) as (address, _):
        service = RemoteService(address, world.key())
        yield service
        service.close()


def _remembering(service: Service, workspace: Workspace) -> Service:
    return layered(service, Remembering(workspace), Recording(workspace))


def test_an_account_opened_here_is_listed_though_the_deployment_cannot(
    bare: Service, world: World, workspace: Workspace
) -> None:
    desk = _remembering(bare, workspace)
    asked = OpenTradingAccount(bank_account_id="DDA-1", bank_account_type="checking")
    opened = desk.open_trading_account(asked).value
    again = _remembering(bare, workspace)
    (listed,) = again.trading_accounts(ListQuery(text="dda-1")).data
    assert (listed.id, listed.bank_account_id, listed.buying_power) == (opened.id, "DDA-1", None)
    assert again.trading_accounts(ListQuery(text="nobody")).data == ()


def test_an_account_known_by_id_alone_is_checked_by_its_balances(
    bare: Service, world: World, workspace: Workspace
) -> None:
    asked = OpenTradingAccount(bank_account_id="DDA-1", bank_account_type="checking")
    elsewhere = world.engine.acting_as(Actor(name="op02")).open_trading_account(asked).value
    desk = _remembering(bare, workspace)
    with pytest.raises(NotFound):
        desk.trading_account("TDA_NOBODY")
    assert desk.trading_accounts().data == ()
    assert desk.trading_account(elsewhere.id).bank_account_id == "not provided"
    assert [row.id for row in desk.trading_accounts().data] == [elsewhere.id]


def test_a_deployment_that_lists_is_asked_itself(world: World, workspace: Workspace) -> None:
    inner = world.engine.acting_as(Actor(name="op01"))
    asked = OpenTradingAccount(bank_account_id="DDA-1", bank_account_type="checking")
    opened = inner.open_trading_account(asked).value
    (listed,) = _remembering(inner, workspace).trading_accounts().data
    assert listed == inner.trading_account(opened.id)


def test_a_quote_is_found_however_many_were_made_since(bare: Service, workspace: Workspace) -> None:
    desk = _remembering(bare, workspace)
    made = desk.create_quote("sol-usd", QuoteRequest(amount="10.00", side="buy")).value
    for number in range(1_000):
        workspace.remember(f"QTE_{number}", Kind.QUOTE, label="{}")
    assert desk.quote(made.id) == made


def test_a_claim_is_known_until_a_wallet_is_linked_with_it(
    bare: Service, world: World, workspace: Workspace
) -> None:
    opened = OpenTradingAccount(bank_account_id="DDA-1", bank_account_type="checking")
    desk = _remembering(bare, workspace)
    account = desk.open_trading_account(opened).value
    owned = OpenBlockchainAccount(trading_account_id=account.id, network="ethereum")
    owner = world.engine.open_blockchain_account(owned).value.id
    address = ADDRESSES["alice-ethereum"]
    wallet = desk.register_counterparty(
        RegisterCounterparty(address=address, network="ethereum")
    ).value
    challenge = desk.create_challenge(owner, ChallengeRequest(counterparty_id=wallet.id)).value
    asked = DiagnosisRequest(
        challenge_id=challenge.id,
        completed_challenge=signed("alice-ethereum", challenge),
        counterparty_id=wallet.id,
    )
    claim = desk.submit_claim(owner, asked).value
    again = _remembering(bare, workspace)
    with pytest.raises(ChallengeAlreadyUsed) as used:
        again.diagnose_signature(owner, asked)
    assert used.value.details["claimId"] == claim.id
    link = LinkRequest(address=address, network="ethereum", ownership_claim_id=claim.id)
    assert again.link_counterparty(owner, link).value.type == "VerifiedCounterparty1P"
    with pytest.raises(NotOffered):
        again.diagnose_signature(owner, asked)

"""A wallet that two customers verify: they are told before it is linked, and it is recorded."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.contract.conftest import Place, placed
from tests.contract.test_wallets import (
    VERIFIED,
    answer,
    challenged,
    claimed,
    custody,
    link,
    registered,
    signed,
)
from tests.world.bank import build, sqlite_url
from tests.world.serving import deployment, served

from chainteller.domain.actors import Actor
from chainteller.domain.challenges import SharedWallets
from chainteller.domain.options import EngineOptions
from chainteller.remote.client import RemoteService
from chainteller.service.errors import Forbidden, InvalidSignature, NotFound, WalletShared
from chainteller.service.interface import Service
from chainteller.service.models.counterparties import (
    BlockchainAccount,
    Counterparty,
    OpenBlockchainAccount,
    OwnershipClaim,
    ReverificationRequest,
)
from chainteller.service.models.pages import ListQuery

NEAR = ("embedded-sqlite", "serve-sqlite")


@pytest.fixture(params=NEAR)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def place(kind: str, tmp_path: Path, policy: SharedWallets) -> Iterator[Place]:
    """A deployment with a policy."""
    world = build(
        sqlite_url(tmp_path), options=EngineOptions(rate_limits=False, shared_wallets=policy)
    )
    yield from placed(kind, world)
    world.engine.close()


def shared_case(service: Service) -> tuple[BlockchainAccount, Counterparty, OwnershipClaim]:
    """The second customer's account, the wallet that the first one verified, and a claim to it."""
    first, second, wallet = custody(service, 1), custody(service, 3), registered(service)
    own = claimed(service, first, wallet)
    assert own.shared is False
    linked = service.link_counterparty(first.id, link(own)).value
    assert (linked.type, linked.shared) == (VERIFIED, False)
    return second, wallet, claimed(service, second, wallet)


def trail(service: Service, wallet: Counterparty) -> list[tuple[object, object]]:
    """Policy and acknowledgement of each time that the wallet was shared, oldest first."""
    rows = service.audit(ListQuery(text=wallet.id, limit=100, sort="created")).data
    return [
        (row.inputs["policy"], row.inputs["acknowledged"])
        for row in rows
        if row.action == "counterparty.shared"
    ]


@pytest.mark.parametrize("policy", [SharedWallets.ALLOW])
def test_a_shared_wallet_is_told_before_it_is_linked_and_recorded(place: Place) -> None:
    service = place.service
    account, wallet, claim = shared_case(service)
    assert (claim.shared, service.claim_by_id(claim.id).shared) == (True, True)
    assert service.shared_wallets().data == ()
    linked = service.link_counterparty(account.id, link(claim)).value
    assert (linked.type, linked.shared) == (VERIFIED, True)
    assert trail(service, wallet) == [("allow", False)]
    of_account = service.audit(ListQuery(trading_account_id=account.trading_account_id)).data
    assert "counterparty.shared" in {row.action for row in of_account}
    assert [each.type for each in service.events(0, 1000).data].count("counterparty.shared") == 1
    found = service.shared_wallets().data
    assert {each.customer_name for each in found} == {"Customer 1", "Customer 3"}
    assert {(each.counterparty_id, each.status) for each in found} == {(wallet.id, "current")}
    assert service.shared_wallets(ListQuery(text="nothing like it")).data == ()
    assert place.stranger.shared_wallets().data == ()


@pytest.mark.parametrize("policy", [SharedWallets.ASK])
def test_a_shared_wallet_is_linked_when_that_was_acknowledged(place: Place) -> None:
    service = place.service
    account, wallet, claim = shared_case(service)
    for said in (None, False):
        asked = link(claim).model_copy(update={"acknowledged": said})
        with pytest.raises(WalletShared) as refused:
            service.link_counterparty(account.id, asked)
        assert refused.value.details["policy"] == "ask"
        assert "Customer 1" not in str(refused.value.to_wire())
    assert service.linked_counterparties(account.id).data == ()
    acknowledged = link(claim).model_copy(update={"acknowledged": True})
    assert service.link_counterparty(account.id, acknowledged).value.type == VERIFIED
    again = service.link_counterparty(account.id, link(claim))
    assert (again.created, again.value.type) == (False, VERIFIED)
    assert trail(service, wallet) == [("ask", True)]


@pytest.mark.parametrize("policy", [SharedWallets.REFUSE])
def test_a_shared_wallet_is_never_linked_where_that_is_refused(place: Place) -> None:
    service = place.service
    account, wallet, claim = shared_case(service)
    for said in (None, True):
        asked = link(claim).model_copy(update={"acknowledged": said})
        with pytest.raises(WalletShared):
            service.link_counterparty(account.id, asked)
    assert (trail(service, wallet), service.shared_wallets().data) == ([], ())


@pytest.mark.parametrize("policy", [SharedWallets.ASK])
def test_a_wallet_stays_shared_when_the_first_verification_has_ended(place: Place) -> None:
    service = place.service
    account, wallet, claim = shared_case(service)
    [first] = [each for each in service.blockchain_accounts().data if each.id != account.id]
    ended = ReverificationRequest(reason="SUSPICIOUS_ACTIVITY")
    service.require_reverification(first.id, wallet.id, ended)
    with pytest.raises(WalletShared):
        service.link_counterparty(account.id, link(claim))


@pytest.mark.parametrize("policy", [SharedWallets.REFUSE])
def test_another_account_of_the_same_customer_shares_nothing(place: Place) -> None:
    service = place.service
    first, wallet = custody(service, 1), registered(service)
    service.link_counterparty(first.id, link(claimed(service, first, wallet)))
    request = OpenBlockchainAccount(trading_account_id=first.trading_account_id, network="ethereum")
    second = service.open_blockchain_account(request).value
    claim = claimed(service, second, wallet)
    assert (second.id != first.id, claim.shared) == (True, False)
    assert service.link_counterparty(second.id, link(claim)).value.type == VERIFIED


@pytest.mark.parametrize(("kind", "policy"), [("serve-sqlite", SharedWallets.ALLOW)])
def test_whose_a_shared_wallet_is_needs_its_own_scope(place: Place, kind: str) -> None:
    assert kind == place.kind
    with served(deployment(place.world)) as address:
        agent = RemoteService(address, place.world.key())
        with pytest.raises(Forbidden):
            agent.shared_wallets()
        agent.close()


def test_two_customers_who_link_one_wallet_at_once_are_decided_one_by_one(
    postgres_bank: str,
) -> None:
    """Both have a claim; whoever comes second is asked."""
    options = EngineOptions(rate_limits=False, shared_wallets=SharedWallets.REFUSE)
    world = build(postgres_bank, options=options)
    service = world.engine.acting_as(Actor("default", "test"))
    accounts, wallet = [custody(service, each) for each in (1, 3, 5, 7)], registered(service)
    claims = [claimed(service, each, wallet) for each in accounts]

    def linked(at: int) -> str:
        try:
            return service.link_counterparty(accounts[at].id, link(claims[at])).value.type
        except WalletShared as refused:
            return refused.code

    with ThreadPoolExecutor(len(claims)) as pool:
        outcomes = list(pool.map(linked, range(len(claims))))
    assert sorted(outcomes) == [VERIFIED] + ["WALLET_SHARED"] * 3
    world.engine.close()


@pytest.mark.parametrize("policy", [SharedWallets.ASK])
def test_a_relayed_text_names_the_customer_whose_it_is(place: Place) -> None:
    """A fraudster (customer 3) has a victim (customer 1) sign for the fraudster's account.

    The text has the fraudster's reference; altered to have the victim's, it isn't accepted. If the
    victim signs it all the same, the wallet can't be linked without the question who else uses it.
    """
    service = place.service
    own, fraudsters, wallet = custody(service, 1), custody(service, 3), registered(service)
    service.link_counterparty(own.id, link(claimed(service, own, wallet)))
    relayed = challenged(service, fraudsters, wallet)
    text = relayed.challenge
    assert text == f"EXAMPLEBANK-REFDDA3-{relayed.id.removeprefix('CHG_')}"
    for altered in (text.replace("DDA3", "DDA1"), text.replace("REFDDA3-", "")):
        with pytest.raises(InvalidSignature):
            service.submit_claim(fraudsters.id, answer(relayed, wallet, signed(altered)))
    with pytest.raises(NotFound):  # the text of one account proves nothing for another
        service.submit_claim(own.id, answer(relayed, wallet, signed(text)))
    claim = service.submit_claim(fraudsters.id, answer(relayed, wallet, signed(text))).value
    assert claim.shared is True
    with pytest.raises(WalletShared):
        service.link_counterparty(fraudsters.id, link(claim))
    assert service.linked_counterparties(fraudsters.id).data == ()

"""A deployment that offers the specification and nothing else."""

import contextlib
from collections.abc import Iterator

import pytest
from tests.remote.plain_server import plain_deployment

from chainteller.remote.client import RemoteService
from chainteller.service.errors import NotOffered, UnsupportedMarket
from chainteller.service.interface import Service
from chainteller.service.models.pages import ListQuery


@pytest.fixture
def plain() -> Iterator[RemoteService]:
    with plain_deployment() as address:
        service = RemoteService(address, "any form of key")
        yield service
        service.close()


def test_its_capabilities_are_its_markets_and_nothing_more(plain: RemoteService) -> None:
    offered = plain.capabilities()
    assert (offered.features, offered.markets, offered.networks) == ((), ("sol-usd",), ("solana",))


def test_the_calls_of_the_specification_work(plain: RemoteService) -> None:
    assert plain.markets().data[0].current_price == "142.50"
    assert plain.linked_counterparties("BCA_1").data[0].type == "VerifiedCounterparty1P"


def test_one_market_is_picked_from_the_list(plain: RemoteService) -> None:
    assert plain.market("sol-usd").yesterdays_price == "140.00"
    with pytest.raises(UnsupportedMarket):
        plain.market("doge-usd")


def test_additions_are_not_offered_and_not_asked_for(plain: RemoteService) -> None:
    service: Service = plain
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
        lambda: plain.follow(0, lambda _event: None, lambda _state: None),
    ):
        with contextlib.ExitStack() as stack:
            stack.enter_context(pytest.raises(NotOffered))
            call()

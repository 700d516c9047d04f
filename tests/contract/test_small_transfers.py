"""The second method of wallet verification, against the engine and over HTTP, on both databases."""

import pytest
from tests.contract.conftest import Place
from tests.contract.test_wallets import VERIFIED, custody

from chainteller.service.errors import Conflict, NetworkMismatch, NotFound
from chainteller.service.models.counterparties import (
    LinkRequest,
    RegisterCounterparty,
    SmallTransferRequest,
    StatementRequest,
)

ALICE = "FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z"
BOBS_ETHEREUM = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"


def test_a_wallet_that_cannot_sign_is_verified_by_what_it_sends(place: Place) -> None:
    service = place.service
    account = custody(service)
    asked = RegisterCounterparty(address=ALICE, network="solana")
    wallet = service.register_counterparty(asked).value
    request = SmallTransferRequest(counterparty_id=wallet.id, valid_seconds=600)
    made = service.create_small_transfer(account.id, request, idempotency_key="a").value
    again = service.create_small_transfer(account.id, request, idempotency_key="a")
    assert (again.value, again.created) == (made, True)
    assert (made.status, made.symbol, made.sender) == ("waiting", "SOL", ALICE)
    assert made.recipient == ALICE
    assert 600 <= (made.expires - made.created).total_seconds() < 601
    with pytest.raises(Conflict):
        service.create_small_transfer(account.id, request)
    stated = StatementRequest(counterparty_id=wallet.id, reason="OTHER", statement="It is mine.")
    statement = service.create_ownership_statement(account.id, stated).value
    with pytest.raises(NotFound):
        place.stranger.small_transfer_by_id(made.id)
    with pytest.raises(NotFound):
        place.stranger.ownership_statement_by_id(statement.id)

    place.world.advance(60)
    done = service.small_transfer_by_id(made.id)
    assert (done.status, [each.finding for each in done.arrivals]) == ("verified", ["EXACT"])
    assert service.small_transfers(account.id).data == (done,)
    link = LinkRequest(address=ALICE, network="solana", ownership_claim_id=str(done.claim_id))
    linked = service.link_counterparty(account.id, link).value
    assert linked.verification is not None
    assert (linked.type, linked.verification.level) == (VERIFIED, "medium")
    limits = service.limits(account.trading_account_id).data
    assert [row.limit for row in limits if row.evidence_level == "medium"] == [
        "10000.00",
        "25000.00",
        "100000.00",
    ]
    assert service.ownership_statements(account.id).data == (statement,)
    assert statement.status == "reviewing"

    other = RegisterCounterparty(address=BOBS_ETHEREUM, network="ethereum")
    elsewhere = service.register_counterparty(other).value
    with pytest.raises(NetworkMismatch):
        service.create_small_transfer(
            account.id, SmallTransferRequest(counterparty_id=elsewhere.id)
        )

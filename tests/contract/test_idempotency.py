"""The same key with the same request gives the first outcome again; with another it is refused."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.contract.conftest import Place
from tests.contract.test_trading import TOKEN, funded, opened, quoted

from chainteller.service.errors import (
    IdempotencyInProgress,
    IdempotencyKeyReused,
    InsufficientFunds,
    ValidationFailed,
)
from chainteller.service.interface import Service
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.funding import DepositRequest
from chainteller.service.models.quotes import ExecuteRequest


def test_a_repeated_write_is_answered_from_memory(service: Service) -> None:
    account = opened(service)
    request = DepositRequest(amount="100.00", currency=TOKEN)
    first = service.deposit(account.id, request, idempotency_key="once")
    again = service.deposit(account.id, request, idempotency_key="once")
    assert (first.replayed, again.replayed) == (False, True)
    assert (again.value, again.created) == (first.value, first.created)
    assert service.token_balances(account.id).data[0].amount == "100.00"


def test_a_key_is_refused_for_another_request(service: Service) -> None:
    account = opened(service)
    request = DepositRequest(amount="100.00", currency=TOKEN)
    service.deposit(account.id, request, idempotency_key="once")
    with pytest.raises(IdempotencyKeyReused) as refused:
        service.deposit(
            account.id, DepositRequest(amount="101.00", currency=TOKEN), idempotency_key="once"
        )
    assert refused.value.details["key"] == "once"


def test_another_organisation_may_use_the_same_key(place: Place) -> None:
    opened(place.service)
    request = DepositRequest(amount="100.00", currency=TOKEN)
    account = opened(place.service, 3)
    place.service.deposit(account.id, request, idempotency_key="shared")
    theirs = place.stranger.open_trading_account(
        OpenTradingAccount(bank_account_id="ODA-1", bank_account_type="checking"),
        idempotency_key="shared",
    )
    assert not theirs.replayed


def test_a_refusal_is_not_remembered(service: Service) -> None:
    account, quote = opened(service), quoted(service)
    request = ExecuteRequest(trading_account_id=account.id)
    with pytest.raises(InsufficientFunds):
        service.execute_quote(quote.id, request, idempotency_key="later")
    service.deposit(account.id, DepositRequest(amount="1000.00", currency=TOKEN))
    assert not service.execute_quote(quote.id, request, idempotency_key="later").replayed


@pytest.mark.parametrize("key", ["", "a b", "ö", "x" * 256, "tab\t"])
def test_refuses_a_key_that_cannot_be(service: Service, key: str) -> None:
    account = opened(service)
    with pytest.raises(ValidationFailed):
        service.deposit(
            account.id, DepositRequest(amount="1.00", currency=TOKEN), idempotency_key=key
        )


def test_concurrent_repeats_have_one_effect(service: Service) -> None:
    account = funded(service, "1000.00")
    quote = quoted(service)
    request = ExecuteRequest(trading_account_id=account.id)

    def attempt(_number: int) -> str:
        try:
            return service.execute_quote(quote.id, request, idempotency_key="race").value.id
        except IdempotencyInProgress:
            return "in progress"

    with ThreadPoolExecutor(8) as pool:
        outcomes = set(pool.map(attempt, range(8))) - {"in progress"}
    assert len(outcomes) == 1
    assert len(service.trades(account.id).data) == 1

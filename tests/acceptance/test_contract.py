"""Promises of the contract that a stranger's client relies on, asked over HTTP."""

from typing import Any

import pytest
from tests.api.conftest import Caller
from tests.world.bank import World
from tests.world.serving import deployment, served

from chainteller.domain.options import Rates

DPT_USD = {"type": "deposit-token-currency", "id": "DPT_USD"}
SOL = {"type": "crypto-currency", "symbol": "SOL", "network": "solana"}
WIDEST = "9" * 38


def test_the_widest_amount_of_the_grammar_is_refused_by_funds_and_limits(call: Caller) -> None:
    account = call.account()
    body = {"amount": WIDEST, "currency": DPT_USD}
    assert call("POST", f"/trading-accounts/{account}/deposits", body).code == "INSUFFICIENT_FUNDS"
    assert call("POST", f"/trading-accounts/{account}/withdrawals", body).code == "LIMIT_EXCEEDED"


@pytest.mark.parametrize("side", ["buy", "sell"])
@pytest.mark.parametrize("amount_of", ["sold", "bought"])
def test_the_widest_order_exceeds_the_limit(call: Caller, side: str, amount_of: str) -> None:
    body = {"amount": WIDEST, "side": side, "amountOf": amount_of}
    assert call("POST", "/trading/markets/eth-usd/quotes", body).code == "LIMIT_EXCEEDED"


def test_a_refused_currency_is_named_by_its_symbol(call: Caller) -> None:
    account = call.account()
    body = {"amount": "1.00", "currency": SOL}
    refused = call("POST", f"/trading-accounts/{account}/deposits", body)
    assert refused.code == "UNSUPPORTED_CURRENCY"
    assert refused.json["details"]["symbol"] == "SOL"


def test_a_wrong_media_type_is_told_what_is_allowed(call: Caller) -> None:
    refused = call("POST", "/trading-accounts", body=b"{}", headers={"Content-Type": "text/plain"})
    assert refused.status == 415
    assert refused.json["details"]["allowed"] == ["application/json"]


def lists(account: str) -> list[str]:
    of_account = f"/trading-accounts/{account}"
    names = ("token-balances?includeZero=true", "limits", "transactions", "trades", "deposits")
    return [
        "/trading/markets",
        "/trading/markets/sol-usd/prices",
        "/trading-accounts",
        *(f"{of_account}/{name}" for name in names),
    ]


def asked(call: Caller, path: str, paging: str) -> Any:
    reply = call("GET", f"{path}{'&' if '?' in path else '?'}{paging}")
    return reply.json


def test_every_list_is_paged(call: Caller) -> None:
    for path in lists(call.account()):
        first = asked(call, path, "limit=1")
        assert len(first["data"]) == min(1, first["pagination"]["total"]), path
        assert (first["pagination"]["page"], first["pagination"]["limit"]) == (1, 1), path


def test_every_list_ends_with_its_true_total(call: Caller) -> None:
    for path in lists(call.account()):
        total = asked(call, path, "limit=1")["pagination"]["total"]
        last_page = 2**53 - 1
        past = asked(call, path, f"page={last_page}&page[size]=1000")
        assert past["data"] == [], path
        assert past["pagination"] == {"total": total, "page": last_page, "limit": 100}, path


def test_every_list_refuses_a_page_that_cannot_be(call: Caller) -> None:
    for path in lists(call.account()):
        for paging in ("limit=0", "limit=x", "page=0", "page[number]=-1"):
            refused = asked(call, path, paging)
            assert refused["error"] == "VALIDATION_ERROR", (path, paging)


def test_transactions_come_in_either_order(call: Caller) -> None:
    account = call.account()
    for amount in ("1.00", "2.00", "3.00"):
        body = {"amount": amount, "currency": DPT_USD}
        call("POST", f"/trading-accounts/{account}/deposits", body)
    path = f"/trading-accounts/{account}/transactions"
    pages = [asked(call, path, f"sort=created&limit=2&page={page}") for page in (1, 2, 3)]
    oldest_first = [each["amount"] for page in pages for each in page["data"]]
    assert oldest_first == ["5000.00", "1.00", "2.00", "3.00"]


def test_a_spent_bucket_still_says_what_the_limit_is(world: World) -> None:
    with served(deployment(world, rates=Rates())) as address:
        call = Caller(address, world.key())
        replies = [call("POST", "/trading/markets/sol-usd/quotes", {}) for _ in range(30)]
    limited = next(reply for reply in replies if reply.status == 429)
    assert limited.headers["ratelimit-limit"] == "10"
    assert limited.headers["ratelimit-remaining"] == "0"
    assert limited.headers["ratelimit-reset"] == limited.headers["retry-after"]


@pytest.mark.parametrize(
    ("damage", "reason"), [("removed", "STORAGE_REMOVED"), ("emptied", "EMPTY_FILE")]
)
def test_a_lost_database_is_named_by_reads_and_readiness(
    world: World, call: Caller, damage: str, reason: str
) -> None:
    assert call("GET", "/trading-accounts").status == 200
    path = world.engine.context.database.path
    assert path is not None
    if damage == "removed":
        path.unlink()
    else:
        path.write_bytes(b"")
    refused = call("GET", "/readyz", key=None)
    assert (refused.status, refused.json["checks"]) == (503, {"database": reason})
    read = call("GET", "/trading-accounts")
    assert read.code == "SERVICE_UNAVAILABLE"
    assert read.json["details"]["reason"] == reason

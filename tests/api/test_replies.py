"""What comes back: statuses, headers, the one error shape, and the additions for operators."""

import json
import re

import pytest
from tests.api.conftest import Caller
from tests.world.bank import World
from tests.world.files import sealed
from tests.world.serving import deployment, served

from chainteller.service.operations import FEATURES, OPERATIONS
from chainteller.storage.queries import markets


def test_a_created_record_has_its_place_and_can_be_read_there(call: Caller) -> None:
    account = call.account()
    path = f"/trading-accounts/{account}"
    body = {"tradingAccountId": account}
    quote = call("POST", "/trading/markets/sol-usd/quotes", {"amount": "10.00", "side": "buy"})
    assert call("GET", quote.headers["location"]).json == quote.json["data"][0]
    trade = call("POST", f"/trading/quotes/{quote.json['data'][0]['id']}", body)
    deposit = call(
        "POST",
        f"{path}/deposits",
        {"amount": "1.00", "currency": {"type": "deposit-token-currency", "id": "DPT_USD"}},
    )
    assert {quote.status, trade.status, deposit.status} == {201}
    assert call("GET", trade.headers["location"]).json == trade.json
    assert call("GET", deposit.headers["location"]).json == deposit.json
    assert quote.json["pagination"] == {"total": 1, "page": 1, "limit": 20}


def test_both_forms_of_cancelling_answer_200_with_the_trade(call: Caller) -> None:
    account = call.account()
    trade = call("POST", f"/trading/quotes/{call.quote()}", {"tradingAccountId": account}).json
    path = f"/trading-accounts/{account}/trades/{trade['id']}"
    first = call("POST", f"{path}/cancellations")
    again = call("DELETE", path)
    assert (first.status, first.json["status"]) == (200, "cancelled")
    assert (again.status, again.json) == (200, first.json)


def test_timestamps_have_six_digits_and_a_zone(call: Caller) -> None:
    created = call("GET", f"/trading-accounts/{call.account()}").json["created"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", created)


def test_every_reply_carries_a_request_id_and_the_version(call: Caller) -> None:
    own = call("GET", "/capabilities", headers={"X-Request-Id": "mine-1"})
    assert own.headers["x-request-id"] == "mine-1"
    strange = call("GET", "/nowhere", headers={"X-Request-Id": "no spaces"}, key=None)
    assert re.fullmatch(r"[0-9a-f]{16}", strange.headers["x-request-id"])
    for answer in (own, strange):
        assert answer.headers["api-version"]
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"


ACCEPTS = {
    "application/problem+json": True,
    "application/json, Application/Problem+JSON": True,
    "application/json;q=0.9, application/problem+json; charset=utf-8; q=0.9": True,
    "application/json, application/problem+json;q=0.9": False,
    "application/problem+json;q=0": False,
    "application/problem+json;q=high": False,
    "application/problem+jsonp": False,
    "*/*": False,
    "": False,
}
"""Headers, and whether who sends them wants problem details."""


def test_errors_are_problem_details_for_those_who_accept_them(call: Caller) -> None:
    plain = call("GET", "/trading/quotes/QTE_1")
    assert plain.headers["content-type"] == "application/json"
    problem = {
        "type": "urn:chainteller:error:NOT_FOUND",
        "title": "Not found",
        "status": 404,
        "detail": plain.json["message"],
        **plain.json,
    }
    for accept, is_problem in ACCEPTS.items():
        answer = call("GET", "/trading/quotes/QTE_1", headers={"Accept": accept})
        assert answer.status == plain.status == 404
        assert answer.headers["vary"] == plain.headers["vary"] == "Accept"
        kind = "application/problem+json" if is_problem else "application/json"
        assert answer.headers["content-type"] == kind, accept
        assert answer.json == problem if is_problem else answer.body == plain.body, accept


def test_an_unknown_path_is_not_found_and_asks_for_a_key_first(call: Caller) -> None:
    assert call("GET", "/no/such/path").code == "NOT_FOUND"
    assert call("GET", "/no/such/path", key=None).code == "UNAUTHORIZED"
    assert call("GET", "/trading-accounts/").code == "NOT_FOUND"


@pytest.mark.parametrize("method", ["PUT", "PATCH", "OPTIONS", "TRACE", "DELETE"])
def test_another_method_is_told_every_method_of_the_path(call: Caller, method: str) -> None:
    answer = call(method, "/trading-accounts")
    assert (answer.status, answer.code) == (405, "METHOD_NOT_ALLOWED")
    assert answer.headers["allow"] == "GET, HEAD, POST"
    answer = call("PUT", "/trading-accounts/TDA_1/trades/TXN_1")
    assert answer.headers["allow"] == "DELETE, GET, HEAD"


def test_temporary_refusals_say_when_to_come_back(world: World, call: Caller) -> None:
    with sealed(world.context.database) as rows:
        markets.close(rows, "sol-usd", "MAINTENANCE", None)
    answer = call("POST", "/trading/markets/sol-usd/quotes", {"amount": "10.00", "side": "buy"})
    assert (answer.status, answer.code) == (503, "MARKET_UNAVAILABLE")
    assert int(answer.headers["retry-after"]) > 0
    assert set(answer.json["details"]) >= {"market", "reason", "estimatedResolution"}


def test_capabilities_name_every_feature(call: Caller) -> None:
    offered = call("GET", "/capabilities").json
    assert set(offered["features"]) == set(FEATURES)
    assert offered["currencies"]
    assert "sol-usd" in offered["markets"]


def test_health_and_readiness_need_no_key(call: Caller) -> None:
    assert call("GET", "/healthz", key=None).json == {"status": "ok"}
    ready = call("GET", "/readyz", key=None)
    assert (ready.status, ready.json["checks"]) == (200, {"database": "ok"})


def test_readiness_tells_that_the_database_is_gone_and_that_it_is_back(
    world: World, call: Caller
) -> None:
    account = call.account()
    path = world.context.database.path
    assert path is not None
    aside = path.with_suffix(".aside")
    world.context.database.sessions.pool.close()
    path.rename(aside)
    path.write_bytes(b"this is no database" * 1000)
    gone = call("GET", "/readyz", key=None)
    assert (gone.status, gone.json["status"]) == (503, "unavailable")
    assert call("GET", f"/trading-accounts/{account}").code == "SERVICE_UNAVAILABLE"
    assert call("GET", "/healthz", key=None).status == 200
    world.context.database.sessions.pool.close()
    aside.rename(path)
    assert call("GET", "/readyz", key=None).status == 200
    assert call("GET", f"/trading-accounts/{account}").status == 200


def test_metrics_count_by_operation_and_never_by_id(call: Caller, world: World) -> None:
    account = call.account()
    call("GET", f"/trading-accounts/{account}")
    call("POST", f"/trading/quotes/{call.quote()}", {"tradingAccountId": account})
    assert call("GET", "/metrics").code == "FORBIDDEN"
    text = call("GET", "/metrics", key=world.key("admin")).body.decode()
    assert 'chainteller_trades{status="processing"} 1.0' in text
    assert 'chainteller_refusals_total{error="FORBIDDEN"} 1.0' in text
    assert 'chainteller_price_age_seconds{market="sol-usd"}' in text
    assert "chainteller_job_lag_seconds 0.0" in text
    assert "chainteller_ready 1.0" in text
    assert 'operation="getTradingAccount",status="200"} 1.0' in text
    assert account not in text
    assert call("GET", "/metrics", key=None).status == 401


def test_the_description_covers_every_operation_and_links_them(call: Caller) -> None:
    document = call("GET", "/openapi.json").json
    described = {
        operation["operationId"]: operation
        for item in document["paths"].values()
        for operation in item.values()
    }
    operating = {"streamEvents", "openapi", "metrics", "health", "readiness"}
    assert set(described) == operating | {
        endpoint.operation_id for each in OPERATIONS for endpoint in each.endpoints
    }
    assert call("GET", "/openapi.json", key=None).status == 401
    links = described["createTradingAccount"]["responses"]["201"]["links"]
    assert links["getTradingAccount"]["parameters"] == {"tradingAccountId": "$response.body#/id"}
    quote_links = described["createQuote"]["responses"]["201"]["links"]
    assert quote_links["executeQuote"]["parameters"] == {"quoteId": "$response.body#/data/0/id"}
    assert sum(len(r.get("links", ())) for o in described.values() for r in o["responses"].values())
    schemas = document["components"]["schemas"]
    assert {"TradingAccount", "Quote", "Trade", "Counterparty", "TradeList"} <= set(schemas)
    referenced = set(re.findall(r"#/components/schemas/(\w+)", json.dumps(document)))
    assert referenced == set(schemas)
    assert schemas["OpenTradingAccount"]["additionalProperties"] is False


def test_the_page_for_people_stands_alone_and_is_off_unless_asked_for(
    world: World, call: Caller
) -> None:
    page = call("GET", "/docs", key=None)
    assert page.status == 200
    assert b"executeQuote" in page.body
    assert not re.search(rb"(src|href)=['\"]?https?:", page.body)
    assert "default-src 'none'" in page.headers["content-security-policy"]
    with served(deployment(world, docs=False)) as address:
        assert Caller(address, call.key)("GET", "/docs").status == 404
        assert Caller(address, None)("GET", "/docs").status == 404

"""Bodies, queries and headers are read strictly, and refused without repeating them."""

import gzip
import json

import pytest
from tests.api.conftest import Caller

from chainteller.service.operations import OPERATIONS, Kind

OPEN = "/trading-accounts"
JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"nonsense",
        b'{"a": NaN}',
        b'{"a": Infinity}',
        b'{"a": 1, "a": 2}',
        b'{"bankAccountId": "\xff"}',
        b'\xef\xbb\xbf{"bankAccountId": "DDA-1"}',
        '{"a": 1}'.encode("utf-16"),
        b"[" * 30_000,
        b'{"a": ' + b"[" * 100 + b"]" * 100 + b"}",
        b'{"a": ' + b"9" * 5_000 + b"}",
        b'{"a": 1} {"b": 2}',
    ],
    ids=range(13),
)
def test_a_body_that_is_no_json_is_malformed(call: Caller, body: bytes) -> None:
    answer = call("POST", OPEN, body=body, headers=JSON)
    assert (answer.status, answer.code) == (400, "MALFORMED_REQUEST")
    assert isinstance(answer.json["details"]["position"], int)
    assert "sys." not in answer.json["message"]  # Python's own words


@pytest.mark.parametrize("document", [[], "text", 1, True, {}, {"bankAccountId": "\ud800"}])
def test_json_of_another_shape_is_a_validation_error(call: Caller, document: object) -> None:
    answer = call("POST", OPEN, document)
    assert (answer.status, answer.code) == (400, "VALIDATION_ERROR")
    assert b"dictionary" not in answer.body


def test_each_wrong_field_is_named_and_no_input_is_repeated(call: Caller) -> None:
    answer = call("POST", OPEN, {"bankAccountId": 7, "canary": "canary-value"})
    found = {error["field"]: error["code"] for error in answer.json["details"]["errors"]}
    assert found == {
        "bankAccountId": "INVALID",
        "bankAccountType": "REQUIRED",
        "canary": "UNKNOWN_FIELD",
    }
    assert b"canary-value" not in answer.body


@pytest.mark.parametrize("media_type", ["text/plain", "application/xml", "application/jsonx", ""])
def test_another_media_type_is_unsupported(call: Caller, media_type: str) -> None:
    answer = call("POST", OPEN, body=b"{}", headers={"Content-Type": media_type})
    assert (answer.status, answer.code) == (415, "UNSUPPORTED_MEDIA_TYPE")


@pytest.mark.parametrize("coding", ["gzip", "br", "identity, gzip"])
def test_a_compressed_body_is_unsupported(call: Caller, coding: str) -> None:
    headers = {**JSON, "Content-Encoding": coding}
    answer = call("POST", OPEN, body=gzip.compress(b"{}"), headers=headers)
    assert (answer.status, answer.code) == (415, "UNSUPPORTED_MEDIA_TYPE")
    plain = call("POST", OPEN, body=b"{}", headers={**JSON, "Content-Encoding": "Identity"})
    assert plain.code == "VALIDATION_ERROR"


def test_utf8_may_be_named(call: Caller) -> None:
    headers = {"Content-Type": "application/json; charset=UTF-8"}
    body = b'{"bankAccountId": "DDA-1", "bankAccountType": "checking"}'
    assert call("POST", OPEN, body=body, headers=headers).status == 201


@pytest.mark.parametrize("size", [65_537, 100_000_000])
def test_a_large_body_is_refused(call: Caller, size: int) -> None:
    answer = call("POST", OPEN, body=b" " * size, headers=JSON)
    assert (answer.status, answer.code) == (413, "PAYLOAD_TOO_LARGE")
    assert answer.json["details"] == {"limit": 65_536}


def test_a_body_of_exactly_the_limit_is_read(call: Caller) -> None:
    body = json.dumps({"bankAccountId": "DDA-404", "bankAccountType": "checking"}).encode()
    assert call("POST", OPEN, body=body.ljust(65_536), headers=JSON).status == 404


def test_a_call_without_a_body_takes_an_empty_one_of_any_type(call: Caller) -> None:
    account = call.account()
    path = f"/trading-accounts/{account}/trades/TXN_1/cancellations"
    for headers in ({}, {"Content-Type": "text/plain"}, JSON):
        assert call("POST", path, body=b"", headers=headers).code == "NOT_FOUND"


def test_a_slash_that_is_written_as_a_code_belongs_to_an_id(call: Caller) -> None:
    """A client that encodes an id reaches the record of that id, or none, and no other path."""
    account = call.account()
    for slash in ("%2F", "%2f"):
        answer = call("GET", f"/trading-accounts/{account}{slash}trades")
        assert (answer.status, answer.json["details"]["resource"]) == (404, "trading account")
        assert (
            call("GET", f"/trading-accounts{slash}{account}").json["details"]["resource"] == "path"
        )
    assert call("GET", f"/trading-accounts/{account.replace('_', '%5F')}").status == 200


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("page=0", "page"),
        ("page=-1", "page"),
        ("page=1.5", "page"),
        ("page=", "page"),
        ("page=%D9%A1", "page"),
        ("limit=0", "limit"),
        ("limit=many", "limit"),
        ("page[number]=x", "page"),
        ("page[size]=0", "limit"),
        ("page=1&page=1", "page"),
        ("page=1&page[number]=2", "page"),
        ("sort=amount", "sort"),
        ("filter[created][gte]=yesterday", "filter[created][gte]"),
        ("filter[created][lt]=2026-13-01T00:00:00Z", "filter[created][lt]"),
        ("filter[colour]=red", "filter[colour]"),
        ("filter[status]=", "filter[status]"),
    ],
)
def test_a_query_that_cannot_be_is_refused_by_name(call: Caller, query: str, field: str) -> None:
    account = call.account()
    answer = call("GET", f"/trading-accounts/{account}/trades?{query}")
    assert (answer.status, answer.code) == (400, "VALIDATION_ERROR")
    assert answer.json["details"]["errors"][0]["field"] == field


def test_an_empty_filter_is_refused_and_an_empty_search_finds_all(call: Caller) -> None:
    """A script's unset variable would get the whole trail."""
    account, asked = call.account(), 0
    for operation in OPERATIONS:
        path = operation.path.replace("{tradingAccountId}", account)
        for each in operation.parameters if operation.method == "GET" else ():
            if each.kind is not Kind.TEXT or not each.name.startswith("filter["):
                continue
            if "{" in path or call("GET", path).status != 200:
                continue
            found = call("GET", f"{path}?{each.name}=")
            told = (200, None) if each.field == "text" else (400, "VALIDATION_ERROR")
            assert (found.status, found.json.get("error")) == told, (path, each.name)
            asked += 1
    assert asked > 20


def test_paging_by_either_name_and_a_limit_above_the_maximum_is_coerced(call: Caller) -> None:
    account = call.account()
    path = f"/trading-accounts/{account}/deposits"
    first = call("GET", f"{path}?page=1&limit=1").json
    assert first == call("GET", f"{path}?page[number]=1&page[size]=1").json
    assert first["pagination"] == {"total": 1, "page": 1, "limit": 1}
    assert call("GET", f"{path}?limit=1000").json["pagination"]["limit"] == 100
    assert call("GET", f"{path}?page=7").json["data"] == []


def test_a_side_in_the_query_must_say_what_the_body_says(call: Caller) -> None:
    path = "/trading/markets/sol-usd/quotes"
    body = {"amount": "10.00", "side": "buy"}
    assert call("POST", f"{path}?side=BUY", body).status == 201
    answer = call("POST", f"{path}?side=sell", body)
    assert (answer.status, answer.json["details"]["errors"][0]["field"]) == (400, "side")


def test_market_names_are_separated_by_commas(call: Caller) -> None:
    found = call("GET", "/trading/markets?filter[name]=sol-usd,%20eth-usd,none").json
    assert {market["marketName"] for market in found["data"]} == {"sol-usd", "eth-usd"}
    assert call("GET", "/trading/markets?filter[name]=").json["data"] == []


@pytest.mark.parametrize("key", ["a b", "ö", "x" * 256, '""'])
def test_an_idempotency_key_that_cannot_be_is_refused(call: Caller, key: str) -> None:
    body = {"bankAccountId": "DDA-1", "bankAccountType": "checking"}
    answer = call("POST", OPEN, body, headers={"Idempotency-Key": key.encode().decode("latin-1")})
    if key == '""':
        assert answer.status == 201
        return
    assert (answer.status, answer.code) == (400, "VALIDATION_ERROR")


def test_an_idempotency_key_may_be_quoted_and_its_replay_is_marked(call: Caller) -> None:
    body = {"bankAccountId": "DDA-1", "bankAccountType": "checking"}
    first = call("POST", OPEN, body, headers={"Idempotency-Key": "k1"})
    again = call("POST", OPEN, body, headers={"Idempotency-Key": '"k1"'})
    assert (first.status, again.status) == (201, 201)
    assert first.body == again.body
    assert "idempotent-replayed" not in first.headers
    assert again.headers["idempotent-replayed"] == "true"
    other = {**body, "bankAccountId": "DDA-3"}
    reused = call("POST", OPEN, other, headers={"Idempotency-Key": "k1"})
    assert (reused.status, reused.code) == (422, "IDEMPOTENCY_KEY_REUSED")


def test_a_version_that_is_not_offered_is_refused(call: Caller) -> None:
    version = call("GET", "/capabilities").headers["api-version"]
    assert call("GET", "/capabilities", headers={"API-Version": version}).status == 200
    answer = call("GET", "/capabilities", headers={"API-Version": "2031-01-01"})
    assert (answer.status, answer.code) == (400, "VALIDATION_ERROR")


@pytest.mark.parametrize(
    ("path", "known"),
    [
        ("/audit?colour=red", "limit"),
        ("/events?colour=red", "after"),
        ("/trading-accounts?colour=red&page=1", "page"),
        ("/trading/markets/sol-usd/prices?colour=red&limit=1", "limit"),
    ],
)
def test_an_unknown_parameter_of_an_addition_is_refused_by_name(
    call: Caller, path: str, known: str
) -> None:
    answer = call("GET", path)
    assert (answer.status, answer.code) == (400, "VALIDATION_ERROR")
    (error,) = answer.json["details"]["errors"]
    assert (error["field"], error["code"]) == ("colour", "UNKNOWN_PARAMETER")
    assert known in error["message"]
    assert b"red" not in answer.body


def test_calls_of_the_specification_take_what_it_does_not_name(call: Caller) -> None:
    assert call("GET", "/trading/markets?colour=red").status == 200

"""Lists lead to their next page by a ``Link`` (RFC 8288)."""

from typing import Any
from urllib.parse import urljoin

import httpx
import pytest
from tests.api.conftest import Answer, Caller

from chainteller.service.operations import OPERATIONS


def _next(answer: Answer) -> str | None:
    """The target of ``rel="next"``, as a client's library reads it."""
    found = httpx.Response(answer.status, headers=answer.headers).links.get("next")
    return None if found is None else found["url"]


def _walk(call: Caller, path: str) -> list[list[Any]]:
    """The records of each page that the links lead to."""
    pages = []
    while True:
        answer = call("GET", path)
        assert answer.status == 200
        pages.append(answer.json["data"])
        following = _next(answer)
        if following is None:
            return pages
        path = urljoin(path, following)


@pytest.fixture
def account(call: Caller) -> str:
    """An account with five trades, three of which are cancelled."""
    account = call.account()
    for number in range(5):
        path = f"/trading/quotes/{call.quote()}"
        trade = call("POST", path, {"tradingAccountId": account}).json["id"]
        if number % 2 == 0:
            call("DELETE", f"/trading-accounts/{account}/trades/{trade}")
    return account


LISTS = (
    ("/trading-accounts/{account}/trades", "", "limit=2", [2, 2, 1]),
    ("/trading-accounts/{account}/trades", "", "", [5]),
    ("/trading/trades", "sort=created", "page[size]=2&page[number]=2", [2, 1]),
    ("/trading/trades", "filter[status]=cancelled", "limit=2", [2, 1]),
    ("/trading/trades", "filter[created][gte]=2020-01-01T00:00:00%2B02:00", "limit=5", [5]),
    ("/trading/trades", "", "page=7", [0]),
    ("/trading/markets", "filter[name]=sol-usd,btc-usd,eth-usd", "limit=2", [2, 1]),
    ("/trading/markets", "filter[name]=sol-usd,btc-usd,eth-usd", "", [3]),
)
"""A path, what narrows or orders the list, where to begin, and how many records each page has."""


def test_links_lead_to_the_rest_of_a_list(call: Caller, account: str) -> None:
    for place, narrowed, paged, sizes in LISTS:
        path = place.format(account=account)
        everything = call("GET", f"{path}?{narrowed}&limit=100").json["data"]
        pages = _walk(call, f"{path}?{narrowed}&{paged}")
        assert [len(each) for each in pages] == sizes, (path, narrowed, paged)
        rest = everything[-sum(sizes) or len(everything) :]
        assert [each for page in pages for each in page] == rest, (path, narrowed, paged)


def test_links_lead_through_events_to_the_newest(call: Caller, account: str) -> None:
    everything = call("GET", "/events?after=0").json["data"]
    assert account in str(everything)
    pages = _walk(call, "/events?after=0&limit=4")
    assert [each for page in pages for each in page] == everything
    assert all(len(page) == 4 for page in pages[:-1])


def test_a_record_has_no_next_page(call: Caller, account: str) -> None:
    assert "link" not in call("GET", f"/trading-accounts/{account}").headers
    quoted = call("POST", "/trading/markets/sol-usd/quotes", {"amount": "10.00", "side": "buy"})
    assert "link" not in quoted.headers


def test_the_description_names_the_link_of_every_list_alone(call: Caller) -> None:
    paths = call("GET", "/openapi.json").json["paths"]
    linked = {
        (method, path)
        for path, item in paths.items()
        for method, each in item.items()
        if "Link" in each["responses"]["200"]["headers"]
    }
    lists = {
        ("get", each.path)
        for each in OPERATIONS
        if not each.writes and "data" in getattr(each.response, "model_fields", ())
    }
    assert linked == lists

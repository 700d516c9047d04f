"""The spec-only deployment answers the specification's calls with the specification's fields."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.spec_only.server import SpecOnlyApp
from tests.spec_only.specification import Fields, fields_of, find_call, specified_calls
from tests.world.bank import World, build, sqlite_url
from tests.world.serving import deployment, served

from chainteller.service.operations import OPERATIONS

_PARAMETER = re.compile(r"\{[^}]+\}")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = build(sqlite_url(tmp_path))
    yield world
    world.engine.close()


@pytest.fixture
def bank(world: World) -> Iterator[httpx.Client]:
    with (
        served(deployment(world), kind=SpecOnlyApp) as address,
        httpx.Client(
            base_url=address, headers={"Authorization": f"Bearer {world.key()}"}
        ) as client,
    ):
        yield client


def test_the_specification_has_sixteen_calls_and_all_are_declared_without_a_feature() -> None:
    specified = [(each.method, each.path) for each in specified_calls()]
    declared = [
        (endpoint.method, _PARAMETER.sub("{}", endpoint.path))
        for operation in OPERATIONS
        if operation.feature is None and operation.name != "capabilities"
        for endpoint in operation.endpoints
    ]
    assert len(specified) == 16
    assert sorted(specified) == sorted(declared)


def test_every_field_of_the_specification_is_read() -> None:
    """A row that the parser passed over would be a field that the deployment never answers."""
    assert [len(_names(fields_of(f"2.{each}"))) for each in range(1, 10)] == [
        3, 4, 3, 5, 14, 9, 4, 2, 1,
    ]  # fmt: skip


def _names(fields: Fields) -> list[str]:
    return [each for name, inner in fields.items() for each in (_names(inner) or [name])]


def test_a_flow_has_only_the_specifications_fields(bank: httpx.Client, world: World) -> None:
    opened = bank.post(
        "/trading-accounts", json={"bankAccountId": "DDA-1", "bankAccountType": "checking"}
    ).json()
    assert set(opened) == {"id", "bankAccountId", "bankAccountType"}
    home = f"/trading-accounts/{opened['id']}"
    token = {"type": "deposit-token-currency", "id": "DPT_USD"}
    paid = bank.post(f"{home}/deposits", json={"amount": "500.00", "currency": token})
    assert (paid.status_code, paid.json()) == (201, {})
    quoted = bank.post(
        "/trading/markets/sol-usd/quotes?side=buy", json={"amount": "100.00", "side": "buy"}
    ).json()["data"][0]
    assert set(quoted) == set(fields_of("2.5"))
    assert set(quoted["fees"]) == {"flat", "bps"}
    trade = bank.post(
        f"/trading/quotes/{quoted['id']}", json={"tradingAccountId": opened["id"]}
    ).json()
    assert set(trade) == set(fields_of("2.6"))
    listed = bank.get(f"{home}/trades?limit=1").json()
    assert listed == {"data": [trade], "pagination": {"total": 1, "page": 1, "limit": 20}}
    assert bank.delete(f"{home}/trades/{trade['id']}").json() == {}
    held = bank.get(f"{home}/token-balances").json()["data"][0]
    assert set(held) == {"token", "amount"}
    assert world.engine.trade(opened["id"], trade["id"]).status == "cancelled"


def test_it_ignores_keys_of_ours_and_names_none_of_its_own(bank: httpx.Client) -> None:
    twice = [
        bank.post(
            "/trading/markets/sol-usd/quotes?side=buy",
            json={"amount": "100.00", "side": "buy"},
            headers={"Idempotency-Key": "one"},
        )
        for _ in range(2)
    ]
    assert len({each.json()["data"][0]["id"] for each in twice}) == 2
    assert not [name for name in twice[0].headers if name.startswith(("x-", "idem", "api-", "loc"))]


@pytest.mark.parametrize(
    "path",
    ["/capabilities", "/events", "/trading-accounts/TDA_1", "/trading/quotes/QTE_1", "/healthz"],
)
def test_other_paths_are_no_part_of_it(bank: httpx.Client, path: str) -> None:
    assert find_call("GET", path) is None
    assert bank.get(path).status_code == 404


def test_a_field_of_ours_is_refused(bank: httpx.Client) -> None:
    body = {"amount": "100.00", "side": "buy", "tradingAccountId": "TDA_1"}
    refused = bank.post("/trading/markets/sol-usd/quotes?side=buy", json=body)
    assert refused.status_code == 400
    assert "tradingAccountId" in refused.text


def test_errors_have_the_specifications_details(bank: httpx.Client, world: World) -> None:
    expired = bank.post(
        "/trading/markets/sol-usd/quotes?side=buy", json={"amount": "100.00", "side": "buy"}
    ).json()["data"][0]["id"]
    world.advance(400)
    refused = bank.post(f"/trading/quotes/{expired}", json={"tradingAccountId": "TDA_1"})
    assert set(refused.json()) == {"error", "message", "details"}
    for call in specified_calls():
        path = _PARAMETER.sub("nobody", call.path)
        told = bank.request(call.method, path, content=json.dumps({}))
        assert set(told.json()) in ({"error", "message", "details"}, {"data", "pagination"})

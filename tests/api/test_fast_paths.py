"""Fast paths give the same answers: routing, cached JSON, inline reads and log lines."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from tests.api.conftest import Caller
from tests.world.bank import World
from tests.world.serving import served

from chainteller.api.logs import Line, RequestLines
from chainteller.domain.actors import Actor
from chainteller.domain.clock import ManualClock
from chainteller.engine.deployment import EmbeddedDeployment
from chainteller.service import operations
from chainteller.service.deployment import DeploymentOptions
from chainteller.service.interface import Service
from chainteller.service.operations import Operation

Answer = TypeVar("Answer")


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "//",
        "/trading-accounts/",
        "/trading-accounts//trades",
        "/trading-accounts/TDA_1/trades/",
        "/nothing",
        "/trading/markets/sol-usd/prices/more",
    ],
)
def test_no_route_takes_another_path(call: Caller, path: str) -> None:
    answer = call("GET", path)
    assert (answer.status, answer.code) == (404, "NOT_FOUND")


def test_lists_are_written_as_the_model_writes_them(world: World, call: Caller) -> None:
    account = call.account()
    for _ in range(3):
        call("POST", f"/trading/quotes/{call.quote()}", {"tradingAccountId": account})
    for page in (
        world.engine.trades(account),
        world.engine.token_balances(account),
        world.engine.markets(),
        world.engine.trading_accounts(),
        world.engine.events(0, 100),
        world.engine.events(10**12, 100),
    ):
        for _ in range(2):
            assert page.to_json() == page.model_dump_json(by_alias=True)


def test_a_changed_copy_has_json_of_its_own(world: World) -> None:
    market = world.engine.market("sol-usd")
    assert market.to_json() == market.to_json()
    copied = market.model_copy(update={"current_price": "1.00"})
    assert copied.to_json() == copied.model_dump_json(by_alias=True) != market.to_json()
    assert copied != market == market.model_copy()


def test_a_record_that_changed_is_written_anew(world: World, call: Caller) -> None:
    account = call.account()
    made = call("POST", f"/trading/quotes/{call.quote()}", {"tradingAccountId": account}).json
    path = f"/trading-accounts/{account}/trades"
    assert [each["status"] for each in call("GET", path).json["data"]] == ["processing"]
    call("DELETE", f"{path}/{made['id']}")
    assert [each["status"] for each in call("GET", path).json["data"]] == ["cancelled"]
    assert call("GET", f"{path}/{made['id']}").json["status"] == "cancelled"


class Elsewhere(EmbeddedDeployment):
    """Its short reads are never at once: each is asked again where it may wait."""

    asked = 0

    async def at_once(
        self, actor: Actor, operation: Operation[Any], work: Callable[[Service], Answer]
    ) -> Answer | None:
        self.asked += 1
        self._unwaiting.context.database._inode = -1
        found = await super().at_once(actor, operation, work)
        assert found is None
        return found


def test_a_read_that_would_wait_is_answered_from_a_thread(world: World) -> None:
    behind = Elsewhere(world.engine, DeploymentOptions("0.0.test", rate_limits=False))
    with served(behind) as address:
        call = Caller(address, world.key())
        assert len(call("GET", "/trading/markets").json["data"]) == 3
    assert behind.asked == 1


def test_a_read_that_looks_at_everything_is_not_made_on_the_event_loop(world: World) -> None:
    behind = Elsewhere(world.engine, DeploymentOptions("0.0.test", rate_limits=False))
    with served(behind) as address:
        call = Caller(address, world.key())
        account = call.account()
        for query in ("filter[status]=settled", "filter%5Bside%5D=buy", "page=100"):
            assert call("GET", f"/trading-accounts/{account}/trades?{query}").status == 200
    assert behind.asked == 0


@pytest.mark.parametrize(
    ("operation", "is_short"),
    [
        (operations.TRADING_ACCOUNTS, True),
        (operations.CAPABILITIES, True),
        (operations.STATEMENT, False),
        (operations.FIND, False),
        (operations.AUDIT_PROOF, False),
    ],
)
def test_an_operation_that_takes_long_is_not_answered_on_the_event_loop(
    world: World, operation: Operation[Any], is_short: bool
) -> None:
    behind = EmbeddedDeployment(world.engine, DeploymentOptions("0.0.test"))
    answer = asyncio.run(behind.at_once(world.engine.actor, operation, lambda _: "answered"))
    assert answer == ("answered" if is_short else None)


def test_request_lines_are_json_whatever_is_in_them(log_file: Path) -> None:
    hostile = 'a"\n\u2028\ud800\x1b[2J'

    async def told() -> None:
        lines = RequestLines(ManualClock(1_000_000))
        lines.add(Line("id", "op", hostile, 200, 0.001234, hostile, "", "default", "key"))
        lines.add(Line("id", "op", "GET", 503, 1.0, "10.0.0.1", "SERVICE_UNAVAILABLE", "", ""))
        lines.flush()

    asyncio.run(told())
    told_lines = [json.loads(line) for line in log_file.read_text("ascii").splitlines()]
    # A server of an earlier test may say in the same file that it has ended.
    first, second = (line for line in told_lines if "status" in line)
    assert first["at"] == "1970-01-01T00:00:01.000000Z"
    assert (first["method"], first["client"], first["milliseconds"]) == (hostile, hostile, 1.23)
    assert (first["organisation"], first["keyId"]) == ("default", "key")
    assert "error" not in first
    assert second["error"] == "SERVICE_UNAVAILABLE"

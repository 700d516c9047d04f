"""Refused keys and scopes in the trail: counted, one entry for each address and minute."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.api.conftest import Caller
from tests.world.bank import World, build, sqlite_url
from tests.world.logs import entries
from tests.world.serving import deployment, served

from chainteller.domain.actors import Actor
from chainteller.engine.upkeep import noted_callers
from chainteller.engine.upkeep.noted_callers import OTHERS, NotedCallers
from chainteller.engine.verification.full_pass import verify
from chainteller.service.errors import Forbidden, Unauthorized
from chainteller.storage.log.rows import DEPLOYMENT


@pytest.fixture(params=["sqlite", "postgres"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> World:
    on_sqlite = request.param == "sqlite"
    return build(
        sqlite_url(tmp_path) if on_sqlite else request.getfixturevalue("own_postgres_bank")
    )


def refused_keys(world: World) -> list[Mapping[str, Any]]:
    """What the log of the deployment says of refused keys."""
    found = entries(world.context.database, DEPLOYMENT, "refuse_key")
    return [each.inputs or {} for each in found]


def test_refused_keys_are_in_the_log_of_the_deployment(world: World) -> None:
    refused = NotedCallers(world.context)
    for _ in range(3):
        refused.count("10.0.0.1", Unauthorized("UNKNOWN"), None)
    refused.count("10.0.0.1", Unauthorized("EXPIRED"), None)
    refused.count("10.0.0.2", Unauthorized("MISSING"), None)
    refused.write()
    refused.write()
    assert [(told["address"], told["count"], told["reasons"]) for told in refused_keys(world)] == [
        ("10.0.0.1", 4, {"EXPIRED": 1, "UNKNOWN": 3}),
        ("10.0.0.2", 1, {"MISSING": 1}),
    ]
    assert verify(world.context.database) == ()
    world.engine.close()


def test_a_missing_scope_is_in_the_trail_of_the_keys_organisation(world: World) -> None:
    refused = NotedCallers(world.context)
    actor = Actor("default", "branch (k1)", "k1")
    for _ in range(2):
        refused.count("10.0.0.1", Forbidden("transfers:write", "k1"), actor)
    refused.write()
    newest = world.engine.audit().data[0]
    assert (newest.action, newest.actor, newest.error) == ("refuse_scope", actor.name, "FORBIDDEN")
    assert json.loads(json.dumps(newest.inputs)) == {
        "address": "10.0.0.1",
        "count": 2,
        "scopes": {"transfers:write": 2},
    }
    assert verify(world.context.database) == ()
    world.engine.close()


def test_many_addresses_are_bounded(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noted_callers, "MOST_CALLERS", 3)
    refused = NotedCallers(world.context)
    for number in range(50):
        refused.count(f"10.0.0.{number}", Unauthorized("UNKNOWN"), None)
    refused.write()
    assert {told["address"]: told["count"] for told in refused_keys(world)} == {
        "10.0.0.0": 1,
        "10.0.0.1": 1,
        "10.0.0.2": 1,
        OTHERS: 47,
    }
    world.engine.close()


def test_the_service_notes_both_when_it_ends(tmp_path: Path) -> None:
    world = build(sqlite_url(tmp_path))
    key = world.key("accounts:read")
    behind = deployment(world)
    behind.start()
    with served(behind) as address:
        call = Caller(address, key)
        assert call("GET", "/capabilities", key="wrong").status == 401
        assert call("GET", "/audit").status == 403
    behind.stop()
    again = build(sqlite_url(tmp_path))
    assert [told["address"] for told in refused_keys(again)] == ["127.0.0.1"]
    assert again.engine.audit().data[0].action == "refuse_scope"
    again.engine.close()

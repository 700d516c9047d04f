"""The same promises against every implementation: the engine itself, and ``serve`` over HTTP."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.world.bank import World, build, sqlite_url
from tests.world.serving import deployment, served

from chainteller.domain.actors import SCOPES, Actor
from chainteller.remote.client import RemoteService
from chainteller.service.interface import Service

ALL_BUT_ADMIN = tuple(each for each in SCOPES if each != "admin")
IMPLEMENTATIONS = (
    "embedded-sqlite",
    pytest.param("serve-sqlite", marks=pytest.mark.thorough),
    pytest.param("embedded-postgres", marks=pytest.mark.thorough),
    "serve-postgres",
)
"""The quick line has both ways to it and both databases."""


@dataclass(frozen=True, slots=True)
class Place:
    """``service`` is the implementation under test; ``world`` is what stands behind it."""

    kind: str
    service: Service
    world: World
    stranger: Service
    """The same deployment seen by another organisation."""
    admin: Service
    """The same deployment seen by who has the scope ``admin`` too."""


@pytest.fixture(params=IMPLEMENTATIONS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    url = sqlite_url(tmp_path)
    if request.param.endswith("postgres"):
        url = request.getfixturevalue("postgres_bank")
    world = build(url)
    try:
        yield from placed(request.param, world)
    finally:
        world.engine.close()


@pytest.fixture(scope="module", params=IMPLEMENTATIONS)
def shared_place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    """A place that tests of a module share, whatever each of them leaves there."""
    url = sqlite_url(tmp_path_factory.mktemp("shared"))
    if request.param.endswith("postgres"):
        url = request.getfixturevalue("postgres_server").fresh()
    world = build(url)
    try:
        yield from placed(request.param, world)
    finally:
        world.engine.close()


@pytest.fixture
def service(place: Place) -> Service:
    return place.service


def placed(kind: str, world: World) -> Iterator[Place]:
    if kind.startswith("embedded"):
        own = world.engine.acting_as(Actor("default", "test"))
        foreign = world.engine.acting_as(Actor("other", "test"))
        yield Place(kind, own, world, foreign, own)
        return
    with served(deployment(world)) as address:
        near = RemoteService(address, world.key(*ALL_BUT_ADMIN))
        far = RemoteService(address, world.key(*ALL_BUT_ADMIN, organisation="other"))
        admin = RemoteService(address, world.key(*SCOPES))
        try:
            yield Place(kind, near, world, far, admin)
        finally:
            admin.close()
            near.close()
            far.close()

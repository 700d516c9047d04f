"""A bank that may send webhooks to this machine, and receivers on it."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from tests.webhooks.receiving import Decide, Receiver, accept, receiving
from tests.world.engines import World, make_world

from chainteller.adapters.webhook_http import HttpWebhooks
from chainteller.domain.options import EngineOptions
from chainteller.domain.webhooks import WebhookHosts
from chainteller.engine.engine import Engine
from chainteller.engine.upkeep.deliveries import Deliverer
from chainteller.service.models.webhooks import CreateWebhook, WebhookWithSecret

HOSTS = ("http://127.0.0.1", "localhost", "*.bank.example")


class Sending:
    """A bank with one account, and what it sends when a test says so."""

    def __init__(self, world: World, deadline_s: float = 5.0) -> None:
        self.sender = HttpWebhooks(WebhookHosts(HOSTS), deadline_s)
        context = replace(world.context, webhooks=self.sender)
        self.world = replace(world, context=context, engine=Engine(context))
        self.world.open()
        self.deliverer = self.another()

    @property
    def engine(self) -> Engine:
        return self.world.engine

    def another(self, servers: int = 1) -> Deliverer:
        """A server that shares the work."""
        return Deliverer(self.world.context, self.sender, lambda: servers)

    def to(self, receiver: Receiver, *types: str) -> WebhookWithSecret:
        asked = CreateWebhook(url=receiver.url, types=types)
        return self.engine.create_webhook(asked).value

    def deliver(self, deliverer: Deliverer | None = None) -> None:
        asyncio.run((deliverer or self.deliverer).deliver_due())

    def wait(self, seconds: float) -> None:
        self.world.clock.advance(round(seconds * 1_000_000))


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.thorough)])
def sending(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Sending]:
    is_file = request.param == "sqlite"
    place = tmp_path / "bank.db" if is_file else request.getfixturevalue("postgres_bank")
    made = make_world(place, options=EngineOptions(webhook_hosts=HOSTS))
    yield Sending(made)
    made.close()


@pytest.fixture
def receivers() -> Iterator[Callable[..., Receiver]]:
    with ExitStack() as stack:

        def another(decide: Decide = accept) -> Receiver:
            return stack.enter_context(receiving(decide))

        yield another

"""A server's deliveries in a process of their own, which a test kills."""

import asyncio
from dataclasses import replace

from tests.world.bank import World, build

from chainteller.adapters.webhook_http import HttpWebhooks
from chainteller.domain.clock import ManualClock
from chainteller.domain.options import EngineOptions
from chainteller.domain.webhooks import WebhookHosts
from chainteller.engine.upkeep.deliveries import Deliverer

HOSTS = ("http://127.0.0.1",)


def opened(url: str, at: int) -> World:
    """The bank, whose clock stands at an instant."""
    return build(url, clock=ManualClock(at), options=EngineOptions(webhook_hosts=HOSTS))


def deliver(url: str, at: int) -> None:
    """Send what is due at an instant."""
    world = opened(url, at)
    sender = HttpWebhooks(WebhookHosts(HOSTS))
    asyncio.run(Deliverer(replace(world.context, webhooks=sender), sender).deliver_due())
    world.engine.close()

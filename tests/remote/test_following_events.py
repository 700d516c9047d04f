"""Events arrive as they happen, in order, once, over interruptions."""

import queue
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.contract.test_trading import opened
from tests.world.bank import World, build, sqlite_url
from tests.world.serving import deployment, served

from chainteller.engine.operations.keys import ApiKeys
from chainteller.remote.client import RemoteService
from chainteller.remote.stream import EventStream, Following
from chainteller.remote.transport import DEADLINE_S, Transport
from chainteller.service.models.records import Event

PATIENCE_S = 15


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = build(sqlite_url(tmp_path))
    yield world
    world.engine.close()


def test_history_comes_first_and_then_what_happens(world: World) -> None:
    heard: queue.Queue[Event] = queue.Queue()
    states: queue.Queue[Following] = queue.Queue()
    with served(deployment(world)) as address:
        service = RemoteService(address, world.key())
        opened(service)
        expected = [event.seq for event in world.engine.events().data]
        stream = service.follow(0, heard.put, states.put)
        assert [heard.get(timeout=PATIENCE_S).seq for _ in expected] == expected
        assert states.get(timeout=PATIENCE_S) is Following.LIVE
        opened(service, 3)
        later = heard.get(timeout=PATIENCE_S)
        assert later.type == "trading_account.created"
        assert later.seq > expected[-1]
        stream.close()
        service.close()


def test_it_comes_back_with_the_last_event_that_it_saw(world: World) -> None:
    heard: queue.Queue[Event] = queue.Queue()
    states: queue.Queue[Following] = queue.Queue()
    key = world.key()
    with served(deployment(world)) as address:
        service = RemoteService(address, key)
        stream = service.follow(0, heard.put, states.put)
        opened(service)
        while heard.get(timeout=PATIENCE_S).type != "trading_account.created":
            pass
    assert states.get(timeout=PATIENCE_S) is Following.LIVE
    assert states.get(timeout=PATIENCE_S) is Following.RETRYING
    stream.close()
    service.close()
    seen = stream.cursor
    assert seen == world.engine.events(after=0).data[-1].seq
    with served(deployment(world)) as address:
        service = RemoteService(address, key)
        opened(service, 3)
        stream = service.follow(seen, heard.put, states.put)
        assert heard.get(timeout=PATIENCE_S).seq == world.engine.events(after=seen).data[0].seq
        stream.close()
        service.close()


def test_a_revoked_key_ends_its_streams_with_the_next_ping(world: World) -> None:
    states: queue.Queue[Following] = queue.Queue()
    with served(deployment(world), ping_s=0.3) as address:
        key = world.key()
        service = RemoteService(address, key)
        service.follow(0, lambda _event: None, states.put)
        assert states.get(timeout=PATIENCE_S) is Following.LIVE
        ApiKeys(world.context).revoke(key.split("_")[2])
        assert states.get(timeout=PATIENCE_S) is Following.RETRYING
        assert states.get(timeout=PATIENCE_S) is Following.REFUSED
        service.close()


def test_a_line_on_which_nothing_comes_is_given_up(world: World) -> None:
    """Here the server pings every 15 seconds, which is too seldom for this one."""
    states: queue.Queue[Following] = queue.Queue()
    with served(deployment(world)) as address:
        transport = Transport(address, world.key())
        stream = EventStream(transport, 0, lambda _event: None, states.put, silence_s=0.2)
        assert states.get(timeout=PATIENCE_S) is Following.LIVE
        assert states.get(timeout=DEADLINE_S / 2) is Following.RETRYING
        stream.close()
        transport.close()

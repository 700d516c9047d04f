"""Processes are killed while they deliver, and some endpoints fail at random.

``CHAINTELLER_WEBHOOK_EVENTS`` and ``CHAINTELLER_WEBHOOK_KILLS`` say how much of it.
"""

import multiprocessing
import os
import threading
import time
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path

import pytest
from tests.servers.program import ServeProgram
from tests.webhooks import victim
from tests.webhooks.receiving import Received, Receiver, is_in_order, receiving
from tests.world.bank import START, World, build, sqlite_url

from chainteller.domain.clock import SECOND, SystemClock, parse_instant
from chainteller.domain.options import EngineOptions
from chainteller.domain.randomness import SeededRandomness, below
from chainteller.engine.core.unit_of_work import UnitOfWork, act
from chainteller.engine.verification.full_pass import verify
from chainteller.service.models.webhooks import CreateWebhook
from chainteller.storage.log.entry import EVENTS_PER_ACT

EVENTS = int(os.environ.get("CHAINTELLER_WEBHOOK_EVENTS", "2000"))
KILLS = int(os.environ.get("CHAINTELLER_WEBHOOK_KILLS", "8"))
ENDPOINTS, FAILING, RECORDS = 10, 3, 200
PER_SECOND = 40
DEATHS, TOLD, STEP = 20, 100, 5
HELD = 11 * SECOND
WITHIN_S = 1_200


def failing_at_random(seed: int) -> Receiver:
    dice = SeededRandomness(str(seed))
    return Receiver(lambda _: 204 if below(dice, 10) else 500)


def tell(world: World, first: int, count: int) -> None:
    """Commit events of many records, as one act."""

    def work(tx: UnitOfWork) -> None:
        for number in range(first, first + count):
            tx.event("trade.told", f"TXN_{number % RECORDS}", number=number)

    act(world.context, world.engine.actor, work)


def told_steadily(world: World) -> None:
    each = PER_SECOND // 10
    began = time.monotonic()
    for turn, first in enumerate(range(0, EVENTS, each)):
        tell(world, first, min(each, EVENTS - first, EVENTS_PER_ACT))
        threading.Event().wait(max(0.0, began + turn / 10 - time.monotonic()))


def duration_ms(message: Received) -> float:
    """From the commit to the arrival."""
    return (message.at - parse_instant(message.event["at"])) / 1_000


@pytest.mark.thorough
def test_deaths_at_any_moment_lose_no_event_and_keep_the_order_of_records(
    tmp_path: Path,
) -> None:
    """Each process finds the time at which the one before has lost its hold."""
    url, at = sqlite_url(tmp_path), START
    world, dice = victim.opened(url, at), SeededRandomness("deaths")
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["__main__", "tests.webhooks.victim"])
    with ExitStack() as stack:
        receivers = [
            *(stack.enter_context(receiving()) for _ in range(ENDPOINTS - FAILING)),
            *(failing_at_random(seed) for seed in range(FAILING)),
        ]
        for each in receivers:
            world.engine.create_webhook(CreateWebhook(url=each.url, types=("trade.*",)))
        killed, told = 0, 0
        while killed < DEATHS or told < TOLD or _is_behind(world):
            at += HELD
            if told < TOLD:
                tell(world, told, STEP)
                told += STEP
            process = processes.Process(target=victim.deliver, args=(url, at))
            process.start()
            if killed < DEATHS:
                arrived = _count(receivers)
                while process.is_alive() and _count(receivers) == arrived:
                    process.join(0.005)
                process.join(below(dice, 1_000) / 1_000)
                killed += process.is_alive()
                process.kill()
            process.join()
        check(receivers, TOLD)
    print(  # noqa: T201 - the figures of the proof
        f"{TOLD} events to {ENDPOINTS} endpoints, {killed} kills: sent twice to those that accept "
        f"everything {[len(each.received) - TOLD for each in receivers[: ENDPOINTS - FAILING]]}"
    )
    world.engine.close()


def _count(receivers: list[Receiver]) -> int:
    return sum(len(each.received) for each in receivers)


def _is_behind(world: World) -> bool:
    newest = world.engine.events(-1).next
    return any(each.cursor < newest for each in world.engine.webhooks().data)


def check(receivers: list[Receiver], count: int) -> None:
    """Whether each got every event, in order for each record, with one id each."""
    ids: dict[int, set[str]] = {}
    for each in receivers:
        events = [message.event for message in each.received]
        assert {event["data"]["number"] for event in events} == set(range(count))
        assert is_in_order(events)
        for event, message in zip(events, each.received, strict=True):
            ids.setdefault(event["data"]["number"], set()).add(message.id)
    assert all(len(each) == 1 for each in ids.values())


@pytest.mark.slow
def test_servers_that_are_killed_lose_no_event_and_keep_the_order_of_records(
    postgres_url: str, home: Path
) -> None:
    options = EngineOptions(rate_limits=False, webhook_hosts=victim.HOSTS)
    world = build(postgres_url, clock=SystemClock(), options=options)
    settings = {"service__webhook_hosts": ",".join(victim.HOSTS), "service__rate_limits": "off"}
    with ExitStack() as stack:
        receivers = [
            *(stack.enter_context(receiving()) for _ in range(ENDPOINTS - FAILING)),
            *(failing_at_random(seed) for seed in range(FAILING)),
        ]
        for each in receivers:
            world.engine.create_webhook(CreateWebhook(url=each.url, types=("trade.*",)))
        servers = [ServeProgram(postgres_url, home, **settings) for _ in range(2)]
        telling = threading.Thread(target=told_steadily, args=(world,))
        telling.start()
        pause_s = EVENTS / PER_SECOND / (KILLS + 1)
        for server, _ in zip(cycle(servers), range(KILLS), strict=False):
            threading.Event().wait(pause_s)
            server.kill()
            server.start_again()
        telling.join()
        newest = world.engine.events(-1).next
        deadline = time.monotonic() + WITHIN_S
        while any(each.cursor < newest for each in world.engine.webhooks().data):
            assert time.monotonic() < deadline, world.engine.webhooks().data
            threading.Event().wait(0.5)
        assert [each.stop() for each in servers] == [0, 0]
    accepted = receivers[: ENDPOINTS - FAILING]
    check(receivers, EVENTS)
    assert verify(world.context.database) == ()
    twice = [len(each.received) - EVENTS for each in accepted]
    first: dict[tuple[int, str], float] = {}
    for index, each in enumerate(accepted):
        for message in each.received:
            first.setdefault((index, message.id), duration_ms(message))
    times = sorted(first.values())
    at = [round(times[int(part * (len(times) - 1))]) for part in (0.5, 0.9, 0.99, 1)]
    print(  # noqa: T201 - the figures of the proof
        f"{EVENTS} events to {ENDPOINTS} endpoints ({FAILING} refuse every tenth request), "
        f"{KILLS} kills: sent twice to the {len(accepted)} others {twice}; "
        f"from commit to arrival p50/p90/p99/max {at} ms"
    )
    world.engine.close()

"""Fair shares: places of connections and streams, threads, and the time that wrong keys cost."""

import asyncio
import threading
from collections import Counter
from dataclasses import dataclass

import pytest
from tests.world.waiting import PATIENCE_S

from chainteller.api import threads, wrong_keys
from chainteller.api.connections import Holder, Places, network_of
from chainteller.api.threads import Threads
from chainteller.api.wrong_keys import WrongKeys


@dataclass(eq=False)
class Guest:
    name: str
    is_busy: bool = False
    gone: bool = False

    def give_way(self) -> None:
        self.gone = True


def test_the_longest_silent_of_the_largest_holder_gives_way() -> None:
    places: Places[Guest] = Places(4)
    guests = [Guest(f"a{n}") for n in range(3)]
    for guest in guests:
        assert places.enter(guest, Holder("a"))
    places.touch(guests[0])
    alone = Guest("b")
    assert places.enter(alone, Holder("b"))
    assert places.enter(Guest("c"), Holder("c"))
    assert [guest.gone for guest in guests] == [False, True, False]
    assert not alone.gone
    assert len(places) == 4


def test_within_an_organisation_its_largest_key_gives_way() -> None:
    places: Places[Guest] = Places(4)
    one = Guest("one")
    assert places.enter(one, Holder("a", "one"))
    others = [Guest(f"two {n}") for n in range(3)]
    for guest in others:
        assert places.enter(guest, Holder("a", "two"))
    assert places.enter(Guest("b"), Holder("b"))
    assert [guest.gone for guest in [one, *others]] == [False, True, False, False]


def test_who_is_busy_stays_and_a_full_house_of_them_refuses() -> None:
    places: Places[Guest] = Places(2)
    busy, idle = Guest("busy", is_busy=True), Guest("idle")
    assert places.enter(busy, Holder("a"))
    assert places.enter(idle, Holder("b"))
    assert places.enter(Guest("busy too", is_busy=True), Holder("c"))
    assert (busy.gone, idle.gone) == (False, True)
    assert not places.enter(Guest("late"), Holder("d"))
    places.leave(busy)
    assert places.enter(Guest("late"), Holder("d"))
    assert places.count(Holder("a")) == (0, 0)


@dataclass(eq=False)
class Watched:
    """Counts how often anybody asks whether it's busy."""

    busy: bool
    looks: int = 0
    gone: bool = False

    @property
    def is_busy(self) -> bool:
        self.looks += 1
        return self.busy

    def give_way(self) -> None:
        self.gone = True


def test_busy_ones_are_not_looked_at_for_each_who_comes() -> None:
    places: Places[Watched] = Places(200)
    guests = [Watched(busy=number < 100) for number in range(400)]
    for guest in guests:
        assert places.enter(guest, Holder("a"))
    assert [each.gone for each in guests] == [False] * 100 + [True] * 200 + [False] * 100
    assert sum(each.looks for each in guests) < 1_000


def test_an_ipv6_network_counts_as_one_address() -> None:
    assert network_of("2001:db8:0:1::7") == network_of("2001:db8:0:1:ffff::1")
    assert network_of("2001:db8:0:2::7") != network_of("2001:db8:0:1::7")
    assert network_of("::ffff:198.51.100.1") == "198.51.100.1" == network_of("198.51.100.1")
    assert network_of("") == ""


async def test_an_organisation_with_much_work_does_not_delay_others() -> None:
    pool, release, done = Threads(4), threading.Event(), []

    def work(name: str) -> None:
        release.wait(PATIENCE_S)
        done.append(name)

    crowd = [asyncio.create_task(pool.run(lambda: work("crowd"), "crowd")) for _ in range(40)]
    await asyncio.sleep(0)
    other = asyncio.create_task(pool.run(lambda: work("other"), "other"))
    await asyncio.sleep(0)
    assert (pool.busy, pool.waiting) == (4, 37)
    release.set()
    await asyncio.gather(*crowd, other)
    assert done.index("other") <= 8
    assert Counter(done) == {"crowd": 40, "other": 1}
    assert (pool.busy, pool.waiting) == (0, 0)
    pool.shutdown()


async def test_nobody_can_occupy_all_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "MOST_OF_ONE", 3)
    pool, release = Threads(4), threading.Event()
    crowd = [asyncio.create_task(pool.run(release.wait, "crowd")) for _ in range(10)]
    await asyncio.sleep(0)
    assert await pool.run(lambda: "at once", "other") == "at once"
    strangers = [asyncio.create_task(pool.run(lambda: None, "")) for _ in range(3)]
    await asyncio.gather(*strangers)
    release.set()
    await asyncio.gather(*crowd)
    pool.shutdown()


async def test_work_that_is_cancelled_while_it_waits_leaves_no_trace() -> None:
    pool, release = Threads(1), threading.Event()
    first = asyncio.create_task(pool.run(release.wait, "a"))
    await asyncio.sleep(0)
    waiting = [asyncio.create_task(pool.run(lambda: None, "a")) for _ in range(3)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    waiting[1].cancel()
    release.set()
    await first
    await waiting[2]
    assert await pool.run(lambda: "free", "b") == "free"
    assert (pool.busy, pool.waiting) == (0, 0)
    pool.shutdown()


class Stopwatch:
    """Seconds that pass only when told to."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


def test_wrong_keys_of_an_address_wait_longer_and_longer_up_to_a_bound() -> None:
    watch = Stopwatch()
    guesses = WrongKeys(active=True, elapsed=watch)
    waits = [guesses.count("10.0.0.1") for _ in range(40)]
    assert waits[: wrong_keys.FREE] == [0.0] * wrong_keys.FREE
    assert waits == sorted(waits)
    assert max(waits) == wrong_keys.LONGEST_S
    assert guesses.count("10.0.0.2") == 0.0
    watch.seconds += wrong_keys.WINDOW_S + 1
    assert guesses.count("10.0.0.1") == 0.0


def test_switched_off_wrong_keys_wait_for_nothing() -> None:
    guesses = WrongKeys(active=False)
    assert [guesses.count("10.0.0.1") for _ in range(100)] == [0.0] * 100

"""The console over the real engine: a temporary SQLite file and a clock moved by hand.

Each test runs on our own service. ``pytest tests/tui --deployment spec-only`` runs all of them on a
deployment that offers only the specification; those of ``FLOWS`` always run on both. A test that
needs more than the specification declares it: ``@pytest.mark.needs("trades by id")``.
"""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import pytest
from tests.deployments import OWN
from tests.spec_only.place import SpecOnlyPlace, spec_only_place
from tests.world.bank import World, build, sqlite_url
from tests.world.waiting import PATIENCE_S
from textual._styles_cache import StylesCache
from textual.cache import LRUCache
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.pilot import Pilot
from textual.screen import Screen
from textual.timer import Timer

from chainteller.domain.actors import Actor
from chainteller.domain.options import EngineOptions
from chainteller.domain.randomness import SeededRandomness
from chainteller.engine.engine import Engine
from chainteller.service.interface import Service
from chainteller.service.models.accounts import OpenTradingAccount, TradingAccount
from chainteller.service.models.funding import Currency, DepositRequest
from chainteller.tui.console.app import Console
from chainteller.tui.console.typed_ahead import TypedAhead
from chainteller.tui.start import ConsoleSettings, StartedDesk
from chainteller.tui.textual_fixes.app import SteadyApp
from chainteller.wallets import search

REPOSITORY = Path(__file__).parents[2]
LONGEST_TIMER_S = 1.0
IDLE_LOOKS, KEY_LOOKS, MOST_KEY_LOOKS, MOST_ROUNDS = 3, 2, 300, 1_000
"""Groups of workers that wait for an answer while a question is open."""


@pytest.fixture
def a_longer_search(everything_is_tried: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that finds an altered text; ``tests/wallets`` makes it whole, which takes seconds."""
    monkeypatch.setattr(search, "_TIMES_LONGER", 5)


@dataclass(frozen=True, slots=True)
class Bench:
    """A world and the console on it; ``place`` is the spec-only deployment in between, if any."""

    world: World
    settings: ConsoleSettings
    place: SpecOnlyPlace | None = None

    @property
    def service(self) -> Service:
        """The bank itself, to arrange a test and to look what happened."""
        bank = self.world.engine.acting_as(Actor(name="op01"))
        return bank if self.place is None else self.place.arranging(bank)

    @property
    def deployment(self) -> Service:
        """What the console is opened on."""
        return self.service if self.place is None else self.place.service

    def start(self, service: Service | None = None, **given: Any) -> StartedDesk:
        """What the console is given, on another service than ``deployment`` if there is one."""
        if self.place is not None:
            self.place.share(given.setdefault("workspace_file", self.place.workspace_file))
        started = StartedDesk(service or self.deployment, "test bank", **given)
        return started._replace(capabilities=self.deployment.capabilities())

    def console(self, service: Service | None = None, **look: Any) -> Console:
        return Console(lambda: self.start(service), self.settings._replace(**look))

    def named(self, account: TradingAccount) -> str:
        """How a confirmation names the customer; the specification has no names of customers."""
        bank = f"{account.bank_account_type} {account.bank_account_id}"
        label = f"{account.id}   {bank}"
        return f"{account.customer_name}   {label}" if self.place is None else label

    def open(self, number: int = 1, deposit: str = "") -> TradingAccount:
        """A trading account for DDA-``number``, funded from the bank."""
        kind = "checking" if number % 2 else "savings"
        asked = OpenTradingAccount(bank_account_id=f"DDA-{number}", bank_account_type=kind)
        account = self.service.open_trading_account(asked).value
        if deposit:
            self.deposit(account, deposit)
        return account

    def deposit(self, account: TradingAccount, amount: str) -> None:
        """From the customer's bank account."""
        currency = Currency(type="deposit-token-currency", id="DPT_USD")
        self.service.deposit(account.id, DepositRequest(amount=amount, currency=currency))


@pytest.fixture(autouse=True, scope="session")
def _parse_each_stylesheet_once() -> Iterator[None]:
    """Consoles with the same colours share what was parsed of their stylesheets: each parses the
    same sixty sources."""
    parsed: dict[object, Any] = {}
    parse = Stylesheet.parse

    def parse_with_others(stylesheet: Stylesheet) -> None:
        colours = frozenset(stylesheet._variables.items())
        stylesheet._parse_cache = parsed.setdefault(colours, LRUCache(1_024))
        try:
            parse(stylesheet)
        finally:
            stylesheet._parse_cache = LRUCache(64)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "parse", parse_with_others)
        yield


@pytest.fixture(autouse=True, scope="session")
def _everything_has_its_time() -> Iterator[None]:
    """On a busy machine, keys are kept and screens are waited for as long as that takes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TypedAhead.hold, "__defaults__", (PATIENCE_S, lambda: None))
        patch.setattr(Pilot._wait_for_screen, "__defaults__", (PATIENCE_S,))
        yield


@pytest.fixture(autouse=True)
def drop_painted_lines() -> Iterator[None]:
    """Empty the one cache in which Textual keeps widgets' painted lines after their app has ended.

    ``get_inner_outer`` is an ``lru_cache`` on a method, so its keys hold the ``StylesCache`` of up
    to 1,024 closed widgets: 7,000 objects for each console that a test opens.
    """
    yield
    StylesCache.get_inner_outer.cache_clear()


@pytest.fixture(autouse=True)
def _ended_as_by_a_person(monkeypatch: pytest.MonkeyPatch) -> None:
    """Textual ends the application of a test without the return code that ``exit`` gives it."""
    shut_down = SteadyApp._shutdown

    async def ended(app: SteadyApp) -> None:
        if app._return_code is None:
            app._return_code = 0
        await shut_down(app)

    monkeypatch.setattr(SteadyApp, "_shutdown", ended)


@pytest.fixture
def deployment(request: pytest.FixtureRequest) -> str:
    """The kind of the deployment that the console is opened on: OWN or SPEC_ONLY."""
    return str(getattr(request, "param", OWN))


@pytest.fixture
def bench(tmp_path: Path, deployment: str) -> Iterator[Bench]:
    yield from make_bench(tmp_path, kind=deployment)


def make_bench(
    folder: Path, options: EngineOptions | None = None, kind: str = OWN
) -> Iterator[Bench]:
    world = build(sqlite_url(folder), options=options or EngineOptions(rate_limits=False))
    seeded = replace(world.context, randomness=SeededRandomness("desk"))
    yield from bench_on(replace(world, engine=Engine(seeded, Actor(name="op01"))), folder, kind)


def bench_on(world: World, folder: Path, kind: str = OWN) -> Iterator[Bench]:
    """The console on a world, which is closed at the end; exports and crash files in ``folder``."""
    assert world.clock is not None
    look = ConsoleSettings(
        hold_s=0,
        kind="EMBEDDED",
        operator="op01",
        theme_folders=(REPOSITORY / "themes",),
        poll_interval_s=0,
        customer_texts=REPOSITORY / "sample_data" / "customer_texts.toml",
        glossary=REPOSITORY / "sample_data" / "glossary.toml",
        crash_folder=folder,
        export_folder=folder,
        clock=world.clock,
        randomness=SeededRandomness("desk"),
    )
    try:
        if kind == OWN:
            yield Bench(world, look)
        else:
            with spec_only_place(world, folder) as place:
                yield Bench(world, look._replace(kind="REMOTE"), place)
    finally:
        world.engine.close()


async def settle(pilot: Pilot[Any], *, started: bool = True) -> None:
    """Wait until the desk has ``started``, nothing is asked of the service and nothing is to come.

    Between looks every message is handled and painted; what a look cannot see (a thread that has
    answered but not yet reported) is busy work of a worker, so a few idle looks in a row are rest.
    """
    app = cast("Console", pilot.app)
    quiet = 0
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        await asyncio.sleep(0 if quiet else 0.005)
        await _messages_are_handled()
        is_at_rest = _is_idle(app, started=started) and not _paints(app.screen, everything=True)
        quiet = quiet + 1 if is_at_rest else 0
        if quiet == IDLE_LOOKS:
            return
    raise AssertionError("the desk never came to rest")


async def until(holds: Callable[[], bool], pause_s: float = 0.02) -> None:
    """Wait for something of which ``settle`` knows nothing, such as a step of the tour."""
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError("it never came")
        await asyncio.sleep(pause_s)


def _nodes(screens: Sequence[Screen[Any]]) -> list[DOMNode]:
    return [node for screen in screens for node in screen.walk_children(with_self=True)]


async def _messages_are_handled() -> None:
    """Whatever can run has run: messages, callbacks and tasks, until each waits for something."""
    loop = cast("asyncio.BaseEventLoop", asyncio.get_running_loop())
    for _ in range(MOST_ROUNDS):
        await asyncio.sleep(0)
        if not loop._ready:  # type: ignore[attr-defined]
            return


def _is_idle(app: Console, *, started: bool) -> bool:
    keys = app.typed_ahead
    hears = not keys.is_holding and not keys.ignores("enter") and not keys.ignores("escape")
    if bool(app.desk.started) != started or not hears or _has_busy_worker(app):
        return False
    nodes = _nodes(app.screen_stack)
    return not _has_messages(app, nodes) and not _timers_due(nodes)


def _has_work(app: Console) -> bool:
    """A busy worker, or a message not yet handled."""
    return _has_busy_worker(app) or _has_messages(app, _nodes(app.screen_stack))


def _has_busy_worker(app: Console) -> bool:
    """Whether a worker waits for no dialog and holds no deposit."""
    waited_for = sum(_is_waited_for(screen) for screen in app.screen_stack)
    waited_for += app.desk.holding.held is not None
    return sum(not worker.is_finished for worker in app.workers) > waited_for


def _has_messages(app: Console, nodes: Sequence[DOMNode]) -> bool:
    return bool(app.message_queue_size) or any(node.message_queue_size for node in nodes)


def _is_waited_for(screen: Screen[Any]) -> bool:
    """Whether a worker waits for the dialog's answer; every screen has a future of its own."""
    futures = (callback.future for callback in screen._result_callbacks)
    return any(each is not None and not each.done() and each._callbacks for each in futures)


def _timers_due(nodes: Sequence[DOMNode]) -> list[Timer]:
    """Timers that go off once and soon: the wait before a row's detail is fetched; no toast."""
    return [
        timer
        for node in nodes
        for timer in node._timers
        if timer._repeat == 0
        and timer._interval <= LONGEST_TIMER_S
        and timer._task is not None
        and not timer._task.done()
    ]


async def press(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys one after the other, each when the one before it is handled, then ``settle``.

    Textual's pilot sleeps around each key until the process uses no CPU, 40 ms at the least; this
    looks at the console's own queues and workers instead.
    """

    async def handled(_min_sleep: float) -> None:
        await _key_is_handled(cast("Console", pilot.app))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("textual.app.wait_for_idle", handled)
        await pilot.press(*keys)
    await settle(pilot)


async def _key_is_handled(app: Console) -> None:
    """Wait until messages and workers are done; what only passes with time is not waited for."""
    quiet = looks = 0
    while quiet < KEY_LOOKS and looks < MOST_KEY_LOOKS:
        looks += 1
        await asyncio.sleep(0 if quiet else 0.001)
        await _messages_are_handled()
        rests = not (app.typed_ahead.is_holding or _has_work(app))
        quiet = quiet + 1 if rests and not _paints(app.screen, everything=False) else 0


def _paints(screen: Screen[Any], *, everything: bool) -> bool:
    """Do at once what waits for the next frame; whether a layout or a callback was among it.

    Without ``everything``, colours and texts may wait: only a layout and what was to run after a
    frame can change what the next key does.
    """
    waits = screen._layout_required or screen._scroll_required or screen._callbacks
    leads_on = bool(waits) and screen.is_current and not screen.app._exit
    if leads_on or everything:
        screen._on_timer_update()
    return leads_on


async def answer(pilot: Pilot[Any], key: str) -> None:
    """Answer a question after its deaf time, and let the deaf time after it pass."""
    await settle(pilot)
    await press(pilot, key)


def seen(app: Console) -> str:
    """All that stands on the screen, as text."""
    width, height = app.size
    strips = app.screen._compositor.render_strips(app.size)
    rows = ["".join(segment.text for segment in strip)[:width].rstrip() for strip in strips]
    return "\n".join(rows[:height])

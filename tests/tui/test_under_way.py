"""A request without an answer is the first line that the agent sees, on every screen."""

import asyncio
import threading
from time import monotonic
from typing import Any, TypeVar, cast

import pytest
from tests.tui.conftest import Bench, press, seen, settle, until
from tests.tui.wallet_case import Case, paste, signed, wallets
from tests.world.waiting import PATIENCE_S
from textual.pilot import Pilot

from chainteller.service import operations as op
from chainteller.service.errors import OutcomeUnknown, ServiceUnreachable
from chainteller.service.interface import Service
from chainteller.service.layers import Next, layered
from chainteller.service.operations import Call, Operation, Write
from chainteller.tui.console.app import Console
from chainteller.tui.console.unanswered import FIRST_PAUSE_S, Pause
from chainteller.tui.desk import SAID_AFTER_S

Answer = TypeVar("Answer")
FALSE = ("expired", "same inputs", "Nothing has been sent", "nothing was sent", "get quote",
         "nothing pending", "enter submits", "Nothing was changed", "[x]")  # fmt: skip
EVERY_SCREEN = "1234567P"


class Stopped(Service):
    """A deployment that hears one operation and doesn't answer it until it goes on; what is asked
    for meanwhile is cut off, if it ``cuts_reads``."""

    def __init__(self, service: Service, operation: Operation[Any]) -> None:
        self._service, self._operation = service, operation
        self.goes_on = threading.Event()
        self.heard = threading.Event()
        self.gives_up = self.cuts_reads = False
        self.calls: list[float] = []

    def call(self, call: Call[Answer]) -> Answer:
        if call.operation is self._operation:
            self.calls.append(monotonic())
            self.heard.set()
            if self.gives_up:
                raise OutcomeUnknown("No answer came.", call.key or "")
            assert self.goes_on.wait(PATIENCE_S)
        elif self.cuts_reads and self.heard.is_set() and not self.goes_on.is_set():
            raise ServiceUnreachable("No answer came: connection reset.")
        return self._service.call(call)


CASES: list[tuple[Operation[Any], tuple[str, ...], str]] = [
    (op.DEPOSIT, ("d", *"100", "enter"), "no answer yet: deposit of 100.00 USD"),
    (op.WITHDRAW, ("w", *"50", "enter", "y"), "no answer yet: withdrawal of 50.00 USD"),
    (op.CREATE_QUOTE, ("b", *"100", "enter"), "no answer yet: quote for buy"),
    (op.EXECUTE_QUOTE, ("b", *"100", "enter", "X", "y"), "no answer yet: order to buy"),
]


async def typed(pilot: Pilot[None], service: Stopped, keys: tuple[str, ...]) -> None:
    for number, key in enumerate(keys):
        if number < len(keys) - 1:
            await press(pilot, key)
        else:
            await pilot.press(key)
    await until(service.heard.is_set)


@pytest.mark.forms(4)
@pytest.mark.parametrize("cuts_reads", [False, True], ids=["", "reads cut off"])
@pytest.mark.parametrize(("operation", "keys", "said"), CASES, ids=[c[0].name for c in CASES])
async def test_it_stands_on_the_screens_from_two_seconds_until_it_is_answered(
    bench: Bench, operation: Operation[Any], keys: tuple[str, ...], said: str, *, cuts_reads: bool
) -> None:
    account = bench.open(1, deposit="500.00")
    service = Stopped(bench.service, operation)
    service.cuts_reads = cuts_reads
    app = bench.console(service)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await typed(pilot, service, keys)
        if operation is op.CREATE_QUOTE:
            await pilot.press("escape")  # digits would begin another amount
        screens = EVERY_SCREEN if operation is op.DEPOSIT else "1236"
        await _stands_on_screens(pilot, service, screens, said, str(account.customer_name))


@pytest.mark.parametrize(
    ("operation", "keys"), [case[:2] for case in CASES[:3]], ids=[c[0].name for c in CASES[:3]]
)
async def test_what_was_given_up_is_asked_for_again_only_where_that_moves_nothing(
    bench: Bench, operation: Write[Any], keys: tuple[str, ...]
) -> None:
    bench.open(1, deposit="500.00")
    service = Stopped(bench.service, operation)
    service.gives_up = True
    app = bench.console(service)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await typed(pilot, service, keys)
        await settle(pilot)
        shown = " ".join(seen(app).split())
        assert "OUTCOME_UNKNOWN" in shown
        again = shown.count("send it again") + shown.count("go through")
        assert (again == 0) == operation.is_harmless, shown
        is_asked = "Nothing was moved." in shown and "ask for it again" in shown
        assert is_asked == operation.is_harmless
        assert app.desk.session is not None
        assert (not app.desk.session.unanswered) == operation.is_harmless
        await press(pilot, "t")
        assert ("make it again" in seen(app)) != operation.is_harmless


async def test_what_isnt_sent_yet_is_named_while_the_service_is_silent_before_it(
    bench: Bench,
) -> None:
    bench.open(1, deposit="500.00")
    service = Stopped(bench.service, op.LIMITS)
    service.goes_on.set()
    app = bench.console(service)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        service.goes_on.clear()
        await pilot.press("w", *"50", "enter")
        await until(lambda: "not sent yet: withdrawal of 50.00 USD, the service" in seen(app))
        assert "Nothing was" not in seen(app)
        service.goes_on.set()
        await until(lambda: "WITHDRAW 50.00 USD" in seen(app))
        assert "not sent yet" not in seen(app)


async def test_the_last_action_is_shown_before_a_silent_service_answers(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    service = Stopped(bench.service, op.SHOW_TRADING_ACCOUNT)
    service.goes_on.set()
    app = bench.console(service)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "d", *"100", "enter")
        service.goes_on.clear()
        await pilot.press("L")
        await until(lambda: "LAST MONEY ACTION" in seen(app))
        assert "100.00 USD" in seen(app)
        assert "The service hasn't answered yet." in seen(app)
        service.goes_on.set()
        await until(lambda: "hasn't answered yet" not in seen(app))
        await until(lambda: f"customer  {account.customer_name}" in seen(app))


async def test_a_claim_without_an_answer_is_contradicted_on_no_screen(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    service = Stopped(bench.service, op.SUBMIT_CLAIM)
    app = bench.console(service)
    async with app.run_test(size=(120, 40)) as pilot:
        await wallets(pilot)
        await paste(pilot, signed("alice-ethereum", case.newest()))
        await typed(pilot, service, ("enter",))
        said = "no answer yet: signature of message CHG_"
        await _stands_on_screens(pilot, service, EVERY_SCREEN, said, "Customer 1")


async def _stands_on_screens(
    pilot: Pilot[None], service: Stopped, screens: str, said: str, whose: str
) -> None:
    app = cast("Console", pilot.app)
    sent = service.calls[0]
    await until(lambda: said in seen(app), pause_s=0.2)  # seconds, in which a look costs much
    assert monotonic() - sent >= SAID_AFTER_S
    for screen in screens:
        await pilot.press(screen)
        await until(lambda: said in seen(app))
        for _ in range(2):
            shown = seen(app)
            first = " ".join(" ".join(shown.splitlines()[:5]).split())
            assert said in first
            assert whose in shown
            assert ("Nothing is moved." if "quote" in said else "Don't send it again.") in first
            assert not [words for words in FALSE if words in shown], shown
            await asyncio.sleep(0.05)
    service.goes_on.set()
    await until(lambda: said not in seen(app))
    await settle(pilot)
    assert "no answer yet" not in seen(app)


async def test_it_stays_when_it_was_given_up_until_it_is_settled(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    service = Stopped(bench.service, op.DEPOSIT)
    service.gives_up = True
    app = bench.console(service)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "d", *"100", "enter")
        assert "no answer yet: deposit of 100.00 USD" in seen(app)
        app.desk.on_poll.publish(None)
        await settle(pilot)
        assert len(service.calls) == 2, "it was sent again with its key"
        app.desk.on_poll.publish(None)
        await settle(pilot)
        assert len(service.calls) == 2, "and not again before a pause"
        assert "no answer yet: deposit of 100.00 USD" in seen(app)
        service.gives_up = False
        service.goes_on.set()

        def is_settled() -> bool:
            app.desk.on_poll.publish(None)
            return "no answer yet" not in seen(app)

        await until(is_settled)
        assert service.calls[2] - service.calls[1] >= FIRST_PAUSE_S


def test_pauses_grow_up_to_half_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("chainteller.tui.console.unanswered.monotonic", lambda: now[0])
    pause, lengths = Pause(), []
    for _ in range(7):
        assert pause.is_over
        pause.grow()
        began = now[0]
        while not pause.is_over:
            now[0] += 0.5
        lengths.append(now[0] - began)
    assert lengths == [2, 4, 8, 16, 30, 30, 30]


async def test_a_request_that_stayed_here_names_the_one_that_is_still_open(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    service = Stopped(bench.service, op.DEPOSIT)
    service.gives_up, is_away = True, threading.Event()

    def away(call: Call[Answer], onward: Next) -> Answer:
        if is_away.is_set():
            raise ServiceUnreachable("No connection.")
        return onward(call)

    app = bench.console(layered(service, away))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        is_away.set()
        await press(pilot, *"w5", "enter")
        assert "No connection. Nothing was changed." in seen(app)
        assert "still open" not in seen(app)
        is_away.clear()
        await press(pilot, "escape", "escape", "r", *"d100", "enter")
        is_away.set()
        await press(pilot, "escape", "escape", *"w5", "enter")
        said = "No connection. Nothing was changed. The request of 12:00:00Z still has no answer."
        assert said in " ".join(seen(app).split())

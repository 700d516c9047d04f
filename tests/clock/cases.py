"""Generated cases: which step, at which moment, and what must hold after it."""

import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.clock.faked import FakedMachine, FakedServer, Reply, until
from tests.world.bank import build, sqlite_url

from chainteller.domain.actors import SCOPES
from chainteller.domain.clock import SECOND, SystemClock
from chainteller.domain.randomness import SeededRandomness
from chainteller.domain.timekeeping import EARLIEST, LATEST
from chainteller.engine.verification.full_pass import verify

HOUR_S, DAY_S = 3_600, 86_400
STEPS = (1, 2, 4, 6, 30, 300, HOUR_S, DAY_S, 30 * DAY_S, 365 * DAY_S, 3_650 * DAY_S)
MOMENTS = ("while running", "between quote and execute", "during due work", "at start")
TOLERATED_S = 5
KEY_S = 3


@dataclass(frozen=True, slots=True)
class Case:
    moment: str
    step_s: int


def generated(seed: int) -> Case:
    """A case of a seed; four in a row have the four moments."""
    first, second = SeededRandomness(f"clock {seed}").bytes(2)
    step = STEPS[first % len(STEPS)]
    return Case(MOMENTS[seed % len(MOMENTS)], step if second % 2 else -step)


def traded_by(one: FakedServer, other: FakedServer, account: str) -> Reply:
    """A trade on a quote of ``one``, executed by ``other``; on a busy machine the quote may be over
    before that."""
    done = until(lambda: other.execute(one.quote(), account), lambda each: each.status == 201)
    assert done.status == 201, done
    return done


@dataclass
class Proof:
    """One bank whose clock is set again and again."""

    folder: Path
    window_s: int
    late: list[str] = field(default_factory=list)
    stuck: list[str] = field(default_factory=list)
    outlived: list[str] = field(default_factory=list)
    refused: int = 0
    accepted: int = 0

    def __post_init__(self) -> None:
        self.url = sqlite_url(self.folder)
        build(self.url).engine.close()
        self.machine = FakedMachine(
            self.folder,
            self.url,
            {
                "CHAINTELLER_ENGINE__QUOTE_WINDOW_S": str(self.window_s),
                "CHAINTELLER_ENGINE__FILL_DELAY_S": "1",
                "CHAINTELLER_ENGINE__SETTLE_DELAY_S": "1",
            },
        )
        self.key = self._new_key()
        self.server = self._started()
        opened = {"bankAccountId": "DDA-1", "bankAccountType": "checking"}
        self.account = self.server.call("POST", "/trading-accounts", opened).body["id"]
        money = {
            "amount": "10000.00",
            "currency": {"type": "deposit-token-currency", "id": "DPT_USD"},
        }
        path = f"/trading-accounts/{self.account}/deposits"
        assert self.server.call("POST", path, money).status == 201

    def _new_key(self, expires: str | None = None) -> str:
        """Made by a command, or sooner in this process while the clock is right."""
        if self.machine.offset:
            return self.machine.key(*(("--expires", expires) if expires else ()))
        world = build(self.url, clock=SystemClock())
        try:
            return world.key(*SCOPES, expires=expires)
        finally:
            world.engine.close()

    def _started(self) -> FakedServer:
        server = self.machine.serve()
        server.key = self.key
        return server

    def close(self) -> None:
        self.server.stop()

    def run(self, case: Case) -> None:
        """One step of the clock at one moment, from certain time to certain time."""
        name = f"{case.step_s:+d} s {case.moment}"
        short_key, made = self._new_key(f"{KEY_S}s"), time.monotonic()
        waiting = self.server.quote()
        assert waiting.status == 201, waiting
        traded = traded_by(self.server, self.server, self.account)
        self._step(case)
        expected = self._is_doubted(case)
        self._check_state(name, expected=expected)
        time.sleep(max(0.0, waiting.received + self.window_s + 0.01 - time.monotonic()))
        self._must_not_execute(name, waiting)
        if expected:
            self._settle(name)
            self._must_not_execute(f"{name}, accepted", waiting)
        self._must_be_over(name, short_key, made)
        trade = f"/trading-accounts/{self.account}/trades/{traded.body['id']}"
        status = self._status_of(trade)
        if status != "settled":
            self.stuck.append(f"{name}: {status}")
        traded_by(self.server, self.server, self.account)

    def _step(self, case: Case) -> None:
        if case.moment == "at start":
            self.server.stop()
            self.machine.step(case.step_s)
            self.server = self._started()
            return
        if case.moment == "during due work":
            time.sleep(0.9)  # the fill is due a second after the execution
        self.machine.step(case.step_s)

    def _is_doubted(self, case: Case) -> bool:
        if not self._can_be_right():
            return True
        is_accepted = case.moment == "at start" and case.step_s > 0
        return abs(case.step_s) > TOLERATED_S and not is_accepted

    def _can_be_right(self) -> bool:
        shown = SystemClock().now() + round(self.machine.offset * SECOND)
        return EARLIEST <= shown < LATEST

    def _check_state(self, name: str, *, expected: bool) -> None:
        asked = self.server.quote()
        answer = f"{asked.status} {asked.reason}"
        assert answer.startswith("503 CLOCK_UNCERTAIN" if expected else "201"), (name, answer)
        ready = self.server.ready()
        assert ready.status == (503 if expected else 200), (name, ready)
        read = self.server.call("GET", f"/trading-accounts/{self.account}")
        assert read.status == 200, (name, read)
        self.refused += expected

    def _must_not_execute(self, name: str, quote: Reply) -> None:
        done = self.server.execute(quote, self.account)
        if done.status == 201:
            self.late.append(f"{name}: {done.sent - quote.received:.3f} s after the quote")

    def _must_be_over(self, name: str, key: str, made: float) -> None:
        time.sleep(max(0.0, made + KEY_S + 0.01 - time.monotonic()))
        used = self.server.call("GET", f"/trading-accounts/{self.account}", key=key)
        if used.status == 200:
            self.outlived.append(f"{name}: {used.sent - made:.3f} s after it was made")

    def _settle(self, name: str) -> None:
        """The operator accepts the clock, or sets it right where it can't be accepted."""
        until(self._is_noted, bool)
        done = self.machine.run("clock", "accept")
        if self._can_be_right():
            assert done.returncode == 0, (name, done.stderr)
            assert "begins at" in done.stdout, (name, done.stdout)
            self.accepted += 1
        else:
            assert done.returncode == 3, (name, done.stdout)
            assert "CLOCK_UNCERTAIN" in done.stderr
            self.machine.step(-self.machine.offset)
            if not self._is_certain_soon():
                assert self.machine.run("clock", "accept").returncode == 0
        assert self._is_certain_soon(), (name, self.server.ready())

    def _status_of(self, trade: str) -> str:
        """Its status, after ten times as long as it takes to settle."""

        def status() -> str:
            return str(self.server.call("GET", trade).body["status"])

        return until(status, lambda found: found == "settled")

    def _is_noted(self) -> bool:
        events = self.server.call("GET", "/events?after=0&limit=1000").body["data"]
        words = [each["type"] for each in events if each["type"].startswith("clock.")]
        return bool(words) and words[-1] == "clock.uncertain"

    def _is_certain_soon(self) -> bool:
        ready = until(self.server.ready, lambda found: found.status == 200, 3.0)
        return ready.status == 200

    def breaches(self) -> list[str]:
        """What ``db verify`` says of the bank, which isn't running any more."""
        world = build(self.url)
        try:
            return [str(each) for each in verify(world.context.database)]
        finally:
            world.engine.close()

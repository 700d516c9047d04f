"""Generated lives of a bank whose clock is set at any moment, on virtual clocks.

A model knows the real time: nothing may be executed after its quote's real window, no key may be
used after its real life, and in the end nothing may be stuck and no invariant broken.
``CHAINTELLER_CLOCK_LIVES`` (1,000) and ``CHAINTELLER_CLOCK_FIRST`` (0) choose the seeds of the long
form. A failure names its seed and its last acts.
"""

import os
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import pytest
from tests.clock.banks import Bank
from tests.world.bank import sqlite_url

from chainteller.domain.randomness import SeededRandomness
from chainteller.engine.verification.full_pass import verify
from chainteller.service.errors import ClockUncertain, QuoteAlreadyUsed, QuoteExpired

T = TypeVar("T")
FIRST = int(os.environ.get("CHAINTELLER_CLOCK_FIRST", "0"))
LIVES = int(os.environ.get("CHAINTELLER_CLOCK_LIVES", "1000"))
"""Read before the tests' environment is cleared."""
WINDOW, KEY_LIFE = 5_000_000, 3_000_000
ACTS = 40
STEPS = (1, 2, 4, 5, 6, 30, 300, 3_600, 86_400, 30 * 86_400, 3_650 * 86_400)
PAUSES = (0.0, 0.2, 1.0, 2.5, 4.9, 5.1, 20.0)
YEARS_2262 = 236 * 31_557_600


class Life:
    """A bank and the model of its real time."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.bank = Bank(sqlite_url(folder))
        self.source = SeededRandomness(f"life {seed}")
        self.quotes: list[tuple[str, int]] = []
        self.keys: list[tuple[str, int]] = []
        self.trades: list[str] = []
        self.payouts: list[str] = []
        self.done: Counter[str] = Counter()
        self.history: list[str] = []

    def chosen(self, among: Sequence[T]) -> T:
        return among[int.from_bytes(self.source.bytes(2), "big") % len(among)]

    def run(self) -> None:
        acts: tuple[Callable[[], None], ...] = (
            self.quote, self.quote, self.quote_and_step, self.execute, self.execute, self.withdraw,
            self.make_key, self.use_key, self.step, self.step, self.pause, self.pause, self.work,
            self.work, self.restart, self.accept, self.set_right, self.jump,
        )  # fmt: skip
        for _ in range(ACTS):
            act = self.chosen(acts)
            self.history.append(act.__name__)
            try:
                act()
                self.done[act.__name__] += 1
            except ClockUncertain as refused:
                self.done[f"refused {refused.details['reason']}"] += 1
        self.end()

    def quote(self) -> None:
        self.quotes.append((self.bank.quote(), self.bank.machine.true))

    def quote_and_step(self) -> None:
        self.quote()
        self.step()
        self.pause()
        self.execute()

    def execute(self) -> None:
        for quote, at in self.quotes[-3:]:
            try:
                self.trades.append(self.bank.execute(quote))
            except (QuoteExpired, QuoteAlreadyUsed):
                continue
            late = self.bank.machine.true - at - WINDOW
            assert late <= 0, f"executed {late / 1e6} s late"

    def withdraw(self) -> None:
        self.payouts.append(self.bank.withdraw("1.00").id)

    def make_key(self) -> None:
        self.keys.append((self.bank.key("3s"), self.bank.machine.true))

    def use_key(self) -> None:
        for key, made in self.keys:
            if self.bank.use(key) == "valid":
                over = self.bank.machine.true - made - KEY_LIFE
                assert over < 0, f"a key outlived its expiry by {over / 1e6} s"

    def step(self) -> None:
        size = self.chosen((*STEPS, YEARS_2262))
        sign = -1 if self.source.bytes(1)[0] % 2 else 1
        self.bank.machine.step(sign * size)
        self.history[-1] += f" {sign * size:+d}"

    def pause(self) -> None:
        pause = self.chosen(PAUSES)
        self.bank.machine.passes(pause)
        self.history[-1] += f" {pause}"

    def work(self) -> None:
        self.bank.work()

    def restart(self) -> None:
        self.bank.stop()
        if self.source.bytes(1)[0] % 2:
            self.step()
        self.pause()
        self.bank.start()

    def accept(self) -> None:
        if self.bank.accept() is not None:
            self.done["epoch"] += 1

    def set_right(self) -> None:
        self.bank.machine.wrong = 0

    def jump(self) -> None:
        machine = self.bank.machine
        machine.jump, machine.jump_after = 7_200_000_000, 2
        try:
            self.quote()
        finally:
            machine.jump_after = 0

    def end(self) -> None:
        """The operator settles the time; then everything comes to its end."""
        bank = self.bank
        if bank.tick() in {"CLOCK_NOT_SET", "CLOCK_OUT_OF_RANGE"}:
            bank.machine.wrong = 0
        if bank.tick():
            assert bank.accept() is not None
        assert bank.tick() == ""
        for _ in range(6):
            bank.machine.passes(2)
            bank.work()
            self.use_key()
        for trade in self.trades:
            assert bank.trade(trade) == "settled"
        for payout in self.payouts:
            record = bank.engine.withdrawal_record(bank.account, payout)
            assert record.status == "completed"
        bank.machine.passes(6)
        self.execute()
        assert verify(bank.context.database) == ()
        assert len(bank.entries("clock_uncertain")) >= len(bank.entries("clock_certain"))
        bank.stop()


def live(folder: Path, seeds: range) -> Counter[str]:
    done: Counter[str] = Counter()
    for seed in seeds:
        (folder / str(seed)).mkdir()
        life = Life(folder / str(seed), seed)
        try:
            life.run()
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {error}; acts: {life.history}") from error
        done += life.done
    return done


def test_lives_with_a_clock_that_is_set(tmp_path: Path) -> None:
    done = live(tmp_path, range(12))
    for wanted in ("epoch", "quote", "execute", "refused CLOCK_BEHIND", "refused CLOCK_AHEAD"):
        assert done[wanted], done


@pytest.mark.slow
def test_a_thousand_lives(tmp_path: Path) -> None:
    done = live(tmp_path, range(FIRST, FIRST + LIVES))
    assert done["refused CLOCK_JUMPED"]
    print(sorted(done.items()))  # noqa: T201 - the figures of the proof

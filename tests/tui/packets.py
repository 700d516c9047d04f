"""Random keys in random packets: no money moves before the screen has shown what moves.

``python -m tests.tui.packets --sequences 10000 --seed 1`` drives the console on a real engine with
bytes that the terminal's parser reads, and prints each write that no frame had shown completely
before the key that sent it. Deposits wait longer here than a sequence lasts, so that only a key
sends them.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

import pytest
from tests.tui.conftest import Bench, make_bench, seen, settle
from textual.app import App
from textual.pilot import Pilot

from chainteller.domain.randomness import SeededRandomness, below
from chainteller.records.formats import grouped
from chainteller.service import operations as op
from chainteller.service.layers import Next, layered
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.service.operations import Call
from chainteller.tui.console.app import DEAF_S, Console
from chainteller.tui.console.typed_ahead import TypedAhead
from chainteller.tui.desk_screen import DeskScreen
from chainteller.tui.dialogs.question import Question
from chainteller.tui.holding import Holding
from chainteller.tui.textual_fixes.terminal_input import TerminalParser
from chainteller.tui.widgets.failure_panel import FailurePanel

Answer = TypeVar("Answer")
SIZE = (120, 40)
LONG = 3_600.0
"""Seconds that a deposit is held: longer than a sequence lasts."""
KEPT_S = 60.0
"""Seconds until keys are kept too long here, which a busy machine doesn't reach by itself."""
MOVING = {
    each.name: each
    for each in (
        op.DEPOSIT, op.WITHDRAW, op.EXECUTE_QUOTE, op.CANCEL_TRADE, op.CANCEL_WITHDRAWAL,
    )
}  # fmt: skip
PARTS = (
    "d{}\r", "d{}\rb", "d{}\rw", "d{}\r\x1b", "d{}\rX", "w{}\r|y", "w{}\ry", "b{}\r|X|y", "b{}\rXy",
    "b{}\r|X|y", "b{}\r|X|y", "s0.1\r|X|y", "s0.1\r|X|y", "w{}\r|y", "4C|y", "6C|y", "4Cy", "|y",
    "|X", "|X|y", "\x1b", "\x1b[B", "\x1b[A", "j", "k", "\r", "1", "2", "3", "4", "5", "6", "7",
    "\t", "0", "n", "r", "t", "|", "\x1b{}", ":", "?", "/a\r",
)  # fmt: skip
"""What agents type. ``{}`` is an amount; at a bar they look at the screen before they go on."""
PRINTABLE = "".join(map(chr, range(0x20, 0x7F)))


class Shown(NamedTuple):
    """What a question or a held deposit said, and the number of the first frame that had it all."""

    texts: Sequence[str]
    since: int


class Writes:
    """A layer around the service that counts what moves money, by operation."""

    def __init__(self) -> None:
        self.writes: dict[str, int] = {}

    def __call__(self, call: Call[Answer], onward: Next) -> Answer:
        name = call.operation.name
        if name in MOVING:
            self.writes[name] = self.writes.get(name, 0) + 1
            self.sent(call)
        return onward(call)

    def sent(self, call: Call[Any]) -> None:
        """Look at a write that leaves."""


class Witness(Writes):
    """What frames showed, which keys were taken, and what was sent."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        super().__init__()
        self.number = 0
        """Of the sequence that is played."""
        self.unshown: list[str] = []
        self.late: list[str] = []
        """Keys that were kept until their time was up."""
        self.stuck: list[str] = []
        """Sequences in which the console never came to rest."""
        self.frame = ""
        self._said: dict[object, bool] = {}
        """Whether a frame had all of what each of these said."""
        self._allowed: list[str] = []
        self._watch_frames(patch)
        self._watch_questions(patch)
        self._watch_deposits(patch)
        self._watch_limits(patch)

    def _watch_frames(self, patch: pytest.MonkeyPatch) -> None:
        display = App._display

        def look(app: Any, screen: Any, update: Any) -> None:
            display(app, screen, update)
            if not app._batch_count:
                self.frame = words(seen(app))

        patch.setattr(App, "_display", look)

    def _watch_questions(self, patch: pytest.MonkeyPatch) -> None:
        answer = Question._answer

        def answered(question: Question, *, yes: bool) -> None:
            if yes:
                now = question._watch.now() if question._watch is not None else 0
                asked = question._asked
                self._allow("question", [asked.sentence, *asked.told(now)])
            answer(question, yes=yes)

        patch.setattr(Question, "_answer", answered)

    def _watch_deposits(self, patch: pytest.MonkeyPatch) -> None:
        leave = Holding.leave

        def left(holding: Holding) -> None:
            if holding.held is not None:
                self._allow("held", [f"{holding.held.words} leaves in"])
            leave(holding)

        patch.setattr(Holding, "leave", left)

    def _watch_limits(self, patch: pytest.MonkeyPatch) -> None:
        patch.setattr(TypedAhead.hold, "__defaults__", (KEPT_S, lambda: None))
        overdue = TypedAhead._overdue

        def passed(keys: TypedAhead, this_round: int, then: Callable[[], object]) -> None:
            if this_round == keys.round and keys.is_holding:
                self.late.append(f"{self.number} late: {[each.key for each in keys._kept]}")
            overdue(keys, this_round, then)

        patch.setattr(TypedAhead, "_overdue", passed)

    def _allow(self, kind: str, texts: Sequence[str]) -> None:
        missing = [each for each in texts if words(each) not in self.frame]
        self._allowed.append(words(" ".join(texts)))
        if missing:
            self.unshown.append(f"{self.number} {kind}: {missing} not in\n{self.frame}")

    def sent(self, call: Call[Any]) -> None:
        name, wanted = call.operation.name, _wanted(call)
        if not self._allowed or not all(each in self._allowed[-1] for each in wanted):
            asked = f"was not what was asked: {self._allowed[-1:]}"
            self.unshown.append(f"{self.number} {name} {wanted} {asked}")


def words(text: str) -> str:
    """Without borders and line breaks, as it's read."""
    return " ".join("".join(" " if each in "│┃▌▐█" else each for each in text).split())


def _wanted(call: Call[Any]) -> Sequence[str]:
    """What the sentence of a write must name."""
    amount = getattr(call.request, "amount", None)
    named = [grouped(str(amount))] if amount else []
    return [*named, *([call.ids[-1]] if call.operation.name.startswith("cancel") else [])]


def sequence(randomness: SeededRandomness) -> str:
    """Some parts with a few slips."""
    found = []
    for _ in range(2 + below(randomness, 4)):
        amount = ("5", "12.50", "70", "1")[below(randomness, 4)]
        for one in PARTS[below(randomness, len(PARTS))].replace("{}", amount):
            slip = below(randomness, 25)
            if slip == 0:
                found.append(PRINTABLE[below(randomness, len(PRINTABLE))])
            if slip != 1:
                found.append(one)
    return "".join(found)


def packets(typed: str, randomness: SeededRandomness) -> Iterator[str]:
    """Cut anywhere; an empty one is a look at the screen."""
    for part in typed.split("|"):
        rest = part.encode()
        while rest:
            size = 1 + below(randomness, (1, 2, 4, 40)[below(randomness, 4)])
            yield rest[:size].decode()
            rest = rest[size:]
        yield ""


class Terminal:
    """A line to the console, which reads packets as the driver does."""

    def __init__(self, pilot: Pilot[None]) -> None:
        self.pilot = pilot
        self.app = cast("Console", pilot.app)
        self._parser = TerminalParser()

    def send(self, packet: str) -> None:
        for message in self._parser.feed(packet):
            self.app.post_message(message)

    def tick(self) -> None:
        """The time in which a sequence has to be completed is over."""
        self._parser._held_since = 0.0
        for message in self._parser.tick():
            self.app.post_message(message)

    async def rest(self) -> None:
        self.tick()
        await settle(self.pilot)

    async def home(self) -> None:
        """Close what is open, and go to Accounts."""
        for _ in range(4):
            if not self._is_something_open:
                break
            self.send("\x1b")
            await self.rest()
        self.send("1")
        await self.rest()

    @property
    def _is_something_open(self) -> bool:
        screen = self.app.screen
        if not isinstance(screen, DeskScreen) or len(self.app.screen_stack) > 1:
            return True
        return screen.field_bar.is_open or screen.query_one(FailurePanel).is_shown


async def play(terminal: Terminal, typed: str, randomness: SeededRandomness) -> None:
    """Send a sequence; between packets the console has little time, enough, or stands still."""
    for packet in packets(typed, randomness):
        if not packet:
            await terminal.rest()
            continue
        terminal.send(packet)
        pause = below(randomness, 12)
        if pause == 0:
            await terminal.rest()
        elif pause == 1:
            await asyncio.sleep(0)
            time.sleep(DEAF_S)  # noqa: ASYNC251 - a console that stands still is what is tried
        else:
            for _ in range(pause * pause):
                await asyncio.sleep(0)
    await terminal.rest()
    await terminal.home()


def arrange(bench: Bench) -> None:
    """Two customers with money, trades that can be cancelled, and withdrawals."""
    for number in (1, 2):
        account = bench.open(number, deposit="5000.00")
        for _ in range(3):
            asked = QuoteRequest(amount="50.00", side="buy", trading_account_id=account.id)
            quote = bench.service.create_quote("sol-usd", asked).value
            bench.service.execute_quote(quote.id, ExecuteRequest(trading_account_id=account.id))


@asynccontextmanager
async def console(bench: Bench, layer: Writes) -> AsyncIterator[Terminal]:
    app = bench.console(layered(bench.deployment, layer), hold_s=LONG)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        yield Terminal(pilot)


async def run(bench: Bench, witness: Witness, seed: str, numbers: Sequence[int]) -> None:
    """Play the sequences of these numbers; a console that was left is opened again."""
    left = [*numbers]
    while left:
        async with console(bench, witness) as terminal:
            while left and terminal.app.return_code is None and terminal.app.is_running:
                number = witness.number = left.pop(0)
                randomness = SeededRandomness(f"packets {seed} {number}")
                typed = sequence(randomness)
                try:
                    await play(terminal, typed, randomness)
                except AssertionError as error:
                    open_now = [type(each).__name__ for each in terminal.app.screen_stack]
                    witness.stuck.append(f"{number} {typed!r}: {error}: {open_now}")
                    break


def main(given: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.tui.packets")
    parser.add_argument("--sequences", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--each", type=int, default=50, help="sequences in one console")
    asked = parser.parse_args(given)
    numbers = range(asked.first, asked.first + asked.sequences)
    unshown, late, stuck, writes = 0, 0, 0, dict.fromkeys(MOVING, 0)
    for at in range(0, len(numbers), asked.each):
        with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
            witness = Witness(patch)
            for bench in make_bench(Path(folder)):
                arrange(bench)
                asyncio.run(run(bench, witness, asked.seed, numbers[at : at + asked.each]))
            for name, count in witness.writes.items():
                writes[name] += count
            unshown, late = unshown + len(witness.unshown), late + len(witness.late)
            stuck += len(witness.stuck)
            for each in (*witness.unshown, *witness.late, *witness.stuck):
                sys.stdout.write(f"-- {each}\n")
            done = at + len(numbers[at : at + asked.each])
            found = f"{unshown} unshown, {late} late, {stuck} stuck"
            sys.stdout.write(f"{done} sequences, {found}, {writes}\n")
            sys.stdout.flush()
    return int(bool(unshown or late or stuck))


if __name__ == "__main__":
    sys.exit(main())

"""Amount fields of the real console, with real keys and pastes, and what is sent from them."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from tests.tui.conftest import Bench, press, settle
from textual import events
from textual.pilot import Pilot

from chainteller.service.errors import AmountBelowMinimum
from chainteller.service.layers import Next, layered
from chainteller.service.operations import Call
from chainteller.tui.console.app import Console
from chainteller.tui.widgets.field import Field, FieldBar
from chainteller.tui.widgets.lines import Lines

Answer = TypeVar("Answer")
NO_QUESTION = 10**60


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was sent, or the reason of the refusal beside the field; what was read back before."""

    sent: str = ""
    reason: str = ""
    read_back: str = ""


@dataclass(slots=True)
class Line:
    """One amount field: ``keys`` open it."""

    pilot: Pilot[None]
    keys: Sequence[str]
    sent: list[str] = field(default_factory=list)

    @property
    def app(self) -> Console:
        assert isinstance(self.pilot.app, Console)
        return self.pilot.app

    @property
    def bar(self) -> FieldBar:
        return self.app.screen.query_one(FieldBar)

    @property
    def below(self) -> str:
        shown = self.bar.query_one("#field-read-back", Lines)
        return " ".join(row.plain.strip() for row in shown.lines)

    async def typed(self, text: str) -> Verdict:
        await self._open()
        if self.bar.value:
            await press(self.pilot, "end", "ctrl+u")
        for one in text:
            self._key(one, one)
        return await self._entered(text)

    async def pasted(self, text: str) -> Verdict:
        await self._open()
        self.app.post_message(events.Paste(text))
        return await self._entered(None)

    def _key(self, key: str, character: str | None = None) -> None:
        self.app.post_message(events.Key(key, character))

    async def _open(self) -> None:
        if not self.bar.is_open:
            await press(self.pilot, *self.keys)
        assert self.bar.is_open

    async def _entered(self, kept: str | None) -> Verdict:
        await settle(self.pilot)
        before = self.below
        if kept is not None:
            shown = self.bar.query_one(Field).value
            assert shown == kept[: len(shown)], "nothing that is typed may get lost"
            assert len(shown) == min(len(kept), 120)
        self.sent.clear()
        self._key("enter")
        await settle(self.pilot)
        if self.bar.is_open and not self.sent:  # one that the service refuses stays open too
            return Verdict(
                reason=self.below.removeprefix("[x] ")
                .removesuffix("esc closes this line")
                .rstrip(),
                read_back=before,
            )
        (sent,) = self.sent
        return Verdict(sent=sent, read_back=before)


@asynccontextmanager
async def line_of(bench: Bench, *keys: str) -> AsyncIterator[Line]:
    """An amount field of a console whose requests end at the desk: their amounts are kept."""
    sent: list[str] = []

    def end(call: Call[Answer], onward: Next) -> Answer:
        amount = getattr(call.request, "amount", None)
        if amount is None:
            return onward(call)
        sent.append(amount)
        raise AmountBelowMinimum("It ends here.")

    app = bench.console(layered(bench.service, end), confirm_above_cents=NO_QUESTION)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        yield Line(pilot, keys, sent)

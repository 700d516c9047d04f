"""Esc and what is typed after it, in one packet: the field closes, and nothing typed in it is sent.

What a terminal sends is read by the parser that the console's driver uses.
"""

import string
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest
from tests.tui.conftest import Bench, make_bench, press, settle
from tests.tui.test_hostile_fields import FIELDS
from tests.tui.wallet_case import Case
from textual.pilot import Pilot
from textual.widgets import Input

from chainteller.service.interface import Service
from chainteller.service.operations import Call
from chainteller.tui.textual_fixes.terminal_input import TerminalParser

Answer = TypeVar("Answer")
TYPED = "137.13"
"""An amount that nothing but the field has."""
FEW = "bdX2 "
EVERY = string.printable.strip() + " "


class Recorded(Service):
    """Keeps every change that is asked for."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self.changes: list[str] = []

    def call(self, call: Call[Answer]) -> Answer:
        if call.operation.writes:
            self.changes.append(f"{call.operation.name} {call.request}")
        return self._service.call(call)


@pytest.fixture
def bench(tmp_path: Path, deployment: str) -> Iterator[Bench]:
    for made in make_bench(tmp_path, kind=deployment):
        made.open(2, deposit="500.00")
        made.world.advance(1)
        Case(made, "alice-ethereum")
        yield made


async def sent(pilot: Pilot[Any], packet: str) -> None:
    """What the driver makes of a packet that is read at once."""
    for message in TerminalParser().feed(packet):
        pilot.app.post_message(message)
    await settle(pilot)


@pytest.mark.forms(3)
@pytest.mark.parametrize("field", [name for name in FIELDS if name != "nothing open"])
@pytest.mark.parametrize(
    "after", [FEW, pytest.param(EVERY, marks=pytest.mark.thorough)], ids=["few", "every"]
)
async def test_a_cancelled_field_sends_nothing(
    bench: Bench, field: str, after: Sequence[str]
) -> None:
    recorded, left = Recorded(bench.service), [*after]
    while left:
        app = bench.console(recorded)
        async with app.run_test(size=(110, 32), notifications=True) as pilot:
            await settle(pilot)
            begun = len(left)
            while left:
                await press(pilot, *FIELDS[field])
                if not isinstance(app.focused, Input):
                    break  # a key led elsewhere: go on with another console
                await sent(pilot, TYPED)
                assert TYPED in app.focused.value
                await sent(pilot, f"\x1b{left[0]}\r")
                assert not any(TYPED in change for change in recorded.changes), left[0]
                left.pop(0)
                await press(pilot, *["escape"] * 5)
            assert len(left) < begun, "the field can't be opened"


async def test_a_cancelled_deposit_is_not_sent(bench: Bench) -> None:
    recorded = Recorded(bench.service)
    app = bench.console(recorded)
    async with app.run_test(size=(110, 32)) as pilot:
        await settle(pilot)
        await sent(pilot, "d100\x1bb\r")
        assert not [change for change in recorded.changes if change.startswith("deposit")]
        await press(pilot, "escape", "1")
        await sent(pilot, "d100\x1b\x1b[B\r")
        assert not [change for change in recorded.changes if change.startswith("deposit")]
        await press(pilot, "escape", "1")
        await sent(pilot, "d100\r")
        assert len([change for change in recorded.changes if change.startswith("deposit")]) == 1

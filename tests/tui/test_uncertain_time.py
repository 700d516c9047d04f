"""The desk says that time is uncertain, once, and until it's certain again."""

import pytest
from tests.tui.conftest import Bench, seen, settle
from textual.pilot import Pilot

from chainteller.domain.actors import Actor
from chainteller.engine.core.unit_of_work import act
from chainteller.tui.console.app import Console

LINE = "Time is uncertain: quotes, trades and payments are paused"


def tell(bench: Bench, kind: str) -> None:
    act(bench.world.context, Actor(), lambda tx: tx.event(kind, "clock", reason="CLOCK_BEHIND"))


async def polled(pilot: Pilot[None], app: Console) -> str:
    app.poll_now()
    await settle(pilot)
    return seen(app)


@pytest.mark.needs("engine", "events")
async def test_the_desk_says_that_time_is_uncertain_until_it_is_not(bench: Bench) -> None:
    bench.open(1)
    app = bench.console(poll_interval_s=60)
    async with app.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        assert "time uncertain" not in await polled(pilot, app)
        tell(bench, "clock.uncertain")
        shown = await polled(pilot, app)
        assert "time uncertain" in shown.splitlines()[0]
        assert LINE in shown
        tell(bench, "clock.uncertain")
        await polled(pilot, app)
        assert [told.text.startswith(LINE) for told in app.desk.log].count(True) == 1
        tell(bench, "clock.accepted")
        assert "time uncertain" not in await polled(pilot, app)


@pytest.mark.needs("engine", "events")
async def test_a_desk_that_opens_later_says_it_too(bench: Bench) -> None:
    bench.open(1)
    tell(bench, "clock.uncertain")
    app = bench.console(poll_interval_s=60)
    async with app.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        assert "time uncertain" in (await polled(pilot, app)).splitlines()[0]

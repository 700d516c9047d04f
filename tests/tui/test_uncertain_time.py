"""The desk says that time is uncertain, or the books in dispute, until they aren't any more."""

import pytest
from tests.tui.conftest import Bench, seen, settle, until
from textual.pilot import Pilot

from chainteller.domain.actors import Actor
from chainteller.engine.core.unit_of_work import act
from chainteller.tui.console.app import Console

LINE = "Time is uncertain: quotes, trades and payments are paused"


def tell(bench: Bench, kind: str) -> None:
    act(bench.world.context, Actor(), lambda tx: tx.event(kind, "clock", reason="CLOCK_BEHIND"))


def tell_of_books(bench: Bench, kind: str, *, stopped: bool) -> None:
    act(bench.world.context, Actor(), lambda tx: tx.event(kind, "DSP_1", payoutsStopped=stopped))


def said(shown: str) -> str:
    """The right column of a screen as running text."""
    return " ".join(
        " ".join(row.rsplit("││", 1)[-1].strip("│ ") for row in shown.splitlines()).split()
    )


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


@pytest.mark.needs("engine", "events")
async def test_no_sum_is_told_while_the_books_are_in_dispute(bench: Bench) -> None:
    bench.open(1, deposit="941.97")
    app = bench.console(poll_interval_s=60)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "You can buy for up to 941.97 USD" in said(await polled(pilot, app))
        tell_of_books(bench, "books.disputed", stopped=True)
        await polled(pilot, app)
        paused = "Withdrawals are paused while we check our records"
        await until(lambda: paused in said(seen(app)))
        assert "You can buy for up to" not in said(seen(app))
        tell_of_books(bench, "books.cleared", stopped=False)
        await polled(pilot, app)
        await until(lambda: "You can buy for up to 941.97 USD" in said(seen(app)))

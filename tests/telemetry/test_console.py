"""A key of the agent is a trace; what the console reads by itself belongs to none."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.telemetry.collector import Collector
from tests.telemetry.conftest import sending
from tests.tui.conftest import Bench, answer, bench_on, press, settle
from tests.world.bank import World

from chainteller.telemetry import tracing


@pytest.fixture
def bench(world: World, tmp_path: Path) -> Iterator[Bench]:
    yield from bench_on(world, tmp_path)


async def test_keys_are_traces_down_to_the_rows(bench: Bench, collector: Collector) -> None:
    bench.open(1, deposit="1000.00")
    app = bench.console(poll_interval_s=0)
    with sending(collector):
        async with app.run_test(size=(80, 24)) as pilot:
            await settle(pilot)
            for key in ("b", "enter", "X"):
                await press(pilot, key)
            await answer(pilot, "y")
            await settle(pilot)
            await press(pilot, "4")
            await settle(pilot)
            with tracing.span("polled"):
                pass
            app.poll_now()
            await settle(pilot)
    roots = [each for each in collector.spans if not each.parent_id]
    (trade,) = [each for each in collector.spans if "INSERT trade" in each.name]
    (executed,) = [each for each in roots if each.trace_id == trade.trace_id]
    assert executed.name == "quote.execute"
    assert executed.began_ns < trade.began_ns < trade.ended_ns < executed.ended_ns
    shown = {"accounts.buy", "quote.show", "quote.amount", "quote.execute", "trades.show"}
    assert {each.name for each in roots} == shown | {"polled"}
    assert roots[-1].name == "polled"

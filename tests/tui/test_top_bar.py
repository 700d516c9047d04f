"""The top bar never cuts what may not be missed: the mode, what waits, how the service answers."""

import pytest
from tests.tui.conftest import Bench, press, seen, settle


@pytest.mark.forms(1)
@pytest.mark.parametrize("width", [60, 80, 100, 110, 120])
async def test_timer_hidden_and_reach_are_whole_at_every_width(bench: Bench, width: int) -> None:
    bench.open(1)
    app = bench.console(poll_interval_s=60, kind="PRODUCTION")
    async with app.run_test(size=(width, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "i")
        await pilot.app.run_action("command('palette.hide')")
        app.desk.alerts = 2
        app.desk.on_connection.publish(app.desk.connection)
        await settle(pilot)
        top = seen(app).splitlines()[0]
        assert "PRODUCTION" in top
        assert "HIDDEN" in top
        assert "rw" in top
        assert "(2 new !)" in top
        assert "call 0 min" in top
        assert top.endswith("Z")
        assert "…" not in top or width == 60


async def test_a_bank_that_sends_nothing_to_a_chain_says_so(bench: Bench) -> None:
    app = bench.console(poll_interval_s=60)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "simulated" not in seen(app).splitlines()[0]
        started = app.desk.started
        assert started is not None
        assert started.capabilities is not None
        offered = started.capabilities.model_copy(update={"simulated": ("custody",)})
        app.desk.started = started._replace(capabilities=offered)
        app.desk.on_connection.publish(app.desk.connection)
        await settle(pilot)
        assert "simulated rw" in seen(app).splitlines()[0]


async def test_the_top_bar_follows_the_window(bench: Bench) -> None:
    app = bench.console(poll_interval_s=60)
    async with app.run_test(size=(140, 24)) as pilot:
        await settle(pilot)
        assert " ms" in seen(app).splitlines()[0]
        await pilot.resize_terminal(80, 24)
        await settle(pilot)
        assert " ms" not in seen(app).splitlines()[0]


async def test_the_screens_are_named_in_full_from_120_columns_on(bench: Bench) -> None:
    app = bench.console(poll_interval_s=60, kind="DEMO")
    async with app.run_test(size=(120, 24)) as pilot:
        await settle(pilot)
        assert " test bank rw 1 Accounts 2 Markets " in seen(app).splitlines()[0]
        await pilot.resize_terminal(110, 24)
        await settle(pilot)
        assert " 1Acc 2Mkt " in seen(app).splitlines()[0]


async def test_the_names_of_the_screens_and_the_call_do_not_touch(bench: Bench) -> None:
    """The widest label that still fits leaves a blank."""
    for letters in range(4, 14):
        app = bench.console(poll_interval_s=60)
        async with app.run_test(size=(80, 24)) as pilot:
            await settle(pilot)
            app.desk.started = app.desk.started._replace(label="x" * letters)  # type: ignore[union-attr]
            await press(pilot, "i")
            await pilot.app.run_action("command('palette.hide')")
            await settle(pilot)
            assert " call 0 min" in seen(app).splitlines()[0]


async def test_the_agent_whose_key_signs_is_named_instead_of_the_machines_user(
    bench: Bench,
) -> None:
    app = bench.console(poll_interval_s=60, operator="root")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert app.desk.operator == "root"
        started = app.desk.started
        assert started is not None
        app.desk.started = started._replace(is_agents=True)
        assert app.desk.operator == "op01"

"""What windows of each size have: frames, the strip, the day."""

from collections.abc import Callable

import pytest
from tests.tui.conftest import Bench, press, seen, settle

from chainteller.tui.console.app import Console


def _texts(app: Console, wanted: Callable[[str], bool]) -> list[str]:
    return [row for row in seen(app).splitlines() if wanted(row)]


async def test_small_windows_have_no_frames_and_no_strip(bench: Bench) -> None:
    bench.open(1)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "nothing pending" in seen(app).splitlines()[1]
        assert _texts(app, lambda row: row.startswith("╭─ Accounts ─"))
        await pilot.resize_terminal(80, 24)
        await settle(pilot)
        assert "nothing pending" not in seen(app)
        assert not _texts(app, lambda row: row.startswith("╭"))
        assert "ACCOUNTS" in seen(app).splitlines()[1]


@pytest.mark.needs("transactions")
async def test_the_day_leaves_out_what_the_screen_lists(bench: Bench) -> None:
    bench.open(1, deposit="500.00")
    app = bench.console()
    async with app.run_test(size=(200, 40)) as pilot:
        await settle(pilot)
        assert "nothing pending" not in seen(app), "the day says what waits"
        assert _day(app).count("deposit 500.00 USD") == 1
        assert "ACTIVITY" not in seen(app)
        await press(pilot, "6")
        assert "deposit 500.00 USD" not in _day(app)
        assert "nothing else" in _day(app), "it's on the left, so there isn't nothing"
        await press(pilot, "4")
        assert _day(app).count("deposit 500.00 USD") == 1
        await press(pilot, "7")
        assert "The day of" not in seen(app), "decisions are about everybody"
        await press(pilot, "P")
        assert "The day of" not in seen(app), "the page is that day"


def _day(app: Console) -> str:
    """The column at the right."""
    return "\n".join(row.rpartition("││")[2] for row in seen(app).splitlines())

"""The five screens as Textual itself exports them.

The plugin's report would hold the environment, so the plugin is not loaded and only its fixture
is used. ``pytest tests/tui/test_screenshots.py --snapshot-update`` keeps new ones after a look.
All other scenes, sizes and themes are in ``pictures``, in files that are a tenth as large.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytest_textual_snapshot import SVGImageExtension, snap_compare
from tests.tui.conftest import Bench, settle
from tests.tui.pictures.test_desk import people
from textual.pilot import Pilot

__all__ = ["snap_compare"]
SVGImageExtension.file_extension = "svg"  # the name of this setting since syrupy 5
SCREENS = {"accounts": "1", "markets": "2", "quote": "3", "trades": "4", "wallets": "5"}


@pytest.fixture(autouse=True)
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the fixture notes what the report would show; the plugin would choose a place."""
    monkeypatch.setenv("TEXTUAL_SNAPSHOT_TEMPDIR", str(tmp_path))


@pytest.mark.forms(1)
@pytest.mark.needs("picture")
@pytest.mark.parametrize("screen", SCREENS)
def test_a_screen_is_exported_as_it_was(
    bench: Bench, screen: str, snap_compare: Callable[..., bool]
) -> None:
    people(bench)

    async def go(pilot: Pilot[Any]) -> None:
        await settle(pilot)
        await pilot.press(SCREENS[screen])
        await settle(pilot)

    app = bench.console()
    assert snap_compare(app, terminal_size=(120, 40), run_before=go)

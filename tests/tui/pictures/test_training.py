"""A training session: its briefing, its panel, its boxes and its report."""

from pathlib import Path

import pytest
from tests.training.conftest import OpenSession, begin
from tests.training.test_console import console_of
from tests.training.worlds import scenario
from tests.tui.conftest import answer, press, settle
from tests.tui.pictures.album import Album, Format, Themes, in_two_formats

pytestmark = pytest.mark.thorough

__all__ = ["begin"]


@pytest.fixture
def themes(form: Format) -> Themes:
    """A session has a theme of its own."""
    return lambda _name: ("light",) if form.is_narrow else ("training",)


@in_two_formats
async def test_training_looks_as_it_did(
    begin: OpenSession, home: Path, form: Format, album: Album
) -> None:
    app = console_of(begin(scenario("cancel-too-late")), home)
    async with app.run_test(size=form.size) as pilot:
        take = album.of(pilot)
        await settle(pilot)
        await take("briefing")
        await press(pilot, "escape")
        await take("panel")
        await press(pilot, "f4")
        await take("hint")
        await press(pilot, "escape")
        await press(pilot, "f7")
        await take("words")
        await press(pilot, "1")
        await press(pilot, "f3")
        await take("goals")
        await press(pilot, "escape")
        await press(pilot, "f10")
        await take("end")
        await answer(pilot, "y")
        await take("report")
    album.compare()

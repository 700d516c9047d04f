"""What customers are called never reaches the terminal as anything but text."""

import pytest
from tests.tui.conftest import Bench, press, seen, settle

from chainteller.records.formats import clean
from chainteller.tui.console.hostile_text import HostileTextFilter
from chainteller.tui.widgets.lines import line

HOSTILE = [
    "\x1b]52;c;ZXZpbA==\x1b\\",
    "\x1b]0;title\x07",
    "\x9b31m",
    "\x1b[2J",
    "a\x00b",
    "\u202egnp.exe",
    "pay\u200bpal",
    "\u2066left\u2069",
    "\U000e0041tag",
    "line\u2028break",
]
MARKUP = ["[@click=app.quit]ACME[/]", "Bob [/] Ltd", "[bold", "[$error]x[/]"]


@pytest.mark.parametrize("text", HOSTILE)
def test_control_bidi_and_invisible_characters_are_replaced(text: str) -> None:
    shown = clean(text)
    assert "\ufffd" in shown
    assert all(character.isprintable() for character in shown)


@pytest.mark.forms(1)
@pytest.mark.parametrize("text", MARKUP)
async def test_markup_in_data_is_shown_and_never_run(bench: Bench, text: str) -> None:
    app = bench.console()
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        app.desk.notify(f"{text} {HOSTILE[0]}")
        app.screen.title_line(line(text))  # type: ignore[attr-defined]  # every desk screen's
        await settle(pilot)
        shown = seen(app)
        assert text in shown
        assert "\x1b" not in shown
        await pilot.click("#title", offset=(3, 0))
        await press(pilot, "exclamation_mark")
        assert text in seen(app)
        assert app.is_running


async def test_every_line_passes_the_filter_before_the_terminal(bench: Bench) -> None:
    app = bench.console()
    assert any(isinstance(found, HostileTextFilter) for found in app.get_line_filters())

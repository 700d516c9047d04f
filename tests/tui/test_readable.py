"""Read by everybody: contrast of the cells that are painted, and words where colours fail."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.color import Color
from rich.style import Style
from tests.tui.conftest import REPOSITORY, Bench, press, seen, settle
from tests.world.waiting import PATIENCE_S

from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.tui.console.app import Console
from chainteller.tui.console.theme_check import contrast
from chainteller.tui.console.theme_files import load_themes

pytestmark = pytest.mark.thorough

TEXT, DISABLED = 4.5, 3.0
THEMES = sorted(load_themes((REPOSITORY / "themes",))[0])
_RULES = set("·│─┈┌┐└┘█▁▂▃▄▅▆▇▉▊▋▌▍▎▏▔▕╭╮╰╯━┃ ")


def _hex(color: Color | None) -> str:
    assert color is not None
    red, green, blue = color.get_truecolor()
    return f"#{red:02x}{green:02x}{blue:02x}"


def _weakest(app: Console) -> tuple[float, str]:
    """The painted text with the least contrast to its own ground; behind a box all is dimmed."""
    found = (99.0, "")
    box = app.screen.children[0].region if app.screen.is_modal else app.screen.region
    strips = app.screen._compositor.render_strips(app.size)
    for strip in strips[box.y : box.bottom]:
        for segment in strip.crop(box.x, box.right):
            text, style = segment.text.strip(), segment.style or Style()
            if not text or set(text) <= _RULES or style.bgcolor is None or style.color is None:
                continue
            front, ground = _hex(style.color), _hex(style.bgcolor)
            if style.reverse:
                front, ground = ground, front
            needed = DISABLED if style.dim else TEXT
            found = min(found, (contrast(front, ground) / needed * TEXT, text))
    return found


def _people(bench: Bench) -> None:
    account = bench.open(1, deposit="500.00")
    for number in range(2, 6):
        bench.open(number)
    asked = QuoteRequest(amount="100.00", side="buy", trading_account_id=account.id)
    quote = bench.service.create_quote("sol-usd", asked).value
    bench.service.execute_quote(quote.id, ExecuteRequest(trading_account_id=account.id))


@pytest.mark.parametrize("theme", THEMES)
async def test_every_painted_text_stands_out_from_its_ground(bench: Bench, theme: str) -> None:
    _people(bench)
    app = bench.console(theme=theme)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for keys in (("1",), ("2",), ("4",), ("t",), ("escape", "question_mark"), ("escape", "5")):
            await press(pilot, *keys)
            ratio, text = _weakest(app)
            assert ratio >= TEXT, (keys, text)
        await press(pilot, "1", "w", *"99999", "enter")
        ratio, text = _weakest(app)
        assert ratio >= TEXT, text


async def test_up_and_down_good_and_bad_are_told_by_sign_and_word(bench: Bench) -> None:
    _people(bench)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "4")
        shown = seen(app)
        assert "[>] processing" in shown
        bench.world.advance(60)
        bench.world.advance(60)
        await press(pilot, "r")
        assert "[ok] settled" in seen(app)
        await press(pilot, "2")
        rows = [row for row in seen(app).splitlines() if "-usd" in row and "%" in row]
        assert rows
        assert all(any(word in row for word in (" up", " down", " even")) for row in rows)


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": "ansi"}])
def test_the_desk_paints_without_colours(variables: dict[str, str]) -> None:
    program = (
        "from chainteller.tui.console.app import Console\n"
        "from chainteller.tui.start import ConsoleSettings\n"
        "import pathlib, sys\n"
        "class Seen(Console):\n"
        "    CSS_PATH = str(pathlib.Path(sys.argv[1]) / 'src/chainteller/tui/console/app.tcss')\n"
        "    def start_engine(self):\n"
        "        strips = self.screen._compositor.render_strips(self.size)\n"
        "        print(''.join(segment.text for strip in strips for segment in strip))\n"
        "        self.exit()\n"
        "Seen(lambda: None, ConsoleSettings()).run(headless=True, size=(80, 24))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, REPOSITORY],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(Path(REPOSITORY) / "src"),
            "TERM": "xterm-256color",
            **variables,
        },
    )
    assert done.returncode == 0, done.stderr
    assert "ACCOUNTS" in done.stdout

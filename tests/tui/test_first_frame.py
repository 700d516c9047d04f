"""The first frame is painted, and the cursor moves on the first rows, before the engine, pydantic,
storage or another screen is imported.
"""

import subprocess
import sys
from pathlib import Path

from tests.world.waiting import PATIENCE_S

SOURCE = Path(__file__).parents[2] / "src"
PROGRAM = """
import asyncio
import inspect
import sys
from types import SimpleNamespace
from textual._compositor import CompositorUpdate
from chainteller.tui.commands import SCREENS
from chainteller.tui.console import app
from chainteller.tui.console.app import Console
from chainteller.tui.start import ConsoleSettings

heavy = ("pydantic", "click", "sqlalchemy", "sqlmodel", "httpx", "eth_account", "nacl", "starlette",
         "chainteller.service.models", "chainteller.storage", "chainteller.engine",
         "chainteller.remote", "chainteller.adapters", "chainteller.api", "chainteller.workspace",
         "chainteller.tui.console.command_table", "chainteller.tui.dialogs.boxes",
         *(f"chainteller.tui.{name}" for name in SCREENS[1:]))

class Stopped(Console):
    CSS_PATH = inspect.getfile(Console).replace("app.py", "app.tcss")
    painted = 0

    def _display(self, screen, renderable):
        self.painted += isinstance(renderable, CompositorUpdate)
        super()._display(screen, renderable)

    def run(self):
        return super().run(headless=True, size=(80, 24))

    def refresh_css(self, animate=True):
        raise AssertionError("all styles are read twice")

    async def _show_glimpse(self, found):
        await super()._show_glimpse(found)
        self.simulate_key("down")
        while self.screen.paged.cursor_key != "TDA_2":
            await asyncio.sleep(0)
        while len(self.workers) > 1:  # one is this
            await asyncio.sleep(0)
        print(",".join(name for name in heavy if name in sys.modules) or "nothing")
        self.exit()

    def start_engine(self):
        assert self.painted == 1, "what a batch had left was painted twice"
        assert "ACCOUNTS" in "".join(
            segment.text
            for strip in self.screen._compositor.render_strips(self.size)
            for segment in strip
        )
        print(",".join(name for name in heavy if name in sys.modules) or "nothing")
        super().start_engine()

def glimpse(count):
    common = dict.fromkeys(
        ("customer_name", "buying_power", "crypto_value_usd", "owed_usd", "last_activity",
         "last_activity_type"))
    return [
        SimpleNamespace(id=f"TDA_{number}", bank_account_id=f"DDA-{number}", controls=(),
                        bank_account_type="checking", **common)
        for number in (1, 2, 3)
    ], 3

app.Console = Stopped
app.run_console(lambda: None, ConsoleSettings(glimpse=glimpse))
"""


def test_the_first_frame_and_rows_need_nothing_but_textual_and_the_standard_library(
    tmp_path: Path,
) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, program],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
        cwd=tmp_path,
        env={"PYTHONPATH": str(SOURCE), "TERM": "xterm-256color"},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["nothing"] * 2

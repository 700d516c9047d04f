"""The first frame is painted before the engine, pydantic, storage or another screen is imported."""

import subprocess
import sys
from pathlib import Path

from tests.world.waiting import PATIENCE_S

SOURCE = Path(__file__).parents[2] / "src"
PROGRAM = """
import inspect
import sys
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

    def start_engine(self):
        assert self.painted == 1, "what a batch had left was painted twice"
        assert "ACCOUNTS" in "".join(
            segment.text
            for strip in self.screen._compositor.render_strips(self.size)
            for segment in strip
        )
        print(",".join(name for name in heavy if name in sys.modules) or "nothing")
        self.exit()

app.Console = Stopped
app.run_console(lambda: None, ConsoleSettings())
"""


def test_the_first_frame_needs_nothing_but_textual_and_the_standard_library(
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
        env={"PYTHONPATH": str(SOURCE), "TERM": "xterm-256color"},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "nothing"

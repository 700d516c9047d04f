"""A list screen costs one package and one line: added for real, in a copy of the package."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.world.waiting import PATIENCE_S

import chainteller

LINE = '    "wallets": "Wal",\n'
COMMANDS = """
from chainteller.tui.commands import Command, always
from chainteller.tui.list_screen import narrows, opens, orders

COMMANDS = (
    opens("reports", "report"),
    narrows("reports.kind", "Show one kind only"),
    orders("reports", "order"),
    Command(
        "reports.greet", "g", "Say hello", lambda screen: screen.greet(), always, footer="greet"
    ),
)
"""
SCREEN = """
from chainteller.tui.list_screen import Blocks, Listing, ListScreen
from chainteller.tui.widgets.lines import line
from chainteller.tui.widgets.paged_list import Column, Row

REPORTS = {"daily": "all is well", "weekly": "much was sold"}


class ReportsScreen(ListScreen):
    KEY = "reports"
    listing = Listing(
        titles=("Reports", "Report"),
        columns=(Column("NAME", 10), Column("WORDS", 20, grows=True)),
        row=lambda name, now: Row(name, ((name, ""), (REPORTS[name], "muted"))),
        read=None,
        blocks=lambda screen, name: Blocks(
            lambda width: [line((name, "strong"))], lambda width: [line(REPORTS[name])]
        ),
        empty=lambda screen: (("nothing to report", "muted"),),
        orders=(("", "as made"), ("", "newest")),
        shown=(("", None), ("daily", "daily")),
    )

    def reload(self):
        for name in REPORTS:
            self.records[name] = name
        self.paged.put(1, [self.listing.row(name, 0) for name in REPORTS], len(REPORTS))
        self.listed(len(REPORTS))

    def greet(self):
        self.desk.notify("hello from the new screen")
"""
PROGRAM = """
import asyncio

from chainteller.tui.console.app import Console
from chainteller.tui.console.command_table import COMMANDS
from chainteller.tui.start import ConsoleSettings
from textual.app import App


class Unopened(Console):
    CSS_PATH = {css!r}

    def start_engine(self):
        self.release_keys()


async def main():
    app = Unopened(lambda: None, ConsoleSettings())
    async with app.run_test(size=(160, 40)) as pilot:
        await pilot.press("6")
        await pilot.pause()
        app.screen.reload()
        await pilot.press("down")
        await pilot.pause()
        await pilot.press("f", "o", "g")
        await pilot.pause()
        strips = app.screen._compositor.render_strips(app.size)
        print("\\n".join("".join(part.text for part in strip) for strip in strips))
    print("IDS", [command.id for command in COMMANDS if "reports" in command.id])


asyncio.run(main())
"""


def test_a_list_screen_costs_one_package_and_one_line(tmp_path: Path) -> None:
    package = tmp_path / "chainteller"
    shutil.copytree(Path(chainteller.__file__).parent, package)
    table = package / "tui" / "commands.py"
    before = table.read_text()
    assert before.count(LINE) == 1
    table.write_text(before.replace(LINE, f'{LINE}    "reports": "Rep",\n'))
    screen = package / "tui" / "reports"
    screen.mkdir()
    (screen / "__init__.py").touch()
    (screen / "commands.py").write_text(COMMANDS)
    (screen / "screen.py").write_text(SCREEN)
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(css=str(package / "tui" / "console" / "app.tcss")))
    done = subprocess.run(
        [sys.executable, program],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for shown in ("6 Reports", "order: newest", "only daily", "weekly", "all is well", "g greet"):
        assert shown in done.stdout
    assert "hello from the new screen" in done.stdout
    ids = ["desk.reports", *(f"reports.{name}" for name in ("open", "kind", "sort", "greet"))]
    assert f"IDS {ids}" in done.stdout

"""``:info``: what this is, where it works, what is offered there, and where its files are."""

import platform

from chainteller import __version__
from chainteller.service.operations import FEATURES
from chainteller.sqlite import sqlite3
from chainteller.tui.desk import Desk
from chainteller.tui.dialogs.boxes import Box
from chainteller.tui.widgets.lines import labelled


class InfoScreen(Box):
    def __init__(self, desk: Desk) -> None:
        facts = _facts(desk)
        rows = [row for name, value in facts for row in labelled(name, value, 16, 54)]
        text = "\n".join(f"{name:<16}{value}" for name, value in facts)
        super().__init__("INFO", rows, again="c", text=text)


def _facts(desk: Desk) -> list[tuple[str, str]]:
    settings, reached = desk.settings, desk.connection
    capabilities = desk.capabilities
    file = desk.started.workspace_file if desk.started else None
    mode = "read-only" if desk.read_only else "read and write"
    facts = [
        ("version", f"{__version__}, Python {platform.python_version()}"),
        ("place", f"{settings.kind} {settings.label}, {mode}"),
        ("profile", settings.profile or "none"),
        ("answers", f"{reached.state}, {reached.latency_ms} ms, last {desk.last_answer}"),
        ("sqlite", sqlite3.sqlite_version),
        ("themes", ", ".join(str(folder) for folder in settings.theme_folders)),
        ("workspace", str(file or "kept in memory only")),
        ("logs", str(settings.crash_folder or "the current folder")),
        ("exports", str(settings.export_folder or "the current folder")),
    ]
    if capabilities is not None:
        missing = [name for name in FEATURES if name not in capabilities.features]
        facts += [
            ("service", f"{capabilities.name} {capabilities.version}".strip() or "does not say"),
            ("simulated", ", ".join(capabilities.simulated) or "it doesn't say"),
            ("offers", ", ".join(capabilities.features) or "the specification alone"),
            ("does not offer", ", ".join(missing) or "nothing is missing"),
        ]
    return facts

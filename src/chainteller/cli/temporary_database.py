"""A temporary database that is deleted when the program ends."""

import shutil
import signal
import sys
import tempfile
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from chainteller.settings.place import Place

_ENDING = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)
)
"""Windows has no SIGHUP; it sends SIGBREAK when its window is closed."""


class TemporaryDatabase:
    """Context manager for a temporary folder with a database.

    Until the console installs its own signal handlers, a signal raises ``SystemExit``, so that the
    folder is deleted then too.
    """

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="chainteller-demo-"))

    @property
    def database(self) -> Path:
        return self.path / "bank.db"

    def place(self, label: str) -> "Place":
        from chainteller.settings.place import Place, sqlite_url

        return Place(
            remote=False,
            address=sqlite_url(self.database),
            label=label,
            chosen_by="demo",
        )

    def __enter__(self) -> Self:
        for number in _ENDING:
            signal.signal(number, _end)
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.path, ignore_errors=True)


def _end(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)

"""Crash reports: write an unexpected error to a file and report where it is."""

import os
import traceback

from chainteller.paths import locate, private_folder
from chainteller.service.errors import TellerError


class Crashed(TellerError):
    """The program failed with an unexpected error."""

    code = "CRASHED"

    def __init__(self, message: str, report: str) -> None:
        super().__init__(message)
        self._report = report

    @property
    def suggestion(self) -> str:
        return (
            f"Report it with the file {self._report}. Before you repeat a change, check whether it "
            "went through."
        )


def write_crash_file(error: Exception) -> Crashed:
    """Write the traceback, lines of code without any value, to a file that only its owner reads."""
    lines = "".join(traceback.format_tb(error.__traceback__))
    try:
        folder = private_folder(locate(os.environ).logs)
        file = folder / "crash.txt"
        file.write_text(f"{type(error).__name__}\n{lines}", encoding="utf-8")
        file.chmod(0o600)
        report = str(file)
    except OSError:
        report = "that could not be written"
    return Crashed(f"The program failed: {type(error).__name__}.", report)

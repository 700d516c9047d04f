"""How the console ends: by a signal with the terminal restored, or by a fault with a report.

A crash leaves a file without values: a traceback's locals could hold keys and names.
"""

import asyncio
import contextlib
import gc
import os
import signal
import traceback
from collections.abc import Callable
from pathlib import Path

SIGNALS = ("SIGTERM", "SIGINT", "SIGHUP")
"""By name: not every system has all of them."""


def catch_signals(leave: Callable[[int], None]) -> None:
    """Call ``leave`` with 128 and the signal's number; Textual alone restores on SIGINT only."""
    loop = asyncio.get_running_loop()
    for name in SIGNALS:
        number = getattr(signal, name, None)
        if number is not None:
            with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(number, leave, 128 + number)


def crash_report(error: BaseException | None, folder: Path | None, at: int) -> str:
    """What the terminal says after a fault, with the report written; ``at`` is an instant.

    Textual wraps what a worker raised; the fault itself is reported.
    """
    name = f"chainteller-crash-{at // 1_000_000}.txt"
    inner = getattr(error, "error", None)
    error = inner if isinstance(inner, BaseException) else error
    path = write_crash_file(error, folder or Path.cwd(), name) if error is not None else None
    kind = type(error).__name__ if error is not None else "fault"
    return (
        f"chainteller ended: {kind}\n"
        "means: a fault of the program; what was sent before it stands\n"
        f"next: start it again, look at Trades; report: {path or 'none, the folder is closed'}"
    )


def write_crash_file(error: BaseException, folder: Path, name: str) -> Path | None:
    """Write the bare traceback to ``folder/name`` with mode 0600; None where that fails."""
    path = folder / name
    frames = traceback.extract_tb(error.__traceback__)
    rows = [f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in frames]
    rows.append(type(error).__name__)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write("\n".join(rows) + "\n")
    except OSError:
        return None
    return path


def collect_garbage_again() -> None:
    """After the start, which switched it off: what is loaded by now stays and is not looked at."""
    gc.freeze()
    gc.enable()

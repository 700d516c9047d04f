"""How the console ends: by a signal with the terminal restored, or by a fault with a report.

A crash leaves a file without values: a traceback's locals could hold keys and names.
"""

import asyncio
import contextlib
import os
import signal
import stat
import threading
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType

HANGUP_GRACE_S = 3.0
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
    hangup = getattr(signal, "SIGHUP", None)
    if hangup is not None:
        with contextlib.suppress(ValueError):
            signal.signal(hangup, partial(_hung_up, loop, leave))


def _hung_up(
    loop: asyncio.AbstractEventLoop,
    leave: Callable[[int], None],
    number: int,
    _frame: FrameType | None,
) -> None:
    """The terminal may be gone, and the loop wait for ever to write to it: the end comes anyway.

    What is stored is stored in transactions, so it may come at any moment.
    """
    last = threading.Timer(HANGUP_GRACE_S, os._exit, (128 + number,))
    last.daemon = True
    last.start()
    _let_go_of_a_lost_terminal()
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(leave, 128 + number)


def _let_go_of_a_lost_terminal() -> None:
    """Writing to it fails, at the latest when Python ends, whose exit code is then 120."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        with contextlib.suppress(OSError):
            is_device = stat.S_ISCHR(os.fstat(descriptor).st_mode)
            if is_device and not os.isatty(descriptor):
                os.dup2(nowhere, descriptor)
    os.close(nowhere)


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
        f"chainteller stopped: {kind}\n"
        "means: an error in the program; requests sent before it may have gone through\n"
        f"next: start it again and check Trades; report: {path or 'none, the folder is closed'}"
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

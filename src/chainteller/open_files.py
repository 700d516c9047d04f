"""Find the processes that hold a file open, where the system shows it."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_PROCESSES = Path("/proc")


class Holders(NamedTuple):
    """The processes that hold one of the files open, by id, in order.

    ``unseen`` says what can't be known here; empty where every process was looked at.
    """

    pids: tuple[int, ...]
    unseen: str


def this_user() -> int | None:
    """Whose open files are shown; None where the system shows nobody's."""
    own = _PROCESSES / "self"
    return own.stat().st_uid if (own / "fd").is_dir() else None


def holders(*files: Path, with_this_process: bool = False) -> Holders:
    """Look for processes with one of the files open, under whichever name. Files may be missing."""
    if this_user() is None:
        return Holders((), "This system doesn't show which processes have the database open.")
    mine = None if with_this_process else os.getpid()
    wanted = {(found.st_dev, found.st_ino) for file in files for found in _stat(file)}
    pids, hidden = [], 0
    for process in _PROCESSES.iterdir():
        if not process.name.isdecimal() or int(process.name) == mine:
            continue
        try:
            if any(each in wanted for each in _open_files(process)):
                pids.append(int(process.name))
        except PermissionError:
            hidden += _is_program(process)
    unseen = f"{hidden} processes of other users may have the database open; only root sees that."
    return Holders(tuple(sorted(pids)), unseen if hidden else "")


def _open_files(process: Path) -> Iterator[tuple[int, int]]:
    """Device and inode of every open file of a process. Raises PermissionError."""
    try:
        handles = list((process / "fd").iterdir())
    except (FileNotFoundError, ProcessLookupError, NotADirectoryError):
        return  # it has ended
    for handle in handles:
        for found in _stat(handle):
            yield found.st_dev, found.st_ino


def _stat(file: Path) -> Iterator[os.stat_result]:
    """The file's status, if there is such a file."""
    try:
        yield file.stat()
    except OSError:
        return


def _is_program(process: Path) -> bool:
    """Whether it is a program and not a thread of the kernel, which opens no files of ours."""
    try:
        return bool((process / "cmdline").read_bytes())
    except OSError:
        return False

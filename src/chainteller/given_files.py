"""Files that somebody names, in a command or a setting: read to a bound, and never waited for."""

import errno
import os
import stat
import sys
from pathlib import Path
from typing import BinaryIO

MOST_BYTES = 1 << 20
"""Of a file that is read whole, such as one with keys."""


def open_given(file: Path) -> BinaryIO:
    """Open a file for reading. One without an end, such as a pipe, isn't waited for to begin.

    Raises:
        OSError: it can't be read.
    """
    return open(file, "rb", opener=_without_waiting)


def read_bytes(file: Path, most: int = MOST_BYTES) -> bytes:
    """All of a file.

    Raises:
        OSError: it can't be read, has more than ``most`` bytes, or is a pipe without a writer.
    """
    with open_given(file) as opened:
        if sys.platform != "win32":
            os.set_blocking(opened.fileno(), True)
        found = opened.read(most + 1)
        is_pipe = stat.S_ISFIFO(os.fstat(opened.fileno()).st_mode)
    if is_pipe and not found:
        raise OSError(errno.EPIPE, "nobody writes to this pipe")
    if len(found) > most:
        raise OSError(errno.EFBIG, "the file is too large")
    return found


def read_text(file: Path) -> str:
    """The text of a file. Raises as ``read_bytes``; UnicodeDecodeError: it isn't UTF-8."""
    return read_bytes(file).decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))

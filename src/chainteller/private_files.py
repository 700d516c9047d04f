"""Files that only their owner may read, in the way that each system offers.

POSIX systems have mode bits. On Windows, a file has a list of those who may read it (its DACL),
which ``icacls`` writes and shows.
"""

import contextlib
import errno
import glob
import os
import re
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Literal, cast

from chainteller import open_files
from chainteller.given_files import read_bytes

_DRAFT = ".draft"
"""What the name of a draft ends with; SQLite's files beside it have more."""
_ICACLS_TIMEOUT_S = 10
_ALLOWS = re.compile(r"\(A;[^;]*;([^;]*);[^;]*;[^;]*;(WD|BU|AU|AN|BG|IU|NU)\)")
"""An entry of a DACL in SDDL that lets everyone, users, guests or anonymous ones do something."""


def others_may_read(path: Path) -> bool:
    """Whether others than the owner and the system's administrators may read a file.

    False on Windows if its list can't be read: the file is then as safe as its folder.

    Raises:
        OSError: the file doesn't exist or its mode can't be read.
    """
    mode = path.stat().st_mode
    if is_windows():
        return allows_others(_windows_dacl(path))
    return bool(mode & (stat.S_IRWXG | stat.S_IRWXO))


def read_private(file: Path) -> str:
    """The text of a file that its owner alone may read.

    Raises:
        OSError: as ``read_bytes``; or it may be read by others.
        UnicodeDecodeError: it isn't UTF-8.
    """
    found = read_bytes(file)
    if others_may_read(file):
        raise PermissionError(errno.EACCES, f"may be read by others: {how_to_protect(file)}")
    return found.decode("utf-8")


def open_private(file: Path, mode: Literal["ab", "wb", "xb"]) -> BinaryIO:
    """Open a file for writing; one that is made by it is for its owner alone. Raises OSError: the
    file can't be written or, with ``xb``, exists."""
    return cast("BinaryIO", open(file, mode, opener=_of_owner_alone))


def _of_owner_alone(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


@contextlib.contextmanager
def locked(file: Path) -> Iterator[None]:
    """One program at a time, by a file that is made for it and stays. Raises OSError."""
    with open_private(file, "ab") as opened:
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415 - not on every system

            msvcrt.locking(opened.fileno(), msvcrt.LK_LOCK, 1)
        else:
            import fcntl  # noqa: PLC0415 - as above

            fcntl.flock(opened, fcntl.LOCK_EX)
        yield


def write_atomically(file: Path, text: str, *, is_new: bool) -> None:
    """Write a file of the owner's (mode 0600), whole and on disk, or not at all.

    Raises:
        FileExistsError: ``is_new``, and there is such a file.
        OSError: it can't be written.
    """
    with draft_beside(file) as draft:
        with draft.open("w", encoding="utf-8", newline="") as opened:
            opened.write(text)
            opened.flush()
            os.fsync(opened.fileno())
        if is_new:
            file.hardlink_to(draft)
        else:
            draft.replace(file)
        sync_folder(file.parent)


@contextlib.contextmanager
def draft_beside(file: Path) -> Iterator[Path]:
    """An empty file of the owner's in the same folder, to be written and then named ``file``; it's
    gone when the block ends, and what killed processes left in the folder is gone before.

    Raises:
        OSError: the folder can't be written.
    """
    folder = file.absolute().parent
    remove_left_drafts(folder)
    handle, name = tempfile.mkstemp(dir=folder, prefix=f".{file.name}-", suffix=_DRAFT)
    with contextlib.ExitStack() as held:
        if is_windows():
            os.close(handle)  # there, an open file can't get another name
        else:
            held.callback(os.close, handle)  # until then it isn't one that was left
        try:
            yield Path(name)
        finally:
            _remove(folder.glob(f"{glob.escape(Path(name).name)}*"))


def remove_left_drafts(folder: Path) -> None:
    """Remove the drafts that no process has open, each of which may be a copy of the whole bank.
    Those of other users stay where their processes aren't shown, and all where none is."""
    own = open_files.this_user()
    if own is not None:
        _remove(each for each in folder.glob(f".*-????????{_DRAFT}*") if _is_left(each, own))


def _is_left(draft: Path, own: int) -> bool:
    with contextlib.suppress(OSError):
        found = open_files.holders(draft, with_this_process=True)
        return not found.pids and (not found.unseen or draft.stat().st_uid == own)
    return False


def _remove(files: Iterable[Path]) -> None:
    """Remove files, and leave those that this user may not remove."""
    for each in files:
        with contextlib.suppress(OSError):
            each.unlink()


def sync_folder(folder: Path) -> None:
    """Keep through a crash which files a folder has. Raises OSError."""
    with contextlib.suppress(PermissionError):  # a system that opens no folders keeps them itself
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def how_to_protect(path: Path) -> str:
    """The command with which a person protects a file."""
    if is_windows():
        return f'icacls "{path}" /inheritance:r /grant:r "%USERNAME%:F"'
    return f"chmod 600 {path}"


def is_windows() -> bool:
    """Whether mode bits mean nothing here."""
    return sys.platform == "win32"


def allows_others(dacl: str) -> bool:
    """Whether a DACL, written in SDDL, lets everybody, all users or guests do anything."""
    return _ALLOWS.search(dacl) is not None


def _windows_dacl(path: Path) -> str:
    with tempfile.TemporaryDirectory() as folder:
        saved = Path(folder) / "dacl"
        _icacls(str(path), "/save", str(saved))
        try:
            return saved.read_text(encoding="utf-16")
        except (OSError, UnicodeError):
            return ""


def _icacls(*arguments: str) -> None:
    """Run the system's tool; a system without it leaves the file as its folder has it."""
    try:
        subprocess.run(  # noqa: S603 - a fixed program with a file name, without a shell
            ["icacls", *arguments],  # noqa: S607 - found where the system has it
            capture_output=True,
            timeout=_ICACLS_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return

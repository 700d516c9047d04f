"""The SQLite library of this process: the interpreter's own, or a newer one where that is unsound.

Everything that opens a SQLite file takes the module from here. Two libraries in one process would
release each other's locks on a file, because POSIX drops a process's locks on a file when any of
its descriptors is closed (https://sqlite.org/howtocorrupt.html, 2.2.1).
"""

import sqlite3 as _of_interpreter  # noqa: TID251 - this module chooses
from typing import TYPE_CHECKING, Any

_FIXED_WAL = (3, 51, 3)
_FIXED_WAL_LINES = {(3, 50): 7, (3, 44): 6}


def wal_is_safe(version: tuple[int, int, int]) -> bool:
    """Whether this SQLite version is free of the bug that can corrupt a WAL file.

    Source: https://sqlite.org/wal.html#walresetbug (fixed in 3.51.3, 3.50.7 and 3.44.6).
    """
    patch = _FIXED_WAL_LINES.get(version[:2])
    return version >= _FIXED_WAL or (patch is not None and version[2] >= patch)


def _chosen() -> Any:
    """The interpreter's module if its SQLite is sound or nothing better is installed."""
    if wal_is_safe(_of_interpreter.sqlite_version_info):
        return _of_interpreter
    try:
        from pysqlite3 import dbapi2  # noqa: PLC0415 - not installed where it isn't needed
    except ImportError:
        return _of_interpreter
    return dbapi2 if wal_is_safe(dbapi2.sqlite_version_info) else _of_interpreter


if TYPE_CHECKING:
    import sqlite3 as sqlite3  # noqa: PLC0414, TID251 - exported; both have the same types
else:
    sqlite3 = _chosen()

WAL_IS_SAFE = wal_is_safe(sqlite3.sqlite_version_info)
"""Whether files may be written in WAL mode by this process."""

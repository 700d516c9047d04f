"""A cache for the sample world's past, so that a second demo on the same day starts at once.

A cached file is whole or absent: it is made beside its place and then moved there. The cache only
saves time; where it cannot be used, the database is made in place.
"""

import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from chainteller import __version__
from chainteller.domain.clock import to_datetime
from chainteller.engine.bank import EngineOptions
from chainteller.paths import private_folder
from chainteller.service.errors import ServiceUnavailable

_PREFIX = "samples-"
_PACKAGE = Path(__file__).parents[2]
_MAKERS = ("domain", "engine/samples", "storage")
"""The parts of the program whose change makes another past, or another file of it."""
_SQLITE_MARK = b"SQLite format 3\0"


def cache_name(folder: Path, seed: str, options: EngineOptions, now: int) -> str:
    """The file name of a past: it changes with the day and with whatever the past is made of."""
    sources = [file for part in _MAKERS for file in sorted((_PACKAGE / part).glob("*.py"))]
    files = [*sources, *sorted(folder.glob("*.toml"))]
    stamps = [
        (file.name, stat.st_size, stat.st_mtime_ns) for file in files if (stat := file.stat())
    ]
    ingredients = repr((__version__, seed, options, stamps))
    digest = hashlib.sha256(ingredients.encode()).hexdigest()[:24]
    return f"{_PREFIX}{to_datetime(now):%Y-%m-%d}-{digest}.db"


def copy_sample_database(
    target: Path, cache: Path, name: str, make: Callable[[Path], None]
) -> None:
    """Let ``target`` become a copy of the cached file ``name``, which ``make`` makes once.

    Args:
        target: a file that does not exist yet.
        cache: a folder, created for this user alone where it is missing.
        name: of the cached file, as ``cache_name`` gives it.
        make: writes a closed SQLite database at the path that it is given.

    Raises:
        whatever ``make`` raises for ``target`` itself.
    """
    try:
        cached = private_folder(cache) / name
        if not _is_whole(cached):
            _fill(cached, make)
        shutil.copyfile(cached, target)
    except (OSError, ServiceUnavailable):
        target.unlink(missing_ok=True)
        make(target)


def _is_whole(file: Path) -> bool:
    """Whether it is a SQLite file of the length that its header names (sqlite.org/fileformat2)."""
    try:
        with file.open("rb") as opened:
            header = opened.read(32)
        size = file.stat().st_size
    except FileNotFoundError:
        return False
    page = int.from_bytes(header[16:18], "big")
    page_size = 65_536 if page == 1 else page
    pages = int.from_bytes(header[28:32], "big")
    return header.startswith(_SQLITE_MARK) and size == page_size * pages > 0


def _fill(cached: Path, make: Callable[[Path], None]) -> None:
    """Make the file and forget those of other days and seeds."""
    unfinished = cached.with_name(f"{cached.name}.{os.getpid()}.part")
    unfinished.unlink(missing_ok=True)
    try:
        make(unfinished)
        unfinished.replace(cached)
    finally:
        unfinished.unlink(missing_ok=True)
    for other in cached.parent.glob(f"{_PREFIX}*.db"):
        if other != cached:
            other.unlink(missing_ok=True)

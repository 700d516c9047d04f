"""Cached databases of sample data, named after their inputs.

Used before the first rows are shown, so with ``sqlite3`` alone.
"""

import os
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

from chainteller import __version__
from chainteller.domain.clock import DAY, Clock, SystemClock
from chainteller.paths import Paths, private_folder, shipped


def sample_world(paths: Paths, seed: str, clock: Clock | None = None) -> Path:
    """The path of the demo's sample data as of the last midnight; the file may not exist."""
    return world_file(paths, f"{seed} {(clock or SystemClock()).now() // DAY}")


def world_file(paths: Paths, made_from: str) -> Path:
    """The path of a cached database; its name covers all inputs, including the program."""
    identity = f"{__version__} {made_from} {_newest_change()}"
    return _folder(paths) / f"{sha256(identity.encode()).hexdigest()[:24]}.db"


def kept_world(world: Path, make: Callable[[Path], None]) -> Path:
    """Return the file ``world``, created by ``make`` if missing; removes those of other days."""
    if world.exists():
        return world
    folder = private_folder(world.parent)
    day = SystemClock().now() // DAY
    for old in folder.iterdir():
        if old.stat().st_mtime_ns < (day - 1) * DAY * 1_000:
            old.unlink(missing_ok=True)
    draft = folder / f"{world.stem}.{os.getpid()}.new"
    draft.unlink(missing_ok=True)
    make(draft)
    draft.with_name(f"{draft.name}-journal").unlink(missing_ok=True)
    return draft.replace(world)


def _folder(paths: Paths) -> Path:
    return paths.cache / "worlds"


def _newest_change() -> int:
    """The time of the last change to the inputs."""
    package = Path(__file__).parents[2]
    parts = ("domain", "engine", "storage", "wallets")
    sources = (shipped("sample_data"), *(package / part for part in parts))
    return max(change for folder in sources for change in _changes(folder))


def _changes(folder: str | Path) -> Iterator[int]:
    """The times of all files below a folder, but for compiled ones."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.is_dir():
                yield entry.stat().st_mtime_ns
            elif entry.name != "__pycache__":
                yield from _changes(entry.path)

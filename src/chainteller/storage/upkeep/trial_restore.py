"""Restore a backup beside its database, for a drill; nothing of it is left afterwards.

What a killed drill has left is removed by the next one.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from chainteller import open_files
from chainteller.service.errors import ServiceUnavailable
from chainteller.storage.database import Database, sqlite_path
from chainteller.storage.db.errors import DatabaseError
from chainteller.storage.db.faults import unavailable
from chainteller.storage.db.query import POSTGRESQL, Query, Value
from chainteller.storage.upkeep.maintenance import (
    SIDE_FILES,
    cannot_write,
    connected,
    copy_checked,
    require_space,
)

_DRAFT = "drill.db"
_UP_TO_NAME = re.compile(r"([a-z+]+://[^/?]*)(/[^?]*)?")
_DENIED = "42501"
_IN_USE = "55006"
_NAME = "SELECT 'chainteller_drill_' || oid FROM pg_database WHERE datname = current_database()"
_FOUND = f"SELECT datname AS value FROM pg_database WHERE datname = ({_NAME})"
_LEFT = Query(_FOUND, Value, only=POSTGRESQL)


def newest_backup(place: Path) -> Path:
    """The newest file of a folder, or the file itself. Raises ServiceUnavailable: NO_BACKUP."""
    try:
        if place.is_file():
            return place
        found = [each for each in place.iterdir() if each.is_file() and _may_be_backup(each.name)]
    except OSError:
        found = []
    if not found:
        raise unavailable(
            "NO_BACKUP",
            f"There is no backup in {place}.",
            "Name a backup, or the folder that they are in.",
        )
    return max(found, key=lambda each: each.stat().st_mtime_ns)


def _may_be_backup(name: str) -> bool:
    """Neither a draft nor what SQLite keeps beside a file that it looked at."""
    return not name.startswith(".") and not name.endswith(SIDE_FILES)


@contextmanager
def restored_beside(backup: Path, url: str) -> Iterator[str]:
    """The address of a database restored from a backup, until the block ends.

    A SQLite file is copied into the database's folder. On PostgreSQL, ``pg_restore`` fills another
    database of the same server.

    Raises:
        ServiceUnavailable: the backup can't be used, there is no space for it, or the user or the
            program for it is missing.
    """
    path = sqlite_path(url)
    if path is None:
        with _database_beside(url) as beside:
            _pg_restore(backup, beside)
            yield beside
        return
    folder = _folder_beside(path)
    _remove(folder)
    require_space(path, backup.stat().st_size)
    try:
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise cannot_write(folder.parent) from error
    try:
        copy_checked(backup, folder / _DRAFT)
        yield f"sqlite:///{folder / _DRAFT}"
    finally:
        shutil.rmtree(folder)


def left_behind(database: Database) -> str | None:
    """What is there of a drill that was killed, or is under way."""
    if database.path is not None:
        folder = _folder_beside(database.path)
        return str(folder) if folder.exists() else None
    with database.read() as connection:
        found: str | None = connection.execute(_LEFT).scalar()
    return found


def _folder_beside(path: Path) -> Path:
    file = path.resolve()  # a link has another disk, and another name for the same drill
    return file.parent / f".drill-{file.name}"


def _remove(folder: Path) -> None:
    """Remove what a killed drill has left. Raises ServiceUnavailable: DRILL_UNDER_WAY."""
    if not folder.exists():
        return
    if open_files.holders(folder / _DRAFT).pids:
        raise _under_way()
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise cannot_write(folder) from error


def _under_way() -> ServiceUnavailable:
    return unavailable(
        "DRILL_UNDER_WAY",
        "Another drill of this database is under way, or the restore of one that was killed.",
        "Run it again when that has ended.",
    )


@contextmanager
def _database_beside(url: str) -> Iterator[str]:
    with connected(url) as database, closing(database.sessions.connect()) as driver:
        name = driver.execute(_NAME).fetchone()[0]
        _say(driver, f'DROP DATABASE IF EXISTS "{name}"')
        _say(driver, f'CREATE DATABASE "{name}" TEMPLATE template0')
        try:
            yield _UP_TO_NAME.sub(rf"\1/{name}", url, count=1)
        finally:
            _say(driver, f'DROP DATABASE "{name}" WITH (FORCE)')


def _say(driver: Any, statement: str) -> None:
    """Raises ServiceUnavailable: ACCESS_DENIED, DRILL_UNDER_WAY, or as ``explain``."""
    from psycopg import Error  # noqa: PLC0415 - an extra

    try:
        driver.execute(statement)
    except Error as error:
        if error.sqlstate == _DENIED:
            raise unavailable(
                "ACCESS_DENIED",
                "The database user may not create a database beside this one.",
                "Grant it CREATEDB, or run the drill as a user who has it.",
            ) from None
        if error.sqlstate == _IN_USE:
            raise _under_way() from None
        raise DatabaseError(error) from error


def _pg_restore(backup: Path, url: str) -> None:
    """Raises ServiceUnavailable: PROGRAM_MISSING, BACKUP_UNUSABLE."""
    from psycopg.conninfo import conninfo_to_dict, make_conninfo  # noqa: PLC0415 - an extra

    program = shutil.which("pg_restore")
    if program is None:
        raise unavailable(
            "PROGRAM_MISSING",
            "pg_restore isn't on the PATH.",
            "Install PostgreSQL's client programs, of the server's version or newer.",
        )
    given: dict[str, Any] = conninfo_to_dict(url)
    password = given.pop("password", None)  # a command line is seen by everybody
    environment = os.environ if password is None else os.environ | {"PGPASSWORD": str(password)}
    place = make_conninfo(**given)
    line = [program, "--no-owner", "--no-privileges", "--exit-on-error", "-d", place, str(backup)]
    done = subprocess.run(line, env=environment, capture_output=True, text=True, check=False)  # noqa: S603 - the operator's own address
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"]
        raise unusable(said[0].removeprefix("pg_restore: ").removeprefix("error: "))


def unusable(why: str) -> ServiceUnavailable:
    return unavailable(
        "BACKUP_UNUSABLE", f"The backup can't be used: {why}.", "Use another backup."
    )

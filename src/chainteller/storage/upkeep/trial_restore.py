"""Restore a backup beside its database, for a drill; nothing of it is left afterwards."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from chainteller.service.errors import ServiceUnavailable
from chainteller.storage.database import connect, sqlite_path
from chainteller.storage.db.errors import DatabaseError
from chainteller.storage.db.faults import explain, unavailable
from chainteller.storage.upkeep.maintenance import (
    SIDE_FILES,
    cannot_write,
    copy_checked,
    require_space,
)

_UP_TO_NAME = re.compile(r"([a-z+]+://[^/?]*)(/[^?]*)?")
_DENIED = "42501"


def newest_backup(place: Path) -> Path:
    """The newest file of a folder, or the file itself. Raises ServiceUnavailable: NO_BACKUP."""
    if place.is_file():
        return place
    try:
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
    require_space(path, backup.stat().st_size)
    place = path.absolute().parent
    try:
        made = tempfile.TemporaryDirectory(dir=place, prefix=".drill-")
    except OSError as error:
        raise cannot_write(place) from error
    with made as folder:
        draft = Path(folder) / "drill.db"
        copy_checked(backup, draft)
        yield f"sqlite:///{draft}"


@contextmanager
def _database_beside(url: str) -> Iterator[str]:
    name = f"chainteller_drill_{os.getpid()}"
    database = connect(url)
    try:
        with closing(database.sessions.connect()) as driver:
            _say(driver, f'CREATE DATABASE "{name}" TEMPLATE template0')
            try:
                yield _UP_TO_NAME.sub(rf"\1/{name}", url, count=1)
            finally:
                _say(driver, f'DROP DATABASE "{name}" WITH (FORCE)')
    except DatabaseError as error:
        raise explain(error) from error
    finally:
        database.close()


def _say(driver: Any, statement: str) -> None:
    """Raises ServiceUnavailable: ACCESS_DENIED, or as ``explain``."""
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

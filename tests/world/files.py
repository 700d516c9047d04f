"""SQLite files for tests: the schema is made once per process, and nothing waits for the disk."""

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import cast

import pytest

from chainteller.domain.actors import DEFAULT_ORGANISATION
from chainteller.sqlite import sqlite3
from chainteller.storage.database import Database, add_functions, open_database, sqlite_path
from chainteller.storage.db.sqlite import SqliteSessions
from chainteller.storage.log import append
from chainteller.storage.log.entry import Act, Stamp
from chainteller.storage.log.rows import Writer
from chainteller.storage.log.sealing import Seal
from chainteller.storage.log.writer_keys import WriterKeys

KEY = "7e" * 32
"""The writer's key of all databases of tests."""
KEY_SETTING = {
    "CHAINTELLER_AUDIT__WRITER_KEY": "env:WRITER_KEY_OF_TESTS",
    "WRITER_KEY_OF_TESTS": KEY,
}


def open_fresh(
    url: str, start: Callable[[], Path] | None = None, keys: WriterKeys | None = None
) -> Database:
    """Open a database; a SQLite file that is not there yet starts as a copy of an empty bank, or of
    the file that ``start`` names.

    Its connections do not wait for the disk at each commit. A killed process loses nothing by it,
    and no test survives a power cut; that the product's own connections do wait is checked in
    ``tests/storage/test_faults.py``.
    """
    path = sqlite_path(url)
    keys = keys or KEYS
    if path is None:
        return open_database(url, keys)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        shutil.copyfile((start or _empty_bank)(), path)
    database = open_database(url, keys)
    wait_for_disk(database, waits=False)
    return database


def wait_for_disk(database: Database, *, waits: bool = True) -> None:
    """Whether commits to a SQLite file wait until they are on the disk."""
    sessions = cast("SqliteSessions", database.sessions)
    sessions.prepare = add_functions if waits else _prepare_without_syncs
    sessions.pool.close()  # those that are open already


@contextmanager
def sealed(database: Database, at: int = 0) -> Iterator[Writer]:
    """Write behind the engine's back, as the core bank's own records come in; sealed at the end, in
    entries of an instant, or of the last one."""
    with database.write() as connection:
        rows = Writer(connection)
        yield rows
        if not rows.seals:
            connection.commit()
            return
        put_on_record(rows, at)
        connection.commit()


def put_on_record(rows: Writer, at: int = 0, actor: str = "test") -> None:
    """Seal what was written in entries of an instant, or of the last one."""
    end = append.lock(rows.connection, DEFAULT_ORGANISATION)
    seals: dict[str, list[Seal]] = {}
    for name, found in rows.take().items():
        seals.setdefault(name or DEFAULT_ORGANISATION, []).extend(found.values())
    acts = {name: [Act("test", actor, rows=tuple(each))] for name, each in seals.items()}
    ends = {DEFAULT_ORGANISATION: end}
    append.append(rows, ends, acts, max(at, end.last_at), Stamp())


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A file that the first of the run's processes makes, and the others wait for and read."""
    is_worker = "PYTEST_XDIST_WORKER" in os.environ
    folder = factory.getbasetemp().parent if is_worker else factory.getbasetemp()
    file = folder / name
    with closing(sqlite3.connect(folder / "made_once.lock", timeout=300)) as lock:
        lock.execute("BEGIN EXCLUSIVE")
        if not file.exists():
            draft = file.with_name(f"{name}.new")
            make(draft)
            draft.replace(file)
    return file


def kept_file(name: str) -> Path:
    """A path for a file that others start from; it is removed when the process ends."""
    folder = Path(tempfile.mkdtemp(prefix="chainteller-schema-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder / name


@cache
def _empty_bank() -> Path:
    """A file with nothing but the schema."""
    file = kept_file("empty.db")
    open_database(f"sqlite:///{file}", KEYS).close()
    return file


class TestKeys:
    """One writer's key for all databases of tests, so that a copy of a file can be written to."""

    __test__ = False

    def place(self, deployment: str) -> str:
        return f"the tests, for {deployment}"

    def load(self, _deployment: str) -> bytes:
        return bytes.fromhex(KEY)

    create = replace = load


KEYS = TestKeys()


def _prepare_without_syncs(connection: sqlite3.Connection) -> None:
    add_functions(connection)
    connection.execute("PRAGMA synchronous=OFF")

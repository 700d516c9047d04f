"""The schema: its state in a database, and its creation."""

import re
from collections.abc import Collection
from contextlib import AbstractContextManager, closing, suppress
from importlib.resources import files
from pathlib import Path
from typing import Protocol

from chainteller import open_files
from chainteller.domain.actors import DEFAULT_ORGANISATION
from chainteller.domain.quoting import FeeSchedule
from chainteller.given_files import open_given
from chainteller.private_files import draft_beside
from chainteller.service.errors import ServiceUnavailable
from chainteller.sqlite import sqlite3
from chainteller.storage.db.faults import unavailable
from chainteller.storage.db.query import POSTGRESQL, SQLITE, Query, Session, Value, built
from chainteller.storage.db.records import Tables
from chainteller.storage.db.table import CLOCK
from chainteller.storage.log import append
from chainteller.storage.log.entry import Act
from chainteller.storage.log.rows import DEPLOYMENT, Writer
from chainteller.storage.revision import (
    APPLICATION_ID,
    FLOOR,
    FLOOR_TABLE,
    REVISION,
    REVISION_TABLE,
    State,
    number_of,
    sqlite_state,
    state_of,
)
from chainteller.storage.schema import guards

_FIRST_EPOCH = {
    "name": CLOCK,
    "epoch": 0,
    "began_at": 0,
    "boot": "",
    "anchor_at": 0,
    "anchor_elapsed": 0,
    "seen_at": 0,
    "doubt": "",
    "stepped": False,
}
PROGRAM = "chainteller"
"""Who acts where no person and no key does."""
_CREATION_LOCK = 0x43544C52
_TABLE_OF_FILE = Query(
    "SELECT count(*) AS value FROM sqlite_master WHERE type = 'table' AND name = :name",
    Value,
    only=SQLITE,
)
_TABLE_OF_SERVER = Query(
    "SELECT count(*) AS value FROM pg_catalog.pg_class WHERE relkind = 'r' AND relname = :name "
    "AND relnamespace = pg_catalog.current_schema()::pg_catalog.regnamespace",
    Value,
    only=POSTGRESQL,
)
_NAMES_OF_FILE = Query(
    "SELECT name AS value FROM sqlite_master "
    "WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY name",
    Value,
    only=SQLITE,
)
_NAMES_OF_SERVER = Query(
    "SELECT relname AS value FROM pg_catalog.pg_class WHERE relkind = 'r' "
    "AND relnamespace = pg_catalog.current_schema()::pg_catalog.regnamespace ORDER BY relname",
    Value,
    only=POSTGRESQL,
)
_ON_SQLITE = (
    (r"NUMERIC\(38, 0\)", "TEXT"),
    ("BYTEA", "BLOB"),
    (' COLLATE "C"', ""),
    (r'"(window)"', r"\1"),
    (r"\b(after|before|key)\b", r'"\1"'),
    (r"(?s)(CREATE TABLE journal \(.*?\n\));", r"\1\n WITHOUT ROWID;"),
)
"""Expressions of what the schema's text says for PostgreSQL, and what SQLite has instead. It keeps
the text: names stay quoted, or not, as files have them."""
_WAIT = Query("SET LOCAL lock_timeout = 0", only=POSTGRESQL)
_LOCK = Query("SELECT pg_advisory_xact_lock(:key) AS value", Value, only=POSTGRESQL)


def inspect_file(path: Path) -> None:
    """Refuse a file that SQLite would take for a new database or fail on without saying why. Raises
    ServiceUnavailable: CANNOT_OPEN, EMPTY_FILE, NOT_A_DATABASE."""
    try:
        if path.is_dir():
            raise IsADirectoryError(path)
        if not path.exists():
            return
        with open_given(path) as file:
            head = file.read(16)
    except OSError:
        raise unavailable(
            "CANNOT_OPEN",
            "The database file cannot be opened.",
            "Check that it is a file and that this user may read it.",
        ) from None
    if not head:
        raise empty_file()
    if head != b"SQLite format 3\0":
        raise unavailable(
            "NOT_A_DATABASE",
            "The file is not a chainteller database.",
            "Name another file, or restore a backup: chainteller db restore FILE.",
        )


def empty_file() -> ServiceUnavailable:
    return unavailable(
        "EMPTY_FILE",
        "The database file is empty, as after a full disk or a cut copy.",
        "Restore a backup (chainteller db restore FILE), or remove the file to start again.",
    )


def touch(path: Path, mode: str) -> str:
    """Create a missing file with our mark, and set the journal mode that is safe here.

    A file that another process holds open doesn't change to WAL: that process may have an older
    SQLite, for which WAL isn't safe.

    Returns:
        The mode that it has now; empty if that can't be read.

    Raises:
        OSError: the file or its folder cannot be written.
    """
    if not path.exists():
        _create_marked(path)
    with closing(sqlite3.connect(path, timeout=5, isolation_level=None)) as connection:
        try:
            found = str(connection.execute("PRAGMA journal_mode").fetchone()[0]).upper()
            if (found == "WAL") == (mode == "WAL") or not _is_ours(connection):
                return found
            if mode == "WAL" and open_files.holders(path).pids:
                return found
            return str(connection.execute(f"PRAGMA journal_mode={mode}").fetchone()[0]).upper()
        except sqlite3.Error:
            return ""  # a locked, read-only or damaged file raises when it is used


def _is_ours(connection: sqlite3.Connection) -> bool:
    """Whether a file is of a build that this one goes on from; others are left as they are."""
    found = sqlite_state(lambda query: (connection.execute(query).fetchone() or (None,))[0])
    return found in (State.NEW, State.CURRENT, State.OUTDATED)


def _create_marked(path: Path) -> None:
    """Create the file under another name first, so that no process sees it empty."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with draft_beside(path) as draft:
            with closing(sqlite3.connect(draft, isolation_level=None)) as connection:
                connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
            with suppress(FileExistsError):
                path.hardlink_to(draft)
    except sqlite3.Error as error:
        raise OSError(str(error)) from error


def state(connection: Session) -> State:
    """Determine the state of the database, without changing it."""
    if connection.dialect.name == "sqlite":
        return sqlite_state(lambda query: connection.execute(built(query, Value)).scalar())
    if not _has_table(connection, FLOOR_TABLE):
        return State.NEW
    floor = connection.execute(_stamp_of(FLOOR_TABLE)).scalar()
    if floor is not None and not str(floor).isdecimal():
        return State.FOREIGN  # another program's revision
    return state_of(number_of(revision(connection)), int(floor or 0))


def revision(connection: Session) -> str:
    """The newest migration that the database has been through; empty in a new database."""
    for table in (REVISION_TABLE, FLOOR_TABLE):
        if _has_table(connection, table):
            return str(connection.execute(_stamp_of(table)).scalar() or "")
    return ""


def _has_table(connection: Session, name: str) -> bool:
    query = _TABLE_OF_FILE if connection.dialect.name == SQLITE else _TABLE_OF_SERVER
    return bool(connection.execute(query, {"name": name}).scalar())


def table_names(connection: Session) -> list[str]:
    """The names of all tables, in order."""
    query = _NAMES_OF_FILE if connection.dialect.name == SQLITE else _NAMES_OF_SERVER
    return list(connection.execute(query).scalars())


def _stamp_of(table: str) -> Query:
    return built(f"SELECT version_num FROM {table}", Value)


class _Writable(Protocol):
    """The part of a database that is needed to create its schema."""

    def write(self) -> AbstractContextManager[Session]: ...


def create(database: _Writable) -> None:
    """Create tables, guards and fixed rows, and stamp the newest revision; at most once.

    If several processes start on one new database, the first creates it for all, with the writer's
    key that marks its logs.
    """
    with database.write() as connection:
        lock_schema(connection)
        if state(connection) is State.NEW:
            build(connection)
        connection.commit()


def build(connection: Session) -> None:
    """Create tables, guards, fixed rows and the stamp in the current transaction."""
    create_objects(connection)
    stamp(connection)
    seed(connection)


def create_objects(connection: Session) -> None:
    """Create everything that the catalogue of a database of this build has."""
    for statement in objects(connection.dialect.name):
        connection.execute(built(statement, None))


def objects(dialect: str) -> list[str]:
    """The statements that create tables, indexes and guards."""
    stamps = [
        f"CREATE TABLE {table} (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"
        for table in (REVISION_TABLE, FLOOR_TABLE)
    ]
    return [*tables(dialect), *guards.created(dialect), *stamps]


def tables(dialect: str, names: Collection[str] = ()) -> list[str]:
    """What creates the tables and their indexes, or some tables without indexes.

    It was written from their declarations: ``python -m tests.storage.schema_text``.
    """
    told = (files("chainteller.storage.schema") / "schema.sql").read_text("utf-8")
    for postgresql, sqlite in _ON_SQLITE if dialect == SQLITE else ():
        told = re.sub(postgresql, sqlite, told)
    every = told.rstrip().removesuffix(";").split(";\n\n")
    wanted = tuple(f"CREATE TABLE {name} (" for name in names)
    return [each for each in every if each.startswith(wanted)] if names else every


def lock_schema(connection: Session) -> None:
    """Keep other processes from changing the schema until this transaction ends."""
    if connection.dialect.name == "postgresql":
        connection.execute(_WAIT)
        _LOCK.run(connection, _CREATION_LOCK)


def seed(connection: Session) -> None:
    """Insert the rows that every database has: the clock, the first organisation and the logs.
    The writer's key is made, which marks these."""
    rows = Writer(connection)
    rows.insert(Tables.clock, [_FIRST_EPOCH])
    rows.insert(
        Tables.organisation, [organisation_row(DEFAULT_ORGANISATION, "Default organisation", 0)]
    )
    for name in (DEPLOYMENT, DEFAULT_ORGANISATION):
        append.begin(connection, name)
    seals = tuple(rows.take()[DEPLOYMENT].values())
    append.create(rows, Act("create_database", PROGRAM, rows=seals))


def organisation_row(organisation_id: str, name: str, created: int) -> dict[str, object]:
    """A new organisation, with the default fee schedule."""
    fees = FeeSchedule()
    return {
        "id": organisation_id,
        "name": name,
        "fee_flat_cents": fees.flat_cents,
        "fee_bps": fees.bps,
        "fee_minimum_cents": fees.minimum_cents,
        "created": created,
    }


def stamp(connection: Session) -> None:
    """Record the revision and the floor of the schema that this build has just made."""
    for table, number in ((REVISION_TABLE, REVISION), (FLOOR_TABLE, FLOOR)):
        connection.execute(built(f"DELETE FROM {table}", None))
        stamped = built(f"INSERT INTO {table} VALUES (:number)", None)
        connection.execute(stamped, {"number": number})
    if connection.dialect.name == SQLITE:
        connection.execute(built(f"PRAGMA user_version={int(FLOOR)}", None))

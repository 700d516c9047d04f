"""Connections to one SQLite file or one PostgreSQL database."""

import os
import re
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from chainteller.service.errors import ServiceUnavailable
from chainteller.sqlite import sqlite3
from chainteller.storage.db.errors import DatabaseError
from chainteller.storage.db.faults import (
    NotAtOnce,
    bad_url,
    driver_missing,
    explain,
    is_lost,
    read_only,
    require_current,
    unavailable,
)
from chainteller.storage.db.group_commit import Result, Unit
from chainteller.storage.db.query import POSTGRESQL, Session, Shared, Value, built
from chainteller.storage.db.session import ELSEWHERE, STATUS, Sessions
from chainteller.storage.db.sqlite import BUSY_TIMEOUT_MS, SqliteSessions, journal_mode
from chainteller.storage.db.write_health import WriteHealth, commit_trial, try_to_write
from chainteller.storage.log.marks import Marker
from chainteller.storage.log.writer_keys import NoKey, WriterKeys
from chainteller.storage.revision import State
from chainteller.storage.schema import ddl

_WRITER_WAIT_S = 10
_LOOKS = 40
_PAUSE_S = 0.05
_READ_ONLY = built("SHOW transaction_read_only", Value)
_SCHEME = re.compile("^postgres[^:]*://")
_WITHOUT_PASSWORD = re.compile(r"(//[^:/@?]*:|[?&]password=)[^@&]*")


class Database:
    """An open database with a current schema; safe to share between threads.

    ``url`` has no password. ``path`` is the file, if it is one; ``in_wal`` says whether readers of
    the file go on while somebody writes to it.
    """

    def __init__(
        self, url: str, sessions: Sessions, path: Path | None, *, in_wal: bool = False
    ) -> None:
        self.url = url
        self.sessions = sessions
        self.path = path
        self.in_wal = in_wal
        self._inode = path.stat().st_ino if path else None
        self._writer = threading.Lock()
        self.writers = sessions.writers(self.write)
        self.writing = WriteHealth()
        self.known_rules: set[str] = set()
        """The versions of the settings that are known to be stored."""
        self.has_written = False
        """Whether this process committed something."""
        self.calm = threading.Event()
        """Cleared while this process commits to its SQLite file without WAL. Readers wait for it:
        otherwise they would meet the lock and sleep for longer than the commit takes."""
        self.calm.set()

    @property
    def name(self) -> str:
        """The file's path, or the URL without a password."""
        return str(self.path) if self.path else _WITHOUT_PASSWORD.sub(r"\1***", self.url)

    @property
    def is_postgres(self) -> bool:
        return self.sessions.dialect.name == POSTGRESQL

    @contextmanager
    def read(self, *, patient: bool = False) -> Iterator[Session]:
        """Begin a read transaction, whose statements all see the same rows.

        Args:
            patient: disables timeouts, for reads of the whole database.

        Raises:
            ServiceUnavailable: the database can't be used; ``details.reason`` says why.
        """
        if self.path is not None:
            self._require_the_opened_file(self.path)
            self._wait_until_calm()
        try:
            with closing(self.sessions.reading(patient=patient)) as session:
                yield session
        except DatabaseError as error:
            raise explain(error) from error

    def _wait_until_calm(self) -> None:
        self.calm.wait(BUSY_TIMEOUT_MS / 1000)

    @contextmanager
    def write(self, *, is_gated: bool = True) -> Iterator[Session]:
        """Begin a write transaction, rolled back unless it is committed.

        Driver errors pass through, so that the caller can retry transient ones.

        Args:
            is_gated: False for an upgrade, which other writes wait for.
        """
        if self.path is None:
            with closing(self.sessions.writing(is_gated=is_gated)) as session:
                yield session
            return
        if not self._writer.acquire(timeout=_WRITER_WAIT_S):
            raise unavailable("STORAGE_LOCKED", "Another change is taking too long.", "Retry.")
        try:
            self._require_the_opened_file(self.path)
            with closing(self.sessions.writing()) as session:
                yield session
        finally:
            self._writer.release()

    def transact(self, unit: Unit[Result], among: str = "") -> Result:
        """Run a unit of work and commit it, together with other waiting units.

        Args:
            among: the organisation whose units share commits; on PostgreSQL, a unit of none has one
                for itself.

        Raises:
            DatabaseError: nothing was changed; if the error is transient, the unit may run again.
            ServiceUnavailable: as ``commit``.
        """
        try:
            result: Result = self.writers.run(unit, self.commit, among)
        except DatabaseError as error:
            self.writing.failed(explain(error))
            raise
        return result

    def commit(self, session: Session, number: str | None) -> None:
        """Commit; if the connection is lost, ask PostgreSQL whether the transaction, which has the
        ``NUMBER`` then, is committed.

        Raises:
            DatabaseError: nothing was changed; if the connection was lost, the unit may run again.
            ServiceUnavailable: COMMIT_UNCERTAIN, the outcome couldn't be found out in time.
        """
        if not self.in_wal:
            self.calm.clear()
        try:
            session.commit()
        except DatabaseError as error:
            if number is None or not is_lost(error) or not self.has_committed(number):
                raise
        finally:
            if not self.in_wal:
                self.calm.set()
        self.writing.succeeded()
        self.has_written = True

    def has_committed(self, number: str) -> bool:
        """Whether a transaction with a lost connection is committed; waits until it's decided.

        Raises:
            ServiceUnavailable: COMMIT_UNCERTAIN, that isn't decided in time, or another server took
                over, which may not have it.
        """
        for _ in range(_LOOKS):
            status = None
            with suppress(ServiceUnavailable), self.read() as session:
                status = session.execute(STATUS, {"number": number}).scalar()
            if status in ("committed", "aborted"):
                return bool(status == "committed")
            if status == ELSEWHERE:
                break
            time.sleep(_PAUSE_S)
        raise unavailable(
            "COMMIT_UNCERTAIN",
            "The database was lost while it committed; whether this was done is not known.",
            "Look the record up, or send the same request with the same idempotency key.",
        )

    @contextmanager
    def look(self) -> Iterator[Session]:
        """Open a session for single statements, each of which sees what is committed.

        Driver errors pass through.
        """
        with closing(self.sessions.looking()) as session:
            yield session

    def require_writable(self) -> None:
        """Check that writes would be accepted now; takes no lock, so it never waits. Raises
        ServiceUnavailable: STORAGE_READ_ONLY, or as ``read``."""
        if self.path is not None:
            self._require_the_opened_file(self.path)
            file = self.path.resolve()  # a write creates a journal next to it, not to a link
            writable = all(os.access(place, os.W_OK) for place in (file, file.parent))
        else:
            try:
                with self.write() as session:
                    mode = session.execute(_READ_ONLY).scalar_one()
            except DatabaseError as error:
                raise explain(error) from error
            writable = mode == "off"
        if not writable:
            raise read_only(is_file=self.path is not None)

    def require_writes(self) -> None:
        """Check that what is written reaches the disk, if need be by a write that leaves nothing.
        Raises ServiceUnavailable: STORAGE_FULL, STORAGE_FAULT, or as ``require_writable``."""
        self.require_writable()
        self.writing.require(self._try_to_write)

    def _try_to_write(self) -> None:
        """Raises ServiceUnavailable. Waits for a lock on the file for no more than a moment."""
        if self.path is not None:
            try_to_write(self.path)
            return
        try:
            with self.write() as session:
                commit_trial(session)
        except DatabaseError as error:
            raise explain(error) from error

    def _require_the_opened_file(self, path: Path) -> None:
        """Check that the file wasn't replaced: an open connection would keep using the old one."""
        try:
            found = path.stat()
        except OSError:
            found = None
        if found is None or found.st_ino != self._inode:
            raise unavailable(
                "STORAGE_REMOVED",
                "The database file was removed or replaced while it was open.",
                "Put the file back, or start the program again.",
            )
        if not found.st_size:
            raise ddl.empty_file()

    def close(self) -> None:
        self.sessions.pool.close()


class Unwaiting(Database):
    """Reads of an open database's file, for one thread that must not wait. It can't write.

    ``read`` raises NotAtOnce where it would have to wait.
    """

    def __init__(self, database: Database, path: Path) -> None:
        shared = database.sessions.shared
        sessions = SqliteSessions(path, shared, add_functions, waits=False)
        super().__init__(database.url, sessions, path, in_wal=database.in_wal)
        self.calm = database.calm

    def _wait_until_calm(self) -> None:
        if not self.calm.is_set():
            raise NotAtOnce


_SCHEMES = ("postgresql://", "postgres://", "postgresql+psycopg://")
_SQLITE = "sqlite:///"


def sqlite_path(url: str) -> Path | None:
    """The SQLite file of a URL; None for PostgreSQL. Raises ServiceUnavailable: BAD_URL."""
    if url.startswith(_SCHEMES):
        return None
    if not url.startswith("sqlite:"):
        raise (
            unavailable(
                "BAD_URL",
                "Only sqlite:/// and postgresql:// databases can be used.",
                "Write sqlite:///FILE or postgresql://USER@HOST/NAME.",
            )
            if "://" in url
            else bad_url()
        )
    name = url.removeprefix(_SQLITE) if url.startswith(_SQLITE) else ""
    if not name or name == ":memory:":
        raise unavailable("BAD_URL", "A SQLite URL names a file.", "Write sqlite:///FILE.")
    return Path(name).expanduser()


def add_atoms(balance: str, change: str) -> str:
    """The sum of amounts of any size, which SQLite itself would have as floats."""
    return str(int(balance) + int(change))


def add_functions(connection: sqlite3.Connection) -> None:
    """The function that statements on a SQLite file use."""
    connection.create_function("add_atoms", 2, add_atoms, deterministic=True)


def connect(url: str, keys: WriterKeys | None = None, *, as_it_is: bool = False) -> Database:
    """Connect without checking the schema, for ``db init``, ``db upgrade`` and ``db check``.

    Args:
        url: the database's address.
        keys: where the key is that marks its logs. None: nobody writes to them.
        as_it_is: don't create a missing file, nor change a file's journal mode.

    Raises:
        ServiceUnavailable: BAD_URL, CANNOT_OPEN, EMPTY_FILE, NOT_A_DATABASE, DRIVER_MISSING.
    """
    path, shared = sqlite_path(url), Shared(Marker(keys or NoKey()))
    if path is None:
        return Database(url, _server(url, shared), None)
    ddl.inspect_file(path)
    try:
        mode = "" if as_it_is else ddl.touch(path, journal_mode())
        sessions = SqliteSessions(path, shared, add_functions)
        return Database(url, sessions, path, in_wal=mode == "WAL")
    except OSError as error:
        raise unavailable(
            "CANNOT_OPEN",
            "The database file cannot be opened.",
            "Check that its folder exists and that this user may write there.",
        ) from error


def _server(url: str, shared: Shared) -> Sessions:
    """Raises ServiceUnavailable: DRIVER_MISSING, BAD_URL."""
    try:
        from chainteller.storage.db.postgres import PostgresSessions  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as missing:
        raise driver_missing(str(missing.name)) from None
    try:
        return PostgresSessions(_SCHEME.sub("postgresql://", url), shared)
    except ValueError:
        raise bad_url() from None


def create_if_new(database: Database) -> bool:
    """Create the schema in a new database, and the key that marks its logs; whether it was new.

    Raises:
        ServiceUnavailable: the schema can't be used, or belongs to another version or program.
    """
    with database.read() as connection:
        state = ddl.state(connection)
    if state is State.NEW:
        ddl.create(database)
    else:
        require_current(state, database.name)
    return state is State.NEW


def open_database(url: str, keys: WriterKeys | None = None) -> Database:
    """Open the database, which is created if it's new. Raises ServiceUnavailable: as ``connect``
    and ``create_if_new``, or an explained driver error."""
    database = connect(url, keys)
    try:
        create_if_new(database)
    except DatabaseError as error:
        database.close()
        raise explain(error) from error
    except BaseException:
        database.close()
        raise
    return database

"""Connections to one SQLite file or one PostgreSQL database."""

import os
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar, cast
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import QueuePool

from chainteller.sqlite import WAL_IS_SAFE, sqlite3
from chainteller.storage import marks, schema, sealing
from chainteller.storage.columns import ADD_ATOMS, add_atoms
from chainteller.storage.compatibility import require_current
from chainteller.storage.faults import explain, read_only, unavailable
from chainteller.storage.groups import Writers
from chainteller.storage.marks import Marker
from chainteller.storage.plain import Plain
from chainteller.storage.plain_reads import Endings, read_on
from chainteller.storage.postgres import READING, WRITING, open_postgres
from chainteller.storage.revision import State
from chainteller.storage.write_health import WriteHealth, commit_trial, try_to_write
from chainteller.storage.writer_keys import NoKey, WriterKeys

BUSY_TIMEOUT_MS = 5_000
_WRITER_WAIT_S = 10

Answer = TypeVar("Answer")


def journal_mode() -> str:
    return "WAL" if WAL_IS_SAFE else "TRUNCATE"


class Database:
    """An open database with a current schema; safe to share between threads."""

    def __init__(self, engine: Engine, path: Path | None, *, in_wal: bool = False) -> None:
        self.engine = engine
        self.path = path
        self.in_wal = in_wal
        """Whether readers of the file go on while somebody writes to it."""
        self._inode = path.stat().st_ino if path else None
        self._writer = threading.Lock()
        self.writers = Writers(self.write_plain)
        self.writing = WriteHealth()
        self.known_rules: set[str] = set()
        """The versions of the settings that are known to be stored."""
        self.has_written = False
        """Whether this process committed something."""
        self._endings: dict[object, Endings] = {}
        self.calm = threading.Event()
        """Cleared while this process commits to its SQLite file without WAL. Readers wait for it:
        otherwise they would meet the lock and sleep for longer than the commit takes."""
        self.calm.set()

    @property
    def name(self) -> str:
        """The file's path, or the URL without a password."""
        return str(self.path) if self.path else self.engine.url.render_as_string()

    @property
    def is_postgres(self) -> bool:
        return self.engine.dialect.name == "postgresql"

    @contextmanager
    def read(self, *, patient: bool = False) -> Iterator[Connection]:
        """Open a connection in a read transaction, whose statements all see the same rows.

        Args:
            patient: disables timeouts, for reads of the whole database.

        Raises:
            ServiceUnavailable: the database can't be used; ``details.reason`` says why.
        """
        if self.path is not None:
            self._require_the_opened_file(self.path)
            self.calm.wait(BUSY_TIMEOUT_MS / 1000)
        try:
            with self._begun(patient=patient) as connection:
                yield connection
        except (DBAPIError, PoolTimeout) as error:
            raise explain(error) from error

    def answer(self, read: Callable[..., Answer], *arguments: object) -> Answer:
        """What ``read`` makes of the rows and the arguments, and of nothing else.

        Raises:
            ServiceUnavailable: as ``read``.
        """
        return self.ask(read, lambda connection: read(connection, *arguments))

    def ask(self, reader: object, read: Callable[[Connection], Answer]) -> Answer:
        """What ``read`` returns from a plain connection in a read transaction, whose statements all
        see the same rows. It may run again.

        Args:
            reader: what reads; its next call is expected to end with the same statement.
            read: changes nothing.

        Raises:
            ServiceUnavailable: as ``read``.
        """
        if not self.is_postgres:
            with self.read() as connection:
                return read(cast("Connection", Plain(connection)))
        is_second = False
        while True:
            try:
                with self._begun(plain=True) as connection:
                    return read_on(connection, READING, self.endings(reader), read)
            except (DBAPIError, PoolTimeout) as error:
                if is_second or not getattr(error, "connection_invalidated", False):
                    raise explain(error) from error
                is_second = True

    def endings(self, reader: object) -> Endings:
        """The statements that a reader ends with, as far as is known."""
        return self._endings.setdefault(reader, Endings())

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Open a connection in a write transaction, rolled back unless it is committed.

        Driver errors pass through, so that the caller can retry transient ones.
        """
        with self._writing() as connection:
            yield connection

    @contextmanager
    def write_plain(self) -> Iterator[Connection]:
        """As ``write``, with a plain connection; on PostgreSQL, nothing is sent before its first
        statement."""
        with self._writing(plain=self.is_postgres) as connection:
            plain = Plain(connection, WRITING if self.is_postgres else ())
            yield cast("Connection", plain)

    @contextmanager
    def _writing(self, **options: bool) -> Iterator[Connection]:
        if self.path is None:
            with self._begun(writes=True, **options) as connection:
                yield connection
            return
        if not self._writer.acquire(timeout=_WRITER_WAIT_S):
            raise unavailable("STORAGE_LOCKED", "Another change is taking too long.", "Retry.")
        try:
            self._require_the_opened_file(self.path)
            with self._begun(writes=True) as connection:
                yield connection
        finally:
            self._writer.release()

    @contextmanager
    def look(self) -> Iterator[Connection]:
        """Open a connection for single statements, each of which sees what is committed.

        Driver errors pass through.
        """
        with self._begun(looks=True) as connection:
            yield connection

    @contextmanager
    def _begun(self, **options: bool) -> Iterator[Connection]:
        """Begin a transaction on a pooled connection, or on a new one if the pool is stale.

        The first round trip shows whether the server dropped the connection.
        """
        connection = self.engine.connect().execution_options(**options)
        try:
            try:
                connection.begin()
            except DBAPIError as error:
                connection.close()
                if not error.connection_invalidated:
                    raise
                connection = self.engine.connect().execution_options(**options)
                connection.begin()
            yield connection
        finally:
            connection.close()

    def require_writable(self) -> None:
        """Check that writes would be accepted now; takes no lock, so it never waits.

        Raises:
            ServiceUnavailable: STORAGE_READ_ONLY, or as ``read``.
        """
        if self.path is not None:
            self._require_the_opened_file(self.path)
            # A write creates a journal next to the file.
            writable = all(os.access(place, os.W_OK) for place in (self.path, self.path.parent))
        else:
            try:
                with self._begun(writes=True) as connection:
                    mode = connection.exec_driver_sql("SHOW transaction_read_only").scalar_one()
            except (DBAPIError, PoolTimeout) as error:
                raise explain(error) from error
            writable = mode == "off"
        if not writable:
            raise read_only(is_file=self.path is not None)

    def require_writes(self) -> None:
        """Check that what is written reaches the disk, if need be by a write that leaves nothing.

        Raises:
            ServiceUnavailable: STORAGE_FULL, STORAGE_FAULT, or as ``require_writable``.
        """
        self.require_writable()
        self.writing.require(self._try_to_write)

    def _try_to_write(self) -> None:
        """Raises ServiceUnavailable. Waits for a lock on the file for no more than a moment."""
        if self.path is not None:
            try_to_write(self.path)
            return
        try:
            with self._begun(writes=True) as connection:
                commit_trial(connection)
        except (DBAPIError, PoolTimeout) as error:
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
            raise schema.empty_file()

    def close(self) -> None:
        self.engine.dispose()


_HOST = re.compile(r"[^:\[\]]+(:[0-9]+)?")
_SEVERAL_HOSTS = re.compile(r"(postgres[^:/]*://)([^@/?]*@)?([^@/?]*,[^@/?]*)([/?].*)?")


def _parsed(url: str) -> URL:
    """Parse a URL, which may name several PostgreSQL hosts as libpq does: ``//ONE:5432,TWO/NAME``.

    Raises:
        ValueError: a port is no number, or a host can't be read.
        ArgumentError: it's no URL.
    """
    found = _SEVERAL_HOSTS.fullmatch(url)
    if found is None:
        return make_url(url)
    scheme, user, hosts, rest = found[1], found[2] or "", found[3], found[4] or ""
    named = [("host", host) for host in hosts.split(",")]
    if not all(_HOST.fullmatch(host) for _, host in named):
        raise ValueError("of several hosts, each is a name with or without a port")
    return make_url(f"{scheme}{user}{rest}").update_query_pairs(named, append=True)


def _parse(url: str) -> URL:
    try:
        parsed = _parsed(url)
    except (ArgumentError, ValueError):
        raise unavailable(
            "BAD_URL",
            "The database URL cannot be read.",
            "Write sqlite:///FILE or postgresql://USER@HOST/NAME.",
        ) from None
    if parsed.drivername in ("postgresql", "postgres"):
        return parsed.set(drivername="postgresql+psycopg")
    if parsed.drivername not in ("sqlite", "postgresql+psycopg"):
        raise unavailable(
            "BAD_URL",
            "Only sqlite:/// and postgresql:// databases can be used.",
            "Write sqlite:///FILE or postgresql://USER@HOST/NAME.",
        )
    return parsed


def sqlite_path(url: str) -> Path | None:
    """The SQLite file of a URL; None for PostgreSQL. Raises ServiceUnavailable: BAD_URL."""
    parsed = _parse(url)
    if not parsed.drivername.startswith("sqlite"):
        return None
    if not parsed.database or parsed.database == ":memory:":
        raise unavailable("BAD_URL", "A SQLite URL names a file.", "Write sqlite:///FILE.")
    return Path(parsed.database).expanduser()


def _open_sqlite(path: Path) -> Engine:
    schema.inspect_file(path)
    engine = create_engine(
        _sqlite_address(path),
        module=sqlite3,
        poolclass=QueuePool,
        pool_size=8,
        max_overflow=24,
        pool_use_lifo=True,
        connect_args={"check_same_thread": False, "timeout": BUSY_TIMEOUT_MS / 1000},
    )
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _sqlite_address(path: Path) -> URL:
    """A file in WAL mode needs a folder to write to. Without one it is read as it is, unless
    somebody else has it open."""
    is_alone = not path.with_name(f"{path.name}-wal").exists()
    if is_alone and not os.access(path.absolute().parent, os.W_OK) and _is_in_wal(path):
        name = f"file:{quote(str(path.absolute()))}"
        return URL.create("sqlite", database=name, query={"immutable": "1", "uri": "true"})
    return URL.create("sqlite", database=str(path))


def _is_in_wal(path: Path) -> bool:
    """By the file's header (https://sqlite.org/fileformat2.html, offset 18)."""
    try:
        with path.open("rb") as file:
            return file.read(20)[18:] == b"\2\2"
    except OSError:
        return False


def _prepare_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None
    add_functions(connection)
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.execute("PRAGMA trusted_schema=OFF")
    cursor.execute("PRAGMA synchronous=FULL")
    if not WAL_IS_SAFE:
        cursor.execute("PRAGMA journal_mode=TRUNCATE")
    cursor.close()


def add_functions(connection: sqlite3.Connection) -> None:
    """The functions that statements on a SQLite file use."""
    sealing.add_functions(connection)
    connection.create_function(ADD_ATOMS, 2, add_atoms, deterministic=True)


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def connect(url: str, keys: WriterKeys | None = None, *, as_it_is: bool = False) -> Database:
    """Connect without checking the schema, for ``db init``, ``db upgrade`` and ``db check``.

    Args:
        url: the database's address.
        keys: where the key is that marks its logs. None: nobody writes to them.
        as_it_is: don't create a missing file, nor change a file's journal mode.

    Raises:
        ServiceUnavailable: BAD_URL, CANNOT_OPEN, EMPTY_FILE, NOT_A_DATABASE, DRIVER_MISSING.
    """
    path = sqlite_path(url)
    engine = open_postgres(_parse(url)) if path is None else _open_sqlite(path)
    engine.update_execution_options(**marks.options(Marker(keys or NoKey())))
    if path is None:
        return Database(engine, None)
    try:
        mode = "" if as_it_is else schema.touch(path, journal_mode())
        return Database(engine, path, in_wal=mode == "WAL")
    except OSError as error:
        raise unavailable(
            "CANNOT_OPEN",
            "The database file cannot be opened.",
            "Check that its folder exists and that this user may write there.",
        ) from error


def open_database(url: str, keys: WriterKeys | None = None) -> Database:
    """Open the database, creating the schema in a new one, and the key that marks its logs.

    Raises:
        ServiceUnavailable: as ``connect`` and ``require_current``, or an explained driver
            error.
    """
    database = connect(url, keys)
    try:
        with database.read() as connection:
            state = schema.state(connection)
        if state is State.NEW:
            schema.create(database.engine)
        else:
            require_current(state, database.name)
    except (DBAPIError, PoolTimeout) as error:
        database.close()
        raise explain(error) from error
    except BaseException:
        database.close()
        raise
    return database

"""Sessions on a SQLite file."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from chainteller.given_files import open_given
from chainteller.sqlite import WAL_IS_SAFE, sqlite3
from chainteller.storage.db.errors import DatabaseError, UnreadableValue
from chainteller.storage.db.group_commit import Begin, Writers
from chainteller.storage.db.pool import Pool
from chainteller.storage.db.query import (
    BATCH,
    NONE,
    SQLITE,
    Dialect,
    Form,
    Found,
    Given,
    Reader,
    Session,
    Shared,
    Statement,
    Then,
    Values,
)
from chainteller.storage.db.session import Sessions
from chainteller.storage.db.spans import statements_span
from chainteller.telemetry import tracing

BUSY_TIMEOUT_MS = 5_000
READING, WRITING, _COMMIT, _ROLLBACK = "BEGIN", "BEGIN IMMEDIATE", "COMMIT", "ROLLBACK"
_KEPT, _MOST = 8, 32
_LARGEST = 2**63
_DIALECT = Dialect(SQLITE)


def journal_mode() -> str:
    return "WAL" if WAL_IS_SAFE else "TRUNCATE"


class SqliteSession(Session):
    """A transaction on a file. Raises DatabaseError."""

    dialect = _DIALECT

    def __init__(self, pool: Pool, shared: Shared, opening: str = "") -> None:
        self.shared = shared
        self._pool = pool
        self._taken = pool.take()
        self._driver: sqlite3.Connection = self._taken.driver
        if opening:
            try:
                self._driver.execute(opening)
            except sqlite3.Error as error:
                pool.give_back(self._taken)
                raise DatabaseError(error) from error

    @property
    def driver(self) -> sqlite3.Connection:
        return self._driver

    def execute(self, query: Statement, values: Values = NONE) -> Found:
        if tracing.current() is None:
            return self._found(query, values)
        with statements_span(SQLITE, [query.sqlite.sql]) as span:
            found = self._found(query, values)
            span.put({"db.response.returned_rows": len(found.rows)})
        return found

    def _found(self, query: Statement, values: Values) -> Found:
        form = query.sqlite
        try:
            cursor = self._run(form, values)
            rows = form.read(cursor.fetchall()) if form.has_rows else ()
        except sqlite3.Error as error:
            raise _raised(error) from error
        return Found(rows, cursor.rowcount)

    def later(self, query: Statement, values: Values, then: Then | None = None) -> None:
        found = self.execute(query, values)
        if then is not None:
            then(found)

    def ahead(self, reader: Reader[Given], *values: Given.args, **named: Given.kwargs) -> None:
        """Nothing is gained by that here."""

    def stream(
        self, query: Statement, values: Values = NONE, *, batch: int = BATCH
    ) -> Iterator[Any]:
        form = query.sqlite
        try:
            cursor = self._run(form, values)
            while rows := cursor.fetchmany(batch):
                yield from form.read(rows)
        except sqlite3.Error as error:
            raise _raised(error) from error

    def _run(self, form: Form, values: Values) -> sqlite3.Cursor:
        given = form.in_order(values)
        try:
            return self._driver.execute(form.sql, given)
        except OverflowError:  # a column of text has whole numbers of any size
            return self._driver.execute(form.sql, [_text_if_large(each) for each in given])

    def flush(self) -> None:
        """Nothing waits here."""

    def commit(self) -> None:
        if not self._driver.in_transaction:
            return
        if tracing.current() is None:
            self._commit()
        else:
            with statements_span(SQLITE, [_COMMIT]):
                self._commit()

    def _commit(self) -> None:
        try:
            self._driver.execute(_COMMIT)
        except sqlite3.Error as error:
            raise DatabaseError(error) from error

    def rollback(self) -> None:
        if self._driver.in_transaction:
            self._driver.execute(_ROLLBACK)  # the driver's own method compiles it each time

    def close(self) -> None:
        try:
            self.rollback()
        except sqlite3.Error:  # what is wrong with it shows when it's used again
            self._pool.give_back(self._taken, is_lost=True)
            return
        self._pool.give_back(self._taken)


class SqliteSessions(Sessions):
    """Sessions on a file.

    ``prepare`` gives a new connection the functions that statements use. A session that doesn't
    ``waits`` raises at once where the file is locked, and can't write.
    """

    dialect = _DIALECT

    def __init__(
        self,
        path: Path,
        shared: Shared,
        prepare: Callable[[sqlite3.Connection], None],
        *,
        waits: bool = True,
    ) -> None:
        super().__init__(shared)
        self._path, self._waits = path, waits
        self.prepare = prepare
        self.pool = Pool(self.connect, kept=_KEPT, most=_MOST)

    def writers(self, begin: Begin) -> Writers:
        return Writers(begin)

    def connect(self) -> sqlite3.Connection:
        """Open a connection. Raises DatabaseError."""
        address = address_of(self._path)
        try:
            connection = sqlite3.connect(
                address,
                uri=address.startswith("file:"),
                timeout=BUSY_TIMEOUT_MS / 1000 if self._waits else 0,
                isolation_level=None,
                check_same_thread=False,
            )
            _configure(connection)
            if not self._waits:
                connection.execute("PRAGMA query_only=ON")
        except sqlite3.Error as error:
            raise DatabaseError(error) from error
        self.prepare(connection)
        return connection

    def reading(self, *, patient: bool = False) -> SqliteSession:  # noqa: ARG002 - it's the same
        return SqliteSession(self.pool, self.shared, READING)

    def writing(self, *, is_gated: bool = True) -> SqliteSession:  # noqa: ARG002 - one writer at a time
        return SqliteSession(self.pool, self.shared, WRITING)

    def looking(self) -> SqliteSession:
        return SqliteSession(self.pool, self.shared)


def _raised(error: sqlite3.Error) -> DatabaseError:
    is_unreadable = str(error).startswith("Could not decode to UTF-8")
    return UnreadableValue(error) if is_unreadable else DatabaseError(error)


def _text_if_large(value: Any) -> Any:
    is_large = type(value) is int and not -_LARGEST <= value < _LARGEST
    return str(value) if is_large else value


def _configure(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA trusted_schema=OFF")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA secure_delete=ON")  # what is erased is nowhere in the file
    # KiB of each connection: the system's cache holds the file, too, and nothing is read slower.
    connection.execute("PRAGMA cache_size=-1024")
    if not WAL_IS_SAFE:
        connection.execute(f"PRAGMA journal_mode={journal_mode()}")


def address_of(path: Path) -> str:
    """A file in WAL mode needs a folder to write to. Without one it is read as it is, unless
    somebody else has it open."""
    file = path.resolve()  # SQLite's journals are beside the file, and not beside a link to it
    is_alone = not file.with_name(f"{file.name}-wal").exists()
    if is_alone and not os.access(file.parent, os.W_OK) and is_in_wal(file):
        return f"file:{quote(str(file))}?immutable=1"
    return str(path)


def is_in_wal(path: Path) -> bool:
    """Whether a file is in WAL mode, by its header (https://sqlite.org/fileformat2.html, offset
    18). SQLite itself doesn't say so of one that it reads as it is."""
    try:
        with open_given(path) as file:
            return file.read(20)[18:] == b"\2\2"
    except OSError:
        return False

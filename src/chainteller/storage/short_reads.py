"""Short reads of a SQLite file, without waiting and without SQLAlchemy's connection overhead.

The statements are the same Core constructs, compiled once each. They run on one plain connection
with a busy timeout of zero: a read of two statements takes a third of the time, and a lock raises
at once.
"""

from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, cast

from sqlalchemy import Connection, Select
from sqlalchemy.engine import Dialect

from chainteller.sqlite import sqlite3
from chainteller.storage.database import Database
from chainteller.storage.faults import unavailable

_MOST_COMPILED = 200
_MOST_FOUND = 500


@dataclass(frozen=True, slots=True)
class _Compiled:
    """A compiled statement; keeps ``statement`` alive, because the cache is keyed by its id."""

    statement: Select[Any]
    sql: str
    parameters: tuple[tuple[str, object], ...]
    row: Callable[[Sequence[object]], Any]
    readers: tuple[tuple[int, Callable[[Any], Any]], ...]

    def rows(self, found: list[tuple[Any, ...]]) -> list[Any]:
        if not found:
            return []
        if not self.readers:
            return [self.row(each) for each in found]
        columns: list[Any] = list(zip(*found, strict=True))
        for position, read in self.readers:
            columns[position] = [read(value) for value in columns[position]]
        return [self.row(each) for each in zip(*columns, strict=True)]


def _compiled(statement: Select[Any], dialect: Dialect) -> _Compiled:
    compiled = statement.compile(dialect=dialect)
    columns = list(statement.selected_columns)
    readers = (
        column.type.dialect_impl(dialect).result_processor(dialect, None) for column in columns
    )
    row = cast("Any", namedtuple)("row", [column.name for column in columns])
    return _Compiled(
        statement,
        str(compiled),
        tuple((name, compiled.params[name]) for name in compiled.positiontup or ()),
        row._make,
        tuple((at, read) for at, read in enumerate(readers) if read is not None),
    )


class _Found(NamedTuple):
    """The result of a statement, with the methods of SQLAlchemy's result."""

    rows: tuple[Any, ...]

    def all(self) -> tuple[Any, ...]:
        return self.rows

    def first(self) -> Any:
        return self.rows[0] if self.rows else None

    def one(self) -> Any:
        (row,) = self.rows
        return row

    def scalar_one(self) -> Any:
        return self.one()[0]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.rows)


class _Reader:
    """The part of a SQLAlchemy connection that reads use.

    Results are cached until any process commits. SQLite's data_version reports that exactly, since
    this connection never writes (https://sqlite.org/pragma.html#pragma_data_version).
    """

    def __init__(self, connection: sqlite3.Connection, dialect: Dialect) -> None:
        self.connection = connection
        self.dialect = dialect
        self._known: dict[int, _Compiled] = {}
        self._found: dict[tuple[int, tuple[object, ...]], _Found] = {}
        self._version = -1

    def begin(self) -> None:
        """Begin a transaction and take its lock, which keeps the version unchanged."""
        self.connection.execute("BEGIN")
        (version,) = self.connection.execute("PRAGMA data_version").fetchone()
        if version != self._version or len(self._found) >= _MOST_FOUND:
            self._found.clear()
            self._version = version

    def execute(
        self, statement: Select[Any], parameters: Mapping[str, object] | None = None
    ) -> _Found:
        known = self._known.get(id(statement))
        if known is None:
            if len(self._known) >= _MOST_COMPILED:
                self._known.clear()
                self._found.clear()
            known = self._known[id(statement)] = _compiled(statement, self.dialect)
        given = parameters or {}
        values = tuple([given.get(name, default) for name, default in known.parameters])
        found = self._found.get((id(statement), values))
        if found is None:
            rows = known.rows(self.connection.execute(known.sql, values).fetchall())
            found = self._found[id(statement), values] = _Found(tuple(rows))
        return found


class ShortReads(Database):
    """Reads of an open database's file, for one thread that must not wait. It can't write."""

    def __init__(self, database: Database) -> None:
        super().__init__(database.engine, database.path, in_wal=database.in_wal)
        self.calm = database.calm
        self._reader: _Reader | None = None

    @contextmanager
    def read(self, *, patient: bool = False) -> Iterator[Connection]:  # noqa: ARG002 - unused here
        """Open a read transaction.

        Raises:
            ServiceUnavailable: the file is locked, or can't be read for another reason.
        """
        if self.path is None:
            raise AssertionError("only a SQLite file is read without waiting")
        self._require_the_opened_file(self.path)
        if not self.calm.is_set():
            raise unavailable("STORAGE_LOCKED", "Not at once.", "Wait for it.")
        try:
            reader = self._reader = self._reader or self._opened(self.path)
            try:
                reader.begin()
                yield cast("Connection", reader)
            finally:
                reader.connection.rollback()
        except sqlite3.Error as error:
            raise unavailable("STORAGE_LOCKED", "Not at once.", "Wait for it.") from error

    def write(self) -> NoReturn:
        raise AssertionError("short reads write nothing")

    def _opened(self, path: Path) -> _Reader:
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=rw",
            timeout=0,
            isolation_level=None,
            check_same_thread=False,
            uri=True,
        )
        connection.execute("PRAGMA trusted_schema=OFF")
        connection.execute("PRAGMA query_only=ON")
        return _Reader(connection, self.engine.dialect)

    def close(self) -> None:
        if self._reader is not None:
            self._reader.connection.close()
            self._reader = None

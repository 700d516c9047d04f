"""Short reads of a SQLite file, without waiting and without SQLAlchemy's connection overhead.

The statements are the same Core constructs, compiled once each. They run on one plain connection
with a busy timeout of zero: a read of two statements takes a third of the time, and a lock raises
at once. ``benchmarks/service.py`` shows what it saves, with and without a writer beside.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, cast

from sqlalchemy import Connection, Select
from sqlalchemy.engine import Dialect

from chainteller.service.errors import ServiceUnavailable
from chainteller.sqlite import sqlite3
from chainteller.storage.compiled import Compiled
from chainteller.storage.database import Answer, Database
from chainteller.storage.db.query import Form, Found, Query
from chainteller.storage.faults import unavailable

_MOST_COMPILED = 200
_MOST_FOUND = 500


class _Kept(Found):
    """The result of a statement, as of ``version``."""

    __slots__ = ("raw", "version")

    def __init__(self, raw: list[tuple[Any, ...]], rows: tuple[Any, ...]) -> None:
        super().__init__(rows, -1)
        self.raw = raw
        self.version = -1


_Asked = tuple[Compiled | Form, tuple[object, ...]]
"""A statement and its values."""


@dataclass(slots=True)
class _Answer:
    """What was made of some results, as of ``version``."""

    value: Any
    made_of: list[tuple[_Asked, _Kept]]
    version: int


class _Reader:
    """The part of a SQLAlchemy connection that reads use.

    Results and answers hold until any process commits. SQLite's data_version reports that exactly,
    since this connection never writes (https://sqlite.org/pragma.html#pragma_data_version). Then
    the rows are read again, and what they were made into before holds on if they are the same.
    """

    def __init__(self, connection: sqlite3.Connection, dialect: Dialect) -> None:
        self.connection = connection
        self.dialect = dialect
        self._known: dict[int, tuple[Select[Any], Compiled | Form]] = {}
        self._found: dict[_Asked, _Kept] = {}
        self._answers: dict[object, _Answer] = {}
        self._made_of: list[tuple[_Asked, _Kept]] = []
        self._version = -1

    def begin(self) -> None:
        """Begin a transaction and take its lock, which keeps the version unchanged."""
        self.connection.execute("BEGIN")
        self._read_version()
        self._made_of = []
        if max(len(self._found), len(self._answers)) >= _MOST_FOUND:
            self._found.clear()
            self._answers.clear()

    def execute(
        self, statement: Select[Any], parameters: Mapping[str, object] | None = None
    ) -> _Kept:
        known = self._known.get(id(statement))
        if known is None and isinstance(statement, Query):
            known = self._known[id(statement)] = statement, statement.form(self.dialect.name)
        if known is None:
            if len(self._known) >= _MOST_COMPILED:
                self._known.clear()
                self._found.clear()
                self._answers.clear()
            # The cache keeps the statement, so that its id isn't reused.
            known = self._known[id(statement)] = statement, Compiled(statement, self.dialect)
        asked = known[1], tuple(known[1].values(parameters or {}))
        found = self._result(asked)
        self._made_of.append((asked, found))
        return found

    def unchanged(self, asked: object) -> _Answer | None:
        """The answer to a question if nobody has committed since; needs no transaction."""
        self._read_version()
        answer = self._answers.get(asked)
        return answer if answer is not None and answer.version == self._version else None

    def answer(self, asked: object, read: Callable[[], Any]) -> _Answer:
        """The answer to a question within a transaction; ``read`` makes it of results alone."""
        answer = self._answers.get(asked)
        if answer is not None and all(
            self._result(each) is found for each, found in answer.made_of
        ):
            answer.version = self._version
            return answer
        value = read()
        answer = self._answers[asked] = _Answer(value, self._made_of, self._version)
        return answer

    def _result(self, asked: _Asked) -> _Kept:
        known, values = asked
        found = self._found.get(asked)
        if found is not None and found.version == self._version:
            return found
        raw = self.connection.execute(known.sql, values).fetchall()
        if found is None or raw != found.raw:
            found = self._found[asked] = _Kept(raw, tuple(known.read(raw)))
        found.version = self._version
        return found

    def _read_version(self) -> None:
        (self._version,) = self.connection.execute("PRAGMA data_version").fetchone()


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
        try:
            reader = self._ready()
            try:
                reader.begin()
                yield cast("Connection", reader)
            finally:
                reader.connection.rollback()
        except sqlite3.Error as error:
            raise _not_at_once() from error

    def answer(self, read: Callable[..., Answer], *arguments: object) -> Answer:
        """As ``Database.answer``; the same answer again as long as its rows are the same."""
        asked = (read, arguments)
        try:
            found = self._ready().unchanged(asked)
        except sqlite3.Error as error:
            raise _not_at_once() from error
        if found is None:
            with self.read() as connection:
                reader = cast("_Reader", connection)
                found = reader.answer(asked, lambda: read(connection, *arguments))
        value: Answer = found.value
        return value

    def ask(self, reader: object, read: Callable[[Connection], Answer]) -> Answer:  # noqa: ARG002 - unused here
        """As ``Database.ask``."""
        with self.read() as connection:
            return read(connection)

    def write(self) -> NoReturn:
        raise AssertionError("short reads write nothing")

    def _ready(self) -> _Reader:
        if self.path is None:
            raise AssertionError("only a SQLite file is read without waiting")
        self._require_the_opened_file(self.path)
        if not self.calm.is_set():
            raise _not_at_once()
        self._reader = self._reader or self._opened(self.path)
        return self._reader

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


def _not_at_once() -> ServiceUnavailable:
    return unavailable("STORAGE_LOCKED", "Not at once.", "Wait for it.")

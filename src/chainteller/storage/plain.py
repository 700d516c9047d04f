"""Writes on plain connections: Core statements compiled once, and on PostgreSQL few round trips.

``Plain`` has the part of a SQLAlchemy connection that writes use. What isn't needed at once waits
(``later``) and is sent together with the next statement that is; what will be needed is sent ahead
of its turn (``ahead``). On SQLite, which has no round trips, everything runs at once.

A statement that cannot be compiled once (with a list of unknown length, or text) runs on the
SQLAlchemy connection, in its turn. Errors are SQLAlchemy's.
"""

from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, cast
from weakref import ref

from sqlalchemy import Connection, Insert
from sqlalchemy.engine import Dialect
from sqlalchemy.exc import DBAPIError

Values = Mapping[str, Any]
Then = Callable[["Found"], None]
_MOST = 1_000


class Found:
    """The result of a statement, with the methods of SQLAlchemy's result that writes use."""

    __slots__ = ("rowcount", "rows")

    def __init__(self, rows: list[Any], rowcount: int) -> None:
        self.rows = rows
        self.rowcount = rowcount

    def all(self) -> list[Any]:
        return self.rows

    def first(self) -> Any:
        return self.rows[0] if self.rows else None

    def one(self) -> Any:
        (row,) = self.rows
        return row

    def scalar(self) -> Any:
        return self.rows[0][0] if self.rows else None

    def scalar_one(self) -> Any:
        return self.one()[0]

    def scalars(self) -> "Found":
        return Found([row[0] for row in self.rows], self.rowcount)

    def mappings(self) -> "Found":
        return Found([row._asdict() for row in self.rows], self.rowcount)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.rows)


class _Compiled:
    """A statement as the driver takes it, and how its rows are read."""

    def __init__(self, statement: Any, dialect: Dialect, names: tuple[str, ...] | None) -> None:
        columns = None if names is None else list(names)
        compiled: Any = statement.compile(dialect=dialect, column_keys=columns)
        self.sql = str(compiled)
        self.is_plain = not (
            compiled.post_compile_params or compiled.literal_execute_params
            or compiled.escaped_bind_names
        )  # fmt: skip
        self._is_positional = compiled.positiontup is not None
        self._names = tuple(compiled.positiontup if self._is_positional else compiled.params)
        processors = compiled._bind_processors  # noqa: SLF001 - as SQLAlchemy's own results do
        defaults = {column.key: column.default for column in compiled.insert_prefetch}
        self.is_plain &= all(default.is_scalar for default in defaults.values())
        given = compiled.params | {name: each.arg for name, each in defaults.items()}
        self._parameters = tuple(
            (name, given.get(name), processors.get(name)) for name in self._names
        )
        entries = compiled._result_columns or ()  # noqa: SLF001 - the same
        readers = (entry.type.dialect_impl(dialect).result_processor(dialect, None)
                   for entry in entries)  # fmt: skip
        self._readers = tuple((at, read) for at, read in enumerate(readers) if read is not None)
        self.has_rows = bool(entries)
        names_of_rows = [entry.keyname for entry in entries]
        self._make = cast("Any", namedtuple)("row", names_of_rows, rename=True)._make

    def values(self, given: Values) -> Any:
        found = [
            process(value) if process else value
            for name, default, process in self._parameters
            for value in (given.get(name, default),)
        ]
        return found if self._is_positional else dict(zip(self._names, found, strict=True))

    def read(self, rows: Sequence[Sequence[Any]]) -> list[Any]:
        if not self._readers:
            return [self._make(row) for row in rows]
        found = []
        for row in rows:
            cells = list(row)
            for at, read in self._readers:
                cells[at] = read(cells[at])
            found.append(self._make(cells))
        return found


class _Step(NamedTuple):
    compiled: _Compiled
    values: Any
    then: Then | None


_Key = tuple[int, str, tuple[str, ...] | None]
_known: dict[_Key, tuple[Any, _Compiled | None]] = {}


def _compiled(statement: Any, dialect: Dialect, given: Values) -> _Compiled | None:
    """The compiled statement; None if it must run on SQLAlchemy's connection.

    A statement is compiled when it is met for the second time: one that is built anew for each
    use is left to SQLAlchemy, which knows it by its form.
    """
    names = tuple(given) if isinstance(statement, Insert) else None
    key = (id(statement), dialect.name, names)
    known = _known.get(key)
    if known is not None and known[0]() is statement:
        if known[1] is not None:
            return known[1] if known[1].is_plain else None
        made = _Compiled(statement, dialect, names)
        _known[key] = (known[0], made)
        return made if made.is_plain else None
    if len(_known) >= _MOST:
        _known.clear()
    with suppress(TypeError):
        _known[key] = (ref(statement), None)
    return None


class Plain:
    """A connection in a write transaction.

    Args:
        inner: has begun a transaction, of which PostgreSQL has only been told what ``opening``
            doesn't say.
        opening: statements that are sent before the first one.
    """

    def __init__(self, inner: Connection, opening: Sequence[str] = ()) -> None:
        self.inner = inner
        self.dialect = inner.dialect
        self._driver: Any = inner.connection.driver_connection
        self._is_postgres = inner.dialect.name == "postgresql"
        self._opening = list(opening)
        self._waiting: list[_Step] = []
        self._ahead: list[tuple[Any, dict[str, Any]]] = []
        self._found: dict[tuple[int, tuple[Any, ...]], Found] = {}

    # What SQLAlchemy's connection has

    def execute(
        self, statement: Any, parameters: Any = None, *, execution_options: Any = None
    ) -> Any:
        if isinstance(parameters, list):
            for each in parameters:
                self.later(statement, each)
            self.flush()
            return Found([], -1)
        given: Values = parameters or {}
        if self._found:
            found = self._found.pop((id(statement), tuple(given.values())), None)
            if found is not None:
                return found
        compiled = None if execution_options else _compiled(statement, self.dialect, given)
        if compiled is None:
            self._ahead.clear()
            self.flush()
            return self.inner.execute(statement, parameters, execution_options=execution_options)
        if not self._is_postgres:
            return self._at_once(compiled, given)
        kept: list[Found] = []
        self._waiting.append(_Step(compiled, compiled.values(given), kept.append))
        self._send()
        return kept[0]

    def scalars(self, statement: Any) -> Any:
        return self.execute(statement).scalars()

    def exec_driver_sql(self, statement: str) -> Any:
        self.flush()
        return self.inner.exec_driver_sql(statement)

    def commit(self) -> None:
        """Run what waits and commit, on PostgreSQL in one round trip."""
        if self._waiting and self._is_postgres:
            self._send(commit=True)
        self.inner.commit()

    def rollback(self) -> None:
        self._waiting.clear()
        self.inner.rollback()

    @property
    def connection(self) -> Any:
        """The pooled connection, for what the driver does quicker; what waits has run."""
        self.flush()
        return self.inner.connection

    def get_execution_options(self) -> Any:
        return self.inner.get_execution_options()

    # What it adds

    def later(self, statement: Any, parameters: Values, then: Then | None = None) -> None:
        """Run a statement before anything that follows; ``then`` takes its result."""
        compiled = _compiled(statement, self.dialect, parameters)
        if compiled is None:
            self.flush()
            result = self.inner.execute(statement, parameters)
            rows = list(result) if result.returns_rows else []
            if then is not None:
                then(Found(rows, result.rowcount))
            return
        if self._is_postgres:
            self._found.clear()
            self._waiting.append(_Step(compiled, compiled.values(parameters), then))
            return
        found = self._at_once(compiled, parameters)
        if then is not None:
            then(found)

    def ahead(self, statement: Any, parameters: dict[str, Any]) -> None:
        """Send a read with the next statement, whose result waits until the read's turn comes.

        It must not depend on what is written in between. On SQLite nothing is sent ahead.
        """
        if self._is_postgres:
            self._ahead.append((statement, parameters))

    def flush(self) -> None:
        """Run what waits."""
        if self._waiting or self._opening:
            self._send()

    def _send(self, *, commit: bool = False) -> None:
        steps, self._waiting = self._waiting, []
        for statement, parameters in self._ahead:
            compiled = _compiled(statement, self.dialect, parameters)
            if compiled is not None:
                key = (id(statement), tuple(parameters.values()))
                steps.append(_Step(compiled, compiled.values(parameters), self._keeper(key)))
        self._ahead.clear()
        opening, self._opening = self._opening, []
        for step, found in zip(steps, self._run(opening, steps, commit=commit), strict=True):
            if step.then is not None:
                step.then(found)

    def _keeper(self, key: tuple[int, tuple[Any, ...]]) -> Then:
        def keep(found: Found) -> None:
            self._found[key] = found

        return keep

    def _at_once(self, compiled: _Compiled, given: Values) -> Found:
        """Run a statement on SQLite. Raises DBAPIError."""
        errors: Any = self.dialect.dbapi
        try:
            cursor = self._driver.execute(compiled.sql, compiled.values(given))
            return _found(compiled, cursor)
        except errors.Error as error:
            raise self._explained(error, compiled.sql) from error

    def _run(self, opening: Sequence[str], steps: Sequence[_Step], *, commit: bool) -> list[Found]:
        """Results of all steps, in one pipeline of PostgreSQL. Raises DBAPIError."""
        errors: Any = self.dialect.dbapi
        try:
            with self._driver.pipeline():
                for each in opening:
                    self._driver.execute(each)
                cursors = [self._driver.execute(step.compiled.sql, step.values) for step in steps]
                if commit:
                    self._driver.execute("COMMIT")
            return [
                _found(step.compiled, cursor) for step, cursor in zip(steps, cursors, strict=True)
            ]
        except errors.Error as error:
            sql = steps[0].compiled.sql if len(steps) == 1 else None
            raise self._explained(error, sql) from error

    def _explained(self, error: Any, sql: str | None) -> Exception:
        """The driver's error as SQLAlchemy's; a lost connection leaves the pool."""
        lost = self.dialect.is_disconnect(error, self._driver, None)
        if lost:
            self.inner.invalidate(error)
            self.inner.engine.dispose(close=False)  # those in the pool are lost too
        base: Any = self.dialect.dbapi
        explained: Exception = DBAPIError.instance(
            sql, None, error, base.Error, connection_invalidated=lost, dialect=self.dialect
        )
        return explained


def _found(compiled: _Compiled, cursor: Any) -> Found:
    rows = compiled.read(cursor.fetchall()) if compiled.has_rows else []
    return Found(rows, cursor.rowcount)


def later(
    connection: Connection, statement: Any, parameters: Values, then: Then | None = None
) -> None:
    """As ``Plain.later``, on whichever connection."""
    if isinstance(connection, Plain):
        connection.later(statement, parameters, then)
        return
    result = connection.execute(statement, parameters)
    if then is not None:
        then(Found(list(result) if result.returns_rows else [], result.rowcount))


def ahead(connection: Connection, statement: Any, parameters: dict[str, Any]) -> None:
    """As ``Plain.ahead``; nothing on another connection."""
    if isinstance(connection, Plain):
        connection.ahead(statement, parameters)

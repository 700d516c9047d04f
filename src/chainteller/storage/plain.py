"""Plain connections: Core statements compiled once, and on PostgreSQL few round trips.

``Plain`` has the part of a SQLAlchemy connection that operations use. What isn't needed at once
waits (``later``) and is sent together with the next statement that is; what will be needed is sent
ahead of its turn (``ahead``). On SQLite, which has no round trips, everything runs at once.

A statement that cannot be compiled once (with a list of unknown length, or text) runs on the
SQLAlchemy connection, in its turn. Errors are SQLAlchemy's.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from chainteller.storage.compiled import Compiled, Step, compiled
from chainteller.storage.db.query import Form, Found, Query, Then, Values
from chainteller.storage.faults import NOT_PREPARED, SESSION_CHANGED
from chainteller.storage.lost_connections import lose

if TYPE_CHECKING:
    from chainteller.storage.pipeline import Session

_COMMIT = Step("COMMIT")
_SESSION = "session"
"""Where a pooled connection keeps its ``Session``."""
_PREPARES = "prepares"
"""The engine's option whether its sessions may prepare statements."""


_Key = tuple[int, tuple[Any, ...]]


class _Waiting(NamedTuple):
    """A statement that was not sent yet."""

    known: Compiled | Form
    values: Sequence[Any]
    then: Then | None


class Plain:
    """A connection in a transaction.

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
        self._opening = [Step(each) for each in opening]
        self._waiting: list[_Waiting] = []
        self._ahead: list[_Waiting] = []
        self._found: dict[_Key, Found] = {}

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
            found = self._found.pop(_key(statement, given), None)
            if found is not None:
                return found
        known = None if execution_options else compiled(statement, self.dialect, given)
        if known is None:
            self._ahead.clear()
            self.flush()
            return self.inner.execute(statement, parameters, execution_options=execution_options)
        if not self._is_postgres:
            return self._at_once(known, given)
        kept: list[Found] = []
        self._waiting.append(_Waiting(known, known.values(given), kept.append))
        self._send()
        return kept[0]

    def scalars(self, statement: Any) -> Any:
        return self.execute(statement).scalars()

    def exec_driver_sql(self, statement: str, parameters: Any = None) -> Any:
        self.flush()
        return self.inner.exec_driver_sql(statement, parameters)

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

    @property
    def engine(self) -> Engine:
        return self.inner.engine

    def get_execution_options(self) -> Any:
        return self.inner.get_execution_options()

    # What it adds

    def later(self, statement: Any, parameters: Values, then: Then | None = None) -> None:
        """Run a statement before anything that follows; ``then`` takes its result."""
        known = compiled(statement, self.dialect, parameters)
        if known is None:
            self.flush()
            result = self.inner.execute(statement, parameters)
            rows = list(result) if result.returns_rows else []
            if then is not None:
                then(Found(rows, result.rowcount))
            return
        if self._is_postgres:
            self._found.clear()
            self._waiting.append(_Waiting(known, known.values(parameters), then))
            return
        found = self._at_once(known, parameters)
        if then is not None:
            then(found)

    def ahead(self, statement: Any, parameters: dict[str, Any]) -> None:
        """Send a read with the next statement, whose result waits until the read's turn comes.

        It must not depend on what is written in between. On SQLite nothing is sent ahead.
        """
        known = compiled(statement, self.dialect, parameters) if self._is_postgres else None
        if known is not None:
            keep = self._keeper(_key(statement, parameters))
            self._ahead.append(_Waiting(known, known.values(parameters), keep))

    def flush(self) -> None:
        """Run what waits."""
        if self._waiting or self._opening:
            self._send()

    def _send(self, *, commit: bool = False) -> None:
        waiting = [*self._waiting, *self._ahead]
        opening, self._opening = self._opening, []
        self._waiting, self._ahead = [], []
        steps = [*opening, *(Step(each.known, each.values) for each in waiting)]
        if commit:
            steps.append(_COMMIT)
        found = self._run(steps)[len(opening) :]
        for each, result in zip(waiting, found, strict=False):
            if each.then is not None:
                each.then(result)

    def _keeper(self, key: _Key) -> Then:
        def keep(found: Found) -> None:
            self._found[key] = found

        return keep

    def _at_once(self, known: Compiled | Form, given: Values) -> Found:
        """Run a statement on SQLite. Raises DBAPIError."""
        errors: Any = self.dialect.dbapi
        try:
            cursor = self._driver.execute(known.sql, known.values(given))
            rows = known.read(cursor.fetchall()) if known.has_rows else []
        except errors.Error as error:
            raise self._explained(error, known.sql) from error
        return Found(rows, cursor.rowcount)

    def _run(self, steps: Sequence[Step]) -> list[Found]:
        """Results of all steps, in one round trip to PostgreSQL. Raises DBAPIError."""
        errors: Any = self.dialect.dbapi
        try:
            return session_of(self.inner).run(steps)
        except errors.Error as error:
            sql = steps[0].sql if len(steps) == 1 else None
            raise self._explained(error, sql) from error

    def _explained(self, error: Any, sql: str | None) -> Exception:
        """The driver's error as SQLAlchemy's; a lost connection leaves the pool."""
        state = getattr(error, "sqlstate", None)
        if state in SESSION_CHANGED:
            self.inner.engine.update_execution_options(**{_PREPARES: False})
        lost = state in NOT_PREPARED or self.dialect.is_disconnect(error, self._driver, None)
        if lost:
            lose(self.inner, error)
        base: Any = self.dialect.dbapi
        explained: Exception = DBAPIError.instance(
            sql, None, error, base.Error, connection_invalidated=lost, dialect=self.dialect
        )
        return explained


def _key(statement: Any, given: Values) -> _Key:
    """Which read it is; a list is compared by what it has."""
    values = (tuple(each) if isinstance(each, list) else each for each in given.values())
    return id(statement), tuple(values)


def session_of(inner: Connection) -> "Session":
    """What runs statements on a pooled connection to PostgreSQL, for as long as that is open."""
    kept = inner.connection.info
    session: Session | None = kept.get(_SESSION)
    if session is None:
        from chainteller.storage import pipeline  # noqa: PLC0415 - psycopg is an extra

        driver: Any = inner.connection.driver_connection
        prepares = inner.get_execution_options().get(_PREPARES, True)
        session = kept[_SESSION] = pipeline.Session(driver, prepares=prepares)
    return session


def _execute(query: Query, connection: Connection, parameters: Any, _options: Any) -> Found:
    """Run a query on a connection of SQLAlchemy, which calls this."""
    found: Found = Plain(connection).execute(query, dict(parameters[0]) if parameters else {})
    return found


setattr(Query, "_execute_on_connection", _execute)  # noqa: B010 - the name is SQLAlchemy's

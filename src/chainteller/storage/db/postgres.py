"""PostgreSQL connections without session state.

A pooler such as pgbouncer may use another session for each transaction. So nothing lasts longer
than a transaction: timeouts are SET LOCAL, in the round trip that begins it, and advisory locks are
those of transactions. Statements are prepared only where there is no pooler (``Pipeline``).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.types.numeric import IntLoader

from chainteller.storage.db.errors import (
    LOST_STATES,
    NOT_PREPARED,
    SESSION_CHANGED,
    DatabaseError,
)
from chainteller.storage.db.faults import unavailable
from chainteller.storage.db.group_commit import Begin
from chainteller.storage.db.joint_writes import JointWriters
from chainteller.storage.db.pipeline import Pipeline, Step
from chainteller.storage.db.pipelined import COMMIT, DIALECT, PipelinedSession
from chainteller.storage.db.pool import Pool, Pooled
from chainteller.storage.db.query import (
    BATCH,
    NONE,
    Found,
    Shared,
    Statement,
    Values,
)
from chainteller.storage.db.session import GATE, Sessions

_ENCODING = "UTF8"
LOCK_TIMEOUT_S = 2
STATEMENT_TIMEOUT_S = 10
_IDLE_TIMEOUT_S = 15
_POOL_WAIT_S = 5
_KEPT = 20
"""Connections kept open: one per thread of a server, and some for its due work."""
_TIMEOUTS_S = {
    "lock_timeout": LOCK_TIMEOUT_S,
    "statement_timeout": STATEMENT_TIMEOUT_S,
    "idle_in_transaction_session_timeout": _IDLE_TIMEOUT_S,
}
_BEGIN_WRITES = "BEGIN ISOLATION LEVEL READ COMMITTED"
_BEGIN_READS = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
_SET_LIMITS = "SELECT " + ", ".join(
    f"set_config('{name}', '{most}s', true)" for name, most in _TIMEOUTS_S.items()
)
WRITING_UNGATED = (_BEGIN_WRITES, _SET_LIMITS)
"""What a session sends before its first statement. READ COMMITTED is sufficient, because every
decision is made on a locked row. READ WRITE isn't set, to respect an operator's read-only default.
"""
_GATE_TIMEOUT_S = 8
_SHARE_GATE_AND_SET_LIMITS = (
    f"SELECT set_config('lock_timeout', '{_GATE_TIMEOUT_S}s', true), "
    f"pg_advisory_xact_lock_shared({GATE}), "
) + _SET_LIMITS.removeprefix("SELECT ")
"""In the same round trip, a transaction waits for an upgrade, longer than for a record."""
WRITING = (_BEGIN_WRITES, _SHARE_GATE_AND_SET_LIMITS)
READING = (_BEGIN_READS, _SHARE_GATE_AND_SET_LIMITS)
"""All statements of a read see the same rows, as on SQLite."""
READING_PATIENTLY = (_BEGIN_READS,)
_DEFAULTS = {
    "connect_timeout": 5,
    "application_name": "chainteller",
    "keepalives_idle": 30,
    "tcp_user_timeout": 15_000,
}
"""Defaults of a connection, which the URL can override; they detect a lost server in time."""


_STREAMS = count(1)


class PostgresSession(PipelinedSession):
    """A transaction on a connection of its own."""

    def __init__(
        self,
        pool: Pool,
        shared: Shared,
        opening: Sequence[str] = (),
        *,
        taken: Pooled | None = None,
    ) -> None:
        super().__init__(shared)
        self._pool = pool
        self._is_fixed = taken is not None
        self._taken: Pooled | None = taken or pool.take()
        self._opening = opening
        self._is_begun = False
        self._is_lost = False

    def stream(
        self, query: Statement, values: Values = NONE, *, batch: int = BATCH
    ) -> Iterator[Any]:
        form = query.postgresql
        try:
            with self.driver.cursor(f"stream_{next(_STREAMS)}") as cursor:
                cursor.execute(form.sql, values)
                while rows := cursor.fetchmany(batch):
                    yield from form.read(rows)
        except psycopg.Error as error:
            raise self._explained(error) from error

    def flush(self) -> None:
        if self.waiting or not self._is_begun:
            self._send()

    def commit(self) -> None:
        """Run what waits and commit, in one round trip."""
        if self.waiting:
            self._send(commit=True)
        elif self._is_begun:
            self.answers([COMMIT])

    def rollback(self) -> None:
        self.waiting.clear()
        if not self._is_lost and self.statements.is_in_transaction:
            self.answers([Step("ROLLBACK")])

    def close(self) -> None:
        """The end of a transaction that wrote nothing is sent, and isn't waited for."""
        if self._taken is not None:
            is_whole = self._ended()
            taken, self._taken = self._taken, None
            self._pool.give_back(taken, is_lost=not is_whole)

    def _ended(self) -> bool:
        """Whether the connection can be used again, after the end of its transaction was sent."""
        taken = self.taken
        if self._is_lost or taken.driver.closed:
            return False
        try:
            if taken.statements is not None and taken.statements.is_in_transaction:
                taken.statements.end()
        except psycopg.Error:
            return False
        return True

    @property
    def taken(self) -> Pooled:
        """The connection. Raises AssertionError: it was given back."""
        if self._taken is None:
            raise AssertionError("the session is closed")
        return self._taken

    @property
    def driver(self) -> psycopg.Connection[Any]:
        self.flush()
        self.statements.settle()
        driver: psycopg.Connection[Any] = self.taken.driver
        return driver

    @property
    def statements(self) -> Pipeline:
        """What runs statements on the connection, for as long as that is open."""
        taken = self.taken
        if taken.statements is None:
            taken.statements = Pipeline(taken.driver, prepares=self._pool.prepares)
        found: Pipeline = taken.statements
        return found

    @property
    def server(self) -> dict[str, str | int]:
        return self.statements.server

    def run(self, steps: Sequence[Step]) -> list[Found]:
        """The first round trip shows whether the server dropped the connection: then it is made
        again on another one, unless it commits."""
        is_first, self._is_begun = not self._is_begun, True
        opening = [Step(each) for each in self._opening] if is_first else []
        return self._sent([*opening, *steps], is_first=is_first)[len(opening) :]

    def _sent(self, every: list[Step], *, is_first: bool) -> list[Found]:
        """Results of ``every`` step, those that begin a transaction included."""
        try:
            return self._tried(every)
        except DatabaseError as error:
            is_committing = bool(every) and every[-1] is COMMIT
            if not (error.is_lost and is_first) or is_committing or self._is_fixed:
                raise
            taken, self._taken = self.taken, None
            self._pool.give_back(taken, is_lost=True)
            self._taken, self._is_lost = self._pool.take(), False
            return self._tried(every)

    def _tried(self, steps: list[Step]) -> list[Found]:
        try:
            return self.statements.run(steps)
        except psycopg.Error as error:
            raise self._explained(error) from error
        except BaseException:
            self._is_lost = True  # in the middle of something
            raise

    def _explained(self, error: Exception) -> DatabaseError:
        state = getattr(error, "sqlstate", None) or ""
        if state in SESSION_CHANGED:
            self._pool.prepares = False
        is_closed = self.taken.driver.closed or state.startswith(LOST_STATES)
        self._is_lost = is_closed or state in NOT_PREPARED
        if self._is_lost:
            self._pool.lose(self.taken)
        return DatabaseError(error, is_lost=self._is_lost)


def _options(url: str) -> Mapping[str, Any]:
    """The options of a URL. Raises ValueError: it can't be read."""
    try:
        given = conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:
        raise ValueError(str(error)) from error
    hosts = str(given.get("host") or "").split(",")
    ports = str(given.get("port") or "0").split(",")
    if (len(hosts) > 1 and not all(hosts)) or not all(
        re.fullmatch("[0-9]*", each) for each in ports
    ):
        raise ValueError("of several hosts, each is named, and a port is a number")
    return given


class PostgresSessions(Sessions):
    """Sessions on a server, on connections that are kept open.

    Args:
        url: as libpq reads it, with one host or several.
        shared: what the sessions share.

    Raises:
        ValueError: the URL can't be read.
    """

    dialect = DIALECT

    def __init__(self, url: str, shared: Shared) -> None:
        super().__init__(shared)
        given = _options(url)
        self._url = url
        self._defaults: Any = {name: each for name, each in _DEFAULTS.items() if name not in given}
        self.pool = Pool(self.connect, kept=_KEPT, most=_KEPT + _KEPT // 2, wait_s=_POOL_WAIT_S)

    def writers(self, begin: Begin) -> JointWriters:
        return JointWriters(begin, self.shared)

    def connect(self) -> psycopg.Connection[Any]:
        """Open a connection.

        Raises:
            DatabaseError.
            ServiceUnavailable: ENCODING, texts would come as bytes, or not all of them fit.
        """
        try:
            opened = psycopg.connect(
                self._url, autocommit=True, prepare_threshold=None, **self._defaults
            )
        except psycopg.Error as error:
            raise DatabaseError(error) from error
        encoding = opened.info.parameter_status("server_encoding")
        if encoding not in (None, _ENCODING):
            opened.close()
            raise unavailable(
                "ENCODING",
                f"The database has the encoding {encoding}.",
                f"Create it with {_ENCODING}: createdb --encoding {_ENCODING} --template template0 "
                "NAME",
            )
        # Numbers without a point are whole: a Decimal of each takes longer than all else of a row.
        opened.adapters.register_loader("numeric", IntLoader)
        return opened

    def reading(self, *, patient: bool = False) -> PostgresSession:
        return PostgresSession(self.pool, self.shared, READING_PATIENTLY if patient else READING)

    def writing(self, *, is_gated: bool = True) -> PostgresSession:
        opening = WRITING if is_gated else WRITING_UNGATED
        return PostgresSession(self.pool, self.shared, opening)

    def looking(self) -> PostgresSession:
        return PostgresSession(self.pool, self.shared)

"""Statements on a connection of psycopg that are sent together and answered in one round trip.

A cursor of psycopg costs more than the database needs for a short statement, so this speaks to
libpq by ``psycopg.pq`` and leaves the reading of values to psycopg. ``benchmarks/reads.py`` shows
what it saves.
"""

import hashlib
from collections.abc import Callable, Generator, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from psycopg import Connection, DataError, OperationalError
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result
from psycopg.pq import ConnStatus, ExecStatus, TransactionStatus
from psycopg.waiting import Ready, Wait

from chainteller.storage.db.query import Form, Found

if TYPE_CHECKING:
    from psycopg.pq.abc import PGresult

_FAILED = (ExecStatus.FATAL_ERROR, ExecStatus.PIPELINE_ABORTED)
Answers = Generator[Wait, Ready | int, list["PGresult"]]
WaitFor = Callable[[Answers], list["PGresult"]]
_REMEMBERED = 2_048
_MOST_PREPARED = 256
"""Statements that a session keeps prepared; the database keeps a plan of each."""


class Step(NamedTuple):
    """What is run: a statement with its values in order, or a text without any."""

    what: Form | str
    values: Sequence[Any] = ()

    @property
    def sql(self) -> str:
        return self.what if isinstance(self.what, str) else self.what.sql


_ROLLBACK = b"ROLLBACK"


class Statement(NamedTuple):
    """A statement as libpq takes it. The name follows from the text, so that a name never means
    another text, whoever prepared it."""

    name: bytes
    text: bytes


@lru_cache(_REMEMBERED)
def _statement(what: Form | str) -> Statement:
    """From a text with ``%(name)s`` for a parameter and ``%%`` for %."""
    sql, names = (what, ()) if isinstance(what, str) else (what.sql, what.names)
    text = (sql % {name: f"${at}" for at, name in enumerate(names, 1)}).encode()
    return Statement(b"ct_" + hashlib.sha256(text).hexdigest()[:32].encode(), text)


class Pipeline:
    """A connection of psycopg. Not safe to share between threads.

    Statements are prepared if the session is the connection's own. A pooler such as pgbouncer may
    give each transaction another one: then the process that answers isn't the one whose number was
    told when the connection was opened.

    Args:
        driver: an open connection outside of a transaction.
        prepares: whether statements may be prepared.
    """

    def __init__(self, driver: Connection[Any], *, prepares: bool = True) -> None:
        self.wait: WaitFor = driver.wait
        """Waits for what arrives; whoever waits in another way puts this one back."""
        self._pg = driver.pgconn
        self._encoding = driver.info.encoding
        self.driver = driver
        self._readers: dict[bytes, Any] = {}
        """What reads the results of prepared statements, whose columns stay the same."""
        self._prepares = prepares and _is_own(driver)
        self._prepared: set[bytes] = set()
        self._is_owed = False
        """Whether an answer is on its way that nobody waits for."""

    def run(self, steps: Sequence[Step]) -> list[Found]:
        """The results of all steps.

        Raises:
            psycopg.Error: a step failed; those after it did not run.
        """
        pg = self._pg
        ready = [
            (_statement(step.what), [self._encoded(value) for value in step.values])
            for step in steps
        ]
        if not self._is_owed:
            pg.enter_pipeline_mode()
        new = [self._send(statement, values) for statement, values in ready]
        pg.pipeline_sync()
        self.settle()
        results = iter(self.wait(self._answers()))
        pg.exit_pipeline_mode()
        found, unprepared = [], set(new)
        try:
            for step, (statement, _), name in zip(steps, ready, new, strict=True):
                if name is not None:
                    self._check(next(results))
                    unprepared.discard(name)
                found.append(self._found(step, statement.name, next(results)))
        finally:
            self._prepared -= unprepared
        return found

    def end(self) -> None:
        """Roll back without waiting for the answer, which comes before that of the next steps."""
        pg = self._pg
        pg.enter_pipeline_mode()
        pg.send_query_params(_ROLLBACK, None)
        pg.pipeline_sync()
        pg.flush()
        self._is_owed = True

    def settle(self) -> None:
        """Wait for the answer that is owed."""
        if self._is_owed:
            self.wait(self._answers())
            self._is_owed = False

    def take_owed(self) -> bool:
        """Take what has arrived of the answer that is owed; False if nothing else may arrive."""
        pg = self._pg
        if not self._is_owed:
            return False
        pg.consume_input()
        while not pg.is_busy():
            result = pg.get_result()
            if result is not None and result.status == ExecStatus.PIPELINE_SYNC:
                self._is_owed = False
                pg.exit_pipeline_mode()
                return True
            if result is None and pg.status != ConnStatus.OK:
                return False
        return True

    @cached_property
    def server(self) -> dict[str, str | int]:
        """Which database it is, for spans."""
        info = self.driver.info
        return {
            "db.namespace": info.dbname,
            "server.address": info.host,
            "server.port": info.port,
        }

    @property
    def is_in_transaction(self) -> bool:
        return not self._is_owed and self._pg.transaction_status != TransactionStatus.IDLE

    def _send(self, statement: Statement, values: list[bytes | None]) -> bytes | None:
        """Send a statement; its name if it is prepared first, which has a result of its own.

        It's prepared where it is first used and no sooner: the beginning of a transaction comes
        before anything that takes a snapshot, as preparing does.
        """
        pg, (name, text) = self._pg, statement
        if name in self._prepared:
            pg.send_query_prepared(name, values)
            return None
        if not self._prepares or len(self._prepared) >= _MOST_PREPARED:
            pg.send_query_params(text, values)
            return None
        self._prepared.add(name)
        pg.send_prepare(name, text)
        pg.send_query_prepared(name, values)
        return name

    def _encoded(self, value: object) -> bytes | None:
        """A value in PostgreSQL's text form. Raises psycopg.DataError."""
        match value:
            case None:
                return None
            case str():
                if "\0" in value:
                    raise DataError("PostgreSQL text cannot contain NUL bytes")
                return value.encode(self._encoding)
            case bool():
                return b"t" if value else b"f"
            case int():
                return b"%d" % value
            case list():
                return _array(value).encode(self._encoding)
            case bytes():
                return b"\\x" + value.hex().encode()
            case _:
                raise DataError(f"a value of {type(value).__name__} has no form here")

    def _answers(self) -> Answers:
        """All results up to that of the synchronisation; yields what to wait for."""
        pg = self._pg
        found: list[PGresult] = []
        unsent = pg.flush()
        while True:
            while unsent or pg.is_busy():
                ready = yield Wait.RW if unsent else Wait.R
                if ready & Ready.R:
                    self._receive(found)
                if unsent:
                    unsent = pg.flush()
            result = pg.get_result()
            if result is None:
                if pg.status != ConnStatus.OK:
                    raise OperationalError("the connection is lost")
                continue
            if result.status == ExecStatus.PIPELINE_SYNC:
                return found
            found.append(result)

    def _receive(self, found: list["PGresult"]) -> None:
        """Take what has arrived. Raises psycopg.Error: the connection is lost, for the reason that
        the server gave before it closed it, if it gave one.
        """
        try:
            self._pg.consume_input()
        except OperationalError:
            for result in found:
                self._check(result)
            raise

    def _check(self, result: "PGresult") -> None:
        """Raises psycopg.Error if a statement failed."""
        if result.status in _FAILED:
            raise error_from_result(result, self._encoding)

    def _found(self, step: Step, name: bytes, result: "PGresult") -> Found:
        self._check(result)
        if isinstance(step.what, str) or not step.what.has_rows:
            changed = result.command_tuples
            return Found([], -1 if changed is None else changed)
        reader = self._readers.get(name)
        if reader is None:
            reader = Transformer(self.driver)
            reader.set_pgresult(result)
            if name in self._prepared:
                self._readers[name] = reader
        else:
            reader.set_pgresult(result, set_loaders=False)
        rows = reader.load_rows(0, result.ntuples, tuple)
        return Found(step.what.read(rows), result.ntuples)


def _array(values: Sequence[object]) -> str:
    """A list in PostgreSQL's text form."""
    quoted = (str(each).replace("\\", "\\\\").replace('"', '\\"') for each in values)
    return "{" + ",".join(f'"{each}"' for each in quoted) + "}"


def _is_own(driver: Connection[Any]) -> bool:
    return driver.execute("SELECT pg_backend_pid()").fetchone() == (driver.info.backend_pid,)

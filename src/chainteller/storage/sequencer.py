"""The sequencer: numbers what is committed on PostgreSQL, beside the writes.

A server and a console have a thread for it. A command, which has none, numbers after each of its
writes. Any number of processes may do so; they take turns.
"""

import logging
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from time import monotonic
from typing import NamedTuple

from sqlalchemy import Connection, func, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from chainteller.service.errors import ServiceUnavailable
from chainteller.storage import ledger, numbering
from chainteller.storage.database import Database
from chainteller.storage.faults import explain, is_lost, is_transient
from chainteller.storage.tables import Tables

INTERVAL_S = 0.1
"""The longest pause: another process may have been killed before it numbered what it wrote."""
LATE_S = 5.0
"""A delay that operators are told of."""
_PACE_S = 0.01
"""The shortest pause: what is committed meanwhile is numbered together."""
_AFTER_A_FAULT_S = 1.0
_SETTLE_S = 2.0
_BOOKS_EVERY_S = 5.0
_TRIES = 5
_GATE_TRIES = 40
_GATE_TIMEOUT = text("SET LOCAL lock_timeout = '250ms'")
_PATIENCE = text("SET LOCAL lock_timeout = '30s'")
_SHUT = select(func.pg_advisory_xact_lock(numbering.GATE))
_ANY = select(select(Tables.unnumbered.c.position).exists())
_DELAY = text(
    "SELECT extract(epoch FROM clock_timestamp()) - min(written) / 1000000.0, count(*) "
    "FROM unnumbered"
)
_BLOCKING = text("""
SELECT coalesce('process ' || l.pid || coalesce(' (' || nullif(a.application_name, '') || ')', ''),
                'the prepared transaction ' || p.gid, 'another transaction')
FROM pg_locks l
LEFT JOIN pg_stat_activity a ON a.pid = l.pid
LEFT JOIN pg_locks x ON l.pid IS NULL AND x.pid IS NULL AND x.locktype = 'transactionid'
AND x.virtualtransaction = l.virtualtransaction
LEFT JOIN pg_prepared_xacts p ON p.transaction = x.transactionid
WHERE l.granted AND l.pid IS DISTINCT FROM pg_backend_pid()
AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
AND (l.relation = 'head'::regclass AND l.mode <> 'AccessShareLock'
     OR l.relation = 'unnumbered'::regclass AND l.mode LIKE '%Share%Exclusive%'
     OR l.relation = 'unnumbered'::regclass AND l.mode = 'AccessExclusiveLock')
ORDER BY coalesce(a.xact_start, p.prepared) LIMIT 1
""")
"""The oldest transaction that holds what the sequencer needs. Writes hold none of it."""
_log = logging.getLogger(__name__)


class Delay(NamedTuple):
    """How long the oldest write has waited for its number, in seconds, how many wait, and which
    transaction holds what the sequencer needs, in words; empty for none."""

    seconds: float = 0
    waiting: int = 0
    blocked_by: str = ""


class Sequencer:
    """The thread of one process that numbers. ``start`` and ``stop`` are for its owner."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._stopping = threading.Event()
        self._looked_at = 0.0
        self._thread = threading.Thread(target=self._run, name="sequencer", daemon=True)

    def start(self) -> None:
        self._database.backlog.has_sequencer = True
        self._thread.start()

    def stop(self, timeout_s: float = 10.0) -> None:
        """Number what is committed, and end."""
        self._stopping.set()
        self._database.backlog.woken.set()
        if self._thread.is_alive():
            self._thread.join(timeout_s)
        self._database.backlog.has_sequencer = False

    def _run(self) -> None:
        backlog = self._database.backlog
        told = ""
        while True:
            if backlog.woken.wait(INTERVAL_S):
                self._stopping.wait(_PACE_S)
            ends = self._stopping.is_set()
            backlog.woken.clear()
            try:
                self._number(wait=ends)
                self._look_at_books()
                told = ""
            except ServiceUnavailable as error:
                reason = str(error.details.get("reason"))
                if reason != told:
                    _log.warning("numbers have to wait: %s", reason)
                told = reason
                self._stopping.wait(_AFTER_A_FAULT_S)
            if ends:
                return

    def _number(self, *, wait: bool) -> None:
        if is_settled(self._database):
            return
        if not catch_up(self._database, wait=wait):
            self._database.backlog.woken.set()

    def _look_at_books(self) -> None:
        """Close what would take more from an account of the bank that is below zero."""
        if monotonic() - self._looked_at < _BOOKS_EVERY_S:
            return
        self._looked_at, backlog = monotonic(), self._database.backlog
        try:
            with self._database.look() as connection:
                found = ledger.overdrawn(connection)
        except (DBAPIError, PoolTimeout) as error:
            raise explain(error) from error
        if found - backlog.overdrawn:
            _log.error("below zero: %s", ", ".join(" ".join(key) for key in sorted(found)))
        backlog.overdrawn = found


def after_commit(database: Database) -> None:
    """See to it that what a transaction has just put on record gets its number.

    It is committed, so a fault is only logged: the next write numbers it, or the next server.
    """
    backlog = database.backlog
    backlog.committed()
    if backlog.has_sequencer:
        return
    try:
        catch_up(database, wait=True)
    except ServiceUnavailable as error:
        _log.warning("numbers have to wait: %s", error.details.get("reason"))


def is_settled(database: Database) -> bool:
    """Whether nothing waits for its number; one round trip.

    Raises:
        ServiceUnavailable: the database cannot be used.
    """
    mark = database.backlog.mark()
    try:
        with database.look() as connection:
            waits = connection.execute(_ANY).scalar_one()
    except (DBAPIError, PoolTimeout) as error:
        raise explain(error) from error
    if not waits:
        database.backlog.numbered(mark)
    return not waits


def catch_up(database: Database, *, wait: bool = True, patient: bool = False) -> bool:
    """Number everything that is committed; False if another process is doing so.

    On SQLite there is nothing to do.

    Args:
        database: an open one.
        wait: for another process that is numbering.
        patient: until that has numbered as many as it may at once, on a busy machine too.

    Raises:
        ServiceUnavailable: the database cannot be used.
    """
    if not database.is_postgres:
        return True
    mark = database.backlog.mark()
    for left in reversed(range(_TRIES)):
        try:
            if not _number_all(database, wait=wait, patient=patient):
                return False
            database.backlog.numbered(mark)
        except (DBAPIError, PoolTimeout) as error:
            again = isinstance(error, DBAPIError) and (is_transient(error) or is_lost(error))
            if not (again and left):
                raise explain(error) from error
        else:
            break
    return True


def _number_all(database: Database, *, wait: bool, patient: bool) -> bool:
    while True:
        with database.write() as connection:
            if patient:
                connection.execute(_PATIENCE)
            count = numbering.number_next(connection, wait=wait)
            if count:
                connection.commit()
        if count is None:
            return False
        if count < numbering.TOGETHER:
            return True


def settle(database: Database) -> None:
    """Wait until everything that this process has committed has its number, but not for ever:
    for reads of numbered records that follow a write."""
    database.backlog.settle(_SETTLE_S)


def delay(database: Database) -> Delay:
    """How long numbers are late, and why.

    Raises:
        ServiceUnavailable: the database cannot be used.
    """
    if not database.is_postgres:
        return Delay()
    try:
        with database.look() as connection:
            seconds, waiting = connection.execute(_DELAY).one()
            if seconds is None or seconds < LATE_S:
                return Delay(float(seconds or 0), waiting)
            return Delay(float(seconds), waiting, connection.execute(_BLOCKING).scalar() or "")
    except (DBAPIError, PoolTimeout) as error:
        raise explain(error) from error


@contextmanager
def numbered_snapshot(database: Database) -> Iterator[Connection]:
    """One view of the whole database, without time limits, in which everything has its number.

    Writes may go on. If they leave no moment without one that waits for its number, their commits
    are held up for a few round trips.

    Raises:
        ServiceUnavailable: the database cannot be used, or not be written to while something in
            it has no number; STORAGE_LOCKED if a transaction that is on record doesn't end.
    """
    if not database.is_postgres:
        with database.read(patient=True) as connection:
            yield connection
        return
    with ExitStack() as stack:
        connection = stack.enter_context(database.read(patient=True))
        if connection.execute(_ANY).scalar_one():
            stack.close()
            catch_up(database, patient=True)
            connection = stack.enter_context(database.read(patient=True))
        if connection.execute(_ANY).scalar_one():
            stack.close()
            with _shut_gate(database):
                catch_up(database, patient=True)
                connection = stack.enter_context(database.read(patient=True))
                connection.execute(_ANY).scalar_one()  # from here on, this is what it sees
        yield connection


@contextmanager
def _shut_gate(database: Database) -> Iterator[None]:
    """Let no transaction commit what it puts on record; those under way are waited for."""
    for left in reversed(range(_GATE_TRIES)):
        with ExitStack() as stack:
            try:
                gate = stack.enter_context(database.write())
                gate.execute(_GATE_TIMEOUT)
                gate.execute(_SHUT)
            except (DBAPIError, PoolTimeout) as error:
                if left and isinstance(error, DBAPIError) and is_transient(error):
                    continue
                raise explain(error) from error
            yield
            return

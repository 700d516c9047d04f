"""Commit transactions, even if the connection is lost during the commit."""

import time
from functools import partial

from chainteller.service.errors import ServiceUnavailable
from chainteller.storage.database import Database
from chainteller.storage.db.errors import DatabaseError
from chainteller.storage.db.faults import explain, is_lost, unavailable
from chainteller.storage.db.group_commit import Result, Unit
from chainteller.storage.db.query import Session
from chainteller.storage.db.transactions import ELSEWHERE, STATUS

_LOOKS = 40
_PAUSE_S = 0.05


def transact(database: Database, unit: Unit[Result]) -> Result:
    """Run a unit of work and commit it; on SQLite, together with other waiting units.

    Raises:
        DatabaseError: nothing was changed; if the error is transient, the unit may run again.
        ServiceUnavailable: as ``commit``.
    """
    try:
        if database.path is not None:
            return database.writers.run(unit, partial(commit, database))
        with database.write() as connection:
            return unit(connection, partial(commit, database, connection))
    except DatabaseError as error:
        database.writing.failed(explain(error))
        raise


def commit(database: Database, connection: Session, number: str | None) -> None:
    """Commit; if the connection is lost, ask PostgreSQL whether the transaction is committed.

    Args:
        database: used for asking on another connection.
        connection: in a write transaction.
        number: ``NUMBER`` of the transaction, if there is one.

    Raises:
        DatabaseError: nothing was changed; if the connection was lost, the unit may run again.
        ServiceUnavailable: COMMIT_UNCERTAIN, the outcome couldn't be found out in time.
    """
    if not database.in_wal:
        database.calm.clear()
    try:
        connection.commit()
    except DatabaseError as error:
        if number is None or not is_lost(error) or not _happened(database, number):
            raise
    finally:
        if not database.in_wal:
            database.calm.set()
    database.writing.succeeded()
    database.has_written = True


def _happened(database: Database, number: str) -> bool:
    """Whether a transaction with a lost connection is committed; waits until that is decided.

    Raises:
        ServiceUnavailable: COMMIT_UNCERTAIN, that isn't decided in time, or another server took
            over, which may not have it.
    """
    for _ in range(_LOOKS):
        status = _status(database, number)
        if status in ("committed", "aborted"):
            return status == "committed"
        if status == ELSEWHERE:
            break
        time.sleep(_PAUSE_S)
    raise unavailable(
        "COMMIT_UNCERTAIN",
        "The database was lost while it committed; whether this was done is not known.",
        "Look the record up, or send the same request with the same idempotency key.",
    )


def _status(database: Database, number: str) -> str | None:
    try:
        with database.read() as connection:
            found: str | None = connection.execute(STATUS, {"number": number}).scalar()
            return found
    except ServiceUnavailable:
        return None

"""Whether writes reach the disk: what the last ones showed, and a write to find out."""

import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from time import monotonic

from chainteller.service.errors import ServiceUnavailable
from chainteller.sqlite import sqlite3
from chainteller.storage.db.faults import explain_sqlite
from chainteller.storage.db.query import Query, Session

_DISK_FAULTS = frozenset({"STORAGE_FULL", "STORAGE_FAULT"})
_RECENT_S = 5.0
"""A commit within this time shows that writing works."""
_BETWEEN_TRIALS_S = 1.0
_WAIT_S = 0.2
_TRIAL = (
    Query(
        "INSERT INTO idempotency "
        "(organisation_id, operation, key, fingerprint, created_record, body, at) "
        "VALUES ('', 'readyz', 'readyz', '', :no, :body, 0)"
    ),
    Query(
        "DELETE FROM idempotency "
        "WHERE organisation_id = '' AND operation = 'readyz' AND key = 'readyz'"
    ),
)
"""One write, which leaves nothing: a row of several pages, deleted in the same transaction."""
_ROW = {"no": False, "body": b"0" * 65_536}


def try_to_write(path: Path) -> None:
    """Commit the trial to a SQLite file. Raises ServiceUnavailable: it failed; STORAGE_LOCKED if
    another connection writes."""
    uri = f"{path.absolute().as_uri()}?mode=rw"
    try:
        with closing(
            sqlite3.connect(uri, uri=True, timeout=_WAIT_S, isolation_level=None)
        ) as connection:
            connection.execute("BEGIN IMMEDIATE")
            for statement in _TRIAL:
                connection.execute(statement.text, _ROW)
            connection.execute("COMMIT")
    except sqlite3.Error as error:
        raise explain_sqlite(error) from error


def commit_trial(connection: Session) -> None:
    """Commit the trial in a write transaction. Raises DatabaseError."""
    for statement in _TRIAL:
        connection.execute(statement, _ROW)
    connection.commit()


class WriteHealth:
    """What is known about writing to one database; safe to share between threads."""

    def __init__(self) -> None:
        self._trying = threading.Lock()
        self._fault: ServiceUnavailable | None = None
        self._succeeded_at = self._tried_at = float("-inf")

    def succeeded(self) -> None:
        """Note a commit."""
        self._fault, self._succeeded_at = None, monotonic()

    def failed(self, error: ServiceUnavailable) -> None:
        """Note a failed write; only a fault of the disk says something about the next one."""
        if error.details["reason"] in _DISK_FAULTS:
            self._fault = error

    def require(self, attempt: Callable[[], None]) -> None:
        """Check that writes succeed, by ``attempt`` where no recent commit shows it.

        ``attempt`` runs at most once a second. If it can't tell, as when another change holds the
        database locked, what was known stands.

        Raises:
            ServiceUnavailable: STORAGE_FULL or STORAGE_FAULT.
        """
        with self._trying:
            now = monotonic()
            is_known = self._fault is None and now - self._succeeded_at < _RECENT_S
            if not is_known and now - self._tried_at >= _BETWEEN_TRIALS_S:
                self._tried_at = now
                try:
                    attempt()
                except ServiceUnavailable as error:
                    self.failed(error)
                else:
                    self.succeeded()
            fault = self._fault
        if fault is not None:
            raise ServiceUnavailable(fault.message, fault.details)

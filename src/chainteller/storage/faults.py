"""What went wrong with the database, said so that a person can act on it."""

import sqlite3
from collections.abc import Iterable

from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from chainteller.service.errors import ServiceUnavailable

_SQLITE: tuple[tuple[str, str, str, str], ...] = (
    ("SQLITE_FULL", "STORAGE_FULL", "The disk is full.", "Free some space; nothing was changed."),
    (
        "SQLITE_IOERR",
        "STORAGE_FAULT",
        "The disk refused to read or write the database.",
        "Check the disk's space and health; nothing was changed.",
    ),
    (
        "SQLITE_READONLY",
        "STORAGE_READ_ONLY",
        "The database file cannot be written.",
        "Give this user write permission on the file and its folder, or use --read-only.",
    ),
    (
        "SQLITE_BUSY",
        "STORAGE_LOCKED",
        "Another program holds the database locked.",
        "Close the other program, or wait and try again.",
    ),
    (
        "SQLITE_NOTADB",
        "NOT_A_DATABASE",
        "The file is not a chainteller database.",
        "Name another file, or restore a backup: chainteller db restore FILE.",
    ),
    (
        "SQLITE_CORRUPT",
        "STORAGE_CORRUPT",
        "The database file is damaged.",
        "Restore a backup: chainteller db restore FILE.",
    ),
    (
        "SQLITE_CANTOPEN",
        "CANNOT_OPEN",
        "The database file cannot be opened.",
        "Check that its folder exists and that this user may write there.",
    ),
)
RETRIED_STATES = frozenset({"40001", "40P01", "55P03"})
"""PostgreSQL's serialization failure, deadlock and lock timeout: the whole unit may run again."""


def unavailable(reason: str, message: str, suggestion: str) -> ServiceUnavailable:
    return ServiceUnavailable(message, {"reason": reason, "suggestion": suggestion})


def explain(error: DBAPIError | PoolTimeout) -> ServiceUnavailable:
    """The named error for whatever the driver raised."""
    if isinstance(error, PoolTimeout):
        return unavailable("OVERLOADED", "Too many calls wait for the database.", "Try again.")
    if isinstance(error.orig, sqlite3.Error):
        return explain_sqlite(error.orig)
    if isinstance(error, OperationalError) or error.connection_invalidated:
        return unavailable(
            "DISCONNECTED",
            "The database server cannot be reached.",
            "Check that it runs and that the URL is right; nothing was changed.",
        )
    return unavailable("DATABASE_FAULT", "The database failed.", "Run: chainteller db check")


def explain_sqlite(error: sqlite3.Error) -> ServiceUnavailable:
    name = getattr(error, "sqlite_errorname", "") or ""
    for prefix, reason, message, suggestion in _SQLITE:
        if name.startswith(prefix):
            return unavailable(reason, message, suggestion)
    return unavailable(name or "STORAGE_FAULT", "The database failed.", "Run: chainteller db check")


def is_transient(error: DBAPIError) -> bool:
    """Whether the same unit of work may succeed when it is run again."""
    cause = error.orig
    if isinstance(cause, sqlite3.Error):
        return (getattr(cause, "sqlite_errorname", "") or "").startswith("SQLITE_BUSY")
    return getattr(cause, "sqlstate", None) in RETRIED_STATES


def sqlite_reasons() -> Iterable[str]:
    return (reason for _, reason, _, _ in _SQLITE)

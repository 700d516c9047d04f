"""Convert database errors into service errors that say what to do."""

from chainteller.service.errors import ServiceUnavailable
from chainteller.sqlite import sqlite3
from chainteller.storage.db.errors import LOST_STATES, DatabaseError, NoConnection
from chainteller.storage.revision import REVISION, State

_FILE_READ_ONLY = (
    "STORAGE_READ_ONLY",
    "The database file cannot be written.",
    "Give this user write permission on the file and its folder, or use --read-only.",
)
_SERVER_READ_ONLY = (
    "STORAGE_READ_ONLY",
    "The database takes no writes, as a standby does not.",
    "Name the primary server, or use --read-only.",
)
_FULL = ("STORAGE_FULL", "The disk is full.", "Free some space; the last change wasn't saved.")
_SQLITE: tuple[tuple[str, str, str, str], ...] = (
    ("SQLITE_FULL", *_FULL),
    (
        "SQLITE_IOERR",
        "STORAGE_FAULT",
        "The disk refused to read or write the database.",
        "Check the disk's space and health; the last change wasn't saved.",
    ),
    ("SQLITE_READONLY", *_FILE_READ_ONLY),
    (
        "SQLITE_BUSY",
        "STORAGE_LOCKED",
        "The database is locked by a change of chainteller or another program.",
        "Retry in a moment. If that goes on, find out which processes have the file open.",
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
_TOO_MUCH = ("OVERLOADED", "The database is busy.", "Retry in a moment.")
_POSTGRES: tuple[tuple[str, tuple[str, str, str]], ...] = (
    ("40", ("STORAGE_LOCKED", "Other changes to these records take too long.", "Retry.")),
    ("55P03", ("STORAGE_LOCKED", "Other changes to these records take too long.", "Retry.")),
    ("57014", _TOO_MUCH),
    (
        "53100",
        _FULL,
    ),
    ("53", _TOO_MUCH),
    ("25006", _SERVER_READ_ONLY),
    (
        "42501",
        (
            "ACCESS_DENIED",
            "The database user may not do this.",
            "Grant it the tables and, for a new database, CREATE on the schema.",
        ),
    ),
    (
        "58",
        ("STORAGE_FAULT", "The server's disk failed.", "Check it; the last change wasn't saved."),
    ),
    ("XX", ("STORAGE_CORRUPT", "The database is damaged.", "Restore a backup.")),
)
"""By prefix of the SQLSTATE; the first match applies."""
RETRIED_STATES = frozenset({"40001", "40P01", "55P03"})
"""PostgreSQL's serialization failure, deadlock and lock timeout: the unit may run again."""
LOCK_TIMED_OUT = "55P03"


BELOW_ZERO = "balance_not_negative"
"""What a guard of the balances says (``guards``)."""


_OF_ONE_UNIT = (
    "OVERDRAWN",
    "DATABASE_FAULT",
    "SQLITE_CONSTRAINT",
    "SQLITE_TOOBIG",
    "SQLITE_MISMATCH",
)


def is_of_one_unit(fault: ServiceUnavailable) -> bool:
    """Whether the database refused what a unit of work writes, so that others may succeed."""
    return str(fault.details.get("reason")).startswith(_OF_ONE_UNIT)


class NotAtOnce(Exception):
    """A read on an event loop would have to wait for something else than its answer."""


def unavailable(reason: str, message: str, suggestion: str) -> ServiceUnavailable:
    return ServiceUnavailable(message, {"reason": reason, "suggestion": suggestion})


def bad_url() -> ServiceUnavailable:
    """The error for an address that can't be read."""
    return unavailable(
        "BAD_URL",
        "The database URL cannot be read.",
        "Write sqlite:///FILE or postgresql://USER@HOST/NAME.",
    )


def driver_missing(package: str) -> ServiceUnavailable:
    """The error for a package of the extra ``postgres`` that isn't installed."""
    return unavailable(
        "DRIVER_MISSING",
        f"PostgreSQL needs the package {package}.",
        "Install it: pip install 'chainteller[postgres]'.",
    )


def damaged(message: str) -> ServiceUnavailable:
    """The error for a database without a row that nothing works without."""
    return unavailable(
        "DAMAGED", message, "Keep it as it is, and restore a backup: chainteller db restore FILE."
    )


def read_only(*, is_file: bool) -> ServiceUnavailable:
    """The error for a database that refuses writes."""
    return unavailable(*(_FILE_READ_ONLY if is_file else _SERVER_READ_ONLY))


def explain(error: DatabaseError) -> ServiceUnavailable:
    """Convert a driver error into a service error."""
    if isinstance(error, NoConnection):
        return unavailable("OVERLOADED", "Too many calls wait for the database.", "Retry.")
    if BELOW_ZERO in str(error.cause):
        return unavailable(
            "OVERDRAWN",
            "An account of the bank's own books would fall below zero.",
            "Stop, and run: chainteller db verify.",
        )
    if isinstance(error.cause, sqlite3.Error):
        return explain_sqlite(error.cause)
    state = sqlstate(error)
    for prefix, named in _POSTGRES:
        if state.startswith(prefix):
            return unavailable(*named)
    if state and is_lost(error):
        reason = str(error.cause).partition("\n")[0].rstrip(".")
        return unavailable(
            "DISCONNECTED",
            f"The database server ended the connection: {reason}.",
            "Read the server's log, then retry.",
        )
    if _is_operational(error.cause) or is_lost(error):
        return unavailable(
            "DISCONNECTED",
            "The database server cannot be reached.",
            "Check that it runs and that the URL is right; nothing was changed.",
        )
    return unavailable("DATABASE_FAULT", "The database failed.", "Run: chainteller db check")


def _is_operational(cause: Exception) -> bool:
    """Whether psycopg, which is an extra, says that something outside of the statement failed."""
    return any(kind.__name__ == "OperationalError" for kind in type(cause).__mro__)


def sqlstate(error: DatabaseError) -> str:
    """PostgreSQL's code for an error; empty if there is none."""
    return getattr(error.cause, "sqlstate", None) or ""


def is_lost(error: DatabaseError) -> bool:
    """Whether the connection was lost; its uncommitted changes are rolled back."""
    return error.is_lost or sqlstate(error).startswith(LOST_STATES)


def explain_sqlite(error: sqlite3.Error) -> ServiceUnavailable:
    name = getattr(error, "sqlite_errorname", "") or ""
    for prefix, reason, message, suggestion in _SQLITE:
        if name.startswith(prefix):
            return unavailable(reason, message, suggestion)
    return unavailable(name or "STORAGE_FAULT", "The database failed.", "Run: chainteller db check")


def is_transient(error: DatabaseError) -> bool:
    """Whether the same unit of work may succeed if it runs again."""
    cause = error.cause
    if isinstance(cause, sqlite3.Error):
        return (getattr(cause, "sqlite_errorname", "") or "").startswith("SQLITE_BUSY")
    return sqlstate(error) in RETRIED_STATES


def require_current(found: State, name: str) -> None:
    """Check that this build can use the schema of the database of this name.

    Raises:
        ServiceUnavailable: NEWER_SCHEMA, OUTDATED_SCHEMA, UNSUPPORTED_SCHEMA, DAMAGED or
            FOREIGN_DATABASE.
    """
    if found is State.NEWER:
        raise unavailable(
            "NEWER_SCHEMA",
            "The database was written by a newer version of chainteller.",
            "Install that version, or restore a backup made before the upgrade.",
        )
    if found is State.OUTDATED:
        raise unavailable(
            "OUTDATED_SCHEMA",
            "The database was written by an older version of chainteller.",
            "Make a backup, then run: chainteller db upgrade.",
        )
    if found is State.UNSUPPORTED:
        raise unavailable(
            "UNSUPPORTED_SCHEMA",
            f"{name} was written by a build before 0.2.0, whose databases aren't supported. "
            "Nothing was changed.",
            "Start a new database: name another one, or move this one away.",
        )
    if found is State.DAMAGED:
        raise damaged("The database doesn't say any more which schema it has.")
    if found is State.FOREIGN:
        raise unavailable(
            "FOREIGN_DATABASE",
            "The database belongs to another program.",
            "Name another file or database.",
        )


def require_known(floor: str) -> None:
    """Raises ServiceUnavailable: NEWER_SCHEMA, the floor of the schema is above this build."""
    if floor > REVISION:
        require_current(State.NEWER, "")

"""Whether this build can use a database, and what to do if it can't."""

from chainteller.storage.db.faults import damaged, unavailable
from chainteller.storage.revision import REVISION, State


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

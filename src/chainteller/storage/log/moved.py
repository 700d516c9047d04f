"""What entries of the deployment's log say of bodies that went to an archive."""

from typing import NamedTuple

from chainteller.storage.log.entry import Entry
from chainteller.storage.log.rows import DEPLOYMENT

DATABASE = "database"
"""The object of entries about the database itself."""
ARCHIVED = "archive_entries"
"""The action of a step of archiving, in the deployment's log."""


class Told(NamedTuple):
    """An archive as an entry, or the database's own table, tells of it."""

    first: int
    upto: int
    name: str
    size: int = 0
    """How many entries the log had when it was moved, if an entry tells."""


def told_by(found: Entry) -> tuple[str, Told] | None:
    """Which log's entries a step of archiving moved; None if the entry is about something else.
    Raises KeyError: it's one that no build writes, or its inputs were erased."""
    if found.log != DEPLOYMENT or found.action != ARCHIVED or found.error is not None:
        return None
    told = found.inputs or {}
    return told["log"], Told(told["from"], told["to"], told["archive"], told["size"])

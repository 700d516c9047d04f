"""Schema revisions: how a database is stamped, and which builds may use it.

A database carries two numbers. Its *revision* (table ``schema_revision``) is the newest migration
that it has been through. Its *floor* (``alembic_version``, and ``user_version`` in a SQLite file)
is the oldest revision a build may know and still read and write it correctly. A migration that
only adds to the schema raises the revision and leaves the floor, so the earlier build keeps working
beside the new one; a migration that removes something raises both.

Imports nothing else of storage: the console reads a file's stamp before its first frame.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Any

REVISION = "0114"
"""The newest migration. A new database is created from the metadata and stamped with it."""
FLOOR = "0114"
"""The oldest revision that a build may know and still use the database."""
BASELINE = 114
"""The first supported revision. Those below it are of builds before 0.2.0, which no bank ran."""
REVISION_TABLE, FLOOR_TABLE = "schema_revision", "alembic_version"
APPLICATION_ID = 0x43544C52
"""``CTLR``: marks our SQLite files."""

Scalar = Callable[[str], Any]
"""Runs a query and returns the first column of its first row."""


class State(StrEnum):
    NEW = "new"
    CURRENT = "current"
    OUTDATED = "outdated"
    UNSUPPORTED = "unsupported"
    NEWER = "newer"
    FOREIGN = "foreign"
    DAMAGED = "damaged"


def sqlite_state(scalar: Scalar) -> State:
    """Determine the state of a SQLite file, without changing it."""
    if not scalar("SELECT count(*) FROM sqlite_master"):
        return State.NEW
    if scalar("PRAGMA application_id") != APPLICATION_ID:
        return State.FOREIGN
    return state_of(sqlite_revision(scalar), scalar("PRAGMA user_version"))


def sqlite_revision(scalar: Scalar) -> int:
    """A file's revision, as ``number_of``. The first builds kept it in ``user_version``."""
    table = f"SELECT count(*) FROM sqlite_master WHERE name = '{REVISION_TABLE}'"
    if scalar(table):
        return number_of(scalar(f"SELECT version_num FROM {REVISION_TABLE}"))
    return int(scalar("PRAGMA user_version"))


def number_of(stamp: object) -> int:
    """A stamp that was read; 0 if there is none, or what is there is no number."""
    text = str(stamp)
    return int(text) if text.isascii() and text.isdecimal() else 0


def state_of(revision: int, floor: int) -> State:
    """Whether this build may use a database with this stamp."""
    known = int(REVISION)
    if floor > known:
        return State.NEWER
    if revision == 0:
        return State.DAMAGED
    if revision < BASELINE:
        return State.UNSUPPORTED
    return State.CURRENT if revision >= known else State.OUTDATED

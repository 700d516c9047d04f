"""What signed heads of the logs need: those that this database keeps, leaves, and restores."""

from collections.abc import Iterator
from typing import NamedTuple

from chainteller.storage.db.query import Query, Session, Value, row_of
from chainteller.storage.db.records import Tables
from chainteller.storage.log.rows import DEPLOYMENT, Writer

_BATCH = 200
_ORGANISATIONS = Query("SELECT id AS value FROM organisation ORDER BY id", Value)
_STORED = Query(
    "SELECT size, root, note, made_at FROM checkpoint WHERE organisation_id = :organisation "
    "AND size < :before ORDER BY size DESC LIMIT :most",
    row_of("size", "root", "note", "made_at"),
)
_LEAVES = Query(
    "SELECT leaf AS value FROM entry WHERE organisation_id = :organisation "
    "AND number > :after AND number <= :size ORDER BY number",
    Value,
)
_WHOLE = Query(
    "SELECT leaf, body FROM entry WHERE organisation_id = :organisation ORDER BY number",
    row_of("leaf", "body"),
)
_NEWEST = 2**62


class StoredCheckpoint(NamedTuple):
    """A signed note with its size, its root in hexadecimal, and when it was made."""

    size: int
    root: str
    note: str
    made_at: int


def latest(connection: Session, organisation_id: str) -> StoredCheckpoint | None:
    """The largest head of a log that was signed."""
    row = _STORED.first(connection, organisation_id, _NEWEST, 1)
    return None if row is None else StoredCheckpoint(*row)


def stored(connection: Session, organisation_id: str) -> Iterator[StoredCheckpoint]:
    """The signed heads of a log, the largest first.

    They are read in batches, each to its end: a statement that is left half read would lock the
    file of a SQLite database.
    """
    before = _NEWEST
    while True:
        rows = _STORED.rows(connection, organisation_id, before, _BATCH)
        for row in rows:
            yield StoredCheckpoint(*row)
        if len(rows) < _BATCH:
            return
        before = rows[-1].size


def leaves(connection: Session, organisation_id: str, after: int, size: int) -> Iterator[bytes]:
    """The leaf hashes of the entries after a number, up to and with another."""
    values = {"organisation": organisation_id, "after": after, "size": size}
    yield from (row.value for row in connection.stream(_LEAVES, values))


def leaves_and_bodies(
    connection: Session, organisation_id: str
) -> Iterator[tuple[bytes, bytes | None]]:
    """The leaf hash and the stored body of every entry; None where an archive has it."""
    yield from connection.stream(_WHOLE, {"organisation": organisation_id})


def organisations(connection: Session) -> list[str]:
    """Every organisation, and ``DEPLOYMENT`` for what belongs to none: each has a log."""
    return [DEPLOYMENT, *connection.execute(_ORGANISATIONS).scalars()]


def keep(rows: Writer, organisation_id: str, found: StoredCheckpoint) -> None:
    """Store a signed head; one of the same size gets the note given."""
    key = {"organisation_id": organisation_id, "size": found.size}
    values = {"root": found.root, "note": found.note, "made_at": found.made_at}
    if not rows.insert_if_new(Tables.checkpoint, {**key, **values}):
        rows.update(Tables.checkpoint, key, values)

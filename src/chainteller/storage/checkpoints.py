"""What signed heads of the logs need: those that this database keeps, leaves, and restores."""

from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import Connection, select

from chainteller.storage.rows import DEPLOYMENT, Writer
from chainteller.storage.tables import Tables

_BATCH = 200
_C, _E = Tables.checkpoint, Tables.entry
_ORGANISATIONS = select(Tables.organisation.c.id).order_by(Tables.organisation.c.id)
_NEWEST_FIRST = select(_C.c.size, _C.c.root, _C.c.note, _C.c.made_at).order_by(_C.c.size.desc())


class StoredCheckpoint(NamedTuple):
    """A signed note with its size, its root in hexadecimal, and when it was made."""

    size: int
    root: str
    note: str
    made_at: int


def latest(connection: Connection, organisation_id: str) -> StoredCheckpoint | None:
    """The largest head of a log that was signed."""
    statement = _NEWEST_FIRST.where(_C.c.organisation_id == organisation_id).limit(1)
    row = connection.execute(statement).first()
    return None if row is None else StoredCheckpoint(*row)


def stored(connection: Connection, organisation_id: str) -> Iterator[StoredCheckpoint]:
    """The signed heads of a log, the largest first.

    They are read in batches, each to its end: a statement that is left half read would lock the
    file of a SQLite database.
    """
    of_log = _NEWEST_FIRST.where(_C.c.organisation_id == organisation_id).limit(_BATCH)
    rows = connection.execute(of_log).all()
    while rows:
        for row in rows:
            yield StoredCheckpoint(*row)
        rows = connection.execute(of_log.where(_C.c.size < rows[-1].size)).all()


def leaves(connection: Connection, organisation_id: str, after: int, size: int) -> Iterator[bytes]:
    """The leaf hashes of the entries after a number, up to and with another."""
    statement = (
        select(_E.c.leaf)
        .where(_E.c.organisation_id == organisation_id, _E.c.number > after, _E.c.number <= size)
        .order_by(_E.c.number)
    )
    yield from connection.execute(statement, execution_options={"yield_per": 5_000}).scalars()


def leaves_and_bodies(
    connection: Connection, organisation_id: str
) -> Iterator[tuple[bytes, bytes | None]]:
    """The leaf hash and the stored body of every entry; None where an archive has it."""
    statement = select(_E.c.leaf, _E.c.body).where(_E.c.organisation_id == organisation_id)
    rows = connection.execute(
        statement.order_by(_E.c.number), execution_options={"yield_per": 2_000}
    )
    yield from ((row.leaf, row.body) for row in rows)


def organisations(connection: Connection) -> list[str]:
    """Every organisation, and ``DEPLOYMENT`` for what belongs to none: each has a log."""
    return [DEPLOYMENT, *connection.execute(_ORGANISATIONS).scalars()]


def keep(rows: Writer, organisation_id: str, found: StoredCheckpoint) -> None:
    """Store a signed head; one of the same size gets the note given."""
    key = {"organisation_id": organisation_id, "size": found.size}
    values = {"root": found.root, "note": found.note, "made_at": found.made_at}
    if not rows.insert_if_new(Tables.checkpoint, {**key, **values}):
        rows.update(Tables.checkpoint, key, values)

"""Copy everything to another database, SQLite or PostgreSQL, in one transaction."""

from typing import NamedTuple

from chainteller.domain.actors import DEFAULT_ORGANISATION
from chainteller.storage.database import Database
from chainteller.storage.db import records
from chainteller.storage.db.faults import require_current, unavailable
from chainteller.storage.db.query import Session, Value, built
from chainteller.storage.db.records import ALL, Tables
from chainteller.storage.db.session import lift_limits
from chainteller.storage.db.sources import Source, insert
from chainteller.storage.db.table import Table
from chainteller.storage.log import views
from chainteller.storage.log.writer_keys import PublicKey
from chainteller.storage.revision import State
from chainteller.storage.schema import ddl, guards
from chainteller.storage.upkeep.maintenance import connected

_BATCH = 2_000
_SEEDED = {Tables.clock: 1, Tables.organisation: 1, Tables.entry: 1, Tables.log: 2}
"""Tables with rows from ``db init``, which the copied rows replace, and how many."""

_LOGS = Source(records.Log).everything("organisation_id")
_INSERT = {table: insert(table.record) for table in ALL}
_READ = {table: Source(table.record).everything(", ".join(table.key)) for table in ALL}


class Copied(NamedTuple):
    """The number of copied rows, and the hash of the newest entry of the first organisation's log,
    which both databases share."""

    rows: int
    head: str


def copy(source: Database, to_url: str) -> Copied:
    """Copy every row of an open database, as one snapshot, to one that is new or contains only the
    schema. On SQLite, writers wait meanwhile.

    Raises:
        ServiceUnavailable: TARGET_NOT_EMPTY, or as ``connect``; nothing was changed.
    """
    with (
        connected(to_url, PublicKey()) as target,  # its first entry is replaced
        source.read(patient=True) as reading,
        target.write() as writing,
    ):
        _make_room(writing, target.name)
        rows = sum(_copy_table(reading, writing, each) for each in ALL)
        newest = views.newest_hash(writing, DEFAULT_ORGANISATION)
        if _ends(writing) != _ends(reading):
            raise AssertionError("the copy does not end where its source does")
        writing.commit()
    return Copied(rows, newest)


def _make_room(connection: Session, name: str) -> None:
    """Prepare an empty schema in the target. Raises ServiceUnavailable: TARGET_NOT_EMPTY."""
    ddl.lock_schema(connection)
    lift_limits(connection)
    found = ddl.state(connection)
    if found is State.NEW:
        ddl.build(connection)
    else:
        require_current(found, name)
    guards.drop(connection)
    for each in reversed(ALL):
        _require_untouched(connection, each)
        if each in _SEEDED:
            connection.execute(built(f"DELETE FROM {each.name}", None))
    guards.create(connection)


def _require_untouched(connection: Session, table: Table) -> None:
    count = connection.execute(built(f"SELECT count(*) FROM {table.name}", Value)).scalar_one()
    if count > _SEEDED.get(table, 0):
        raise unavailable(
            "TARGET_NOT_EMPTY",
            "The database to copy to holds data already.",
            "Name a new database.",
        )


def _ends(connection: Session) -> list[tuple[object, ...]]:
    return [tuple(row) for row in connection.execute(_LOGS)]


def _copy_table(reading: Session, writing: Session, table: Table) -> int:
    inserting, rows = _INSERT[table], 0
    for row in reading.stream(_READ[table], batch=_BATCH):
        writing.later(inserting, row._asdict())
        rows += 1
        if rows % _BATCH == 0:
            writing.flush()
    writing.flush()
    return rows

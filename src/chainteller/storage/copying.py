"""Copy everything to another database, SQLite or PostgreSQL, in one transaction."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from sqlalchemy import Connection, Table, delete, func, insert, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from chainteller.domain.actors import DEFAULT_ORGANISATION
from chainteller.storage import guards, schema, sealing
from chainteller.storage.compatibility import require_current
from chainteller.storage.database import Database, connect
from chainteller.storage.faults import explain, unavailable
from chainteller.storage.log import views
from chainteller.storage.revision import State
from chainteller.storage.tables import Tables
from chainteller.storage.writer_keys import PublicKey

_BATCH = 2_000
_SEEDED = {Tables.clock: 1, Tables.organisation: 1, Tables.entry: 1, Tables.log: 2}
"""Tables with rows from ``db init``, which the copied rows replace, and how many."""


class Copied(NamedTuple):
    """The number of copied rows, and the hash of the newest entry of the first organisation's log,
    which both databases share."""

    rows: int
    head: str


def copy(source: Database, to_url: str) -> Copied:
    """Copy every row to a database that is new or contains only the schema.

    Args:
        source: an open database, copied as one snapshot. On SQLite, writers wait meanwhile.
        to_url: the target's URL.

    Raises:
        ServiceUnavailable: TARGET_NOT_EMPTY, or as ``connect``; nothing was changed.
    """
    target = connect(to_url, PublicKey())  # its first entry is replaced
    try:
        with source.read(patient=True) as reading, target.write() as writing:
            _make_room(writing, target.name)
            rows = sum(_copy_table(reading, writing, each) for each in sealing.own_tables())
            newest = views.newest_hash(writing, DEFAULT_ORGANISATION)
            if _ends(writing) != _ends(reading):
                raise AssertionError("the copy does not end where its source does")
            writing.commit()
    except (DBAPIError, PoolTimeout) as error:
        raise explain(error) from error
    finally:
        target.close()
    return Copied(rows, newest)


def _make_room(connection: Connection, name: str) -> None:
    """Prepare an empty schema in the target. Raises ServiceUnavailable: TARGET_NOT_EMPTY."""
    schema.lock_schema(connection)
    if connection.dialect.name == "postgresql":
        connection.execute(text("SET LOCAL statement_timeout = 0"))
        connection.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
    found = schema.state(connection)
    if found is State.NEW:
        schema.build(connection)
    else:
        require_current(found, name)
    guards.drop(connection)
    for each in reversed(sealing.own_tables()):
        _require_untouched(connection, each)
        if each in _SEEDED:
            connection.execute(delete(each))
    guards.create(connection)


def _require_untouched(connection: Connection, table: Table) -> None:
    count = connection.execute(select(func.count()).select_from(table)).scalar_one()
    if count > _SEEDED.get(table, 0):
        raise unavailable(
            "TARGET_NOT_EMPTY",
            "The database to copy to holds data already.",
            "Name a new database.",
        )


def _ends(connection: Connection) -> list[tuple[object, ...]]:
    rows = connection.execute(select(Tables.log).order_by(Tables.log.c.organisation_id))
    return [tuple(row) for row in rows]


def _copy_table(reading: Connection, writing: Connection, table: Table) -> int:
    rows = 0
    for batch in _batches(reading, table):
        writing.execute(insert(table), batch)
        rows += len(batch)
    return rows


def _batches(connection: Connection, table: Table) -> Iterator[list[dict[str, Any]]]:
    streamed = connection.execute(
        select(table).order_by(*table.primary_key), execution_options={"yield_per": _BATCH}
    )
    for part in streamed.mappings().partitions():
        yield [dict(row) for row in part]

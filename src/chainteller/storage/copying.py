"""Moving everything from one database into another, empty one, of either kind."""

from sqlalchemy import Connection, Table, delete, insert, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from chainteller.storage import schema
from chainteller.storage.database import Database, open_database
from chainteller.storage.faults import explain, unavailable
from chainteller.storage.inspection import snapshot
from chainteller.storage.tables import Tables

_BATCH = 1_000
_SEEDED = (Tables.head, Tables.organisation)
"""What a new database holds already; the copy brings its own."""


def copy(from_url: str, to_url: str) -> int:
    """Copy every row in one transaction; the target's schema is made where it is new.

    Returns:
        How many rows were copied. One snapshot of the source is taken: what is written to it
        meanwhile is not in the copy.

    Raises:
        ServiceUnavailable: either cannot be used, or NOT_EMPTY; the target is as it was.
    """
    source, target = open_database(from_url), None
    try:
        target = open_database(to_url)
        with snapshot(source) as reading:
            return _into(target, reading)
    except (DBAPIError, PoolTimeout) as error:
        raise explain(error) from error
    finally:
        source.close()
        if target is not None:
            target.close()


def _into(target: Database, reading: Connection) -> int:
    with target.write() as writing:
        schema.keep_others_out(writing)
        tables = schema.own_tables()
        _require_empty(writing, tables)
        for table in _SEEDED:
            writing.execute(delete(table))
        copied = sum(_copy_table(reading, writing, table) for table in tables)
        writing.commit()
    return copied


def _require_empty(writing: Connection, tables: list[Table]) -> None:
    for table in tables:
        if table not in _SEEDED and writing.execute(select(table).limit(1)).first() is not None:
            raise unavailable(
                "NOT_EMPTY",
                "The target database holds records already.",
                "Name a new file or an empty database.",
            )


def _copy_table(reading: Connection, writing: Connection, table: Table) -> int:
    copied = 0
    found = reading.execute(select(table), execution_options={"yield_per": _BATCH})
    for rows in found.mappings().partitions():
        writing.execute(insert(table), [dict(row) for row in rows])
        copied += len(rows)
    return copied

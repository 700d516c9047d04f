"""Insert and update rows of any table, with each statement built once."""

from collections import namedtuple
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, cast

from sqlalchemy import Connection, Insert, Table, Update, bindparam, insert, update
from sqlalchemy.dialects import postgresql, sqlite

from chainteller.storage.database import Record

_STATEMENTS = 256


def insert_rows(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows that all have the same columns."""
    connection.execute(_insert(table), rows if len(rows) > 1 else rows[0])


def insert_if_new(connection: Connection, table: Table, row: Mapping[str, Any]) -> bool:
    """Insert a row; False when a unique key of it is taken, and nothing was changed."""
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    statement = dialect.insert(table).on_conflict_do_nothing()
    return (
        connection.execute(statement.returning(*table.primary_key.columns), row).first() is not None
    )


def update_row(
    connection: Connection,
    table: Table,
    key: Mapping[str, Any],
    values: Mapping[str, Any],
    guard: Mapping[str, Any],
) -> bool:
    """Update the row with this primary key; False when a column of ``guard`` has another value."""
    parameters = {f"b_{name}": value for name, value in (*key.items(), *guard.items())}
    parameters |= {f"v_{name}": value for name, value in values.items()}
    statement = _update(table, (*key, *guard), tuple(values))
    return connection.execute(statement, parameters).rowcount == 1


def record(table: Table, values: Mapping[str, Any]) -> Record:
    """A row as ``select(table)`` would return it."""
    row_class = _row_class(table)
    return cast("Record", row_class._make([values[name] for name in row_class._fields]))


@cache
def _insert(table: Table) -> Insert:
    return insert(table)


@lru_cache(_STATEMENTS)
def _update(table: Table, found_by: tuple[str, ...], changed: tuple[str, ...]) -> Update:
    return (
        update(table)
        .where(*(table.c[name] == bindparam(f"b_{name}") for name in found_by))
        .values({name: bindparam(f"v_{name}") for name in changed})
    )


@cache
def _row_class(table: Table) -> Any:
    return cast("Any", namedtuple)("row", [column.name for column in table.columns])

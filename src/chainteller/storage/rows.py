"""Find, insert and update rows of any table, with each statement built once."""

from collections import namedtuple
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, cast

from sqlalchemy import (
    Connection,
    Executable,
    Insert,
    Select,
    Table,
    Update,
    bindparam,
    insert,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from chainteller.storage.database import Record

_STATEMENTS = 256


class Finder:
    """Finds a row of ``table`` by the values of some columns, and locks it where asked.

    ``rows`` is what is selected, by default the row itself.
    """

    def __init__(self, table: Table, *names: str, rows: Select[Any] | None = None) -> None:
        selected: Select[Any] = select(table) if rows is None else rows
        self._names = tuple(f"b_{name}" for name in names)
        self._found = selected.where(*(table.c[name] == bindparam(f"b_{name}") for name in names))
        self._locked = self._found.with_for_update(of=table)

    def __call__(self, connection: Connection, *values: str, lock: bool = False) -> Record | None:
        statement = self._locked if lock else self._found
        return connection.execute(statement, dict(zip(self._names, values, strict=True))).first()


def insert_rows(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows that all have the same columns."""
    connection.execute(_insert(table), rows if len(rows) > 1 else rows[0])


def insert_if_new(connection: Connection, table: Table, row: Mapping[str, Any]) -> bool:
    """Insert a row; False when a unique key of it is taken, and nothing was changed."""
    statement = _insert_if_new(table, connection.dialect.name == "sqlite")
    return connection.execute(statement, row).first() is not None


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


@cache
def _insert_if_new(table: Table, is_sqlite: bool) -> Executable:  # noqa: FBT001 - a cache key
    inserted = (sqlite if is_sqlite else postgresql).insert(table).on_conflict_do_nothing()
    statement: Executable = inserted.returning(*table.primary_key.columns)
    return statement


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

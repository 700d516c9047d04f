"""What is read of a table: its columns and those of what is joined, and rows found by a key."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from chainteller.storage.db import records
from chainteller.storage.db.query import (
    Query,
    Record,
    Session,
    built,
    is_packable,
    row_of,
    table_of,
)
from chainteller.storage.db.table import SALT


class Source:
    """Rows of a table as they are read: its own columns, and others from what is joined.

    Args:
        joins: what else the columns come from.
        own: the columns of the table, if not all are read.
        columns: further columns: an expression of each, with its kind unless it's another table's
            column.
    """

    def __init__(
        self,
        record: Any,
        joins: str = "",
        own: Sequence[str] = (),
        **columns: str | tuple[str, Any],
    ) -> None:
        self.table = table_of(record)
        fields = {name: record.__annotations__[name] for name in own or record._fields}
        self._expressions = {name: f"{self.table}.{name}" for name in fields}
        selected = list(self._expressions.values())
        for name, given in columns.items():
            expression, kind = given if isinstance(given, tuple) else (given, _kind_of(given))
            fields[name], self._expressions[name] = kind, expression
            selected.append(f"{expression} AS {name}")
        self.row: Any = row_of(**fields) if own or columns else record
        self.tables = f"{self.table} {joins}".rstrip()
        self.text = f"SELECT {', '.join(selected)} FROM {self.tables}"

    def listed(self, rest: str) -> Query:
        """The query of the rows of a list: what follows is its condition and order. Each row comes
        as one text, unless there are bytes in it; salts, which no list shows, stay out."""
        row, expressions = self._listed
        if expressions is None:
            return built(f"{self.text} {rest}", row)
        packed = f"CAST(json_array({', '.join(expressions)}) AS TEXT)"
        return built(f"SELECT {packed} AS packed FROM {self.tables} {rest}", row, is_packed=True)

    @cached_property
    def _listed(self) -> tuple[Any, tuple[str, ...] | None]:
        kinds = {name: kind for name, kind in self.row.__annotations__.items() if name != SALT}
        if not all(map(is_packable, kinds.values())):
            return self.row, None
        return row_of(**kinds), tuple(self._expressions[name] for name in kinds)

    def everything(self, order: str = "") -> Query:
        """The query of all rows, in an order if there is one."""
        return Query(f"{self.text} ORDER BY {order}" if order else self.text, self.row)

    def where(self, condition: str, *, only: str = "") -> Query:
        """The query of the rows that fulfil a condition; what follows it may be in there too."""
        return Query(f"{self.text} WHERE {condition}", self.row, only=only)


def insert(record: Any, ending: str = "") -> Query:
    """The insertion of a row with all columns of its table."""
    names = record._fields
    columns = ", ".join(f'"{name}"' for name in names)
    places = ", ".join(f":{name}" for name in names)
    text = f"INSERT INTO {table_of(record)} ({columns}) VALUES ({places}) {ending}"
    return Query(text.rstrip())


class Finder:
    """Finds a row by the values of some columns of its table, and locks it where asked."""

    def __init__(self, source: Any, *names: str, condition: str = "") -> None:
        read = source if isinstance(source, Source) else Source(source)
        self._names = names
        conditions = [f"{read.table}.{name} = :{name}" for name in names]
        text = " AND ".join([*conditions, condition] if condition else conditions)
        self._found = read.where(text)
        self._locked = read.where(f"{text} FOR UPDATE OF {read.table}")

    def __call__(self, connection: Session, *values: str, lock: bool = False) -> Record | None:
        query = self._locked if lock else self._found
        given = dict(zip(self._names, values, strict=True))
        return connection.execute(query, given).first()


def _kind_of(expression: str) -> Any:
    """The kind of another table's column."""
    table, _, column = expression.partition(".")
    return getattr(records.Tables, table).kinds[column]

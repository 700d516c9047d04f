"""The database as whoever has SQL sees it: tables, columns and keys are read from its catalogue."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import psycopg

from chainteller.sqlite import sqlite3

Row = dict[str, Any]
Key = tuple[Any, ...]
Rows = Mapping[str, Mapping[Key, Row]]
"""By table and key, everything that the database has."""


class Statement(NamedTuple):
    """SQL with ``?`` for each value."""

    sql: str
    values: tuple[Any, ...] = ()


@dataclass(frozen=True)
class RawTable:
    """A table; the columns of its key, and the type of each column in lower case."""

    name: str
    types: Mapping[str, str]
    key: tuple[str, ...]

    def key_of(self, row: Row) -> Key:
        return tuple(row[name] for name in self.key)

    def update(self, key: Key, cells: Row) -> Statement:
        changed = ", ".join(f'"{name}" = ?' for name in cells)
        sql = f"UPDATE {self.name} SET {changed} WHERE {self._here()}"  # noqa: S608 - names of the catalogue
        return Statement(sql, (*cells.values(), *key))

    def insert(self, row: Row) -> Statement:
        names, marks = ", ".join(f'"{name}"' for name in row), ", ".join("?" * len(row))
        return Statement(f"INSERT INTO {self.name} ({names}) VALUES ({marks})", (*row.values(),))  # noqa: S608 - as above

    def delete(self, key: Key) -> Statement:
        return Statement(f"DELETE FROM {self.name} WHERE {self._here()}", key)  # noqa: S608 - as above

    def _here(self) -> str:
        return " AND ".join(f'"{name}" = ?' for name in self.key)


REFUSED = (sqlite3.Error, psycopg.Error, OverflowError)
"""What the drivers raise of a statement."""


def _by_key(table: RawTable, rows: Iterable[Sequence[Any]]) -> dict[Key, Row]:
    made = (dict(zip(table.types, row, strict=True)) for row in rows)
    return {table.key_of(row): row for row in made}


class Raw:
    """An open connection of the attacker's; each statement is committed at once."""

    def __init__(self, connection: Any, *, is_postgres: bool) -> None:
        self._connection, self.is_postgres = connection, is_postgres

    def run(self, statement: Statement) -> bool:
        """Whether a statement was accepted."""
        try:
            self._all(statement)
        except REFUSED:
            return False
        return True

    def _all(self, statement: Statement) -> list[Any]:
        sql = statement.sql.replace("?", "%s") if self.is_postgres else statement.sql
        values = statement.values or None if self.is_postgres else statement.values
        cursor = self._connection.execute(sql, values)
        return cursor.fetchall() if cursor.description else []

    def all(self, sql: str) -> list[Any]:
        """Every row of a query."""
        return self._all(Statement(sql))

    def tables(self) -> list[RawTable]:
        return list(self._postgres_tables() if self.is_postgres else self._sqlite_tables())

    def _sqlite_tables(self) -> Iterator[RawTable]:
        named = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        for (name,) in self._all(Statement(named)):
            found = self._all(Statement(f"PRAGMA table_info({name})"))
            key = sorted((row[5], row[1]) for row in found if row[5])
            types = {row[1]: str(row[2]).lower() for row in found}
            yield RawTable(name, types, tuple(column for _, column in key) or tuple(types))

    def _postgres_tables(self) -> Iterator[RawTable]:
        columns = """SELECT table_name, column_name, data_type FROM information_schema.columns
            WHERE table_schema = current_schema() ORDER BY table_name, ordinal_position"""
        keys = """SELECT k.table_name, k.column_name FROM information_schema.key_column_usage k
            JOIN information_schema.table_constraints c USING (constraint_schema, constraint_name)
            WHERE c.constraint_type = 'PRIMARY KEY' AND k.table_schema = current_schema()
            ORDER BY k.table_name, k.ordinal_position"""
        types: dict[str, dict[str, str]] = {}
        for table, column, kind in self._all(Statement(columns)):
            types.setdefault(table, {})[column] = kind
        found: dict[str, list[str]] = {}
        for table, column in self._all(Statement(keys)):
            found.setdefault(table, []).append(column)
        for name, told in types.items():
            yield RawTable(name, told, tuple(found.get(name, told)))

    def read(self, tables: Sequence[RawTable]) -> Rows:
        """Everything that the tables have; nothing of one that can't be read as it was."""
        found: dict[str, dict[Key, Row]] = {}
        for table in tables:
            names = ", ".join(f'"{name}"' for name in table.types)
            found[table.name] = {}
            with suppress(*REFUSED):
                rows = self._all(Statement(f"SELECT {names} FROM {table.name}"))  # noqa: S608 - as above
                found[table.name] = _by_key(table, rows)
        return found

    def guards(self) -> list[tuple[Statement, Statement]]:
        """How each trigger is dropped and made again; on PostgreSQL none stops this session."""
        if self.is_postgres:
            return []
        sql = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
        return [
            (Statement(f"DROP TRIGGER {name}"), Statement(told))
            for name, told in self._all(Statement(sql))
        ]

    def objects(self) -> list[tuple[str, str, str]]:
        """Kind, name and table of the indexes and triggers."""
        if not self.is_postgres:
            sql = """SELECT type, name, tbl_name FROM sqlite_master
                WHERE type IN ('index', 'trigger') AND sql IS NOT NULL"""
            return [tuple(row) for row in self._all(Statement(sql))]
        indexes = """SELECT 'index', indexname, tablename FROM pg_indexes i
            WHERE schemaname = current_schema() AND NOT EXISTS (SELECT 1 FROM pg_constraint c
                WHERE c.conname = i.indexname)"""
        triggers = """SELECT 'trigger', tgname, relname FROM pg_trigger t
            JOIN pg_class c ON c.oid = t.tgrelid WHERE NOT tgisinternal
            AND c.relnamespace = current_schema()::regnamespace"""
        return [tuple(row) for row in self._all(Statement(f"{indexes} UNION ALL {triggers}"))]

    def constraints(self) -> list[tuple[str, str]]:
        """Name and table of PostgreSQL's constraints."""
        sql = """SELECT conname, relname FROM pg_constraint o JOIN pg_class c ON c.oid = o.conrelid
            WHERE o.connamespace = current_schema()::regnamespace AND contype <> 'n'"""
        return [tuple(row) for row in self._all(Statement(sql))]


@contextmanager
def attacking(url: str) -> Iterator[Raw]:
    """The attacker's connection to a SQLite file or a PostgreSQL database."""
    path = re.sub(r"^sqlite:///", "", url)
    if path == url:
        with psycopg.connect(url, autocommit=True) as found:
            found.execute("SET session_replication_role = replica")
            yield Raw(found, is_postgres=True)
        return
    with closing(sqlite3.connect(path, isolation_level=None)) as opened:
        yield Raw(opened, is_postgres=False)

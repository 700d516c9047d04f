"""Every statement of the program, prepared on both databases: its names and its columns exist."""

import itertools
import pkgutil
from collections.abc import Iterator
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import Column
from tests.world.files import KEYS

import chainteller.engine
import chainteller.storage
from chainteller.sqlite import sqlite3
from chainteller.storage.database import add_functions, open_database
from chainteller.storage.db import records
from chainteller.storage.db.query import POSTGRESQL, SQLITE, Atoms, Query, Value
from chainteller.storage.db.table import SALT, Table
from chainteller.storage.lists.pages import Listing
from chainteller.storage.log import rows
from chainteller.storage.schema import columns
from chainteller.storage.schema.columns import reason_unsealed
from chainteller.storage.schema.wallet_tables import declared

_BOUNDS = ((), ("created_gte",), ("created_lt",), ("created_gte", "created_lt"))


def every_query() -> Iterator[Query]:
    """All that the modules of the program declare, each list under each set of filters, and each
    write of a row."""
    for package in (chainteller.storage, chainteller.engine):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if ".migrations" not in module.name:
                import_module(module.name)
    yield from Query.declared
    for listing in Listing.declared:
        bounds = _BOUNDS if "created" in listing.source.row._fields else _BOUNDS[:1]
        sorts = [way + word for word in listing.orders for way in ("", "-")]
        some = (
            chosen
            for size in range(len(listing.filters) + 1)
            for chosen in itertools.combinations(listing.filters, size)
        )
        for filtered, bound, sort in itertools.product(some, bounds, sorts):
            shape = listing.shape(filtered, bound, sort, ())
            yield from (shape.count, shape.of_keys, *shape.whole.values(), *shape.keys.values())
    for table in records.ALL:
        yield from writes(table)


def writes(table: Table) -> Iterator[Query]:
    """The writes of a table's rows."""
    key, columns = table.key, table.columns
    others = tuple(name for name in columns if name not in key) or columns
    yield rows._insert(table, columns)
    yield rows._insert_if_new(table, columns)
    yield rows._update(table, key, others)
    yield rows._one(table, key)
    for dialect in (SQLITE, POSTGRESQL) if table.sealed else ():
        yield rows._delete(table, rows._where(key), dialect)


def prepared_by_sqlite(connection: Any, query: Query) -> list[str]:
    """The columns of a query's rows; it runs on an empty database."""
    form = query.sqlite
    cursor = connection.execute(form.sql, [0] * len(form.names))
    return [each[0] for each in cursor.description or ()]


def prepared_by_postgres(connection: psycopg.Connection[Any], query: Query) -> list[str]:
    form = query.postgresql
    text = form.sql % {name: f"${at}" for at, name in enumerate(form.names, 1)}
    pg = connection.pgconn
    for result in (pg.prepare(b"", text.encode()), pg.describe_prepared(b"")):
        assert not result.error_message, result.error_message.decode()
    return [str((result.fname(at) or b"").decode()) for at in range(result.nfields)]


def faults(columns: list[str], query: Query) -> Iterator[str]:
    named = list(query.row._fields) if query.row is not None else []
    named = ["packed"] if query.is_packed else named
    if columns != named:
        yield f"its columns are {columns}, not {named}"


def test_every_query_is_prepared_by_sqlite(tmp_path: Path) -> None:
    file = tmp_path / "bank.db"
    open_database(f"sqlite:///{file}", KEYS).close()
    wrong, count = [], 0
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        add_functions(connection)
        for query in every_query():
            if query.only == POSTGRESQL:
                continue
            count += 1
            connection.execute("BEGIN")
            try:
                found = prepared_by_sqlite(connection, query)
                wrong += [f"{query.text}: {each}" for each in faults(found, query)]
            except sqlite3.Error as error:
                wrong.append(f"{query.text}: {error}")
            finally:
                connection.execute("ROLLBACK")
    assert not wrong, "\n".join(wrong)
    assert count > 500


def test_every_query_is_prepared_by_postgresql(postgres_bank: str) -> None:
    wrong = []
    with closing(psycopg.connect(postgres_bank, autocommit=True)) as connection:
        for query in every_query():
            if query.only == SQLITE:
                continue
            try:
                found = prepared_by_postgres(connection, query)
                wrong += [f"{query.text}: {each}" for each in faults(found, query)]
            except AssertionError as error:
                wrong.append(f"{query.text}: {error}")
    assert not wrong, "\n".join(wrong)


def test_no_statement_is_compiled_again_for_its_limit(tmp_path: Path) -> None:
    file = tmp_path / "bank.db"
    open_database(f"sqlite:///{file}", KEYS).close()
    limited = {each.sqlite.sql: each for each in every_query() if "LIMIT :" in each.text}
    again: set[str] = set()
    compiled: list[object] = []

    def allow(*asked: object) -> int:
        compiled.append(asked)
        return sqlite3.SQLITE_OK

    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.set_authorizer(allow)
        for query in limited.values():
            prepared_by_sqlite(connection, query)
            assert compiled
            compiled.clear()
            prepared_by_sqlite(connection, query)
            again |= {query.text} if compiled else set()
    # Whether an index of some rows serves depends on the status that is asked for.
    assert all("status = :status" in each for each in again), again
    assert len(limited) > 100


@pytest.mark.parametrize(
    "text",
    [
        "SELECT id AS value, name AS value FROM organisation",
        "SELECT nome AS value FROM organisation",
        "SELECT id AS value FROM organisations",
    ],
)
def test_a_wrong_query_is_named(tmp_path: Path, text: str) -> None:
    file = tmp_path / "bank.db"
    open_database(f"sqlite:///{file}", KEYS).close()
    query = Query(text, records.Rule, is_declared=False)
    with closing(sqlite3.connect(file)) as connection:
        try:
            found = list(faults(prepared_by_sqlite(connection, query), query))
        except sqlite3.OperationalError:
            return
        assert found


@pytest.mark.parametrize("values", [("DDA-1",), ("DDA-1", 5, 6)])
def test_a_statement_takes_a_value_for_each_of_its_names(
    tmp_path: Path, values: tuple[object, ...]
) -> None:
    query = Query("SELECT :id || :most || :id AS value", Value, is_declared=False)
    with (
        closing(open_database(f"sqlite:///{tmp_path / 'bank.db'}", KEYS)) as database,
        database.read() as session,
    ):
        assert query.value(session, "DDA-1", 5) == "DDA-15DDA-1"
        with pytest.raises(ValueError, match="zip"):
            query.value(session, *values)


def test_row_classes_are_those_of_the_tables() -> None:
    """Read from the text of the schema, they say what the declarations say."""
    assert [each.name for each in records.ALL] == [each.name for each in declared()]
    for known, table in zip(records.ALL, declared(), strict=True):
        assert known.record.__annotations__ == {each.name: _kind(each) for each in table.columns}
        assert known.key == tuple(each.name for each in table.primary_key)
        exempt = {each.name for each in table.columns if reason_unsealed(each) is not None}
        covered = [] if reason_unsealed(table) else table.columns.keys()
        assert set(known.sealed) == set(covered) - exempt - {SALT}


def _kind(column: Column[object]) -> Any:
    kind = column.type.python_type
    kind = Atoms if isinstance(column.type, columns.Atoms) else str if kind is object else kind
    return kind | None if column.nullable else kind


def test_statements_that_lock_the_same_row_name_it_alike() -> None:
    """By its key, or no other statement locks rows of that table: units that share a transaction
    have to know it."""
    assert list(every_query())  # all modules are imported
    locking: dict[str, list[bool]] = {}
    for query in Query.declared:
        if table := query.postgresql.locks:
            key, names = getattr(records.Tables, table).key, query.row._fields
            is_named = {*key} <= {*names} or (query.row is Value and len(key) == 1)
            locking.setdefault(table, []).append(is_named)
    assert len(locking) > 10
    assert [table for table, named in locking.items() if len(named) > 1 and not all(named)] == []

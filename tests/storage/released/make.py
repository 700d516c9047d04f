"""Write the database that the tests of upgrades start from, with the released build.

Run it in a checkout of commit 66d1173 that has its environment set up (``pip install -e .[test]``):

    python /path/to/this/make.py /path/to/tests/storage/released

It runs a small bank on SQLite and on PostgreSQL with that build and writes each database as the
SQL that makes it again: ``sqlite.sql`` and ``postgresql.sql``. ``beside.sql`` is what a server of
that build changes afterwards, as one statement for each row, for either database.
"""

import sqlite3  # noqa: TID251 - runs with the released build
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path.cwd()))

from psycopg import sql
from sqlalchemy import Boolean, Connection, create_engine, event, inspect, make_url, select, text
from sqlalchemy.pool import NullPool
from tests.postgres import PostgresServer, start_bundled
from tests.world.customers import CustomerSeed
from tests.world.engines import USDC_SOLANA, make_world

from chainteller.domain.clock import DAY
from chainteller.storage import schema

CUSTOMERS = (
    CustomerSeed("DDA-1", name="Ann Example", reference="CU-000001"),
    CustomerSeed("DDA-2", name="Ben Sample", reference="CU-000002"),
)


def populate(place: Path | str) -> None:
    """Two trading accounts with trades and transfers in every status."""
    world = make_world(place, customers=CUSTOMERS)
    ann, ben = world.open("DDA-1"), world.open("DDA-2")
    world.deposit("5000.00", account=ann)
    world.deposit("300.50", USDC_SOLANA, account=ann)
    world.deposit("2000.00", account=ben)
    world.withdraw("20.00", account=ann)
    world.execute(world.quote("1000.00"), ann)
    world.settle()
    world.execute(world.quote("1.5", "sell"), ann)
    world.settle()
    world.execute(world.quote("250.00", market="btc-usd"), ben)
    world.clock.advance(10_000_000)
    world.engine.run_due()
    cancelled = world.execute(world.quote("50.00"), ann)
    world.engine.cancel_trade(ann, cancelled.id)
    world.execute(world.quote("60.00", market="eth-usd"), ann, key="kept-key")
    world.withdraw("12.00", account=ann)
    world.quote("33.00")
    world.close()


def sqlite_dump(folder: Path) -> Iterator[str]:
    file = folder / "bank.db"
    populate(file)
    with closing(sqlite3.connect(file)) as connection:
        for name in ("application_id", "user_version"):
            yield f"PRAGMA {name}={connection.execute(f'PRAGMA {name}').fetchone()[0]};"
        yield from connection.iterdump()


def postgresql_dump(server: PostgresServer) -> Iterator[str]:
    url = server.fresh()
    engine = create_engine(make_url(url).set(drivername="postgresql+psycopg"), poolclass=NullPool)
    yield from definitions(engine)
    populate(url)
    with engine.connect() as connection:
        yield from rows(connection)


def definitions(engine: Any) -> list[str]:
    """Every statement with which the released build makes its schema."""
    made: list[str] = []

    def keep(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        if statement.lstrip().startswith(("CREATE", "ALTER")):
            made.append(f"{statement.strip()};")

    with engine.begin() as connection:
        event.listen(engine, "before_cursor_execute", keep)
        schema.build(connection)
        event.remove(engine, "before_cursor_execute", keep)
    return made


def rows(connection: Connection) -> Iterator[str]:
    raw = connection.connection.driver_connection
    assert inspect(connection).has_table("alembic_version")
    (version,) = connection.execute(text("SELECT version_num FROM alembic_version")).one()
    yield f"INSERT INTO alembic_version VALUES ('{version}');"  # noqa: S608 - our own row
    for table in schema.own_tables():  # type: ignore[attr-defined]  # of the released build
        for row in connection.execute(select(table).order_by(*table.primary_key)):
            values = sql.SQL(", ").join(sql.Literal(value) for value in row)
            statement = sql.SQL("INSERT INTO {} VALUES ({});")
            yield statement.format(sql.Identifier(table.name), values).as_string(raw)


def a_day_later(place: Path | str) -> None:
    """What a server of the released build does while another one runs beside it."""
    world = make_world(place, customers=(), seed="3")
    world.clock.advance(DAY)
    world.engine.run_due()
    ann, ben = sorted(row.id for row in world.engine.trading_accounts().data)
    world.deposit("700.00", account=ann)
    world.deposit("800.00", account=ben)
    world.execute(world.quote("100.00", market="btc-usd"), ann, key="beside")
    world.settle()
    world.withdraw("15.00", account=ben)
    world.execute(world.quote("20.00"), ben)
    world.close()


def changes(folder: Path) -> Iterator[str]:
    """The rows that a day changes, as statements."""
    file = folder / "beside.db"
    populate(file)
    with closing(sqlite3.connect(file)) as connection:
        before = {table.name: stored(connection, table) for table in schema.own_tables()}  # type: ignore[attr-defined]  # of the released build
    a_day_later(file)
    with closing(sqlite3.connect(file)) as connection:
        for table in schema.own_tables():  # type: ignore[attr-defined]  # of the released build
            yield from changed(table, before[table.name], stored(connection, table))


def stored(connection: sqlite3.Connection, table: Any) -> dict[tuple[Any, ...], dict[str, Any]]:
    names = [column.name for column in table.columns]
    found = connection.execute(f'SELECT {", ".join(names)} FROM "{table.name}"')  # noqa: S608 - our own names
    rows = (dict(zip(names, row, strict=True)) for row in found)
    return {tuple(row[column.name] for column in table.primary_key): row for row in rows}


def changed(table: Any, before: dict[Any, Any], after: dict[Any, Any]) -> Iterator[str]:
    """One statement for each row that differs."""
    keys = [column.name for column in table.primary_key]
    bools = {column.name for column in table.columns if isinstance(column.type, Boolean)}

    def pairs(row: dict[str, Any], names: Iterable[str]) -> list[str]:
        return [f'"{name}" = {literal(row[name], is_bool=name in bools)}' for name in names]

    for key, row in after.items():
        known = before.get(key)
        if known is None:
            names = ", ".join(f'"{name}"' for name in row)
            values = ", ".join(literal(value, is_bool=name in bools) for name, value in row.items())
            yield f'INSERT INTO "{table.name}" ({names}) VALUES ({values});'  # noqa: S608 - our own rows
        elif row != known:
            others = ", ".join(pairs(row, (name for name in row if row[name] != known[name])))
            here = " AND ".join(pairs(row, keys))
            yield f'UPDATE "{table.name}" SET {others} WHERE {here};'  # noqa: S608 - as above
    for key in before.keys() - after.keys():
        here = " AND ".join(pairs(before[key], keys))
        yield f'DELETE FROM "{table.name}" WHERE {here};'  # noqa: S608 - as above


def literal(value: Any, *, is_bool: bool) -> str:
    """A value as either database reads it; SQLite keeps booleans as numbers."""
    if value is None:
        return "NULL"
    if is_bool:
        return "true" if value else "false"
    quoted = str(value).replace("'", "''")
    return quoted if isinstance(value, int) else f"'{quoted}'"


def main(target: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (target / "sqlite.sql").write_text("\n".join(sqlite_dump(Path(folder))) + "\n")
        (target / "beside.sql").write_text("\n".join(changes(Path(folder))) + "\n")
    bundled = start_bundled()
    try:
        dump = "\n".join(postgresql_dump(PostgresServer(bundled.url)))
    finally:
        bundled.remove()
    (target / "postgresql.sql").write_text(f"{dump}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

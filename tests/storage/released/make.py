"""Write the database that the tests of upgrades start from, with the released build.

Run it in a checkout of commit 66d1173 that has its environment set up (``pip install -e .[test]``):

    python /path/to/this/make.py /path/to/tests/storage/released

It runs a small bank on SQLite and on PostgreSQL with that build and writes each database as the
SQL that makes it again: ``sqlite.sql`` and ``postgresql.sql``.
"""

import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path.cwd()))

from psycopg import sql
from sqlalchemy import Connection, create_engine, event, inspect, make_url, select, text
from sqlalchemy.pool import NullPool
from tests.postgres import PostgresServer, start_bundled
from tests.world.customers import CustomerSeed
from tests.world.engines import USDC_SOLANA, make_world

from chainteller.storage import schema, sealing

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
    for table in sealing.own_tables():
        for row in connection.execute(select(table).order_by(*table.primary_key)):
            values = sql.SQL(", ").join(sql.Literal(value) for value in row)
            statement = sql.SQL("INSERT INTO {} VALUES ({});")
            yield statement.format(sql.Identifier(table.name), values).as_string(raw)


def main(target: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (target / "sqlite.sql").write_text("\n".join(sqlite_dump(Path(folder))) + "\n")
    bundled = start_bundled()
    try:
        dump = "\n".join(postgresql_dump(PostgresServer(bundled.url)))
    finally:
        bundled.remove()
    (target / "postgresql.sql").write_text(f"{dump}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

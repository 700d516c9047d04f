"""Whatever is changed in the catalogue is named, and nothing of what this build creates."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import pytest
from sqlalchemy import text
from tests.storage import schema_text
from tests.storage.catalogue import FILE, written
from tests.world.bank import sqlite_url
from tests.world.engines import World, make_world
from tests.world.files import KEYS

from chainteller.domain.randomness import Randomness, SeededRandomness, below
from chainteller.engine.verification.full_pass import verify
from chainteller.sqlite import sqlite3
from chainteller.storage.database import Database, open_database
from chainteller.storage.db.errors import DatabaseError
from chainteller.storage.db.query import POSTGRESQL, SQLITE, Session
from chainteller.storage.schema import catalogue, ddl
from chainteller.storage.schema.wallet_tables import declared
from chainteller.storage.upkeep import maintenance
from chainteller.storage.upkeep.copying import copy

Choice = TypeVar("Choice")
Change = Callable[[Session, Randomness], str]
TABLES = [each for each in declared() if not all(c.primary_key for c in each.columns)]


def picked(draw: Randomness, some: Sequence[Choice]) -> Choice:
    return some[below(draw, len(some))]


def _objects(connection: Session, kind: str) -> list[tuple[str, str]]:
    """Names and tables of the objects of a kind that somebody made."""
    rows = connection.execute(
        text(
            f"SELECT name, tbl_name FROM sqlite_master WHERE type = '{kind}' AND sql IS NOT NULL "  # noqa: S608
            "ORDER BY name"
        )
    )
    return [(str(name), str(table)) for name, table in rows]


def _edit(kind: str, *edits: tuple[str, str]) -> Change:
    """Change the text of an object, as only PRAGMA writable_schema lets somebody do."""

    def change(connection: Session, draw: Randomness) -> str:
        before, after = picked(draw, edits)
        rows = connection.driver.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = ? AND instr(sql, ?) > 0 ORDER BY 1",
            (kind, before),
        ).fetchall()
        if not rows:
            raise AssertionError(f"no {kind} has {before}")
        name, sql = picked(draw, rows)
        places = [at for at in range(len(sql)) if sql.startswith(before, at)]
        at = picked(draw, places)
        edited = sql[:at] + after + sql[at + len(before) :]
        connection.execute(text("PRAGMA writable_schema = ON"))
        connection.driver.execute(
            "UPDATE sqlite_master SET sql = ? WHERE type = ? AND name = ?", (edited, kind, name)
        )
        connection.execute(text("PRAGMA writable_schema = OFF"))
        return str(name)

    return change


def _sql(*templates: str) -> Change:
    """One of some statements; {t} is a table, {c} a column, {i} an index, {g} a trigger of {gt}."""

    def change(connection: Session, draw: Randomness) -> str:
        table = picked(draw, TABLES)
        column = picked(draw, [each for each in table.columns if not each.primary_key])
        names = {"t": table.name, "c": column.name, "n": f"x{draw.bytes(4).hex()}"}
        if connection.dialect.name == "sqlite":
            names["i"] = picked(draw, _objects(connection, "index"))[0]
            names["g"], names["gt"] = picked(draw, _objects(connection, "trigger"))
        else:
            indexes = [str(each.name) for found in TABLES for each in found.indexes]
            names["i"] = picked(draw, indexes)
            names["gt"] = picked(draw, ("audit", "entry", "event", "journal", "posting"))
            names["g"] = f"{names['gt']}_append_only"
        statement = picked(draw, templates).format(**names)
        for part in statement.split(";;"):
            connection.execute(text(part.replace("%", "%%") if "%" in part else part))
        return statement

    return change


ON_SQLITE: dict[str, Change] = {
    "an index dropped": _sql("DROP INDEX {i}"),
    "a trigger dropped": _sql("DROP TRIGGER {g}"),
    "a trigger added": _sql(
        "CREATE TRIGGER {n} AFTER INSERT ON {t} BEGIN SELECT 1; END",
        "CREATE TRIGGER {n} BEFORE UPDATE ON {t} BEGIN DELETE FROM tally; END",
    ),
    "a view added": _sql("CREATE VIEW {n} AS SELECT * FROM {t}"),
    "a table added": _sql("CREATE TABLE {n} (a TEXT)", "CREATE TABLE {n} AS SELECT * FROM {t}"),
    "an index added": _sql(
        "CREATE INDEX {n} ON {t} ({c})", "CREATE INDEX {n} ON {t} ({c}) WHERE {c} IS NULL"
    ),
    "a column added": _sql("ALTER TABLE {t} ADD COLUMN {n} TEXT DEFAULT 'x'"),
    "a column renamed": _sql("ALTER TABLE {t} RENAME COLUMN {c} TO {n}"),
    "a table renamed": _sql("ALTER TABLE {t} RENAME TO {n}"),
    "not null removed": _edit("table", (" NOT NULL", "")),
    "a type changed": _edit("table", ("VARCHAR(64)", "INTEGER"), ("TEXT", "REAL")),
    "a default added": _edit("table", (" NOT NULL", " NOT NULL DEFAULT 0")),
    "a collation changed": _edit("table", ("VARCHAR(64)", "VARCHAR(64) COLLATE NOCASE")),
    "a key removed": _edit("table", ("PRIMARY KEY", "UNIQUE")),
    "a reference changed": _edit("table", ("REFERENCES", "REFERENCES x_")),
    "a trigger's table changed": _edit("trigger", (" ON ", " ON  x_")),
    "a trigger's body changed": _edit("trigger", ("ABORT", "IGNORE"), ("append-only", "x")),
    "an index's columns changed": _edit("index", (", ", ", salt, ")),
    "an index's condition removed": _edit("index", (" WHERE ", " WHERE 1 OR ")),
    "an index not unique": _edit("index", ("CREATE UNIQUE INDEX", "CREATE INDEX")),
    "generated": _edit("table", (" NOT NULL", " NOT NULL GENERATED ALWAYS AS (1)")),
    "checked": _edit("table", (" NOT NULL", " NOT NULL CHECK (1)")),
}
ON_POSTGRES: dict[str, Change] = {
    "an index dropped": _sql("DROP INDEX {i}"),
    "a trigger dropped": _sql("DROP TRIGGER {g} ON {gt}"),
    "a trigger disabled": _sql(
        "ALTER TABLE {gt} DISABLE TRIGGER {g}", "ALTER TABLE {gt} ENABLE REPLICA TRIGGER {g}"
    ),
    "keys disabled": _sql("ALTER TABLE quote DISABLE TRIGGER ALL"),
    "a trigger added": _sql(
        "CREATE TRIGGER {n} BEFORE INSERT ON {t} FOR EACH ROW "
        "EXECUTE FUNCTION suppress_redundant_updates_trigger()",
        "CREATE TRIGGER {n} AFTER UPDATE ON {t} FOR EACH ROW "
        "EXECUTE FUNCTION chainteller_append_only()",
    ),
    "a rule added": _sql("CREATE RULE {n} AS ON UPDATE TO {t} DO INSTEAD NOTHING"),
    "a policy added": _sql("CREATE POLICY {n} ON {t} USING (false)"),
    "row security": _sql(
        "ALTER TABLE {t} ENABLE ROW LEVEL SECURITY", "ALTER TABLE {t} FORCE ROW LEVEL SECURITY"
    ),
    "a default added": _sql("ALTER TABLE quote ALTER COLUMN status SET DEFAULT 'open'"),
    "a type changed": _sql("ALTER TABLE api_key ALTER COLUMN name TYPE varchar(63)"),
    "not null removed": _sql("ALTER TABLE quote ALTER COLUMN sold DROP NOT NULL"),
    "a collation changed": _sql(
        'ALTER TABLE quote ALTER COLUMN market TYPE varchar(64) COLLATE "C"'
    ),
    "a column added": _sql("ALTER TABLE {t} ADD COLUMN {n} text"),
    "a column renamed": _sql("ALTER TABLE {t} RENAME COLUMN {c} TO {n}"),
    "a column dropped": _sql("ALTER TABLE {t} DROP COLUMN {c} CASCADE"),
    "a generated column": _sql("ALTER TABLE {t} ADD {n} int GENERATED ALWAYS AS (1) STORED"),
    "a constraint dropped": _sql("ALTER TABLE ledger_account DROP CONSTRAINT balance_not_negative"),
    "a constraint added": _sql("ALTER TABLE {t} ADD CONSTRAINT {n} CHECK ({c} IS NULL) NOT VALID"),
    "a constraint widened": _sql(
        "ALTER TABLE ledger_account DROP CONSTRAINT balance_not_negative, "
        "ADD CONSTRAINT balance_not_negative CHECK (balance >= -9)"
    ),
    "a function replaced": _sql(
        "CREATE OR REPLACE FUNCTION chainteller_append_only() RETURNS trigger LANGUAGE plpgsql "
        "AS 'BEGIN RETURN NEW; END'"
    ),
    "a function altered": _sql(
        "ALTER FUNCTION chainteller_append_only() SECURITY DEFINER",
        "ALTER FUNCTION chainteller_append_only() SET search_path = pg_temp",
    ),
    "a function added": _sql(
        "CREATE FUNCTION substr(varchar, integer, integer) RETURNS text LANGUAGE sql "
        "AS 'SELECT NULL::text'",
        "CREATE FUNCTION {n}() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    ),
    "an operator added": _sql(
        "CREATE FUNCTION {n}(varchar, varchar) RETURNS boolean LANGUAGE sql AS 'SELECT true';;"
        "CREATE OPERATOR = (LEFTARG = varchar, RIGHTARG = varchar, FUNCTION = {n})"
    ),
    "a view added": _sql("CREATE VIEW {n} AS SELECT * FROM {t}"),
    "a table added": _sql("CREATE TABLE {n} (a text)"),
    "a child table": _sql("CREATE TABLE {n} () INHERITS ({t})"),
    "not logged": _sql("ALTER TABLE server_lease SET UNLOGGED"),
    "an index added": _sql("CREATE INDEX {n} ON {t} ({c})"),
    "an index renamed": _sql("ALTER INDEX {i} RENAME TO {n}"),
    "a type added": _sql("CREATE DOMAIN {n} AS text", "CREATE TYPE {n} AS ENUM ('a')"),
    "a collation added": _sql('CREATE COLLATION {n} FROM "C"'),
    "a replica identity": _sql("ALTER TABLE {t} REPLICA IDENTITY FULL"),
}


def is_named(database: Database, change: Change, draw: Randomness) -> bool | None:
    """Whether a change is named; None where the database refuses it."""
    with database.write() as connection:
        try:
            change(connection, draw)
        except DatabaseError:
            connection.rollback()
            return None
        found = [*catalogue.problems(connection)]
        connection.rollback()
    if database.path is not None:
        database.sessions.pool.close()  # a connection would keep what it has read of the schema
    return bool(found)


def tried(
    database: Database, changes: dict[str, Change], count: int
) -> tuple[Counter[str], list[str]]:
    """How many changes of each kind were named, and those that weren't."""
    named, missed = Counter[str](), list[str]()
    draw = SeededRandomness(f"catalogue {count}")
    while named.total() + len(missed) < count:
        kind = [*changes][(named.total() + len(missed)) % len(changes)]
        seed = draw.bytes(8).hex()
        told = is_named(database, changes[kind], SeededRandomness(seed))
        if told:
            named[kind] += 1
        elif told is False:
            missed.append(f"{kind} {seed}")
    return named, missed


@pytest.fixture(params=["sqlite", "postgres"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    on_postgres = request.param == "postgres"
    url = request.getfixturevalue("postgres_url") if on_postgres else sqlite_url(tmp_path)
    made = make_world(str(url))
    made.open()
    made.deposit("100.00")
    yield made
    made.close()


@pytest.mark.parametrize(
    "each", [1, pytest.param(19, marks=pytest.mark.thorough)], ids=["once", "often"]
)
def test_every_change_of_the_catalogue_is_named(world: World, each: int) -> None:
    changes = ON_POSTGRES if world.database.is_postgres else ON_SQLITE
    named, missed = tried(world.database, changes, each * len(changes))
    assert missed == []
    assert named.keys() == changes.keys()
    with world.database.read() as connection:
        assert [*catalogue.problems(connection)] == []


def test_what_this_build_does_itself_is_no_change(world: World, tmp_path: Path) -> None:
    url = world.database.url
    target = tmp_path / "copied.db"
    copy(world.database, f"sqlite:///{target}")
    list(maintenance.analyse(world.database))
    world.close()
    maintenance.compact(url)
    for place in (url, f"sqlite:///{target}"):
        database = open_database(place, KEYS)
        assert verify(database) == ()
        assert maintenance.check(place).problems == ()
        database.close()


def test_a_later_revision_may_have_more_and_nothing_else(world: World) -> None:
    def found(*statements: str) -> list[str]:
        with world.database.write() as connection:
            for statement in ("UPDATE schema_revision SET version_num = '0999'", *statements):
                connection.execute(text(statement))
            return [*catalogue.problems(connection)]

    assert found("ALTER TABLE trade ADD COLUMN memo TEXT", "CREATE TABLE later (a TEXT)") == []
    assert found("DROP INDEX ix_trade_status") == ["the index ix_trade_status is missing"]
    assert found("CREATE VIEW x AS SELECT 1 AS a") != []


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("DELETE FROM schema_revision", "revision of the schema is missing"),
        ("INSERT INTO schema_revision VALUES ('0100')", "revision of the schema was altered"),
        ("UPDATE alembic_version SET version_num = '0001'", "floor of the schema was altered"),
        ("INSERT INTO alembic_version VALUES ('0999')", "floor of the schema was altered"),
        ("DELETE FROM alembic_version", "floor of the schema was altered"),
    ],
)
def test_a_stamp_that_no_build_writes_is_named(world: World, statement: str, named: str) -> None:
    with world.database.write() as connection:
        assert not [*catalogue.problems(connection)]
        connection.execute(text(statement))
        found = [*catalogue.problems(connection)]
        assert found == [f"the {named}"]
        connection.rollback()


def test_a_search_path_with_another_schema_before_pg_catalog_is_named(postgres_url: str) -> None:
    database = open_database(postgres_url, KEYS)
    with database.read() as connection:
        connection.execute(text("SET LOCAL search_path = public, pg_catalog"))
        (found,) = catalogue.problems(connection)
        assert found == "the search path begins with public, pg_catalog"
    database.close()


def test_the_kept_catalogue_is_that_of_this_build(postgres_url: str) -> None:
    assert FILE.read_text("utf-8") == written(postgres_url)


def test_a_disabled_trigger_is_found_by_db_check(tmp_path: Path) -> None:
    open_database(sqlite_url(tmp_path), KEYS).close()
    with closing(sqlite3.connect(tmp_path / "bank.db")) as connection:
        connection.execute("DROP TRIGGER entry_refuses_update")
    report = maintenance.check(sqlite_url(tmp_path))
    assert not report.healthy
    assert report.problems == ("the trigger entry_refuses_update is missing",)


@pytest.mark.parametrize("dialect", [SQLITE, POSTGRESQL])
def test_tables_are_created_as_they_are_declared(dialect: str) -> None:
    assert ddl.tables(dialect) == schema_text.written(dialect)

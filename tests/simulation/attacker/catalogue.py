"""Changes of the catalogue, drawn from what is in it."""

from collections.abc import Callable, Iterator

from tests.simulation.attacker.raw import Raw, RawTable
from tests.simulation.generators import Draw

Change = tuple[str, ...]
"""Statements that belong together."""


def changes(raw: Raw, draw: Draw) -> list[Change]:
    """One change of each kind that the database knows."""
    tables = raw.tables()
    makers: list[Callable[[Raw, Draw, RawTable], Iterator[Change]]] = [_of_both]
    makers.append(_of_postgres if raw.is_postgres else _of_sqlite)
    return [each for maker in makers for each in maker(raw, draw, draw.pick(tables))]


def _of_both(raw: Raw, draw: Draw, table: RawTable) -> Iterator[Change]:
    name, column = table.name, draw.pick(list(table.types))
    other = draw.pick(raw.tables()).name
    objects = raw.objects()
    kind, found, of = draw.pick(objects)
    on = f" ON {of}" if raw.is_postgres and kind == "trigger" else ""
    yield (f"DROP {kind.upper()} {found}{on}",)
    yield (f"ALTER TABLE {name} ADD COLUMN more_{draw.below(9)} TEXT",)
    yield (f"ALTER TABLE {name} ADD COLUMN more INTEGER NOT NULL DEFAULT {draw.below(9)}",)
    yield (f"ALTER TABLE {name} RENAME COLUMN {_quoted(column)} TO another_{draw.below(9)}",)
    yield (f"ALTER TABLE {name} RENAME TO another_{draw.below(9)}",)
    yield (f"CREATE INDEX more_{draw.below(99)} ON {name} ({_quoted(column)})",)
    yield (
        f"CREATE UNIQUE INDEX more_{draw.below(99)} ON {name} ({_quoted(column)}, {_key(table)})",
    )
    yield (f"CREATE TABLE more_{draw.below(99)} (id TEXT PRIMARY KEY)",)
    yield (f"CREATE VIEW more_{draw.below(99)} AS SELECT * FROM {name}",)  # noqa: S608 - names of the catalogue
    yield (
        f"ALTER TABLE {name} RENAME TO hidden",
        f"CREATE VIEW {name} AS SELECT * FROM hidden",  # noqa: S608 - as above
    )
    yield (f"CREATE TABLE copy_{draw.below(99)} AS SELECT * FROM {other}",)  # noqa: S608 - as above
    indexes = [each for each in objects if each[0] == "index"]
    _, index, of = draw.pick(indexes)
    wanted = _quoted(draw.pick(list(_named(raw, of).types)))
    where = draw.pick(("", f" WHERE {wanted} IS NOT NULL"))
    yield (f"DROP INDEX {index}", f"CREATE INDEX {index} ON {of} ({wanted}){where}")
    free = draw.pick([each for each in table.types if each not in table.key] or [column])
    yield (f"ALTER TABLE {name} DROP COLUMN {_quoted(free)}",)


def _of_sqlite(raw: Raw, draw: Draw, table: RawTable) -> Iterator[Change]:
    name, column = table.name, draw.pick(list(table.types))
    free = draw.pick([each for each in table.types if each not in table.key] or [column])
    when, verb = draw.pick(("BEFORE", "AFTER")), draw.pick(("INSERT", "UPDATE", "DELETE"))
    does = draw.pick((
        "SELECT RAISE(IGNORE)",
        "SELECT 1",
        f"DELETE FROM {name} WHERE 0",  # noqa: S608 - names of the catalogue
        f'UPDATE {name} SET "{free}" = "{free}"',  # noqa: S608 - as above
    ))  # fmt: skip
    yield (f"CREATE TRIGGER more_{draw.below(99)} {when} {verb} ON {name} BEGIN {does}; END",)
    guards = [each for each in raw.objects() if each[0] == "trigger"]
    _, guard, of = draw.pick(guards)
    yield (
        f"DROP TRIGGER {guard}",
        f"CREATE TRIGGER {guard} BEFORE DELETE ON {of} WHEN 0 BEGIN SELECT 1; END",
    )
    for old, new in (
        (" NOT NULL", ""),
        ("VARCHAR(64)", draw.pick(("VARCHAR(65)", "BLOB", "TEXT", "VARCHAR(64) COLLATE NOCASE"))),
        ("BIGINT", draw.pick(("REAL", "TEXT", "BIGINT DEFAULT 1"))),
        ("INTEGER", draw.pick(("REAL", "NUMERIC"))),
        ("PRIMARY KEY", "UNIQUE"),
        ("REFERENCES", "REFERENCES other_"),
        (" UNIQUE", ""),
        ("WITHOUT ROWID", ""),
    ):
        yield _rewritten(draw.pick(raw.tables()).name, old, new)
    index = draw.pick([each for each in raw.objects() if each[0] == "index"])[1]
    yield _rewritten(index, "organisation_id", draw.pick(("id", "created")))


def _rewritten(name: str, old: str, new: str) -> Change:
    """The text of a definition, as ``PRAGMA writable_schema`` lets anybody write it."""
    return (
        "PRAGMA writable_schema = ON",
        f"UPDATE sqlite_master SET sql = replace(sql, '{old}', '{new}') WHERE name = '{name}'",  # noqa: S608 - as above
        "PRAGMA writable_schema = OFF",
    )


def _of_postgres(raw: Raw, draw: Draw, table: RawTable) -> Iterator[Change]:
    name, column = table.name, _quoted(draw.pick(list(table.types)))
    number = draw.below(99)
    texts = [each for each, kind in table.types.items() if "char" in kind or kind == "text"]
    yield (
        f"ALTER TABLE {name} ALTER COLUMN {column} SET DEFAULT NULL::text::{_kind(table, column)}",
    )
    yield (f"ALTER TABLE {name} ALTER COLUMN {column} SET NOT NULL",)
    yield (f"ALTER TABLE {name} ALTER COLUMN {column} DROP NOT NULL",)
    yield (f"ALTER TABLE {name} ADD CONSTRAINT more_{number} CHECK ({column} IS NOT NULL OR true)",)
    yield (f"ALTER TABLE {name} DISABLE TRIGGER ALL",)
    yield (f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY",)
    yield (f"ALTER TABLE {name} SET UNLOGGED",)
    yield (f"ALTER TABLE {name} REPLICA IDENTITY FULL",)
    yield (f"CREATE POLICY more_{number} ON {name} USING (true)",)
    yield (f"CREATE RULE more_{number} AS ON INSERT TO {name} DO ALSO NOTHING",)
    yield (f"CREATE FUNCTION lower(numeric) RETURNS text LANGUAGE sql AS 'SELECT {number}::text'",)
    yield (f"CREATE FUNCTION more_{number}() RETURNS int LANGUAGE sql AS 'SELECT {number}'",)
    yield ('CREATE COLLATION more FROM "C"',)
    yield (f"CREATE TYPE more_{number} AS ENUM ('x')",)
    yield (f"CREATE DOMAIN more_{number} AS text",)
    yield (f"CREATE SEQUENCE more_{number}",)
    yield (f"CREATE MATERIALIZED VIEW more_{number} AS SELECT * FROM {name}",)  # noqa: S608 - as above
    yield (
        "CREATE FUNCTION seen() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
        f"CREATE TRIGGER more_{number} BEFORE INSERT ON {name} "
        "FOR EACH ROW EXECUTE FUNCTION seen()",
    )
    body = draw.pick(("BEGIN RETURN NEW; END", "BEGIN RETURN OLD; END"))
    yield (
        "CREATE OR REPLACE FUNCTION chainteller_append_only() RETURNS trigger LANGUAGE plpgsql "
        f"AS '{body}'",
    )
    if texts:
        text = _quoted(draw.pick(texts))
        yield (f"ALTER TABLE {name} ALTER COLUMN {text} TYPE text",)
        yield (f"ALTER TABLE {name} ALTER COLUMN {text} TYPE varchar(999)",)
        yield (f'ALTER TABLE {name} ALTER COLUMN {text} TYPE text COLLATE "en-x-icu"',)
    yield (f"CREATE TABLE more_{number} () INHERITS ({name})",)
    yield ("ALTER TABLE ledger_account DROP CONSTRAINT IF EXISTS ledger_account_not_negative",)
    yield (_dropped_constraint(raw, draw),)
    yield ("ALTER TABLE entry DISABLE TRIGGER entry_append_only",)


def _dropped_constraint(raw: Raw, draw: Draw) -> str:
    name, table = draw.pick(raw.constraints())
    return f'ALTER TABLE {table} DROP CONSTRAINT "{name}" CASCADE'


def _kind(table: RawTable, column: str) -> str:
    return table.types[column.strip('"')]


def _named(raw: Raw, name: str) -> RawTable:
    return next(each for each in raw.tables() if each.name == name)


def _key(table: RawTable) -> str:
    return ", ".join(map(_quoted, table.key))


def _quoted(name: str) -> str:
    return f'"{name}"'

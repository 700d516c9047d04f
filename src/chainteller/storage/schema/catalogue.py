"""The catalogue: whether tables, indexes, triggers and all else are what this build creates.

On SQLite the schema is built again in memory and compared. On PostgreSQL it's compared with a data
file, written from a schema of this build (``python -m tests.storage.catalogue``): building one
again would need rights that a reading role hasn't got. Every query names ``pg_catalog``, so that no
function or table of the same name elsewhere can answer it.

A database that a later build has expanded has more columns, indexes and tables than this one knows,
and nothing else is different.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from functools import cache
from importlib.resources import files
from typing import Any

from chainteller.sqlite import sqlite3
from chainteller.storage.db.errors import DatabaseError
from chainteller.storage.db.query import POSTGRESQL, SQLITE, Query, Session, Value, built, row_of
from chainteller.storage.revision import (
    FLOOR,
    FLOOR_TABLE,
    REVISION,
    REVISION_TABLE,
    sqlite_revision,
)
from chainteller.storage.schema import ddl

Catalogue = dict[str, str]
"""What each object is, by its kind and name."""
_KINDS_OF_LATER_BUILDS = ("table", "column", "index", "constraint")
_FILE = "catalogue_postgresql.json"
_STAMP = f"column {REVISION_TABLE}.version_num"
_NO_REVISION = "the revision of the schema is missing"
_ALTERED_STAMP = "the {} of the schema was altered"
_STATISTICS = {"sqlite_stat1", "sqlite_stat4", "sqlite_sequence"}


def problems(connection: Session) -> Iterator[str]:
    """Every object that is missing, altered or not ours, in words. Raises DatabaseError."""
    if connection.dialect.name == "sqlite":
        try:
            yield from sqlite_problems(connection.driver)
        except sqlite3.Error as error:
            raise DatabaseError(error) from error
        return
    found = postgres_catalogue(connection)
    newest = ddl.revision(connection) if _STAMP in found else None
    if not newest:
        yield _NO_REVISION
    is_expanded = str(newest or "") > REVISION
    yield from _compare(_postgres_expected(), found, is_expanded=is_expanded)

    def values(query: str) -> list[Any]:
        return [row[0] for row in connection.execute(built(query, Value)).all()]

    yield from _stamp_problems(values, found, is_expanded=is_expanded)
    yield from _session_problems(connection)


def sqlite_problems(connection: sqlite3.Connection) -> Iterator[str]:
    """As ``problems``, of a SQLite file."""

    def values(query: str) -> list[Any]:
        return [row[0] for row in connection.execute(query).fetchall()]

    def scalar(query: str) -> Any:
        return next(iter(values(query)), None)

    found = _sqlite_catalogue(connection)
    newest = sqlite_revision(scalar) if _STAMP in found else 0
    if not newest:
        yield _NO_REVISION
    is_expanded = newest > int(REVISION)
    yield from _compare(_sqlite_expected(), found, is_expanded=is_expanded)
    yield from _stamp_problems(values, found, is_expanded=is_expanded)
    if not is_expanded and scalar("PRAGMA user_version") != int(FLOOR):
        yield _ALTERED_STAMP.format("floor")


def _stamp_problems(
    values: Callable[[str], list[Any]], found: Catalogue, *, is_expanded: bool
) -> Iterator[str]:
    """What the two stamps say besides what a build writes. A later build's are its own, of which
    there is still one each; a revision that is missing is told before."""
    for name, table, stamp in (
        ("revision", REVISION_TABLE, REVISION),
        ("floor", FLOOR_TABLE, FLOOR),
    ):
        if f"column {table}.version_num" not in found:
            continue
        stored = values(f"SELECT version_num AS value FROM {table}")
        is_good = len(stored) == 1 if is_expanded else stored == [stamp]
        if not is_good and (stored or table == FLOOR_TABLE):
            yield _ALTERED_STAMP.format(name)


def _compare(expected: Catalogue, found: Catalogue, *, is_expanded: bool) -> Iterator[str]:
    gone = {name for name in expected if name not in found}
    for name in sorted(gone):
        kind, _, of = name.partition(" ")
        if kind != "column" or f"table {of.partition('.')[0]}" not in gone:
            yield f"the {name} is missing"
    for name, wanted in sorted(expected.items()):
        if name in found and found[name] != wanted:
            yield f"the {name} was altered or disabled"
    for name in sorted(found.keys() - expected.keys()):
        if not (is_expanded and name.partition(" ")[0] in _KINDS_OF_LATER_BUILDS):
            yield f"the {name} is not one of chainteller's"


# SQLite


@cache
def _sqlite_expected() -> Catalogue:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for statement in ddl.objects(SQLITE):
            connection.execute(statement)
        return _sqlite_catalogue(connection)


def _sqlite_catalogue(connection: sqlite3.Connection) -> Catalogue:
    found: Catalogue = {}
    roots: dict[int, str] = {}
    rows = connection.execute("SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master")
    for kind, name, table, root, sql in rows.fetchall():
        label = f"{kind} {name}"
        if root:
            found |= {f"place of {label}": roots[root]} if root in roots else {}
            roots[root] = label
        if name in _STATISTICS and kind == "table":
            continue
        if sql is None:
            found[label] = table if kind == "index" and name.startswith("sqlite_auto") else "?"
        elif kind == "table":
            found |= _sqlite_table(name, sql)
        else:
            found[label] = f"{table}: {_plain(sql)}"
    return found


def _sqlite_table(name: str, sql: str) -> Catalogue:
    """A table's definitions one by one, for a column that was added later stands last."""
    begin, end = sql.find("("), sql.rfind(")")
    found = {f"table {name}": _plain(f"{sql[:begin]} {sql[end + 1 :]}")}
    for part in _definitions(sql[begin + 1 : end]):
        word = part.partition(" ")[0]
        is_constraint = word in {"PRIMARY", "FOREIGN", "UNIQUE", "CHECK", "CONSTRAINT"}
        label = f"constraint {name}: {part}" if is_constraint else f"column {name}.{word}"
        found[label] = found.get(label, "") + part
    return found


def _definitions(body: str) -> Iterator[str]:
    depth, begin, is_text = 0, 0, False
    for at, sign in enumerate(body):
        if sign == "'":
            is_text = not is_text
        elif not is_text:
            depth += (sign == "(") - (sign == ")")
            if sign == "," and depth == 0:
                yield _plain(body[begin:at])
                begin = at + 1
    yield _plain(body[begin:])


def _plain(sql: str) -> str:
    """SQL without the quotes of names and the spacing, which say nothing."""
    return re.sub(r"\s+", " ", sql.replace('"', "")).strip()


# PostgreSQL

_OURS = "pg_catalog.current_schema()::pg_catalog.regnamespace"
_QUERIES: Mapping[str, str] = {
    "table": """
        SELECT relname, pg_catalog.concat_ws(' ', relkind, relpersistence, relrowsecurity,
            relforcerowsecurity, relispartition, relhassubclass, relreplident)
        FROM pg_catalog.pg_class WHERE relnamespace = @ours AND relkind NOT IN ('i', 'I', 't')""",
    "column": """
        SELECT c.relname || '.' || a.attname, pg_catalog.concat_ws(' ',
            pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity,
            a.attgenerated, pg_catalog.pg_get_expr(d.adbin, d.adrelid), o.collname)
        FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
        LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        LEFT JOIN pg_catalog.pg_collation o ON o.oid = a.attcollation
        WHERE c.relnamespace = @ours AND c.relkind NOT IN ('i', 'I', 't')
        AND a.attnum > 0 AND NOT a.attisdropped""",
    "constraint": """
        SELECT c.relname || ' ' || o.conname, pg_catalog.concat_ws(' ', o.contype, o.convalidated,
            o.condeferrable, pg_catalog.pg_get_constraintdef(o.oid))
        FROM pg_catalog.pg_constraint o JOIN pg_catalog.pg_class c ON c.oid = o.conrelid
        WHERE o.connamespace = @ours AND o.contype <> 'n'""",
    "index": """
        SELECT i.relname, pg_catalog.concat_ws(' ', x.indisvalid, x.indisready, x.indislive,
            pg_catalog.pg_get_indexdef(x.indexrelid))
        FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid
        WHERE i.relnamespace = @ours
        AND x.indrelid IN (SELECT oid FROM pg_catalog.pg_class WHERE relkind <> 't')""",
    "trigger": """
        SELECT t.tgname, pg_catalog.concat_ws(' ', t.tgenabled, pg_catalog.pg_get_triggerdef(t.oid))
        FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid
        WHERE c.relnamespace = @ours AND (NOT t.tgisinternal OR t.tgenabled <> 'O')""",
    "rule": """
        SELECT r.rulename || ' on ' || c.relname, pg_catalog.pg_get_ruledef(r.oid)
        FROM pg_catalog.pg_rewrite r JOIN pg_catalog.pg_class c ON c.oid = r.ev_class
        WHERE c.relnamespace = @ours""",
    "policy": """
        SELECT p.polname || ' on ' || c.relname, pg_catalog.concat_ws(' ', p.polcmd,
            pg_catalog.pg_get_expr(p.polqual, p.polrelid))
        FROM pg_catalog.pg_policy p JOIN pg_catalog.pg_class c ON c.oid = p.polrelid
        WHERE c.relnamespace = @ours""",
    "function": """
        SELECT p.proname || '(' || pg_catalog.pg_get_function_identity_arguments(p.oid) || ')',
            pg_catalog.concat_ws(' ', l.lanname, p.prosecdef, p.proisstrict, p.provolatile,
            pg_catalog.array_to_string(p.proconfig, ','), p.prosrc)
        FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_language l ON l.oid = p.prolang
        WHERE p.pronamespace = @ours""",
    "operator": """
        SELECT oprname || ' ' || oprleft::pg_catalog.regtype || ' ' || oprright::pg_catalog.regtype,
            oprcode::pg_catalog.text FROM pg_catalog.pg_operator WHERE oprnamespace = @ours""",
    "type": """
        SELECT typname, typtype::pg_catalog.text FROM pg_catalog.pg_type t
        WHERE typnamespace = @ours AND typtype IN ('d', 'e', 'r', 'b') AND typelem = 0""",
    "collation": """
        SELECT collname, collcollate FROM pg_catalog.pg_collation WHERE collnamespace = @ours""",
}
"""Name and description of each object of a kind in our schema, which is ``@ours``."""
_SESSION = Query(
    """
    SELECT pg_catalog.current_schemas(true) AS path, pg_catalog.current_schema() AS first,
        pg_catalog.current_setting('session_replication_role') AS role,
        pg_catalog.current_setting('row_security') AS security""",
    row_of("path", "first", "role", "security"),
    only=POSTGRESQL,
)
_SETTINGS = Query(
    """
    SELECT pg_catalog.unnest(setconfig) AS value FROM pg_catalog.pg_db_role_setting s
    WHERE s.setdatabase IN (0, (SELECT oid FROM pg_catalog.pg_database
        WHERE datname = pg_catalog.current_database()))""",
    Value,
    only=POSTGRESQL,
)
_SCHEMA = Query("SELECT pg_catalog.current_schema() AS value", Value, only=POSTGRESQL)
_TOLD = row_of("name", "told")
_REFUSED_SETTINGS = ("session_replication_role=", "row_security=off", "default_transaction_read_")


def postgres_catalogue(connection: Session) -> Catalogue:
    """What our schema has; the schema's own name is left out."""
    ddl = str(connection.execute(_SCHEMA).scalar())
    found: Catalogue = {}
    for kind, query in _QUERIES.items():
        for name, told in connection.execute(built(query.replace("@ours", _OURS), _TOLD)):
            plain = str(told).replace(f'"{ddl}".', "").replace(f"{ddl}.", "")
            found[f"{kind} {name}"] = plain
    return found


def _session_problems(connection: Session) -> Iterator[str]:
    """What is wrong with the settings under which all statements run."""
    path, ddl, role, security = connection.execute(_SESSION).one()
    if list(path)[:1] != ["pg_catalog"] or ddl not in path[1:2]:
        yield f"the search path begins with {', '.join(map(str, path[:2]))}"
    if role != "origin":
        yield f"the setting session_replication_role is {role}"
    if security != "on":
        yield f"the setting row_security is {security}"
    for setting in connection.execute(_SETTINGS).scalars():
        if str(setting).startswith(_REFUSED_SETTINGS):
            yield f"the setting {setting} of a role or database is not one of chainteller's"


@cache
def _postgres_expected() -> Catalogue:
    found: Catalogue = json.loads((files("chainteller.storage.schema") / _FILE).read_text("utf-8"))
    return found

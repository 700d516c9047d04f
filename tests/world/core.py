"""Statements of SQLAlchemy on the program's own sessions, which take texts: tests that look into a
database or damage it build theirs from the declared tables."""

from collections import namedtuple
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, cast

import psycopg
from sqlalchemy import Insert, TextClause
from sqlalchemy.dialects import sqlite
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.sql import ClauseElement

import chainteller.storage.db.postgres
import chainteller.storage.db.sqlite  # noqa: F401 - sessions that are known below
from chainteller.sqlite import sqlite3
from chainteller.storage.db.errors import DatabaseError
from chainteller.storage.db.query import Found, Session
from chainteller.storage.schema.columns import Atoms

_DIALECTS: Mapping[str, Any] = {
    "sqlite": sqlite.dialect(paramstyle="qmark"),
    "postgresql": PGDialect_psycopg(),  # type: ignore[no-untyped-call]
}


class CoreForm:
    """As ``Form``, of one statement with its values."""

    def __init__(self, statement: Any, dialect_name: str, given: Mapping[str, Any]) -> None:
        dialect: Any = _DIALECTS[dialect_name]
        columns = list(given) if isinstance(statement, Insert) and given else None
        options = {"render_postcompile": True}
        compiled: Any = statement.compile(
            dialect=dialect, column_keys=columns, compile_kwargs=options
        )
        self.sql = str(compiled)
        params = compiled.construct_params(given or None)
        params |= {each.key: each.default.arg for each in compiled.insert_prefetch}
        order = compiled.positiontup or list(params)
        self.names = tuple(order)
        processors = compiled._bind_processors
        self.given = {
            name: _plain(processors[name](params[name]) if name in processors else params[name])
            for name in order
        }
        entries = compiled._result_columns or ()
        self.has_rows = bool(entries)
        self._readers = [
            None
            if isinstance(entry.type, Atoms) and dialect_name == "postgresql"
            else entry.type.dialect_impl(dialect).result_processor(dialect, None)
            for entry in entries
        ]
        self._names = [entry.keyname for entry in entries]

    def in_order(self, values: Mapping[str, Any]) -> list[Any]:
        return [values[name] for name in self.names]

    def read(self, rows: Sequence[Sequence[Any]]) -> list[Any]:
        if not rows:
            return []
        make = _row_class(tuple(self._names))._make
        return [
            make(
                value if read is None else read(value)
                for value, read in zip(row, self._readers, strict=True)
            )
            for row in rows
        ]


class CoreQuery(NamedTuple):
    """As ``Query``, of one statement with its values."""

    sqlite: CoreForm
    postgresql: CoreForm


def _plain(value: Any) -> Any:
    """A value without psycopg's mark of what is binary."""
    return bytes(value.obj) if hasattr(value, "obj") else value


@cache
def _row_class(names: tuple[str, ...]) -> Any:
    return cast("Any", namedtuple)("row", names, rename=True)


def install() -> None:
    """Let sessions run such statements too."""
    for kind in _subclasses(Session):
        for name in ("execute", "later", "stream"):
            if name in vars(kind):
                setattr(kind, name, _running(getattr(kind, name)))


def _running(own: Any) -> Any:
    def run(self: Session, statement: Any, values: Any = None, *rest: Any, **named: Any) -> Any:
        if isinstance(statement, TextClause):
            return _told(self, statement, values or {})
        if isinstance(statement, ClauseElement):
            form = CoreForm(statement, self.dialect.name, values or {})
            return own(self, CoreQuery(form, form), form.given, *rest, **named)
        return own(self, statement, values or {}, *rest, **named)

    return run


def _told(session: Session, statement: TextClause, values: Mapping[str, Any]) -> Found:
    """The result of a text, whose columns only the driver knows."""
    name = session.dialect.name
    sql = statement.text if name == "sqlite" else str(statement.compile(dialect=_DIALECTS[name]))
    try:
        cursor = session.driver.execute(sql, values)
        if cursor.description is None:
            return Found([], cursor.rowcount)
        make = _row_class(tuple(column[0] for column in cursor.description))._make
        return Found([make(row) for row in cursor.fetchall()], cursor.rowcount)
    except (sqlite3.Error, psycopg.Error) as error:
        raise DatabaseError(error) from error


def _subclasses(kind: type) -> list[Any]:
    found: list[Any] = list(kind.__subclasses__())
    return [*found, *(each for sub in found for each in _subclasses(sub))]

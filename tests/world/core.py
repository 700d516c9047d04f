"""Statements of SQLAlchemy on the program's own sessions, which take texts: tests that look into a
database or damage it build theirs from the declared tables."""

from collections import namedtuple
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, cast

from sqlalchemy import Insert
from sqlalchemy.dialects import sqlite
from sqlalchemy.dialects.postgresql import psycopg
from sqlalchemy.sql import ClauseElement

import chainteller.storage.db.postgres
import chainteller.storage.db.sqlite  # noqa: F401 - sessions that are known below
from chainteller.storage.columns import Atoms
from chainteller.storage.db.query import Found, Session

_DIALECTS: Mapping[str, Any] = {
    "sqlite": sqlite.dialect(paramstyle="qmark"),
    "postgresql": psycopg.dialect(),  # type: ignore[no-untyped-call]
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
        self._values = [
            _plain(processors[name](params[name]) if name in processors else params[name])
            for name in order
        ]
        entries = compiled._result_columns or ()
        self.has_rows = bool(entries) or _returns_rows(self.sql)
        self._readers = [
            None
            if isinstance(entry.type, Atoms) and dialect_name == "postgresql"
            else entry.type.dialect_impl(dialect).result_processor(dialect, None)
            for entry in entries
        ]
        self._names = [entry.keyname for entry in entries]

    def values(self, _given: Mapping[str, Any]) -> list[Any]:
        return self._values

    def read(self, rows: Sequence[Sequence[Any]]) -> list[Any]:
        if not rows:
            return []
        if not self._names:
            names = [f"c{number}" for number in range(len(rows[0]))]
            return [_row_class(tuple(names))._make(row) for row in rows]
        make = _row_class(tuple(self._names))._make
        return [
            make(
                value if read is None else read(value)
                for value, read in zip(row, self._readers, strict=True)
            )
            for row in rows
        ]


def _plain(value: Any) -> Any:
    """A value without psycopg's mark of what is binary."""
    return bytes(value.obj) if hasattr(value, "obj") else value


def _returns_rows(sql: str) -> bool:
    words = sql.split(None, 1)
    return bool(words) and (
        words[0].upper() in ("SELECT", "PRAGMA", "SHOW", "WITH", "EXPLAIN", "VALUES")
        or " RETURNING " in sql.upper()
    )


@cache
def _row_class(names: tuple[str, ...]) -> Any:
    return cast("Any", namedtuple)("row", names, rename=True)


def install() -> None:
    """Let sessions run such statements too."""
    known = Session._form
    execute = {each: each.execute for each in _subclasses(Session)}

    def form(self: Session, statement: Any, values: Mapping[str, Any]) -> Any:
        if isinstance(statement, ClauseElement):
            return CoreForm(statement, self.dialect.name, values)
        return known(self, statement, values)

    Session._form = form  # type: ignore[assignment, method-assign]
    for kind, own in execute.items():
        kind.execute = _executing(own)


def _executing(own: Any) -> Any:
    def execute(self: Session, statement: Any, values: Any = None, **_: object) -> Found:
        if isinstance(values, list):
            for each in values:
                own(self, statement, each)
            return Found([], len(values))
        return cast("Found", own(self, statement, values or {}))

    return execute


def _subclasses(kind: type) -> list[Any]:
    found: list[Any] = list(kind.__subclasses__())
    return [*found, *(each for sub in found for each in _subclasses(sub))]

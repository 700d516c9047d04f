"""Core statements compiled once, as a driver takes them, and the rows that a driver returns."""

from collections import namedtuple
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, cast
from weakref import ref

from sqlalchemy import Insert
from sqlalchemy.engine import Dialect

from chainteller.storage.columns import Atoms
from chainteller.storage.db.query import Form, Found, Query, Values

__all__ = ["Compiled", "Found", "Step", "Values", "compiled"]
_MOST = 1_000


class Compiled:
    """A statement as the driver takes it, and how its rows are read.

    Args:
        statement: a Core statement.
        dialect: of the database.
        names: the columns that an insert is given; None for any other statement.
    """

    def __init__(
        self, statement: Any, dialect: Dialect, names: tuple[str, ...] | None = None
    ) -> None:
        columns = None if names is None else list(names)
        compiled: Any = statement.compile(dialect=dialect, column_keys=columns)
        self.sql = str(compiled)
        self.is_plain = not (
            compiled.post_compile_params or compiled.literal_execute_params
            or compiled.escaped_bind_names
        )  # fmt: skip
        """Whether the text is complete; a list of unknown length isn't."""
        order = compiled.params if compiled.positiontup is None else compiled.positiontup
        self.names = tuple(order)
        processors = compiled._bind_processors  # noqa: SLF001 - as SQLAlchemy's own results do
        defaults = {column.key: column.default for column in compiled.insert_prefetch}
        self.is_plain &= all(default.is_scalar for default in defaults.values())
        given = compiled.params | {name: each.arg for name, each in defaults.items()}
        self._parameters = tuple(
            (name, given.get(name), processors.get(name)) for name in self.names
        )
        entries = compiled._result_columns or ()  # noqa: SLF001 - the same
        readers = (_reader(entry.type, dialect) for entry in entries)
        self._readers = tuple((at, read) for at, read in enumerate(readers) if read is not None)
        self.has_rows = bool(entries)
        names_of_rows = [entry.keyname for entry in entries]
        self._make = cast("Any", namedtuple)("row", names_of_rows, rename=True)._make

    def values(self, given: Values) -> list[Any]:
        """The values of the parameters, in the order of ``names``."""
        return [
            process(value) if process else value
            for name, default, process in self._parameters
            for value in (given.get(name, default),)
        ]

    def read(self, rows: Sequence[Sequence[Any]]) -> list[Any]:
        """Rows with named columns, from those of the driver."""
        if not self._readers:
            return [self._make(row) for row in rows]
        columns: list[Any] = list(zip(*rows, strict=True))
        for at, read in self._readers if columns else ():
            columns[at] = [read(value) for value in columns[at]]
        return [self._make(row) for row in zip(*columns, strict=True)]


def _reader(kind: Any, dialect: Dialect) -> Callable[[Any], Any] | None:
    """What makes a value of what the driver gives; None where that is the value already."""
    if isinstance(kind, Atoms) and dialect.name == "postgresql":
        return None  # pipeline.Session reads whole numbers
    read: Callable[[Any], Any] | None = kind.dialect_impl(dialect).result_processor(dialect, None)
    return read


class Step(NamedTuple):
    """What a driver runs: a statement with its values in order, or a text without any."""

    what: Compiled | Form | str
    values: Sequence[Any] = ()

    @property
    def sql(self) -> str:
        return self.what if isinstance(self.what, str) else self.what.sql

    @property
    def names(self) -> tuple[str, ...]:
        return () if isinstance(self.what, str) else self.what.names


_Key = tuple[int, str, tuple[str, ...] | None]
_known: dict[_Key, tuple[Any, Compiled | None]] = {}


def compiled(statement: Any, dialect: Dialect, given: Values) -> Compiled | Form | None:
    """The compiled statement; None if it must run on SQLAlchemy's connection.

    A statement is compiled when it is met for the second time: one that is built anew for each
    use is left to SQLAlchemy, which knows it by its form.
    """
    if isinstance(statement, Query):
        return statement.form(dialect.name)
    names = tuple(given) if isinstance(statement, Insert) else None
    key = (id(statement), dialect.name, names)
    known = _known.get(key)
    if known is not None and known[0]() is statement:
        if known[1] is not None:
            return known[1] if known[1].is_plain else None
        made = Compiled(statement, dialect, names)
        _known[key] = (known[0], made)
        return made if made.is_plain else None
    if len(_known) >= _MOST:
        _known.clear()
    with suppress(TypeError):
        _known[key] = (ref(statement), None)
    return None

"""Statements, written once as SQL text with ``:names``, and what they return.

A ``Query`` has the same text for both databases. What they spell differently is translated here:
``IN :names`` takes a list, and a lock at the end (``FOR UPDATE``) is left out for SQLite, whose
writers come one after the other. JSON is made by SQLite's functions.
"""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache, partial
from operator import itemgetter
from typing import (
    Any,
    ClassVar,
    Concatenate,
    NamedTuple,
    NewType,
    ParamSpec,
    TypeAlias,
    TypeVar,
    get_args,
)

Record = Any
"""A row as a statement returns it."""
Values = Mapping[str, Any]
Atoms = NewType("Atoms", int)
"""A whole number of any size: NUMERIC(38, 0) on PostgreSQL, decimal text on SQLite."""
SQLITE, POSTGRESQL = "sqlite", "postgresql"
_PART = re.compile(r"'[^']*'|::|%|(?P<in>\bIN )?:(?P<name>[a-z][a-z0-9_]*)")
_MOST = re.compile(r"\b(LIMIT|OFFSET) (:\w+)")
_LOCK = re.compile(r"\s+FOR (?:NO KEY )?UPDATE(?: OF (\w+))?(?: SKIP LOCKED)?\s*$")
_FROM = re.compile(r" FROM (\w+)")
_SAME = (("json_array(", "json_build_array("), ("json_group_array(", "json_agg("))
"""Functions of SQLite, and PostgreSQL's names for them."""
_BUILT = 2_048
_REMEMBERED = 2_048
_OF_EVERYTHING = 5_000
"""Rows of a batch where whole tables are read."""
Given = ParamSpec("Given")
Made = TypeVar("Made")


def remembered(make: Callable[Given, Made]) -> Callable[Given, Made]:
    """Decorate what makes a model of a row: the same row gives the same model, with its JSON, since
    most pages repeat the rows of earlier ones. Everything that the model shows is an argument."""
    return lru_cache(_REMEMBERED)(make)  # type: ignore[return-value]  # its arguments are hashable


class Found:
    """The result of a statement."""

    __slots__ = ("rowcount", "rows")

    def __init__(self, rows: Sequence[Any], rowcount: int) -> None:
        self.rows = rows
        self.rowcount = rowcount

    def all(self) -> Sequence[Any]:
        return self.rows

    def first(self) -> Any:
        return self.rows[0] if self.rows else None

    def one(self) -> Any:
        (row,) = self.rows
        return row

    def scalar(self) -> Any:
        return self.rows[0][0] if self.rows else None

    def scalar_one(self) -> Any:
        return self.one()[0]

    def scalars(self) -> "Found":
        return Found([row[0] for row in self.rows], self.rowcount)

    def mappings(self) -> "Found":
        return Found([row._asdict() for row in self.rows], self.rowcount)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.rows)


Then = Callable[[Found], None]
Reader: TypeAlias = Callable[Concatenate[Any, Given], Any]
"""What reads rows in a session, its first argument."""


class Form:
    """A query as one of the drivers takes it.

    ``sql`` has ``?`` for SQLite and ``%(name)s`` for PostgreSQL; ``names`` are the parameters in
    their order. ``in_order`` takes their values, with lists as JSON for SQLite.
    """

    def __init__(self, query: "Query", dialect: str) -> None:
        self.sql, self.names, lists = _translated(query.text, dialect)
        self.in_order: Callable[[Values], Sequence[Any]] = partial(_in_order, self.names, lists)
        if len(self.names) > 1 and not lists:
            self.in_order = itemgetter(*self.names)
        self.has_rows = query.row is not None
        self.writes = not query.text.startswith("SELECT")
        self.locks = _locked(query.text)
        """The table whose rows it locks, if it locks any."""
        # As ``_make`` does it, without a function of Python for each row.
        self._make: Any = query.row and partial(tuple.__new__, query.row)
        readers = _readers(query.row) if query.row is not None and dialect == SQLITE else ()
        self._readers = readers
        self._packed = query.row if query.is_packed else None

    def read(self, rows: Sequence[Sequence[Any]]) -> list[Any]:
        """Rows with named columns, from those of the driver."""
        if self._packed is not None:
            return [_unpacked(self._packed, text) for (text,) in rows]
        if not self._readers:
            return list(map(self._make, rows))
        found = []
        for row in rows:
            values = list(row)
            for at, read in self._readers:
                if values[at] is not None:
                    values[at] = read(values[at])
            found.append(self._make(values))
        return found


def _locked(text: str) -> str:
    """The table of what a lock at the end of a statement locks; empty without a lock."""
    lock = _LOCK.search(text)
    return "" if lock is None else str(lock[1] or _FROM.findall(text)[0])


def _in_order(names: Sequence[str], lists: Sequence[int], values: Values) -> list[Any]:
    given = [values[name] for name in names]
    for at in lists:
        given[at] = json.dumps(given[at])
    return given


class Query:
    """A statement.

    Args:
        text: SQL with ``:names``.
        row: the ``NamedTuple`` of its rows; None if it returns none.
        only: the database that it's for, if it's for one of the two.
        is_declared: whether it's one of the program's own statements, each of which a test
            prepares; others are put together from parts while the program runs.
        is_packed: whether each row is one text, a JSON array of its columns.
    """

    declared: ClassVar[list["Query"]] = []

    def __init__(
        self,
        text: str,
        row: Any = None,
        *,
        only: str = "",
        is_declared: bool = True,
        is_packed: bool = False,
    ) -> None:
        self.text = text
        self.row = row
        self.only = only
        self.is_packed = is_packed
        if is_declared:
            Query.declared.append(self)

    def run(self, session: "Session", *values: Any) -> Found:
        """Run it with the values of its parameters, in the order in which it names them first."""
        return session.execute(self, dict(zip(self._names, values, strict=True)))

    def rows(self, session: "Session", *values: Any) -> list[Record]:
        """All rows; as ``run``."""
        return list(self.run(session, *values).rows)

    def first(self, session: "Session", *values: Any) -> Record | None:
        """The first row, if there is one; as ``run``."""
        return self.run(session, *values).first()

    def exists(self, session: "Session", *values: Any) -> bool:
        """Whether there is a row; as ``run``."""
        return bool(self.run(session, *values).rows)

    def value(self, session: "Session", *values: Any) -> Any:
        """The only column of the first row, None without one; as ``run``."""
        return self.run(session, *values).scalar()

    def values(self, session: "Session", *values: Any) -> list[Any]:
        """The only column of all rows; as ``run``."""
        return [row[0] for row in self.run(session, *values).rows]

    def stream(self, session: "Session") -> Iterator[Record]:
        """All rows of a statement without parameters, of which only some are in memory at once."""
        return session.stream(self, batch=_OF_EVERYTHING)

    @cached_property
    def _names(self) -> Sequence[str]:
        named = (each["name"] for each in _PART.finditer(self.text))
        return list(dict.fromkeys(filter(None, named)))

    @cached_property
    def sqlite(self) -> Form:
        return Form(self, SQLITE)

    @cached_property
    def postgresql(self) -> Form:
        return Form(self, POSTGRESQL)


@lru_cache(_BUILT)
def built(text: str, row: Any, *, is_packed: bool = False) -> Query:
    """A query that is put together while the program runs; the same one for the same text."""
    return Query(text, row, is_declared=False, is_packed=is_packed)


def row_of(*names: str, **kinds: Any) -> Any:
    """A row class for columns with these names; ``kinds`` are those of ``Atoms`` and ``bool``."""
    fields: list[tuple[str, Any]] = [(name, Any) for name in names]
    fields += kinds.items()
    return NamedTuple("Row", fields)


Value = row_of("value")
"""A row of one column, whatever its name."""


BATCH = 1_000
"""Rows of a stream that are in memory at the same time."""
NONE: Values = {}


Statement: TypeAlias = Any
"""What a session runs: a query. Tests let sessions take SQLAlchemy's statements too."""


class Dialect(NamedTuple):
    """The SQL that a database speaks: ``sqlite`` or ``postgresql``."""

    name: str


class Shared:
    """What all sessions of an open database share.

    ``marker`` marks its logs; ``memory`` keeps what readers know of the database, by a name.
    """

    def __init__(self, marker: Any = None) -> None:
        self.marker = marker
        self.memory: dict[str, Any] = {}


class Session(ABC):
    """Statements of one transaction, which all see the same rows unless it writes.

    On PostgreSQL, what isn't needed at once waits (``later``) and is sent together with the next
    statement that is; what will be needed is sent ahead of its turn (``ahead``). On SQLite, which
    has no round trips, everything runs at once.
    """

    dialect: Dialect
    shared: Shared

    @property
    @abstractmethod
    def driver(self) -> Any:
        """The driver's connection, for what it does by itself; what waits has run."""

    @abstractmethod
    def execute(self, query: Statement, values: Values = NONE) -> Found:
        """The result of a statement. Raises DatabaseError."""

    @abstractmethod
    def later(self, query: Statement, values: Values, then: Then | None = None) -> None:
        """Run a statement before anything that follows; ``then`` takes its result."""

    @abstractmethod
    def ahead(self, reader: Reader[Given], *values: Given.args, **named: Given.kwargs) -> None:
        """Send the first statement of a reader with the next one that is sent; its result waits
        until the reader is called with the same values.

        The result must not depend on what is written in between. What the reader does before that
        statement is done twice.
        """

    @abstractmethod
    def stream(
        self, query: Statement, values: Values = NONE, *, batch: int = BATCH
    ) -> Iterator[Any]:
        """The rows of a statement, of which only some are in memory at the same time."""

    def last(self, name: str, query: Statement, values: Values) -> Any:  # noqa: ARG002 - of a group
        """The row that all writes of an organisation lock after all else, after which nothing is
        read that any write may change; or what the write before this one in the same commit left
        by ``name``."""
        return self.execute(query, values).first()

    def run_alone(self) -> None:  # noqa: B027 - one that has a transaction for itself does
        """Have the transaction for itself from the beginning, before this waits for something else
        that another thread may have while its statements wait for this one's."""

    def leave(self, name: str, what: object) -> None:  # noqa: B027 - one that has a commit for itself leaves nothing
        """Say what the row of that ``name`` will be after this write."""

    @abstractmethod
    def flush(self) -> None:
        """Run what waits."""

    @abstractmethod
    def commit(self) -> None:
        """Run what waits and commit. Raises DatabaseError."""

    @abstractmethod
    def rollback(self) -> None:
        """Undo what was written."""

    @abstractmethod
    def close(self) -> None:
        """Give the connection back, without what wasn't committed."""


def escaped(text: str) -> str:
    """A text as a part of a pattern of LIKE, in which a backslash escapes."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def quoted(words: Iterable[str]) -> str:
    """Words of our own as a list of SQL literals."""
    return ", ".join(f"'{word}'" for word in sorted(words))


@cache
def table_of(record: Any) -> str:
    """The table of a row class, which is named after it."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", record.__name__).lower()


def columns_of(record: Any) -> str:
    """The columns of a table, for a statement."""
    name = table_of(record)
    return ", ".join(f"{name}.{column}" for column in record._fields)


@lru_cache(_REMEMBERED)
def _unpacked(row: Any, text: str) -> Any:
    """A row that came as one text. The same text gives the same row: most pages repeat rows."""
    values = json.loads(text)
    for at, read in _readers(row):
        if values[at] is not None:
            values[at] = read(values[at])
    return row._make(values)


def is_packable(annotation: Any) -> bool:
    """Whether a column can be a part of a row's text: JSON has no bytes."""
    return bytes not in (get_args(annotation) or (annotation,))


@cache
def _readers(row: Any) -> tuple[tuple[int, Callable[[Any], Any]], ...]:
    """What makes values of what SQLite has for them, by column."""
    kinds = [_read_as(row.__annotations__.get(name)) for name in row._fields]
    return tuple((at, kind) for at, kind in enumerate(kinds) if kind is not None)


def _read_as(annotation: Any) -> Callable[[Any], Any] | None:
    kinds = get_args(annotation) or (annotation,)
    if Atoms in kinds:
        return int
    if tuple in kinds:
        return _tuples
    return bool if bool in kinds else None


def _tuples(rows: Iterable[Iterable[Any]]) -> tuple[tuple[Any, ...], ...]:
    return tuple(map(tuple, rows))


def _translated(text: str, dialect: str) -> tuple[str, tuple[str, ...], tuple[int, ...]]:
    """A statement as a driver takes it, the names of its parameters, and the places of those that
    are lists, which SQLite takes as JSON."""
    names: list[str] = []
    lists: list[int] = []
    is_sqlite = dialect == SQLITE

    def translate(found: re.Match[str]) -> str:
        name = found["name"]
        if name is None:
            return found[0] if is_sqlite else found[0].replace("%", "%%")
        if is_sqlite:
            if found["in"]:
                lists.append(len(names))
            names.append(name)
            return "IN (SELECT value FROM json_each(?))" if found["in"] else "?"
        if name not in names:
            names.append(name)
        return f"= ANY(%({name})s)" if found["in"] else f"%({name})s"

    if is_sqlite:
        # By a parameter alone, SQLite plans anew whenever the statement runs.
        text = _MOST.sub(r"\1 \2+0", _LOCK.sub("", text))
    else:
        for function, same in _SAME:
            text = text.replace(function, same)
    return _PART.sub(translate, text), tuple(names), tuple(lists)

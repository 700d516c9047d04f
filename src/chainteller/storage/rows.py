"""Find, insert and update rows of any table, with each statement built once."""

from collections import namedtuple
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, cast

from sqlalchemy import (
    ColumnElement,
    Connection,
    Executable,
    Insert,
    Table,
    Update,
    bindparam,
    delete,
    func,
    insert,
    literal_column,
    null,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from chainteller.domain.randomness import Randomness, SystemRandomness
from chainteller.storage import sealing, search
from chainteller.storage.columns import SALT, Record
from chainteller.storage.compiled import Found
from chainteller.storage.db.query import later
from chainteller.storage.sealing import Seal
from chainteller.storage.tables import Tables

Row = Mapping[str, Any]
DEPLOYMENT = "*"
"""The log of what belongs to no organisation; no organisation can have this name."""
UNSEALED = ""
"""What is noted as the seal of a row that has none: no write of this program leaves one."""
_STATEMENTS = 256
_NOTHING: Row = {}
_TEXT = "sealed_text"
OF_DEPLOYMENT = (Tables.clock, Tables.organisation, Tables.market_control, Tables.rule)
"""Tables whose rows are sealed in the deployment's log, also where they name an organisation."""


Seals = dict[str | None, dict[tuple[str, str], Seal]]
"""Seals of rows by log, then by table and key."""


class Writer:
    """Every write of one transaction, with the seals that its entries will keep.

    ``seals`` has them by the log that they belong to: an organisation, ``DEPLOYMENT`` for what
    belongs to none, or None for the organisation of the transaction. The last write of a row
    counts, and what the first one found.
    """

    def __init__(self, connection: Connection, randomness: Randomness | None = None) -> None:
        self.connection = connection
        self.randomness = randomness or SystemRandomness()
        self.seals: Seals = {}
        self._found: dict[tuple[str, str], str | None] = {}
        self.is_changed = False
        """Whether something sealed was written since the last ``take``."""

    def take(self) -> Seals:
        """The seals so far, which are kept no longer."""
        taken, self.seals = self.seals, {}
        self._found.clear()
        self.is_changed = False
        return taken

    def insert(self, table: Table, rows: Sequence[Row]) -> None:
        """Insert rows that all have the same columns."""
        sealed = self.seal_new(table, rows)
        insert_all(self.connection, table, sealed)
        search.note(self.connection, table, sealed)

    def seal_new(self, table: Table, rows: Sequence[Row]) -> list[Row]:
        """Seal new rows without inserting them; returns them as they are to be inserted."""
        sealed = self._salted(table, rows)
        self._seal(table, sealed)
        return sealed

    def insert_if_new(self, table: Table, row: Row) -> bool:
        """Insert a row; False when a unique key of it is taken, and nothing was changed."""
        sealed = self._salted(table, [row])
        statement = _insert_if_new(table, self.connection.dialect.name == "sqlite")
        if self.connection.execute(statement, sealed[0]).first() is None:
            return False
        self._seal(table, sealed)
        search.note(self.connection, table, sealed)
        return True

    def update(self, table: Table, key: Row, values: Row, guard: Row = _NOTHING) -> None:
        """Update the row with this primary key, before anything that follows is read.

        Raises:
            AssertionError: there is none, or a column of ``guard`` has another value. It may be
                raised by a later statement.
        """
        parameters = {f"b_{name}": value for name, value in (*key.items(), *guard.items())}
        form = sealing.form(table)
        salt = (
            sealing.new_salt(table, self.randomness)
            if SALT in table.columns and form.covers(values)
            else None
        )
        written = {**values, SALT: salt} if salt else values
        parameters |= {f"v_{name}": value for name, value in written.items()}
        names = (*key, *guard), tuple(written)
        moved = f"{table.name} {dict(key)} moved while it was locked"
        place = form.key(key)
        is_first = (table.name, place) not in self._found

        def check(found: Found) -> None:
            if found.rowcount != 1:
                raise AssertionError(moved)

        def keep(found: Found) -> None:
            row = found.first()
            if row is None:
                raise AssertionError(moved)
            made = sealing.seal(salt, _bytes(row[0]))
            before = _before(row[2:]) if is_first else None
            self.keep(table, row[1], Seal(table.name, place, made, form.values(values), before))

        if salt is None:
            later(self.connection, _update(table, *names), parameters, check)
            return
        self.is_changed = True
        statement = _sealing_update(table, *names, self.connection.dialect.name, is_first)
        later(self.connection, statement, parameters, keep)

    def delete(self, table: Table, condition: ColumnElement[bool], values: Row = _NOTHING) -> int:
        """Delete the rows that fulfil a condition, and note each as removed.

        Returns:
            How many.
        """
        form = sealing.form(table)
        statement = _delete(table, condition, self.connection.dialect.name)
        removed = self.connection.execute(statement, values).mappings().all()
        for row in removed:
            organisation = row[form.organisation] if form.organisation else None
            before = _before((row[SALT], row[_TEXT]))
            key = form.key(dict(row))
            self.keep(table, organisation, Seal(table.name, key, None, _NOTHING, before))
            self.is_changed = True
        return len(removed)

    def _salted(self, table: Table, rows: Sequence[Row]) -> list[Row]:
        if SALT not in table.columns:
            return list(rows)
        return [{**row, SALT: sealing.new_salt(table, self.randomness)} for row in rows]

    def _seal(self, table: Table, rows: Sequence[Row]) -> None:
        if SALT not in table.columns:
            return
        form, self.is_changed = sealing.form(table), True
        for row in rows:
            organisation = row[form.organisation] if form.organisation else None
            found = sealing.seal(row[SALT], form.text(row))
            values = form.values(row)
            self.keep(table, organisation, Seal(table.name, form.key(row), found, values))

    def keep(self, table: Table, organisation: str | None, seal: Seal) -> None:
        """Note the seal of a row for the log that it belongs to."""
        log = DEPLOYMENT if table in OF_DEPLOYMENT else organisation
        place = seal.table, seal.key
        if place in self._found:
            seal = seal._replace(before=self._found[place])
        else:
            self._found[place] = seal.before
        self.seals.setdefault(log, {})[place] = seal


def _before(found: Sequence[Any]) -> str:
    """The seal of a row that was found with this salt and text."""
    salt, text = found
    if salt is None:
        return UNSEALED
    return sealing.seal(salt, _bytes(text))


def insert_all(connection: Connection, table: Table, sealed: Sequence[Row]) -> None:
    """Insert rows that were sealed before."""
    for row in sealed:
        later(connection, _insert(table), row)


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


def record(table: Table, values: Mapping[str, Any]) -> Record:
    """A row as ``select(table)`` would return it, except for its salt, which is None."""
    row_class = _row_class(table)
    known = {SALT: None, **values}
    return cast("Record", row_class._make([known[name] for name in row_class._fields]))


@cache
def _insert(table: Table) -> Insert:
    return insert(table)


@cache
def _insert_if_new(table: Table, is_sqlite: bool) -> Executable:  # noqa: FBT001 - a cache key
    inserted = (sqlite if is_sqlite else postgresql).insert(table).on_conflict_do_nothing()
    statement: Executable = inserted.returning(*table.primary_key.columns)
    return statement


@lru_cache(_STATEMENTS)
def _update(table: Table, found_by: tuple[str, ...], changed: tuple[str, ...]) -> Update:
    return (
        update(table)
        .where(*(table.c[name] == bindparam(f"b_{name}") for name in found_by))
        .values({name: bindparam(f"v_{name}") for name in changed})
    )


@lru_cache(_STATEMENTS)
def _sealing_update(
    table: Table,
    found_by: tuple[str, ...],
    changed: tuple[str, ...],
    dialect: str,
    tells_before: bool,  # noqa: FBT001 - a cache key
) -> Executable:
    """An update that gives back the row's sealed text and its organisation, and if requested the
    salt and the text that it had before."""
    form = sealing.form(table)
    organisation = table.c[form.organisation] if form.organisation else null()
    text: ColumnElement[str] = literal_column(form.sql_text(dialect))
    written = _update(table, found_by, changed)
    if not tells_before:
        plain: Executable = written.returning(text, organisation)
        return plain
    if dialect == "sqlite":
        noted = getattr(func, sealing.NOTE)(bindparam(f"v_{SALT}"), table.c[SALT], text)
        kept = (getattr(func, name)() for name in sealing.NOTED)
        telling: Executable = written.values({SALT: noted}).returning(text, organisation, *kept)
        return telling
    keys = form.key_names
    found = (
        select(
            *(table.c[name].label(f"before_{name}") for name in (*keys, SALT)),
            text.label(f"before_{_TEXT}"),
        )
        .where(*(table.c[name] == bindparam(f"b_{name}") for name in found_by))
        .with_for_update()
        .cte("found")
    )
    joined: Executable = (
        update(table)
        .where(*(table.c[name] == found.c[f"before_{name}"] for name in keys))
        .values({name: bindparam(f"v_{name}") for name in changed})
        .returning(text, organisation, found.c[f"before_{SALT}"], found.c[f"before_{_TEXT}"])
    )
    return joined


def _delete(table: Table, condition: ColumnElement[bool], dialect: str) -> Executable:
    """A deletion that gives back the keys of the rows, their organisation, salt and text."""
    form = sealing.form(table)
    organisation = [form.organisation] if form.organisation else []
    names = dict.fromkeys((*form.key_names, *organisation, SALT))
    text: ColumnElement[str] = literal_column(form.sql_text(dialect)).label(_TEXT)
    statement: Executable = (
        delete(table).where(condition).returning(*(table.c[name] for name in names), text)
    )
    return statement


@cache
def _row_class(table: Table) -> Any:
    return cast("Any", namedtuple)("row", [column.name for column in table.columns])

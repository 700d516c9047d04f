"""Insert, update and delete rows of any table, with each statement built once."""

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any

from chainteller.domain import decisions, provider_requests, transfers
from chainteller.domain.randomness import Randomness, SystemRandomness
from chainteller.domain.trades import TERMINAL
from chainteller.storage.db.query import Found, Query, Record, Session, columns_of, row_of
from chainteller.storage.db.records import Tables
from chainteller.storage.db.table import SALT, Table
from chainteller.storage.lists import search
from chainteller.storage.log import sealing
from chainteller.storage.log.sealing import Form, Seal

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
LASTING = frozenset({
    Tables.agent, Tables.api_key, Tables.blockchain_account, Tables.challenge, Tables.claim,
    Tables.counterparty, Tables.link, Tables.provider, Tables.provider_challenge, Tables.rule,
    Tables.trading_account, Tables.webhook,
})  # fmt: skip
"""Tables whose rows may decide something for as long as they are there."""
ENDED: Mapping[Table, Collection[str]] = {
    Tables.trade: TERMINAL,
    Tables.transfer: transfers.FINAL,
    Tables.provider_request: provider_requests.FINAL,
    Tables.decision: decisions.ENDED,
}
"""By table, the statuses of what has ended, and decides nothing once no limit counts it."""
Seals = dict[str | None, dict[tuple[str, str], Seal]]
"""Seals of rows by log, then by table and key."""


class _Taken(Exception):
    """A unique key of a new row is another row's."""


class Writer:
    """Every write of one transaction, with the seals that its entries will keep.

    ``seals`` has them by the log that they belong to: an organisation, ``DEPLOYMENT`` for what
    belongs to none, or None for the organisation of the transaction. The last write of a row
    counts, and what the first one found.
    """

    def __init__(self, connection: Session) -> None:
        self.connection = connection
        self.randomness: Randomness = SystemRandomness()
        self.seals: Seals = {}
        self._found: dict[tuple[str, str], str | None] = {}
        self._rows: dict[tuple[str, str], Row] = {}
        """Rows as this write left them."""

    def take(self) -> Seals:
        """The seals so far, which are kept no longer."""
        taken, self.seals = self.seals, {}
        self._found.clear()
        return taken

    def insert(self, table: Table, rows: Sequence[Row]) -> None:
        """Insert rows; a column that one doesn't name is NULL."""
        sealed = [self._salted(table, each) for each in rows]
        for row in sealed:
            self._seal(table, row)
            self.connection.later(_insert(table, tuple(row)), row)
        if table in search.KEYED:
            search.note(self.connection, table, sealed)

    def insert_if_new(self, table: Table, row: Row) -> bool:
        """Insert a row; False when a unique key of it is taken, and nothing was changed."""
        taken = _Taken()
        try:
            self.insert_once(table, row, taken)
            self.connection.flush()
        except _Taken:
            return False
        return True

    def insert_once(self, table: Table, row: Row, taken: Exception) -> None:
        """Insert a row, before anything that follows is read. Raises Exception: ``taken``, a unique
        key of it is. It may be raised by a later statement."""
        sealed = self._salted(table, row)

        def keep(found: Found) -> None:
            if found.rowcount != 1:
                raise taken
            self._seal(table, sealed)
            if table in search.KEYED:
                search.note(self.connection, table, [sealed])

        self.connection.later(_insert_if_new(table, tuple(sealed)), sealed, keep)

    def update(
        self,
        table: Table,
        key: Row,
        values: Row,
        guard: Row = _NOTHING,
        log: str | None = None,
        before: Record | None = None,
    ) -> None:
        """Update the row with this primary key, before anything that follows is read.

        Args:
            guard: what other columns have, or it fails.
            log: whose log keeps the seal of a row that names no organisation.
            before: the row as it was read under lock; it's read if it's left out.

        Raises:
            AssertionError: there is none, or a column of ``guard`` has another value. It may be
                raised by a later statement.
        """
        form, written = sealing.form(table), values
        _require_atoms(table, values)
        if form.covers(values):
            place = table.name, form.key(key)
            found = self._rows.get(place) or self._row(table, key, before)
            written = {**values, SALT: sealing.new_salt(table, self.randomness)}
            made = {**found, **written}
            seal = sealing.seal(made[SALT], form.text(made))
            earlier = None if place in self._found else _before(found[SALT], form.text(found))
            self._keep(form, made, Seal(*place, seal, form.values(values), earlier), log)
            self._rows[place] = made
            if table is Tables.customer:
                search.note_change(self.connection, found, made)

        def check(found: Found) -> None:
            if found.rowcount != 1:
                raise _moved(table, key)

        found_by = {f"b_{name}": value for name, value in (*key.items(), *guard.items())}
        statement = _update(table, (*key, *guard), tuple(written))
        self.connection.later(statement, {**written, **found_by}, check)

    def _row(self, table: Table, key: Row, before: Record | None) -> Row:
        """A row as this write found it, by the names of its columns."""
        if before is None:
            named = {f"b_{name}": value for name, value in key.items()}
            before = self.connection.execute(_one(table, tuple(key)), named).first()
        if before is None:
            raise _moved(table, key)
        found: Row = before._asdict()
        return found

    def delete(self, table: Table, condition: str, values: Row = _NOTHING) -> list[str]:
        """Delete the rows that fulfil a condition, and note each as removed; returns their keys."""
        form, keys = sealing.form(table), []
        statement = _delete(table, condition, self.connection.dialect.name)
        for found in self.connection.execute(statement, values):
            row = found._asdict()
            before = _before(row[SALT], row[_TEXT])
            keys.append(form.key(row))
            self._keep(form, row, Seal(table.name, keys[-1], None, _NOTHING, before))
        return keys

    def _salted(self, table: Table, row: Row) -> Row:
        """The row with every column; NULL where it names none."""
        _require_atoms(table, row)
        whole = {**table.blank, **row}
        if table.sealed:
            whole[SALT] = sealing.new_salt(table, self.randomness)
        return whole

    def _seal(self, table: Table, row: Row) -> None:
        if table.sealed:
            form = sealing.form(table)
            seal = sealing.seal(row[SALT], form.text(row))
            self._keep(form, row, Seal(table.name, form.key(row), seal, form.values(row)))

    def _keep(self, form: Form, row: Row, seal: Seal, log: str | None = None) -> None:
        """Note the seal of a row for the log that it belongs to: ``log`` if it names no other."""
        if form.organisation:
            log = row[form.organisation] or log
        if form.table in OF_DEPLOYMENT:
            log = DEPLOYMENT
        place = seal.table, seal.key
        self._rows.pop(place, None)
        if place in self._found:
            seal = seal._replace(before=self._found[place])
        else:
            self._found[place] = seal.before
        self.seals.setdefault(log, {})[place] = seal


def _before(salt: str | None, text: str | bytes) -> str:
    """The seal of a row that was found with this salt and text."""
    if salt is None:
        return UNSEALED
    return sealing.seal(salt, text if isinstance(text, bytes) else text.encode())


def _moved(table: Table, key: Row) -> AssertionError:
    return AssertionError(f"{table.name} {dict(key)} moved while it was locked")


def record(table: Table, values: Row) -> Record:
    """A row as it's read from a table, except for its salt, which is None."""
    known = {**table.blank, **values}
    return table.record._make(map(known.__getitem__, table.columns))


def _require_atoms(table: Table, values: Row) -> None:
    """Raises TypeError: an amount isn't a whole number."""
    for name in table.atoms & values.keys():
        value = values[name]
        if value is not None and type(value) is not int:
            raise TypeError(f"atoms are whole numbers, not {type(value).__name__}")


# Statements


@lru_cache(_STATEMENTS)
def _insert(table: Table, names: tuple[str, ...]) -> Query:
    return Query(_inserting(table, names), is_declared=False)


@lru_cache(_STATEMENTS)
def _insert_if_new(table: Table, names: tuple[str, ...]) -> Query:
    return Query(f"{_inserting(table, names)} ON CONFLICT DO NOTHING", is_declared=False)


def _inserting(table: Table, names: Sequence[str]) -> str:
    columns = ", ".join(f'"{name}"' for name in names)
    places = ", ".join(f":{name}" for name in names)
    return f"INSERT INTO {table.name} ({columns}) VALUES ({places})"


@lru_cache(_STATEMENTS)
def _update(table: Table, found_by: tuple[str, ...], changed: tuple[str, ...]) -> Query:
    setting = ", ".join(f'"{name}" = :{name}' for name in changed)
    text = f"UPDATE {table.name} SET {setting} WHERE {_where(found_by)}"
    return Query(text, is_declared=False)


@lru_cache(_STATEMENTS)
def _one(table: Table, found_by: tuple[str, ...]) -> Query:
    """A row under lock."""
    text = f"SELECT {columns_of(table.record)} FROM {table.name} WHERE {_where(found_by)}"
    return Query(f"{text} FOR UPDATE", table.record, is_declared=False)


def _where(found_by: Sequence[str]) -> str:
    return " AND ".join(f'"{name}" = :b_{name}' for name in found_by)


@lru_cache(_STATEMENTS)
def _delete(table: Table, condition: str, dialect: str) -> Query:
    """A deletion that gives back the keys of the rows, their organisation, salt and text."""
    form = sealing.form(table)
    organisation = [form.organisation] if form.organisation else []
    names = list(dict.fromkeys((*form.key_names, *organisation, SALT)))
    told = ", ".join([*(f'"{name}"' for name in names), f"{form.sql_text(dialect)} AS {_TEXT}"])
    text = f"DELETE FROM {table.name} WHERE {condition} RETURNING {told}"
    return Query(text, row_of(*names, _TEXT), only=dialect, is_declared=False)

"""Rows kept in memory: outcomes are applied to them, and they are written in one go."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from operator import itemgetter
from types import SimpleNamespace
from typing import cast

from chainteller.domain.assets import ASSETS, USD, Asset
from chainteller.domain.ledger import Bucket, customer
from chainteller.engine.core.ledger import post_journal
from chainteller.engine.core.outcome import Insert, Job, Outcome, Row, Update
from chainteller.storage.db.query import Record
from chainteller.storage.db.records import ALL, Tables
from chainteller.storage.db.table import Table
from chainteller.storage.log import ledger, rows, sealing
from chainteller.storage.log.entry import Posted

Key = str | tuple[str, ...]
"""The primary key of a row: a tuple where it has several columns."""


class BulkRows:
    """Rows by table and primary key, ledger balances and due jobs.

    What was loaded from the database is updated there; the rest is inserted.
    """

    def __init__(self, balances: ledger.Balances) -> None:
        """Start from the customers' balances that exist."""
        self.jobs: dict[str, Job] = {}
        """What is due next of each record."""
        self._rows: dict[Table, dict[Key, Row]] = defaultdict(dict)
        self._loaded: dict[tuple[Table, Key], Row] = {}
        self._known = dict(balances)
        self._balances = dict(balances)

    def load(self, table: Table, found: Iterable[Row]) -> None:
        """Take rows of the database; what changes of them is updated there."""
        for row in found:
            key = _key_of(table)(row)
            self._rows[table][key] = dict(row)
            self._loaded[table, key] = row

    def insert(self, table: Table, row: Row) -> None:
        self._rows[table][_key_of(table)(row)] = {**table.blank, **row}

    def row(self, table: Table, key: Key) -> Row:
        return self._rows[table][key]

    def find(self, table: Table, key: Key) -> Row | None:
        return self._rows[table].get(key)

    def record(self, table: Table, key: Key, **joined: object) -> Record:
        """A row as the database would return it, with the columns of a join."""
        return cast("Record", SimpleNamespace(**self._rows[table][key], **joined))

    def available(self, account_id: str) -> dict[Asset, int]:
        """What a trading account may use now, by asset."""
        code = customer(account_id, Bucket.AVAILABLE)
        found = {}
        for asset in ASSETS:
            atoms, _ = self._balances.get((code, asset.key), (0, 0))
            if atoms:
                found[asset] = atoms
        return found

    def owed_cents(self, account_id: str) -> int:
        """What the customer of a trading account owes the bank."""
        return self._balances.get((customer(account_id, Bucket.OWED), USD.key), (0, 0))[0]

    def apply(self, outcome: Outcome, at: int) -> list[Posted]:
        """Apply rows, journals and jobs, and return what was posted; events and audit entries are
        left to the caller."""
        for change in outcome.rows:
            if isinstance(change, Update):
                self._update(change)
            else:
                self._insert(change)
        for job in outcome.jobs:
            self.jobs.pop(job.reference, None)  # written in the order in which they came about
            self.jobs[job.reference] = job
        return [post_journal(each, at, self._balances) for each in outcome.journals]

    def _insert(self, change: Insert) -> None:
        for row in change.rows:
            self.insert(change.table, row)

    def _update(self, change: Update) -> None:
        row = self._rows[change.table][_key_of(change.table)(change.key)]
        for name, value in change.guard.items():
            if row[name] != value:
                raise AssertionError(f"{change.table.name} {change.key}: {name} is {row[name]}")
        row.update(change.values)

    def write(self, writer: rows.Writer, organisation_id: str) -> None:
        """Insert and update everything."""
        ledger.write_balances(writer.connection, organisation_id, self._known, self._balances)
        for table, found in self.new_rows().items():
            if found:
                writer.insert(table, found)
        for (table, key), before in self._loaded.items():
            row = self._rows[table][key]
            values = {name: value for name, value in row.items() if before[name] != value}
            if values:
                found_by = {name: row[name] for name in table.key}
                writer.update(table, found_by, values)

    def new_rows(self) -> dict[Table, list[Row]]:
        """What is inserted, by table, each after those that it refers to."""
        found: dict[Table, list[Row]] = {}
        for table in ALL:
            found[table] = [
                row for key, row in self._rows[table].items() if (table, key) not in self._loaded
            ]
        found[Tables.job] = [job._asdict() for job in self.jobs.values()]
        return found


def written_rows(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """Table and key of what an outcome inserts and updates, as seals name them."""
    for change in outcome.rows:
        form = sealing.form(change.table)
        keys = [change.key] if isinstance(change, Update) else change.rows
        yield from ((change.table.name, form.key(key)) for key in keys)


@cache
def _key_of(table: Table) -> Callable[[Row], Key]:
    return itemgetter(*table.key)

"""What an operation decides: rows, journals, events, audit entries and jobs.

A ``decide_…`` function computes an outcome from what was loaded and what was requested. It opens
no connection and reads no clock: the instant, prices and the source of new ids are arguments, and
a refusal is an exception. ``apply`` writes an outcome in a unit of work; the sample data applies
the same outcomes to rows in memory (``samples/bulk.py``).
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from chainteller.domain.clock import SECOND
from chainteller.domain.ids import Prefix
from chainteller.domain.ledger import Journal
from chainteller.domain.options import EngineOptions
from chainteller.engine.core import ledger
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.storage.db.query import Record
from chainteller.storage.db.records import Tables
from chainteller.storage.db.table import Table
from chainteller.storage.log import rows

Row = dict[str, Any]
NewId = Callable[[Prefix], str]
_NOTHING: Mapping[str, Any] = {}
_UNDER_RULE = (Tables.trade, Tables.transfer)
"""What is decided under the settings in force, whose version the entry names."""


class Moment(NamedTuple):
    """When and for whom a decision is made, and where it takes new ids from."""

    now: int
    organisation_id: str
    options: EngineOptions
    new_id: NewId

    def after(self, delay_s: float) -> int:
        return self.now + round(delay_s * SECOND)


class Insert(NamedTuple):
    """New rows of a table; a column that one doesn't name is NULL."""

    table: Table
    rows: tuple[Row, ...]


class Update(NamedTuple):
    """New values of the row with the primary key ``key``.

    ``guard`` holds values that the row had when it was loaded under lock and must still have.
    ``log`` is whose log keeps the seal of a row that names no organisation; that of the write if
    it's None. ``before`` is the row as it was read under lock; what is left out is read again.
    """

    table: Table
    key: Row
    values: Row
    guard: Mapping[str, Any] = _NOTHING
    log: str | None = None
    before: Record | None = None


def next_version(table: Table, row: Record, **values: object) -> Update:
    """New values of a row with an id that was read under lock, and its next version."""
    made, guard = {**values, "version": row.version + 1}, {"version": row.version}
    return Update(table, {"id": row.id}, made, guard, before=row)


class Event(NamedTuple):
    """``data`` carries wire names and no secrets."""

    type: str
    resource: str
    data: Row


class AuditEntry(NamedTuple):
    """An entry besides the one that every operation gets: of due work and the core bank's acts.

    ``error`` is the code of a refusal; None for what was done.
    """

    action: str
    subject: str
    inputs: Mapping[str, Any] = _NOTHING
    error: str | None = None


class Job(NamedTuple):
    kind: str
    reference: str
    run_at: int


class Outcome(NamedTuple):
    """``subject`` is the id of the record that the operation's audit row names."""

    subject: str
    rows: tuple[Insert | Update, ...] = ()
    journals: tuple[Journal, ...] = ()
    events: tuple[Event, ...] = ()
    audit: tuple[AuditEntry, ...] = ()
    jobs: tuple[Job, ...] = ()

    def joined(self, other: "Outcome") -> "Outcome":
        """Both in one, about the subject of this one."""
        return Outcome(
            self.subject,
            self.rows + other.rows,
            self.journals + other.journals,
            self.events + other.events,
            self.audit + other.audit,
            self.jobs + other.jobs,
        )

    def inserted(self, table: Table) -> Row:
        """The row that is inserted into a table; the first one if there are several."""
        return next(
            each.rows[0] for each in self.rows if isinstance(each, Insert) and each.table is table
        )

    def record(self, table: Table, before: Record | None = None) -> Record:
        """The row that is inserted into a table, or that ``before`` becomes by its update."""
        if before is None:
            return rows.record(table, self.inserted(table))
        (values,) = (
            each.values for each in self.rows if isinstance(each, Update) and each.table is table
        )
        return rows.record(table, before._asdict() | values)


def moment(tx: UnitOfWork) -> Moment:
    """The moment of a unit of work; call it after the rows that decide were locked."""
    return Moment(tx.now, tx.organisation_id, tx.context.options, tx.new_id)


def apply(tx: UnitOfWork, outcome: Outcome) -> None:
    """Write an outcome; its audit row and idempotency record follow when the unit commits. Raises
    AssertionError: a row is not as it was when it was loaded under lock."""
    for change in outcome.rows:
        if isinstance(change, Update):
            tx.rows.update(*change)
            continue
        tx.rows.insert(change.table, change.rows)
        if change.table in _UNDER_RULE:
            tx.under_rule()
    if outcome.journals and tx.context.provider is None:  # else the provider keeps the ledger
        ledger.post(tx, outcome.journals)
    if outcome.jobs:
        tx.under_rule()  # its delays say when a job is due
        tx.rows.insert(Tables.job, [job._asdict() for job in outcome.jobs])
    for event in outcome.events:
        tx.event(event.type, event.resource, **event.data)
    for entry in outcome.audit:
        tx.audit(entry.action, entry.subject, entry.inputs, error=entry.error)
    tx.audited_object = outcome.subject


def apply_if_new(tx: UnitOfWork, outcome: Outcome) -> bool:
    """Apply an outcome whose first row another write may be inserting too.

    Returns:
        False when the other write was first; nothing was changed then.
    """
    first = outcome.rows[0]
    if not isinstance(first, Insert):
        raise TypeError("the first change must be an insert")
    (row,) = first.rows
    if not tx.rows.insert_if_new(first.table, row):
        return False
    apply(tx, outcome._replace(rows=outcome.rows[1:]))
    return True

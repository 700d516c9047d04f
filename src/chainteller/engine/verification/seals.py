"""Invariants 20 and 21: every row is as the log sealed it, and the schema is this build's.

The log was read before (``replay``), with the last seal of every row; one pass over each table
compares the rows. Only when something is wrong, the log is read once more for who wrote the row
last, when, and what.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from chainteller.domain.clock import format_instant
from chainteller.engine.core.breaches import Breach, Breaches
from chainteller.engine.verification import replay
from chainteller.engine.verification.replay import (
    CHANGED,
    DELETED,
    INSERTED,
    PUT_BACK,
    Books,
    Breathe,
    Place,
    Wrong,
)
from chainteller.storage.db.query import Session
from chainteller.storage.db.table import Table
from chainteller.storage.log import sealing
from chainteller.storage.log.entry import Entry
from chainteller.storage.log.rows import LASTING
from chainteller.storage.schema import catalogue
from chainteller.storage.upkeep import inspection

_TOGETHER = 500
_MOST = 1_000
"""Rows that are looked into; the rest is counted."""


def rows_are_sealed(connection: Session, books: Books) -> Breaches:
    """20: every row is as the last entry that wrote it says."""
    wrong = [
        each for table in sealing.sealed_tables() for each in _compare(connection, table, books)
    ]
    wrong += books.written_over
    if wrong:
        yield from _explained(connection, wrong, books)


def written_rows_are_sealed(connection: Session, books: Books, breathe: Breathe) -> Breaches:
    """20, of the rows that entries wrote which were read from an end of their log."""
    wrong = list(books.written_over)
    for table in sealing.sealed_tables():
        keys = list(books.seals.get(table.name, ()))
        for first in range(0, len(keys), _TOGETHER):
            some = keys[first : first + _TOGETHER]
            rows = inspection.sealed_rows_of(connection, table, some)
            wrong += _compared(table, {key: books.seals[table.name][key] for key in some}, rows)
            breathe()
    if wrong:
        yield from _explained(connection, wrong, books)


def _compared(
    table: Table, sealed: Mapping[str, str | None], rows: Iterable[tuple[str, str | None, bytes]]
) -> Iterator[Wrong]:
    """Rows that aren't as they were sealed, of those that were."""
    found = {key: sealing.seal(salt, text) for key, salt, text in rows}
    for key, expected in sealed.items():
        if expected is None and key in found:
            yield Wrong(table, key, PUT_BACK)
        elif expected is not None and key not in found:
            yield Wrong(table, key, DELETED)
        elif found.get(key) != expected:
            yield Wrong(table, key, CHANGED)


def catalogue_stands(connection: Session) -> Breaches:
    """21: tables, indexes, triggers and all else are what this build creates."""
    for problem in catalogue.problems(connection):
        yield Breach(21, problem, "catalogue")


def _compare(connection: Session, table: Table, books: Books) -> Iterator[Wrong]:
    """Rows of a table that are not as they were sealed."""
    sealed, seal = books.seals.get(table.name, {}), sealing.seal
    present = set()
    for key, salt, text in inspection.sealed_rows(connection, table):
        present.add(key)
        expected = sealed.get(key)
        if expected is None:
            if key in sealed:
                yield Wrong(table, key, PUT_BACK)
            elif not books.is_partial or table in LASTING:
                yield Wrong(table, key, INSERTED)
        elif seal(salt, text) != expected:
            yield Wrong(table, key, CHANGED)
    gone = (key for key, expected in sealed.items() if expected is not None and key not in present)
    yield from (Wrong(table, key, DELETED) for key in gone)


# What happened to a row


@dataclass(slots=True)
class Story:
    """The last entry that wrote a row, and the values that the log carries of the row."""

    written: str = ""
    log: str = ""
    """Whose log has that entry."""
    values: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Stories:
    """What the log says of some rows, by table and key.

    ``written_over`` has for each of them that an entry found otherwise than it was sealed: who had
    written it last, and who wrote over it.
    """

    by_row: dict[tuple[str, str], Story]
    written_over: dict[Wrong, tuple[str, str]] = field(default_factory=dict)

    def take(self, found: Entry, by: str, over: Mapping[tuple[str, str], Wrong]) -> None:
        """Note what an entry says: ``by`` is its writer, instant and number, ``over`` the rows that
        it found otherwise than they were sealed."""
        for name, key, _, *more in found.rows:
            story = self.by_row.get((name, key))
            if story is None:
                continue
            if (name, key) in over:
                self.written_over[over[name, key]] = story.written, by
            story.written, story.log = by, found.log
            story.values.update(more[0] if more else {})


def _explained(connection: Session, wrong: list[Wrong], books: Books) -> Breaches:
    stories = _stories_of(connection, wrong, books)
    for each in wrong[:_MOST]:
        story = stories.by_row[each.table.name, each.key]
        what, written = each.what, story.written
        if each.what == CHANGED:
            columns = _changed_columns(connection, each, story)
            what = f"changed ({', '.join(columns)})" if columns else "changed"
        over = ""
        if each.over is not None:
            written, over = stories.written_over.get(each, (written, ""))
        if written:
            what = f"{what}; last written by {written}"
        if over:
            what = f"{what}; then written over by {over}"
        yield Breach(20, what, f"{each.table.name} {each.key}", story.log)
    if len(wrong) > _MOST:
        yield Breach(20, f"and {len(wrong) - _MOST} more rows", "rows")


def _stories_of(connection: Session, wrong: Iterable[Wrong], books: Books) -> Stories:
    """What the log says of some rows."""
    sought = list(wrong)
    stories = Stories({(each.table.name, each.key): Story() for each in sought})
    over: dict[Place, dict[tuple[str, str], Wrong]] = defaultdict(dict)
    for each in sought:
        if each.over is not None:
            over[each.over][each.table.name, each.key] = each
    for found in replay.entries_of(connection, books):
        by = f"{found.actor} at {format_instant(found.at)}"
        by = f"{by} (entry {found.number} of {found.log})"
        stories.take(found, by, over.get(Place(found.log, found.number), {}))
    return stories


def _changed_columns(connection: Session, wrong: Wrong, story: Story) -> list[str]:
    """The columns that the log carries with another value than the row has."""
    if not story.values:
        return []
    row = inspection.row_by_key(connection, wrong.table, wrong.key)
    if row is None:
        return []
    return [
        f"{name} was {value}, is {row[name]}"
        for name, value in story.values.items()
        if name in row and row[name] != value
    ]

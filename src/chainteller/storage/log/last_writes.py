"""What the log says of single rows: the entry that wrote each of them last, and whether it's good.

An entry is good if its body has the hash that stands beside it, the columns that find it are what
it says, and its mark holds: then somebody with the writer's key wrote it in its place.
"""

from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from typing import Any, NamedTuple

from chainteller.storage import marks, sealing
from chainteller.storage.db import records
from chainteller.storage.db.query import Query, Session, built
from chainteller.storage.db.sources import Source
from chainteller.storage.db.table import SALT, Table
from chainteller.storage.log import entry, moved, views
from chainteller.storage.log.entry import Entry
from chainteller.storage.rows import DEPLOYMENT

_TOGETHER = 50
_ENTRIES = Source(records.Entry)
_BEFORE = "organisation_id = :organisation AND number < :before AND body IS NOT NULL"
_NEWEST_FIRST = f"ORDER BY number DESC LIMIT {_TOGETHER}"
_OF_LOG = _ENTRIES.where(f"{_BEFORE} {_NEWEST_FIRST}")
_OF_ACCOUNT = _ENTRIES.where(f"{_BEFORE} AND trading_account_id = :of {_NEWEST_FIRST}")
_OF_OBJECT = _ENTRIES.where(f"{_BEFORE} AND object = :of {_NEWEST_FIRST}")
_ONE = _ENTRIES.where("organisation_id = :organisation AND number = :number")
_NEWEST = 2**62


class Kept(NamedTuple):
    """A row of a table, by its key."""

    table: Table
    key: str


class Trail(NamedTuple):
    """Where the entries about rows are: in the trail of an account, or about one of the objects.

    Only where a row is found in none of them, the whole log is searched, the newest entries first.
    """

    organisation_id: str
    account_id: str
    objects: Sequence[str]


def contradicted(connection: Session, trail: Trail, rows: Iterable[Kept]) -> str:
    """Which row isn't as the log says, in words; empty if every one is.

    Rows that were last written in archived entries aren't compared: verification with the archive
    does that.

    Raises:
        WriterKeyMissing: no mark can be checked.
    """
    wanted = {(each.table.name, each.key): each.table for each in rows}
    for found in _all(connection, trail):
        for row in found.rows:
            table = wanted.pop((row[0], row[1]), None)
            if table is not None:
                if not _is_good(connection, found):
                    return f"entry {found.number} of {found.log} was altered"
                if row[2] != seal_of(connection, table, row[1]):
                    return f"{row[0]} {row[1]} isn't as entry {found.number} says"
        if not wanted:
            return ""
    if wanted and not _is_archived(connection, trail.organisation_id):
        name, key = next(iter(wanted))
        return f"no entry wrote {name} {key}"
    return ""


def _is_archived(connection: Session, organisation_id: str) -> bool:
    """Whether a good entry of the deployment's log says that an archive has entries of a log."""
    for row in _stream(connection, _OF_OBJECT, DEPLOYMENT, moved.DATABASE):
        for found in _read(row):
            told = moved.told_by(found)
            if told is not None and told[0] == organisation_id and _is_good(connection, found):
                return True
    return False


def seal_of(connection: Session, table: Table, key: str) -> str | None:
    """The seal of a row as it is now; None where there is none."""
    form = sealing.form(table)
    found_by = form.primary_key(key)
    if found_by is None:
        return None
    here = " AND ".join(f'"{name}" = :{name}' for name in found_by)
    row = connection.execute(
        built(f"{Source(table.record).text} WHERE {here}", table.record), found_by
    ).first()
    if row is None:
        return None
    cells = row._asdict()
    return sealing.seal(cells[SALT], form.text(cells))


def _all(connection: Session, trail: Trail) -> Iterator[Entry]:
    """The entries of a trail, the newest first, and then those of the whole log."""
    of = trail.organisation_id
    parts = [_stream(connection, _OF_ACCOUNT, of, trail.account_id)]
    parts += [_stream(connection, _OF_OBJECT, of, each) for each in trail.objects]
    for row in merge(*parts, key=lambda row: -row.number):
        yield from _read(row)
    for row in _stream(connection, _OF_LOG, of, ""):
        yield from _read(row)


def _read(row: Any) -> Iterator[Entry]:
    try:
        yield entry.opened(row.number, row.body)
    except ValueError:
        return  # another row or none will be found instead, which isn't as this one said


def _stream(connection: Session, query: Query, organisation_id: str, of: str) -> Iterator[Any]:
    before = _NEWEST
    while True:
        values = {"organisation": organisation_id, "before": before, "of": of}
        rows = connection.execute(query, values).all()
        yield from rows
        if len(rows) < _TOGETHER:
            return
        before = rows[-1].number


def _is_good(connection: Session, found: Entry) -> bool:
    """Whether an entry was written, in its place, by somebody with the writer's key."""
    marker = marks.of(connection)
    marker.require(connection)
    values = {"organisation": found.log, "number": found.number}
    row = connection.execute(_ONE, values).one()
    leaf = entry.leaf_of(entry.unpack(row.body))
    before = views.mark_of(connection, found.log, found.number - 1)
    columns = (row.at, row.action, row.object, row.trading_account_id)
    return (
        leaf == row.leaf
        and row.mark == marker.mark(found.log, found.number, leaf, before)
        and columns == (found.at, found.action, found.object, found.account)
    )

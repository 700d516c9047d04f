"""What the log says of single rows: the entry that wrote each of them last, and whether it's good.

An entry is good if its body has the hash that stands beside it, the columns that find it are what
it says, and its mark holds: then somebody with the writer's key wrote it in its place.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from heapq import merge
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple

from chainteller.domain.clock import MINUTE
from chainteller.storage.db import records
from chainteller.storage.db.query import Query, Session, row_of
from chainteller.storage.db.sources import Source
from chainteller.storage.db.table import SALT, Table
from chainteller.storage.log import entry, marks, moved, sealing
from chainteller.storage.log.entry import Entry
from chainteller.storage.log.rows import DEPLOYMENT

CLOCK = "clock"
"""The object of entries about the clock: one that accepts it puts right many rows, and is about
none of them."""
_FIRST, _TOGETHER = 8, 64
"""Entries that are read at once, at first and later."""
_FORMER = (
    "(SELECT former.mark FROM entry AS former WHERE former.organisation_id = entry.organisation_id "
    "AND former.number = entry.number - 1)"
)
_ENTRIES = Source(records.Entry, former=(_FORMER, bytes | None))
"""Entries, each with the mark of the one before it."""
_BEFORE = "organisation_id = :organisation AND number < :before AND body IS NOT NULL"
_NEWEST_FIRST = "ORDER BY number DESC LIMIT :most"
_OF_WHOLE_LOG = _ENTRIES.where(f"{_BEFORE} {_NEWEST_FIRST}")
_OF_ACCOUNT = _ENTRIES.where(
    f"{_BEFORE} AND trading_account_id = :of AND action <> 'create_quote' {_NEWEST_FIRST}"
)
"""Without new quotes, of which an account may have any number: what creates one posts nothing and
writes no other row, and it's about the quote."""
_OF_OBJECT = _ENTRIES.where(f"{_BEFORE} AND object = :of {_NEWEST_FIRST}")
_SOME = _ENTRIES.where("organisation_id = :organisation AND number IN :numbers")
_NEWEST_ABOUT = _ENTRIES.where(
    "organisation_id = :organisation AND object = :of ORDER BY number DESC LIMIT 1"
)
_NEWEST = 2**62


class Kept(NamedTuple):
    """A row of a table, by its key."""

    table: Table
    key: str

    @property
    def place(self) -> str:
        """How a breach names it."""
        return f"{self.table.name} {self.key}"


class Trail(NamedTuple):
    """Where the entries about rows are: in the trail of an account, about one of the objects, or
    about the clock.

    Only where a row is found in none of them, the whole log is searched, the newest entries first.
    """

    organisation_id: str
    account_id: str
    objects: Sequence[str]


class _Found(NamedTuple):
    """An entry as it's stored, with its unpacked body and what that says."""

    row: Any
    body: bytes
    entry: Entry


class _Write(NamedTuple):
    """What an entry says of a row: the seal it left, the terms, and the seal it found."""

    found: _Found
    made: str | None
    terms: Mapping[str, Any] = MappingProxyType({})
    before: str | None = None


def contradicted(connection: Session, trail: Trail, row: Kept) -> str:
    """Why a row isn't as the log says, in words; empty if it is.

    The newest entry that wrote it must have found it as the one before left it, or made it: what an
    honest write found may have been made up or altered. That goes no further back. Nor is it known
    whether the key was in force, or an entry is hidden (``verified_state``). No archive takes the
    entry that a row rests on.

    Args:
        connection: in any transaction.
        trail: where entries about the row are.
        row: is compared.

    Raises:
        WriterKeyMissing: no mark can be checked.
    """
    left, newest = seal_of(connection, *row), 0
    of_log = _entries(_stream(connection, _OF_WHOLE_LOG, trail.organisation_id, ""))
    for write in _writes(chain(_of_trail(connection, trail), of_log), row):
        told = write.found.entry
        if newest and told.number >= newest:
            continue
        if not _is_good(connection, write.found):
            return _altered(write.found)
        if write.made != left:
            is_later = f"was altered after entry {told.number} and written again"
            return f"{row.place} {is_later if newest else _isnt_as(told)}"
        if newest or write.before is None:
            return ""
        newest, left = told.number, write.before
    if not newest:
        return f"no entry wrote {row.place}"
    if newest > archived(connection, trail.organisation_id).size:
        return f"no entry made {row.place}, which entry {newest} found"
    return ""


def newest_contradicted(
    connection: Session, trail: Trail, row: Kept, statuses: Collection[str]
) -> str:
    """Why a row of the trail's account isn't as the newest entry about it says, in words. How it
    became so isn't asked, nor about a row to which that entry gives none of the statuses: that's
    enough for rows that are added up. Most are last written by an entry about themselves or the
    trail's objects; the account's trail is read where that one says otherwise.

    Raises:
        WriterKeyMissing: no mark can be checked.
    """
    about = trail._replace(account_id="")
    if trail.objects and not _newest(connection, about, row, statuses):
        return ""
    return _newest(connection, trail, row, statuses)


def _newest(connection: Session, trail: Trail, row: Kept, statuses: Collection[str]) -> str:
    for write in _writes(_of_trail(connection, trail), row):
        if not _is_good(connection, write.found):
            return _altered(write.found)
        status = write.terms.get("status")
        is_added = status is None or status in statuses
        is_same = not is_added or write.made == seal_of(connection, *row)
        return "" if is_same else f"{row.place} {_isnt_as(write.found.entry)}"
    return f"no entry wrote {row.place}"


def seal_contradicted(
    connection: Session, trail: Trail, row: Kept, seal: str, size: int, at: int
) -> str:
    """Why a row with this seal isn't what its log's first ``size`` entries left, in words; empty if
    it is. Only entries about the trail's objects and the clock are read. One from a minute before
    the row was read, ``at``, was there whatever the log's own row said of its size.

    Raises:
        WriterKeyMissing: no mark can be checked.
    """
    about = _about(connection, trail.organisation_id, (*trail.objects, CLOCK))
    for found, made, *_ in _writes(about, row):
        if found.entry.number > size and found.entry.at > at - MINUTE:
            continue
        if not _is_good(connection, found):
            return _altered(found)
        return "" if made == seal else f"{row.key} {_isnt_as(found.entry)}"
    return f"no entry wrote {row.place}"


def _writes(entries: Iterable[_Found], row: Kept) -> Iterator[_Write]:
    place = (row.table.name, row.key)
    for found in entries:
        for name, key, *said in found.entry.rows:
            if (name, key) == place:
                yield _Write(found, *said)


def _isnt_as(told: Entry) -> str:
    return f"isn't as entry {told.number} says"


def _altered(found: _Found) -> str:
    return f"entry {found.entry.number} of {found.entry.log} was altered"


def archived(connection: Session, organisation_id: str) -> moved.Told:
    """What an archive took last of a log, as a good entry of the deployment's log says."""
    for found in _about(connection, DEPLOYMENT, (moved.DATABASE,)):
        told = moved.told_by(found.entry)
        if told is not None and told[0] == organisation_id and _is_good(connection, found):
            return told[1]
    return moved.Told(0, 0, "")


def is_archived(connection: Session, organisation_id: str, subject: str, since: int) -> bool:
    """Whether the newest entry about something is from before an instant and of archived time, so
    that an archive may have what wrote it last. Raises WriterKeyMissing."""
    upto = archived(connection, organisation_id).upto
    for row in _NEWEST_ABOUT.rows(connection, organisation_id, subject):
        is_old = row.number <= upto and row.at < since
        return is_old and (row.body is None or any(_is_good(connection, e) for e in _read(row)))
    return False


def seal_of(connection: Session, table: Table, key: str) -> str | None:
    """The seal of a row as it's stored now; None where there is none."""
    found_by = sealing.form(table).primary_key(key)
    if found_by is None:
        return None
    row = connection.execute(_stored(table, connection.dialect.name), found_by).first()
    return None if row is None else sealing.seal(row.salt, row.text)


@cache
def _stored(table: Table, dialect: str) -> Query:
    """The query of a row's salt, and of its cells as its seal is made of them."""
    form = sealing.form(table)
    here = " AND ".join(f'"{name}" = :{name}' for name in form.key_names)
    text = f'SELECT "{SALT}", {form.sql_bytes(dialect)} FROM "{table.name}" WHERE {here}'
    return Query(text, row_of("salt", "text"), is_declared=False)


def _of_trail(connection: Session, trail: Trail) -> Iterator[_Found]:
    """The entries of a trail, the newest first."""
    of, account = trail.organisation_id, trail.account_id
    objects = [each for each in trail.objects if each != account]
    parts = [_stream(connection, _OF_OBJECT, of, each) for each in (*objects, CLOCK)]
    if account:
        parts.append(_stream(connection, _OF_ACCOUNT, of, account))
    return _entries(*parts)


def _entries(*streams: Iterator[Any]) -> Iterator[_Found]:
    """The entries of several streams of rows, the newest first, each once."""
    last = 0
    for row in merge(*streams, key=lambda row: -row.number):
        if row.number != last:
            last = row.number
            yield from _read(row)


def _about(connection: Session, organisation_id: str, objects: Sequence[str]) -> Iterator[_Found]:
    """The entries about some objects, the newest first."""
    parts = [_stream(connection, _OF_OBJECT, organisation_id, each) for each in objects]
    return _entries(*parts)


def _at(connection: Session, organisation_id: str, numbers: Sequence[int]) -> list[_Found]:
    """The entries with these numbers whose bodies are here and can be read."""
    rows = _SOME.rows(connection, organisation_id, list(numbers))
    return [found for row in rows if row.body is not None for found in _read(row)]


def _read(row: Any) -> Iterator[_Found]:
    try:
        body = entry.unpack(row.body)
        yield _Found(row, body, entry.read(row.number, body))
    except ValueError:
        return  # another row or none will be found instead, which isn't as this one said


def _stream(connection: Session, query: Query, organisation_id: str, of: str) -> Iterator[Any]:
    before, most = _NEWEST, _FIRST
    while True:
        values = {"organisation": organisation_id, "before": before, "of": of, "most": most}
        rows = connection.execute(query, values).all()
        yield from rows
        if len(rows) < most:
            return
        before, most = rows[-1].number, _TOGETHER


def is_written(connection: Session, trail: Trail, row: Kept) -> bool:
    """Whether an entry of the trail says that it wrote a row, whoever wrote the entry."""
    return any(_writes(_of_trail(connection, trail), row))


def told_about(connection: Session, organisation_id: str, subject: str) -> list[Entry]:
    """What the entries about an object say whose bodies are here, the newest first.

    Raises:
        ValueError: one of them was altered.
        WriterKeyMissing: no mark can be checked.
    """
    found = list(_about(connection, organisation_id, (subject,)))
    for each in found:
        if not _is_good(connection, each):
            raise ValueError(_altered(each))
    return [each.entry for each in found]


def altered(connection: Session, organisation_id: str, numbers: Iterable[int]) -> int | None:
    """The first of some entries that nobody with the writer's key wrote in its place; None if each
    is good. Raises WriterKeyMissing: no mark can be checked."""
    wanted = sorted(set(numbers))
    found = {each.entry.number: each for each in _at(connection, organisation_id, wanted)}
    for number in wanted:
        if number not in found or not _is_good(connection, found[number]):
            return number
    return None


def _is_good(connection: Session, found: _Found) -> bool:
    """Whether an entry was written, in its place, by somebody with the writer's key."""
    marker = marks.of(connection)
    marker.require(connection)
    row, told = found.row, found.entry
    leaf = entry.leaf_of(found.body)
    return (
        leaf == row.leaf
        and row.mark == marker.mark(told.log, told.number, leaf, row.former or b"")
        and is_filed(row, told)
    )


def is_filed(row: Any, told: Entry) -> bool:
    """Whether an entry's columns, by which it's found, are what it says."""
    columns = (row.organisation_id, row.at, row.action, row.object, row.trading_account_id)
    said = (told.log, told.at, told.action, told.object, told.account)
    return columns == said and (row.case_id or "") == told.case_id

"""What the log shows: audit rows, events, and what was posted."""

from collections.abc import Iterator
from itertools import chain, islice
from typing import Any, NamedTuple

from chainteller.domain.actors import Actor
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.records import AuditRow, Event
from chainteller.storage.db import records
from chainteller.storage.db.query import Query, Record, Session, Value, remembered, row_of
from chainteller.storage.db.sources import Source
from chainteller.storage.lists.pages import Counted, Extra, Listing
from chainteller.storage.log import entry
from chainteller.storage.log.entry import (
    EVENTS_PER_ACT,
    FOR_AUDIT,
    FOR_EVENTS,
    Entry,
    Posted,
    number_of,
    opened,
    seq_of,
)
from chainteller.storage.log.marks import octets

_TOGETHER = 200
_OF = "organisation_id = :organisation"
_HEAD = Source(records.Log).where(_OF)
_SIZES = Query(
    "SELECT organisation_id, size FROM log ORDER BY organisation_id",
    row_of("organisation_id", "size"),
)
_TRAIL = Listing(
    Source(records.Entry, own=("number", "leaf", "body")),
    "organisation_id",
    filters=("trading_account_id", "case_id"),
    order=("number",),
)
_IS_OBJECT = "entry.object = :object"
_IS_LATER = "entry.number > :archived"
_IS_HERE = Extra("entry.body IS NOT NULL")
_NEXT = Query(
    f"SELECT number, leaf, body FROM entry WHERE {_OF} AND number > :after "
    "ORDER BY number LIMIT :limit",
    row_of("number", "leaf", "body"),
)
_LEAF, _MARK, _BODY = (
    Query(f"SELECT {name} AS value FROM entry WHERE {_OF} AND number = :number", Value)
    for name in ("leaf", "mark", "body")
)
_INSTANT = Query(
    f"SELECT at AS value FROM entry WHERE {_OF} AND number >= :number AND at <= :now "
    "ORDER BY number LIMIT 1",
    Value,
)
_OF_ACCOUNT = Query(
    f"SELECT number, body FROM entry WHERE {_OF} AND trading_account_id = :account "
    "AND number > :after ORDER BY number LIMIT :limit",
    row_of("number", "body"),
)
_FEW = 10
_BACKWARDS = Query(
    f"SELECT number, body FROM entry WHERE {_OF} AND trading_account_id = :account "
    f"AND number <= :number ORDER BY number DESC LIMIT {_FEW}",
    row_of("number", "body"),
)
_OF_RECORD = Query(
    "SELECT journal.kind, entry.organisation_id, entry.number, entry.body FROM journal "
    "LEFT JOIN entry ON entry.organisation_id = journal.organisation_id "
    "AND entry.number = journal.number WHERE journal.record = :record",
    row_of("kind", "organisation_id", "number", "body"),
)
_ABOUT = Query(
    f"SELECT number, body FROM entry WHERE {_OF} AND object = :object ORDER BY number",
    row_of("number", "body"),
)


class Head(NamedTuple):
    """The end of a log. The bodies of ``moved`` entries up to ``archived`` are in archives."""

    size: int = 0
    archived: int = 0
    moved: int = 0


def head(connection: Session, organisation_id: str) -> Head:
    row = _HEAD.first(connection, organisation_id)
    return Head() if row is None else Head(row.size, row.archived, row.moved)


def sizes(connection: Session) -> dict[str, int]:
    """How many entries each log has, the deployment's included."""
    return {row[0]: row[1] for row in connection.execute(_SIZES)}


class Age(NamedTuple):
    """What is old: from before an instant, as seen now. A time that is still to come is one of an
    earlier epoch: such an entry is as old as the next one that isn't."""

    before: int
    now: int


def is_old(connection: Session, organisation_id: str, number: int, age: Age) -> bool:
    """Whether an entry is old, and with it all before it."""
    at = _INSTANT.value(connection, organisation_id, number, age.now)
    return at is not None and int(at) < age.before


# Audit rows


def audit_page(
    connection: Session, organisation_id: str, query: ListQuery
) -> tuple[tuple[AuditRow, ...], Counted]:
    """A page of the entries whose bodies are here, newest first. Without a filter, no number is
    missing among them: those that stayed beside archived ones aren't shown."""
    known = head(connection, organisation_id)
    archived = known.archived if known.moved else 0
    if query.text or any(_TRAIL.asked(query)):
        extras, total = [_IS_HERE] if archived else [], None
    else:
        extras = [Extra(_IS_LATER, {"archived": archived})] if archived else []
        total = Counted(known.size - archived)
    if query.text:
        extras.append(Extra(_IS_OBJECT, {"object": query.text}))
    rows, total = _TRAIL.page(connection, (organisation_id,), query, *extras, total=total)
    return tuple(map(audit_row, rows)), total


@remembered
def audit_row(row: Record) -> AuditRow:
    """What the organisation is shown of an entry. Raises ValueError: it can't be read."""
    found = opened(row.number, row.body, FOR_AUDIT)
    return AuditRow(
        seq=found.number,
        at=found.when,
        organisation=found.log,
        actor=found.actor,
        action=found.action,
        object=found.object,
        inputs=found.inputs or {},
        outcome="done" if found.error is None else "refused",
        error=found.error,
        hash=row.leaf.hex(),
        agent=found.agent_id or None,
        case=found.case_id or None,
    )


def of_case(
    connection: Session, organisation_id: str, case_id: str, most: int
) -> tuple[list[Entry], int]:
    """The newest entries of a case whose bodies are here, and how many it has. Raises
    ValueError."""
    query = ListQuery(case_id=case_id, limit=most)
    rows, total = _TRAIL.page(connection, (organisation_id,), query)
    found = [opened(row.number, row.body, FOR_EVENTS) for row in rows if row.body is not None]
    return found, total.total


def newest_hash(connection: Session, organisation_id: str) -> str:
    """The leaf hash of the newest entry of a log, in hexadecimal; empty if there's none."""
    leaf = _LEAF.value(connection, organisation_id, head(connection, organisation_id).size)
    return "" if leaf is None else bytes(leaf).hex()


def about(connection: Session, organisation_id: str, subject: str) -> list[Entry]:
    """The entries about an object whose bodies are here, oldest first. Raises ValueError."""
    rows = _ABOUT.run(connection, organisation_id, subject)
    return [opened(row.number, row.body) for row in rows if row.body is not None]


def body_of(connection: Session, organisation_id: str, number: int) -> bytes | None:
    """The body of an entry; None where there's none here. Raises ValueError."""
    stored = _BODY.value(connection, organisation_id, number)
    return None if stored is None else entry.unpack(stored)


entry_row = Source(records.Entry).where(f"{_OF} AND number = :number").first
"""An entry as it's stored; None if there's none."""


def mark_of(connection: Session, organisation_id: str, number: int) -> bytes:
    """The mark of an entry; empty if there's none."""
    return octets(_MARK.value(connection, organisation_id, number))


# Events


def events_after(
    connection: Session, organisation_id: str, after: int, limit: int, age: Age
) -> tuple[tuple[Event, ...], int, bool]:
    """Events after a cursor (negative: for the newest one alone), the next cursor, and whether the
    cursor was none of this log's: it is ahead of it, or events after it aren't kept any more, as
    those of this ``age`` aren't."""
    known = head(connection, organisation_id)
    newest = seq_of(known.size, EVENTS_PER_ACT - 1)
    if after < 0 or after > newest:
        return (), newest, after >= 0
    start = after
    if known.archived and number_of(after + 1) <= known.archived:
        start = seq_of(known.archived, EVENTS_PER_ACT - 1)
    found = _events(connection, organisation_id, start, limit)
    first = next(found, None)
    if first is not None and is_old(connection, organisation_id, number_of(first.seq), age):
        start = _kept_from(connection, organisation_id, (number_of(first.seq), known.size), age)
        found = _events(connection, organisation_id, start, limit)
    elif first is not None:
        found = chain([first], found)
    events = tuple(islice(found, limit))
    return events, events[-1].seq if len(events) == limit else newest, start > after


def _events(connection: Session, organisation_id: str, after: int, wanted: int) -> Iterator[Event]:
    """Events after a cursor; entries are read as many at once as events are wanted."""
    number, together = number_of(after + 1) - 1, min(wanted, _TOGETHER)
    while True:
        rows = _NEXT.rows(connection, organisation_id, number, together)
        for row in rows:
            if row.body is not None:
                yield from (each for each in _told(row) if each.seq > after)
        if len(rows) < together:
            return
        number = rows[-1].number


@remembered
def _told(row: Record) -> tuple[Event, ...]:
    found = opened(row.number, row.body, FOR_EVENTS)
    return tuple(
        Event(
            seq=seq_of(row.number, place),
            id=entry.event_id(row.leaf, place),
            type=told.type,
            at=found.when,
            resource=told.resource,
            actor=_named(found),
            data=told.data,
        )
        for place, told in enumerate(found.events)
    )


def _named(found: Entry) -> str | None:
    """Who made the events of an entry; None where the service did by itself."""
    actor = Actor(found.log, found.actor, found.key_id)
    return None if actor.is_worker else actor.name


def _kept_from(
    connection: Session, organisation_id: str, numbers: tuple[int, int], age: Age
) -> int:
    """The cursor after the last old entry, of those from an old one up to the newest."""
    low, high = numbers[0], numbers[1] + 1
    while high - low > 1:
        middle = (low + high) // 2
        is_below = is_old(connection, organisation_id, middle, age)
        low, high = (middle, high) if is_below else (low, middle)
    return seq_of(low, EVENTS_PER_ACT - 1)


# Postings


def posted_to(connection: Session, organisation_id: str, account_id: str) -> Iterator[Posted]:
    """Every journal that an account's entries posted, in their order, from the first one that
    isn't archived. Raises ValueError: an entry can't be read."""
    number = head(connection, organisation_id).archived
    while True:
        rows = _OF_ACCOUNT.rows(connection, organisation_id, account_id, number, _TOGETHER)
        for row in rows:
            yield from opened(row.number, row.body or b"").journals
        if len(rows) < _TOGETHER:
            return
        number = rows[-1].number


def posted_before(
    connection: Session, organisation_id: str, account_id: str, number: int
) -> Iterator[Posted]:
    """Every journal that an account's entries posted up to a number, the newest first, as far as
    bodies are here. Raises ValueError: an entry can't be read."""
    while True:
        rows = _BACKWARDS.rows(connection, organisation_id, account_id, number)
        for row in rows:
            if row.body is not None:
                yield from reversed(opened(row.number, row.body).journals)
        if len(rows) < _FEW:
            return
        number = rows[-1].number - 1


class Journal(NamedTuple):
    """A journal of a record, and the entry that posted it; None where there's none that did."""

    kind: str
    organisation_id: str
    number: int
    posted: Posted | None


def journals_of(connection: Session, record_id: str) -> list[Journal]:
    """Every journal of a record."""
    return [
        Journal(row.kind, row.organisation_id or "", row.number or 0, _posted(row, record_id))
        for row in _OF_RECORD.rows(connection, record_id)
    ]


def _posted(row: Any, record_id: str) -> Posted | None:
    try:
        return posted_by(opened(row.number or 0, row.body or b""), row.kind, record_id)
    except ValueError:
        return None


def posted_by(found: Entry, kind: str, record_id: str) -> Posted | None:
    """A journal of a record, if an entry posted it."""
    named = (each for each in found.journals if (each.kind, each.record) == (kind, record_id))
    return next(named, None)

"""The hash-chained audit trail, the event outbox, and the head row that counts both."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from chainteller.domain.audit_chain import COVERED, canonical, digest
from chainteller.domain.ids import plausible
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.records import AuditRow, Event
from chainteller.storage import own_numbers
from chainteller.storage.database import Record
from chainteller.storage.db import records
from chainteller.storage.pages import Counted, Extra, Listing
from chainteller.storage.tables import HEAD, Tables

_ACTOR = "actor"
"""Where an event's stored data keeps who made it."""
_HEAD = select(Tables.head).where(Tables.head.c.name == HEAD)

_NEWEST_EVENT = select(Tables.head.c.event_seq).where(Tables.head.c.name == HEAD)
_TRAIL = Listing(
    records.Audit,
    "organisation_id",
    filters=("trading_account_id",),
    order=("number",),
    is_tallied=True,
)
_SHOWN = tuple(name for name in (*COVERED, "hash") if name not in {"organisation_id", "inputs"})


def link_hash(row: Mapping[str, Any]) -> str:
    """The hash of an audit row: SHA-256 over the ``COVERED`` columns in canonical JSON."""
    return digest([row[name] for name in COVERED])


def has_head(connection: Connection) -> bool:
    """Whether the head row exists, as in every sound database."""
    return connection.execute(_HEAD).first() is not None


def other_heads(connection: Connection) -> list[str]:
    """The names of further head rows, which no build writes."""
    name = Tables.head.c.name
    return list(connection.execute(select(name).where(name != HEAD)).scalars())


def head(connection: Connection) -> Record:
    return connection.execute(_HEAD).one()


def event_row(
    event_id: str, kind: str, resource: str, data: Mapping[str, Any], actor: str | None = None
) -> dict[str, Any]:
    """Build an unnumbered event; the caller adds ``at`` and ``organisation_id``. The actor is kept
    within the stored data."""
    stored = data if actor is None else {**data, _ACTOR: actor}
    return {"id": event_id, "type": kind, "resource": resource, "data": canonical(stored)}


def audit_row(
    action: str, subject: str, inputs: Mapping[str, Any], error: str | None = None
) -> dict[str, Any]:
    """Build an unchained audit row; the caller adds instant, actor and account."""
    return {
        "action": action,
        "object": subject if plausible(subject) else "",
        "inputs": canonical(inputs),
        "outcome": "done" if error is None else "refused",
        "error": error,
    }


def newest_event(connection: Connection) -> int:
    """The deployment's number of its newest event, which no organisation is shown."""
    return int(connection.execute(_NEWEST_EVENT).scalar_one())


def events_after(
    connection: Connection, organisation_id: str, after: int, limit: int
) -> tuple[tuple[Event, ...], int, bool]:
    """Events after a cursor, the next cursor, and whether the cursor was none of this log's: it
    was ahead of it, or events after it aren't kept any more."""
    found, newest, is_reset = own_numbers.events_after(connection, organisation_id, after, limit)
    events = tuple(map(_event_model, found))
    return events, events[-1].seq if len(events) == limit else newest, is_reset


def _event_model(row: Record) -> Event:
    data = json.loads(row.data)
    actor = data.pop(_ACTOR, None)
    return Event(
        seq=row.number,
        id=row.id,
        type=row.type,
        at=row.at,
        resource=row.resource,
        actor=actor,
        data=data,
    )


def audit_page(
    connection: Connection, organisation_id: str, query: ListQuery
) -> tuple[tuple[AuditRow, ...], Counted]:
    extras: tuple[Extra, ...] = ()
    if query.text:
        extras = (Extra("audit.object = :object", {"object": query.text}),)
    rows, total = _TRAIL.page(connection, (organisation_id,), query, *extras)
    return tuple(_audit_model(own_numbers.shown(row._asdict())) for row in rows), total


def _audit_model(row: Mapping[str, Any]) -> AuditRow:
    fields = {name: row[name] for name in _SHOWN}
    inputs = json.loads(row["inputs"])
    return AuditRow(**{**fields, "organisation": row["organisation_id"], "inputs": inputs})


class Link(NamedTuple):
    """A row of the chain with the hash computed from its contents."""

    seq: int
    previous_hash: str
    hash: str
    computed_hash: str
    row: Record


def links(connection: Connection, after: int = 0) -> Iterator[Link]:
    """Stream the chain after a number, oldest first."""
    t = Tables.audit
    rows = connection.execute(
        select(*(t.c[each] for each in (*COVERED, "hash", "number", "follows")))
        .where(t.c.seq > after)
        .order_by(t.c.seq),
        execution_options={"yield_per": 5_000},
    )
    for row in rows:
        yield Link(row[9], row[8], row[10], digest(row[:10]), row)

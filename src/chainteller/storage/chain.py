"""The hash-chained audit trail, the event outbox, and the head row that counts both."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, Connection, bindparam, select

from chainteller.domain.audit_chain import COVERED, canonical, digest
from chainteller.domain.ids import plausible
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.records import AuditRow, Event
from chainteller.storage.columns import SALT
from chainteller.storage.database import Record
from chainteller.storage.pages import Counted, Extra, Listing
from chainteller.storage.schema import HEAD
from chainteller.storage.tables import Tables

_ACTOR = "actor"
"""Where an event's stored data keeps who made it."""
_HEAD = select(Tables.head).where(Tables.head.c.name == HEAD)

_NEWEST_EVENT = select(Tables.head.c.event_seq).where(Tables.head.c.name == HEAD)
_EVENTS_AFTER = (
    select(Tables.event)
    .where(
        Tables.event.c.organisation_id == bindparam("b_organisation"),
        Tables.event.c.seq > bindparam("b_after"),
    )
    .order_by(Tables.event.c.seq)
    .limit(bindparam("b_limit", type_=BigInteger))
)
_TRAIL = Listing(
    Tables.audit,
    "organisation_id",
    filters=("trading_account_id",),
    order=("seq",),
    key="seq",
    is_tallied=True,
)


def link_hash(row: Mapping[str, Any]) -> str:
    """The hash of an audit row: SHA-256 over the ``COVERED`` columns in canonical JSON."""
    return digest([row[name] for name in COVERED])


def head(connection: Connection) -> Record:
    return connection.execute(_HEAD).one()


def event_row(
    event_id: str, kind: str, resource: str, data: Mapping[str, Any], actor: str | None = None
) -> dict[str, Any]:
    """Build an unnumbered event; the caller adds ``at`` and ``organisation_id``.

    The actor is kept within the stored data, where a released build on the same database
    ignores it.
    """
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
    """The number of the newest event of any organisation."""
    return int(connection.execute(_NEWEST_EVENT).scalar_one())


def events_after(
    connection: Connection, organisation_id: str, after: int, limit: int
) -> tuple[tuple[Event, ...], int, bool]:
    """Events after a cursor, the next cursor, and whether the cursor was ahead of the log.

    The next cursor passes what other organisations wrote meanwhile.
    """
    newest = newest_event(connection)
    if after < 0 or after > newest:
        return (), newest, after > newest
    values = {"b_organisation": organisation_id, "b_after": after, "b_limit": limit}
    found = connection.execute(_EVENTS_AFTER, values).all()
    events = tuple(event_model(row) for row in found)
    return events, events[-1].seq if len(events) == limit else newest, False


def event_model(row: Record) -> Event:
    data = json.loads(row.data)
    actor = data.pop(_ACTOR, None)
    return Event(
        seq=row.seq,
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
        is_object = Tables.audit.c.object == bindparam("b_object")
        extras = (Extra("object", is_object, {"b_object": query.text}),)
    rows, total = _TRAIL.page(connection, (organisation_id,), query, *extras)
    return tuple(audit_model(row) for row in rows), total


def audit_model(row: Record) -> AuditRow:
    fields = row._asdict()
    organisation = fields.pop("organisation_id")
    del fields["trading_account_id"], fields[SALT]
    return AuditRow(**{**fields, "organisation": organisation, "inputs": json.loads(row.inputs)})


class Link(NamedTuple):
    """A row of the chain with the hash computed from its contents."""

    seq: int
    previous_hash: str
    hash: str
    computed_hash: str


def links(connection: Connection) -> Iterator[Link]:
    """Stream the whole chain, oldest first."""
    t = Tables.audit
    rows = connection.execute(
        select(*(t.c[name] for name in COVERED), t.c.hash).order_by(t.c.seq),
        execution_options={"yield_per": 5_000},
    )
    for row in rows:
        yield Link(row[9], row[8], row[10], digest(row[:10]))
